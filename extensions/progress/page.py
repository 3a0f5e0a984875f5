"""How far is the crawl? `/inside/crawl` shows its progress, and the outcome after it has ended.

A script keeps the page up to date, and a reader can pause it (WCAG 2.2, 2.2.2). Without a script, `every` is the number
of seconds after which the browser reloads the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, make_response, render_template, request

import crawldb.tables.runs
import crawldb.tables.urls
import extensions.progress.crawl_progress
import frontier.leases
import reports.actual
import reports.numbers
from extension_points import built_in
from extensions.progress.crawl_progress import crawl_of
from gateway.plots import Plot, bar_plot, line_plot
from gateway.search_request import number_parameter
from gateway.served_crawl import REPORT_CACHE_SECONDS, kept_in_app, served_crawl
from gateway.source_files import source_files_of
from reports.actual import departures, plan_and_actual
from reports.report_rows import run_in_words
from reports.wording import duration, size

if TYPE_CHECKING:
    from extensions.progress.crawl_progress import CrawlProgress

MINUTE = 60.0
SITES_SHOWN = 30  # with queued URLs, and paused hosts; the JSON of /stats has all
crawl_view = Blueprint(
    "inside_crawl", __name__, template_folder="templates", static_folder="static", static_url_path="/static/progress"
)


@crawl_view.get("/inside/crawl")
def crawl() -> Response:
    """Show the progress of the crawl."""
    every = int(number_parameter(request.args, "every", 0, 0, 3600))
    now = progress_now()
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
        can_plan="plan" in built_in(),
        in_words={"run": run_in_words, "size": size, "duration": duration},
        shown=SITES_SHOWN,
        sources=source_files_of(
            extensions.progress.crawl_progress, reports.numbers, crawldb.tables.urls, frontier.leases,
            crawldb.tables.runs, reports.actual,
        ),
    )  # fmt: skip
    response = make_response(page)
    if every and now.running:
        response.headers["Refresh"] = str(every)
    return response


def progress_now() -> CrawlProgress:
    """Return the state of the crawl, at most REPORT_CACHE_SECONDS old."""
    crawl = served_crawl()
    crawl.check_all_shown()
    return kept_in_app("crawl_progress", REPORT_CACHE_SECONDS, lambda: crawl_of(crawl.parts()))


def latest_pace(now: CrawlProgress) -> tuple[float, float]:
    """Return requests and pages a second over the last minute, or over a shorter crawl."""
    last = [each for each in now.pace if each.ago < MINUTE]
    seconds = sum(each.seconds for each in last) or 1.0
    return sum(each.requests for each in last) / seconds, sum(each.pages for each in last) / seconds


def pace_plot(now: CrawlProgress) -> Plot:
    """Draw requests and pages a second over time."""
    whole = sum(each.seconds for each in now.pace)
    unit, name = (MINUTE, "minutes") if whole > 2 * MINUTE else (1.0, "seconds")
    middles = [-(each.ago + each.seconds / 2) / unit for each in now.pace]
    sent = any(each.requests for each in now.pace)
    lines = {
        "requests": [(at, each.requests / each.seconds) for at, each in zip(middles, now.pace, strict=True)],
        "pages": [(at, each.pages / each.seconds) for at, each in zip(middles, now.pace, strict=True)],
    }
    end = "now" if now.running else "the end of the latest run"
    return line_plot(
        lines if sent else {},
        title=f"Pace, until {end}",
        x=f"{name} before {end if now.running else 'the end'}",
        y="a second",
        nothing="The latest run sent no request.",
    )


def sites_plot(now: CrawlProgress) -> Plot:
    """Draw the number of queued URLs by site."""
    return bar_plot(
        [(site.site, site.queued) for site in now.waiting[:SITES_SHOWN]],
        title="Queued URLs, by site",
        name="site",
        unit="URLs queued",
        one="URL queued",
    )


def depths_plot(now: CrawlProgress) -> Plot:
    """Draw the number of queued URLs by depth."""
    return bar_plot(
        [(str(depth), number) for depth, number in now.depths],
        title="Queued URLs, by depth",
        name="links from a seed",
        unit="URLs queued",
        one="URL queued",
    )


def codes_plot(now: CrawlProgress) -> Plot:
    """Draw the number of responses by status code."""
    status = now.numbers["status"]
    return bar_plot(
        [("no response" if code == "none" else code, number) for code, number in status.items()],
        title="Responses, by status code",
        name="status",
        unit="requests",
        one="request",
        nothing="No request was sent yet.",
    )


def rounds_plot(now: CrawlProgress) -> Plot:
    """Draw the number of pages of each round, the oldest first."""
    return bar_plot(
        [(f"round {each.id}", each.pages) for each in reversed(now.rounds)],
        title="Pages, by round",
        name="round",
        unit="pages fetched or unchanged",
        one="page fetched or unchanged",
        nothing="No round has started.",
    )
