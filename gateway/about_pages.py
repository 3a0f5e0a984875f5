"""What does the gateway say of itself? Its health to a monitor, its numbers to a person, its rules to a site's owner.

`/bot` is the page that the User-Agent leads to: who runs this robot, what it obeys, and how it is kept away.
"""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, make_response, render_template, request

from gateway.served_crawl import served_crawl
from gateway.template_filters import rfc3339
from indexer.faults import IndexFault
from indexer.retrieval.results import parts_as_dicts

MAX_ALARMS_SHOWN = 20  # of each kind, on a page for a person
ROBOT_DELAY = 10  # seconds that other robots are asked to leave between two pages: each is made anew
about_views = Blueprint("about", __name__)


@about_views.get("/healthz")
def healthz() -> Response:
    """Say whether questions can be answered: 200 if so, else 503."""
    try:
        searcher = served_crawl().searcher
        generation, documents, as_of = searcher.generation, searcher.documents, rfc3339(searcher.as_of)
        parts = parts_as_dicts(searcher.parts)
    except IndexFault as fault:
        return make_response(jsonify(ok=False, error=str(fault)), 503)
    state = {"ok": True, "generation": generation, "documents": documents, "as_of": as_of}
    return jsonify(state | {"parts": parts} if parts else state)


@about_views.get("/stats")
def stats() -> Response:
    """Show the crawl in numbers."""
    numbers = served_crawl().report()
    if request.args.get("format") == "json":
        return jsonify(numbers)
    parts = {part["part"]: part["pages"]["stored"] for part in numbers.get("parts", ()) if not part["fault"]}
    return make_response(render_template("stats.html", numbers=numbers, part_pages=parts, shown=MAX_ALARMS_SHOWN))


@about_views.get("/bot")
def bot() -> str:
    """Show the policy of the robot, as the newest crawl kept it."""
    return render_template("bot.html", settings=served_crawl().manners())


@about_views.get("/robots.txt")
def robots_txt() -> Response:
    """Let other robots fetch what they have an address of: a page that they may not fetch can't say noindex.

    What keeps results out of their indexes and their links unfollowed is the header (`browser_guard`).
    """
    return Response(f"User-agent: *\nCrawl-delay: {ROBOT_DELAY}\nAllow: /\n", mimetype="text/plain")
