"""How does the search engine stand? Its health for a monitor, its numbers for a person."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, make_response, render_template, request

from crawldb.report import report
from indexer.faults import IndexFault
from indexer.gateway.holdings import holdings
from indexer.gateway.shown import instant

views = Blueprint("standing", __name__)


@views.get("/healthz")
def healthz() -> Response:
    """Say whether questions can be answered: 200 if so, else 503."""
    try:
        searcher = holdings().searcher
        state = {
            "ok": True, "generation": searcher.generation, "documents": searcher.documents,
            "as_of": instant(searcher.as_of),
        }  # fmt: skip
    except IndexFault as fault:
        return make_response(jsonify(ok=False, error=str(fault)), 503)
    return jsonify(state)


@views.get("/stats")
def stats() -> Response:
    """Show the crawl in numbers."""
    numbers = report(holdings().database())
    if request.args.get("format") == "json":
        return jsonify(numbers)
    return make_response(render_template("stats.html", numbers=numbers))
