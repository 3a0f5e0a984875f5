"""Is everything well? `/stats` shows the crawl report, and `/healthz` the health for a monitor.

Without the crawl database, search still works, and the views leave out what they can't read. The numbers of a crawl are
tables. docs/glossary.md defines their terms, the journal defines rules, and the standard defines status codes.
"""

from __future__ import annotations

import re
import sqlite3
import time
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, current_app, jsonify, make_response, render_template, request

from crawldb.database import DatabaseError, in_words
from extension_points import built_in
from gateway.served_crawl import served_crawl
from gateway.template_filters import public_error, rfc3339, with_folder_option
from indexer.faults import IndexFault
from indexer.retrieval.results import parts_as_dicts
from reports.health import suggestion_need
from reports.summary import in_plain_words
from reports.wording import meaning_of_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from reports.health import CrawlHealth, Need
    from reports.numbers import Report


_GLOSSARY = Path(__file__).resolve().parents[2] / "docs" / "glossary.md"
_ENTRY = re.compile(r"^- \*\*(.+?)\*\*: (.+)$", re.MULTILINE)


@cache
def glossary() -> dict[str, str]:
    """Return the definitions by term; none if the docs are not installed, as in an egg."""
    return dict(_ENTRY.findall(_GLOSSARY.read_text("utf-8"))) if _GLOSSARY.is_file() else {}


def meaning_of(term: str) -> str:
    """Return the definition of a term without its full stop; "" if the glossary lacks it."""
    return glossary().get(term, "").removesuffix(".").replace("`", "")


SITES_SHOWN = 100  # on a page; the JSON has all
_TERMS = {  # of the report: as what the glossary has it
    "leased": "leased out", "indexed": "fit for the index", "duplicates": "duplicate",
    "near_duplicates": "near duplicate", "refused": "rejected",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class NumberRow:
    """A number, its name, and the definition of the name, if it needs one."""

    name: str
    number: int
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class NumberTable:
    """Rows of one kind; `more` are those that are not shown."""

    key: str
    title: str
    noun: str
    rows: tuple[NumberRow, ...]
    more: int = 0


def number_tables(numbers: Report) -> Iterator[NumberTable]:
    """Yield the tables that have any row."""
    largest = sorted(numbers["sites"].items(), key=lambda site: (-site[1], site[0]))
    sites = tuple(NumberRow(*site) for site in largest[:SITES_SHOWN])
    found = (
        NumberTable("urls", "URLs by state", "State", tuple(_terms(numbers["urls"]))),
        NumberTable("pages", "Pages", "Kind", tuple(_terms(numbers["pages"]))),
        NumberTable("status", "Responses by status", "Status", tuple(_statuses(numbers["status"]))),
        NumberTable("suppressed", "Suppressed URLs by rule", "Rule", tuple(_rules(numbers["suppressed"]))),
        NumberTable("failed", "Failed URLs by rule", "Rule", tuple(_rules(numbers["failed"]))),
        NumberTable("sites", "Stored pages by site", "Site", sites, len(largest) - len(sites)),
    )
    yield from (table for table in found if table.rows)


def _terms(counts: Mapping[str, int]) -> Iterator[NumberRow]:
    for name, number in counts.items():
        word = name.replace("_", " ")
        yield NumberRow(word, number, meaning_of(_TERMS.get(name, word)))


def _rules(counts: Mapping[str, int]) -> Iterator[NumberRow]:
    for name, number in counts.items():
        yield NumberRow(name, number, meaning_of_rule(name))


def _statuses(counts: Mapping[str, int]) -> Iterator[NumberRow]:
    known = {str(status.value): status.description or status.phrase for status in HTTPStatus}
    for name, number in counts.items():
        yield NumberRow(name, number, "no response" if name == "none" else known.get(name, ""))


health_views = Blueprint("health", __name__)


@health_views.get("/healthz")
def healthz() -> Response:
    """Report whether search works (200, else 503), the age of the crawl, and problems."""
    state = _index_health() | _crawl_health()
    return make_response(jsonify(state), 200 if state["ok"] else 503)


def _index_health() -> dict[str, Any]:
    try:
        searcher = served_crawl().searcher
        generation, documents, as_of = searcher.generation, searcher.documents, rfc3339(searcher.as_of)
        parts = parts_as_dicts(searcher.parts, public_error)
    except IndexFault as fault:
        return {"ok": False, "error": with_folder_option(served_crawl().public_error(fault))}
    state = {"ok": True, "generation": generation, "documents": documents, "as_of": as_of}
    return state | {"parts": parts} if parts else state


def _crawl_health() -> dict[str, Any]:
    if served_crawl().foreign:
        return {"crawl": None, "alarms": []}
    try:
        health = served_crawl().health()
    except (DatabaseError, sqlite3.Error) as fault:
        said = in_words(fault) if isinstance(fault, sqlite3.Error) else fault
        return {"crawl": None, "alarms": [with_folder_option(served_crawl().public_error(said))]}
    disk = {"free_bytes": health.free, "total_bytes": health.total}
    alarms = [with_folder_option(need.text) for need in health.needs]
    return {"crawl": _last_run(health), "disk": disk, "alarms": alarms}


def _last_run(health: CrawlHealth) -> dict[str, Any] | None:
    last, age = health.last_run, health.age(time.time())
    if last is None or age is None:
        return None
    times = {"began": rfc3339(last["started_at"]), "ended": rfc3339(last["ended_at"]) if last["ended_at"] else None}
    return {"running": last["running"], **times, "ending": last["ending"], "age_seconds": round(age)}


NEEDS_SHOWN = 20  # on a page for a person; the JSON has all
VIEW_OF = {  # which view of the inside shows more of a table
    "urls": "/inside/crawl", "pages": "/inside/duplicates", "suppressed": "/inside/traps", "sites": "/inside/links",
}  # fmt: skip

stats_views = Blueprint("stats", __name__)


@stats_views.get("/stats")
def stats() -> Response:
    """Show the summary, the problems and the numbers of the crawl."""
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
    rows_shown = {"happened": words["happened"], "needs": needs[:NEEDS_SHOWN], "more": max(0, len(needs) - NEEDS_SHOWN)}
    names: Mapping[str, str] = current_app.jinja_env.globals["inside_views"]  # type: ignore[assignment]  # a name of ours
    views = {key: (path, names[path]) for key, path in VIEW_OF.items() if path in names}
    rows_shown["has_metrics"] = "metrics" in built_in()
    return make_response(render_template("stats.html", numbers=numbers, tables=tables, views=views, **rows_shown))


def _named_parts(divided: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a divided crawl, with the name of each folder and without its path."""
    parts = divided.get("parts", ())
    return {"parts": [part | {"folder": Path(part["folder"]).name} for part in parts]} if parts else {}


def _suggestions() -> list[Need]:
    """Return the suggested site options; none for a divided crawl with a missing part, which is a problem itself."""
    try:
        return [suggestion_need(each) for each in served_crawl().suggestions()]
    except (DatabaseError, sqlite3.Error):
        return []
