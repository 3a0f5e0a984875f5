"""How far is the crawl? `/inside/crawl` shows it while it runs, and what it has come to once it has ended.

With a script the page keeps itself up to date, and can be paused (WCAG 2.2, 2.2.2). Without one nothing moves unless a
person asks for it: `every` is the number of seconds after which the browser loads the page anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, make_response, render_template, request

import crawldb.tables.runs
import crawldb.tables.urls
import frontier.leases
import reports.crawl_progress
import reports.numbers
import reports.politeness.actual
from gateway.inside.source_files import source_files_of
from gateway.plots import Plot, bar_plot, line_plot
from gateway.search_request import number_parameter
from gateway.served_crawl import REPORT_CACHE_SECONDS, served_crawl
from reports.politeness.actual import departures, plan_and_actual
from reports.report_rows import run_in_words
from reports.wording import duration, size

if TYPE_CHECKING:
    from reports.crawl_progress import CrawlProgress

MINUTE = 60.0
SITES_TOLD = 30  # that wait, and hosts that rest; the report as JSON has all
crawl_view = Blueprint("inside_crawl", __name__)


@crawl_view.get("/inside/crawl")
def crawl() -> Response:
    """Show where the crawl stands."""
    every = int(number_parameter(request.args, "every", 0, 0, 3600))
    now = served_crawl().crawl_progress()
    plan = now.numbers["plan"]
    page = render_template(
        "inside/crawl.html",
        now=now,
        numbers=now.numbers,
        every=every,
        seconds=f"{REPORT_CACHE_SECONDS:g}",
        latest=latest_pace(now),
        plots=[pace_plot(now), codes_plot(now), *([sites_plot(now), depths_plot(now)] if now.waiting else ())],
        rounds=rounds_plot(now),
        planned=list(plan_and_actual(plan)) if plan else (),
        departures=list(departures(plan)) if plan else (),
        in_words={"run": run_in_words, "size": size, "duration": duration},
        shown=SITES_TOLD,
        sources=source_files_of(
            reports.crawl_progress, reports.numbers, crawldb.tables.urls, frontier.leases, crawldb.tables.runs,
            reports.politeness.actual,
        ),
    )  # fmt: skip
    answer = make_response(page)
    if every and now.running:
        answer.headers["Refresh"] = str(every)
    return answer


def latest_pace(now: CrawlProgress) -> tuple[float, float]:
    """Return requests and pages a second over the last minute, or over as much of it as there was."""
    last = [each for each in now.pace if each.ago < MINUTE]
    seconds = sum(each.seconds for each in last) or 1.0
    return sum(each.requests for each in last) / seconds, sum(each.pages for each in last) / seconds


def pace_plot(now: CrawlProgress) -> Plot:
    """Draw requests and pages a second over the last minutes."""
    whole = sum(each.seconds for each in now.pace)
    unit, name = (MINUTE, "minutes") if whole > 2 * MINUTE else (1.0, "seconds")
    middles = [-(each.ago + each.seconds / 2) / unit for each in now.pace]
    asked = any(each.requests for each in now.pace)
    lines = {
        "requests": [(at, each.requests / each.seconds) for at, each in zip(middles, now.pace, strict=True)],
        "pages": [(at, each.pages / each.seconds) for at, each in zip(middles, now.pace, strict=True)],
    }
    until = "now" if now.running else "the end of the latest run"
    return line_plot(
        lines if asked else {},
        title=f"Pace, up to {until}",
        x=f"{name}, until {until if now.running else 'its end'}",
        y="a second",
        nothing="No request was sent in the latest run.",
    )


def sites_plot(now: CrawlProgress) -> Plot:
    """Draw how many URLs wait, by site."""
    return bar_plot(
        [(site.site, site.queued) for site in now.waiting[:SITES_TOLD]],
        title="What waits, by site",
        name="site",
        unit="URLs queued",
        one="URL queued",
    )


def depths_plot(now: CrawlProgress) -> Plot:
    """Draw how many URLs wait, by their depth."""
    return bar_plot(
        [(str(depth), number) for depth, number in now.depths],
        title="What waits, by depth",
        name="links from a seed",
        unit="URLs queued",
        one="URL queued",
    )


def codes_plot(now: CrawlProgress) -> Plot:
    """Draw how servers have answered."""
    status = now.numbers["status"]
    return bar_plot(
        [("no answer" if code == "none" else code, number) for code, number in status.items()],
        title="Answers, by status code",
        name="status",
        unit="requests",
        one="request",
        nothing="No request was sent yet.",
    )


def rounds_plot(now: CrawlProgress) -> Plot:
    """Draw how many pages each round found, the oldest first."""
    return bar_plot(
        [(f"round {each.id}", each.pages) for each in reversed(now.rounds)],
        title="Pages, by round",
        name="round",
        unit="pages fetched or found unchanged",
        one="page fetched or found unchanged",
        nothing="No round has begun.",
    )
