"""Which pages answer these words? The form, its results as a page, and the same as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, jsonify, redirect, render_template, request

from gateway.question import MAX_ASKED_PAGE, BadQuestion, paging, read_question, timed_search
from gateway.refining import choices, ways_out
from gateway.served_crawl import served_crawl
from indexer.retrieval.results import results_as_dict

if TYPE_CHECKING:
    from werkzeug.wrappers import Response as Redirection

search_views = Blueprint("search", __name__)


@search_views.get("/")
def start() -> Redirection:
    """Lead to the form."""
    return redirect("/search", 302)


@search_views.route("/search", methods=["GET", "POST"])
def search() -> str | Redirection:
    """Answer the form, by GET or by POST; without words, show it. Fields that were left empty are taken off its URL."""
    question = read_question(request.values)
    if not all(request.args.values()):
        return redirect(f"/search?{question.parameters()}".rstrip("?"), 302)
    crawl = served_crawl()
    searcher = crawl.searcher
    shown = {"question": question, "as_of": searcher.as_of, "documents": searcher.documents}
    if question.is_empty:
        return render_template("search.html", results=None, parts=searcher.parts, **shown)
    results, seconds = timed_search(searcher, question, crawl.settings.search_timeout)
    shown |= {
        "paging": paging(results.total, question.results_a_page, question.page, MAX_ASKED_PAGE),
        "facets": choices(results.facets, question),
        "ways": () if results.total else ways_out(searcher, question, results, crawl.settings.search_timeout),
    }
    return render_template("search.html", results=results, seconds=seconds, parts=results.parts, **shown)


@search_views.get("/api/search")
def api_search() -> Response:
    """Answer a program."""
    question = read_question(request.args)
    if question.is_empty:
        raise BadQuestion("q is missing: give words to search for, as in /api/search?q=rye+bread")
    crawl = served_crawl()
    return jsonify(results_as_dict(*timed_search(crawl.searcher, question, crawl.settings.search_timeout)))


@search_views.get("/api/suggest")
def suggest() -> Response:
    """Tell the search box, or a browser, how a question may go on that is being typed (OpenSearch Suggestions 1.1)."""
    typed = request.args.get("q", "")
    told = jsonify([typed, list(served_crawl().searcher.complete(typed))])
    told.mimetype = "application/x-suggestions+json"
    return told


@search_views.get("/opensearch.xml")
def opensearch() -> Response:
    """Describe the form to a browser that can add a search engine (OpenSearch 1.1)."""
    return Response(
        render_template("opensearch.xml", root=request.url_root), mimetype="application/opensearchdescription+xml"
    )
