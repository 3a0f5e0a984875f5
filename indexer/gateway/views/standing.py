"""How does the search engine stand? Its health for a monitor, its numbers for a person."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, make_response, render_template, request

from indexer.faults import IndexFault
from indexer.gateway.answer import standings
from indexer.gateway.holdings import holdings
from indexer.gateway.shown import instant

ALARMS_SHOWN = 20  # of each kind, on a page for a person
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
        parts = standings(searcher.parts)
    except IndexFault as fault:
        return make_response(jsonify(ok=False, error=str(fault)), 503)
    return jsonify(state | {"parts": parts} if parts else state)


@views.get("/stats")
def stats() -> Response:
    """Show the crawl in numbers."""
    numbers = holdings().report()
    if request.args.get("format") == "json":
        return jsonify(numbers)
    parts = {part["part"]: part["pages"]["stored"] for part in numbers.get("parts", ()) if not part["fault"]}
    return make_response(render_template("stats.html", numbers=numbers, part_pages=parts, shown=ALARMS_SHOWN))
