"""Is everything well? `/healthz` says it to a monitor in a word, `/metrics` in numbers that it keeps.

What can't be asked for health is told as such: without the crawl database questions are answered all the same.
"""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, jsonify, make_response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from crawldb.database import DatabaseError, in_words
from gateway.operators.measurements import measurements
from gateway.served_crawl import served_crawl
from gateway.template_filters import fault_in_words, of_served_folder, rfc3339
from indexer.faults import IndexFault
from indexer.retrieval.results import parts_as_dicts

if TYPE_CHECKING:
    from reports.health import CrawlHealth

health_views = Blueprint("health", __name__)


@health_views.get("/healthz")
def healthz() -> Response:
    """Say whether questions can be answered, 200 if so, else 503; how old the crawl is, and what needs a person."""
    state = _index() | _crawl()
    return make_response(jsonify(state), 200 if state["ok"] else 503)


@health_views.get("/metrics")
def metrics() -> Response:
    """Show what is counted, in the text format of Prometheus."""
    return Response(generate_latest(measurements().registry), content_type=CONTENT_TYPE_LATEST)


def _index() -> dict[str, Any]:
    try:
        searcher = served_crawl().searcher
        generation, documents, as_of = searcher.generation, searcher.documents, rfc3339(searcher.as_of)
        parts = parts_as_dicts(searcher.parts, fault_in_words)
    except IndexFault as fault:
        return {"ok": False, "error": of_served_folder(served_crawl().in_words(fault))}
    state = {"ok": True, "generation": generation, "documents": documents, "as_of": as_of}
    return state | {"parts": parts} if parts else state


def _crawl() -> dict[str, Any]:
    if served_crawl().serves_whoosh:
        return {"crawl": None, "alarms": []}
    try:
        health = served_crawl().health()
    except DatabaseError as fault:
        return {"crawl": None, "alarms": [of_served_folder(served_crawl().in_words(fault))]}
    except sqlite3.Error as fault:
        return {"crawl": None, "alarms": [of_served_folder(served_crawl().in_words(in_words(fault)))]}
    disk = {"free_bytes": health.free, "total_bytes": health.total}
    return {"crawl": _last_run(health), "disk": disk, "alarms": [of_served_folder(need.text) for need in health.needs]}


def _last_run(health: CrawlHealth) -> dict[str, Any] | None:
    last, age = health.last_run, health.age(time.time())
    if last is None or age is None:
        return None
    times = {"began": rfc3339(last["started_at"]), "ended": rfc3339(last["ended_at"]) if last["ended_at"] else None}
    return {"running": last["running"], **times, "ending": last["ending"], "age_seconds": round(age)}
