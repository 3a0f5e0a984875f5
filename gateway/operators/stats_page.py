"""How does the crawl stand? What happened, in sentences; what needs somebody, and what would help; then the numbers."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, jsonify, make_response, render_template, request

from crawldb.database import DatabaseError
from gateway.inside.contents import listed_views
from gateway.served_crawl import served_crawl
from reports.health import suggestion_need
from reports.number_tables import NumberRow, NumberTable, number_tables
from reports.summary import in_plain_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reports.health import Need

NEEDS_SHOWN = 20  # on a page for a person; the JSON has all
VIEW_OF = {  # which view of the inside shows more of a table
    "urls": "/inside/crawl", "pages": "/inside/duplicates", "suppressed": "/inside/traps", "sites": "/inside/links",
}  # fmt: skip

stats_views = Blueprint("stats", __name__)


@stats_views.get("/stats")
def stats() -> Response:
    """Show what happened, what needs somebody, and the crawl in numbers."""
    crawl = served_crawl()
    numbers, needs = crawl.report(), (*crawl.health().needs, *_suggestions())
    divided: Mapping[str, Any] = numbers
    words = in_plain_words(numbers, needs)
    if request.args.get("format") == "json":
        return jsonify(dict(numbers) | words | _named_parts(divided))
    parts = [part for part in divided.get("parts", ()) if not part["fault"]]
    tables = [*number_tables(numbers)]
    if parts:
        rows = tuple(NumberRow(part["part"], part["pages"]["stored"]) for part in parts)
        tables.append(NumberTable("parts", "Stored pages, by part", "Part", rows))
    told = {"happened": words["happened"], "needs": needs[:NEEDS_SHOWN], "more": max(0, len(needs) - NEEDS_SHOWN)}
    there = {view.path: view.name for view in listed_views()}
    views = {key: (path, there[path]) for key, path in VIEW_OF.items()}
    return make_response(render_template("stats.html", numbers=numbers, tables=tables, views=views, **told))


def _named_parts(divided: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a divided crawl, each with the name of its folder: strangers need not know where that is."""
    parts = divided.get("parts", ())
    return {"parts": [part | {"folder": Path(part["folder"]).name} for part in parts]} if parts else {}


def _suggestions() -> list[Need]:
    """Return what the stored pages propose; of a divided crawl with a part missing, nothing: the part is a need."""
    try:
        return [suggestion_need(each) for each in served_crawl().suggestions()]
    except (DatabaseError, sqlite3.Error):
        return []
