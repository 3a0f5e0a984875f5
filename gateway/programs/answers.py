"""Which pages answer, told to a program? As JSON, and as an Atom feed (RFC 4287)."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, render_template, request

from gateway.plots.svg import permitted
from gateway.programs.description import description
from gateway.searching.question import BadQuestion, read_question, timed_search
from gateway.served_crawl import served_crawl
from gateway.template_filters import fault_in_words, rfc3339
from indexer.query.deadline import Deadline
from indexer.retrieval.results import results_as_dict

MAX_RFC3339 = 253_402_300_799  # seconds since the epoch: the end of the year 9999, after which it has no date
program_views = Blueprint("programs", __name__)


@program_views.get("/api/search")
def api_search() -> Response:
    """Answer a program."""
    question = read_question(request.args)
    if question.is_empty:
        raise BadQuestion("q is missing: give words to search for, as in /api/search?q=rye+bread")
    crawl = served_crawl()
    results, seconds = timed_search(crawl.searcher, question, Deadline(crawl.settings.search_timeout))
    return jsonify(results_as_dict(results, seconds, fault_in_words))


@program_views.get("/api/suggest")
def suggest() -> Response:
    """Tell the search box, or a browser, how a question may go on that is being typed (OpenSearch Suggestions 1.1)."""
    typed = request.args.get("q", "")
    told = jsonify([typed, list(served_crawl().searcher.complete(typed))])
    told.mimetype = "application/x-suggestions+json"
    return told


@program_views.get("/api/openapi.json")
def openapi() -> Response:
    """Describe what programs can ask (OpenAPI 3.1)."""
    return jsonify(description(request.url_root.rstrip("/"), served_crawl().settings.product))


@program_views.get("/search.atom")
def feed() -> Response:
    """Tell a feed reader which pages answer: what is new among them is news."""
    question = read_question(request.args)
    if question.is_empty:
        raise BadQuestion("q is missing: give words to search for, as in /search.atom?q=rye+bread")
    crawl = served_crawl()
    results, _ = timed_search(crawl.searcher, question, Deadline(crawl.settings.search_timeout))
    dates = [_rfc3339(hit.modified or hit.published or hit.fetched_at or results.as_of) for hit in results.hits]
    page = render_template(
        "feed.xml",
        root=request.url_root,
        question=question,
        results=results,
        dates=dates,
        xml=permitted,
        rfc3339=_rfc3339,
    )
    return Response(page, mimetype="application/atom+xml")


@program_views.get("/opensearch.xml")
def opensearch() -> Response:
    """Describe the form to a browser that can add a search engine (OpenSearch 1.1)."""
    return Response(
        render_template("opensearch.xml", root=request.url_root), mimetype="application/opensearchdescription+xml"
    )


def _rfc3339(seconds: float) -> str:
    """Return a time as Atom has it; a date before 1970 or after 9999, which a page may claim, is cut to these."""
    return rfc3339(min(max(0.0, seconds), MAX_RFC3339))
