"""The programming interface: results as JSON and as an Atom feed (RFC 4287), completions, and OpenSearch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, jsonify, render_template, request

from gateway.plots import permitted
from gateway.search_request import InvalidParameter, read_search_request, timed_search
from gateway.served_crawl import served_crawl
from gateway.template_filters import public_error, rfc3339
from indexer.query.deadline import Deadline
from indexer.retrieval.results import results_as_dict

if TYPE_CHECKING:
    from gateway.search_request import SearchRequest
    from indexer.retrieval.results import Results

MAX_RFC3339 = 253_402_300_799  # seconds since the epoch: the end of the year 9999, the last that RFC 3339 can write
program_views = Blueprint("programs", __name__)


@program_views.get("/api/search")
def api_search() -> Response:
    """Return the results as JSON."""
    _, results, seconds = _search()
    return jsonify(results_as_dict(results, seconds, public_error))


@program_views.get("/api/suggest")
def suggest() -> Response:
    """Complete a query for the search box or a browser (OpenSearch Suggestions 1.1)."""
    typed = request.args.get("q", "")
    response = jsonify([typed, list(served_crawl().searcher.complete(typed))])
    response.mimetype = "application/x-suggestions+json"
    return response


@program_views.get("/search.atom")
def feed() -> Response:
    """Return the results as an Atom feed."""
    question, results, _ = _search()
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
    """Return the OpenSearch 1.1 description, with which a browser adds this search engine."""
    return Response(
        render_template("opensearch.xml", root=request.url_root), mimetype="application/opensearchdescription+xml"
    )


def _search() -> tuple[SearchRequest, Results, float]:
    """Answer the request; the results come with the seconds that they took. Raises InvalidParameter."""
    question = read_search_request(request.args)
    if question.is_empty:
        raise InvalidParameter(f"q is missing: add words, as in {request.path}?q=rye+bread")
    crawl = served_crawl()
    return question, *timed_search(crawl.searcher, question, Deadline(crawl.settings.search_timeout))


def _rfc3339(seconds: float) -> str:
    """Return a time for Atom. A page may claim a date before 1970 or after 9999; it is clipped."""
    return rfc3339(min(max(0.0, seconds), MAX_RFC3339))
