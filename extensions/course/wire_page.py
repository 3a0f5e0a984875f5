"""What went over the network for a URL? `/inside/wire` shows the header lines of each request and response.

    /inside/wire?url=http://bakery.example/rye

The robots.txt of the site comes first, then the latest visits, each with the redirects to which it led. Without `url`
the view lists the latest requests, and a URL for each status code. A crawl has recorded all of them (heads.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from flask import Blueprint, render_template, request

from extensions.course import header_notes, heads
from extensions.course.header_notes import HeaderNote, received_note, sent_note, status_note
from extensions.course.heads import latest_exchanges, newest_exchanges
from extensions.course.tables import KEPT, heads_kept
from gateway.search_request import InvalidParameter, read_text
from gateway.served_crawl import served_crawl
from gateway.source_files import source_files_of
from pages.links import BaseUrl, Unusable
from reports.wording import moment
from spiders.downloader import exchange_heads
from urls.canonical import UnusableUrl, canonical_or_none, canonicalize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.databases import Parts
    from extensions.course.heads import KeptExchange

VISITS = 3  # of the URL, the latest
MAX_HOPS = 5  # redirects in a row
LISTED = 25  # requests, where no URL is given
LOOKED_THROUGH = 2_000  # exchanges, for a URL of each status
REDIRECTS = range(300, 400)
NOT_MODIFIED = 304
wire_view = Blueprint("inside_wire", __name__, template_folder="templates")


@dataclass(frozen=True, slots=True)
class NotedLine:
    """A line as it went over the network, and its note. `also` says where its value came from, or went."""

    text: str
    note: HeaderNote | None
    also: str = ""


@dataclass(frozen=True, slots=True)
class WireStep:
    """One exchange of the way: its heading and its lines. Without `sent`, nothing of it is kept."""

    heading: str
    url: str
    sent: tuple[NotedLine, ...] = ()
    received: tuple[NotedLine, ...] = ()


@wire_view.get("/inside/wire")
def wire() -> str:
    """Show the exchanges of `url`, or the latest ones."""
    typed = read_text(request.args, "url")
    parts = served_crawl().parts()
    databases = list(parts.readable()) or list(parts)
    found: dict[str, object] = {"url": typed, "kept": sum(map(heads_kept, databases)), "most": KEPT}
    if typed:
        try:
            url = canonicalize(typed if "://" in typed else f"http://{typed}")
        except UnusableUrl as error:
            raise InvalidParameter(f"url={typed[:100]!r} is invalid: {error.refusal.reason}") from None
        found |= {"url": url, "steps": list(steps_of(parts, url))}
    else:
        newest = sorted(
            (each for database in databases for each in newest_exchanges(database, LOOKED_THROUGH)),
            key=lambda each: -each.at,
        )
        by_status = {each.status: each for each in reversed(newest)}
        found |= {"newest": newest[:LISTED], "by_status": sorted(by_status.items())}
    sources = source_files_of(exchange_heads, heads, header_notes)
    return render_template("inside/wire.html", sources=sources, **found)


def steps_of(parts: Parts, url: str) -> Iterator[WireStep]:
    """Yield the way of a URL: the robots.txt of its site, and each of the latest visits with its redirects."""
    visits = _exchanges(parts, url)
    if not visits:
        return
    robots_url = urljoin(url, "/robots.txt")
    if url != robots_url:
        yield from _robots_steps(parts, robots_url, visits[0].at)
    for number, visit in enumerate(visits, 1):
        is_robots = url == robots_url
        yield _step(f"Request {number} of {len(visits)}", visit, visits, of_robots_txt=is_robots)
        yield from _redirects(parts, visit, of_robots_txt=is_robots)


def _exchanges(parts: Parts, url: str) -> list[KeptExchange]:
    return latest_exchanges(parts.home(url), url, VISITS)


def _robots_steps(parts: Parts, robots_url: str, before: float) -> Iterator[WireStep]:
    known = [each for each in _exchanges(parts, robots_url) if each.at <= before]
    if not known:
        yield WireStep("The robots.txt of the site: an earlier request, which is no longer kept", robots_url)
        return
    yield _step("First the robots.txt of the site", known[-1], known, of_robots_txt=True)
    yield from _redirects(parts, known[-1], of_robots_txt=True)


def _redirects(parts: Parts, visit: KeptExchange, *, of_robots_txt: bool) -> Iterator[WireStep]:
    """Yield the exchanges to which a redirect led, as far as they are kept."""
    seen = {visit.address}
    while visit.status in REDIRECTS and visit.status != NOT_MODIFIED and len(seen) <= MAX_HOPS:
        resolved = BaseUrl.of(visit.address).resolve(visit.value("location"))
        target = None if isinstance(resolved, Unusable) else canonical_or_none(resolved)
        if target is None or target in seen:
            return
        seen.add(target)
        known = _exchanges(parts, target)
        if not known:
            yield WireStep("Redirected to a URL of which no request is kept", target)
            return
        redirected = visit
        visit = min(known, key=lambda each: abs(each.at - redirected.at))
        heading = "Redirected to" if visit.at >= redirected.at else "Redirected to a URL that was requested before"
        yield _step(heading, visit, known, of_robots_txt=of_robots_txt)


def _step(heading: str, visit: KeptExchange, of_url: list[KeptExchange], *, of_robots_txt: bool) -> WireStep:
    first, *sent = visit.request
    request = [NotedLine(first, None)]
    request += [NotedLine(line, sent_note(line), _came(line, visit, of_url)) for line in sent]
    response: list[NotedLine] = []
    if visit.response:
        status, *received = visit.response
        response = [NotedLine(status, status_note(visit.status, of_robots_txt=of_robots_txt))]
        notes = ((line, received_note(line, of_robots_txt=of_robots_txt)) for line in received)
        response += [NotedLine(line, note, _went(line, visit, of_url)) for line, note in notes]
    return WireStep(f"{heading}: {moment(visit.at)}", visit.address, tuple(request), tuple(response))


_VALIDATORS = {"if-none-match": "etag", "if-modified-since": "last-modified"}  # what is sent: where it came from


def _split(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip().lower(), value.strip()


def _came(line: str, visit: KeptExchange, of_url: list[KeptExchange]) -> str:
    """Return from which earlier response the value of a sent line is, if that is kept."""
    name, value = _split(line)
    came_with = _VALIDATORS.get(name)
    before = [each for each in of_url if each.at < visit.at and came_with and each.value(came_with) == value]
    return f"It came with the response of {moment(before[-1].at)}." if before else ""


def _went(line: str, visit: KeptExchange, of_url: list[KeptExchange]) -> str:
    """Return which later request sent the value of a received line, if that is kept."""
    name, value = _split(line)
    for sent_as, came_with in _VALIDATORS.items():
        if came_with == name:
            later = [
                each for each in of_url if each.at > visit.at and (sent_as, value) in map(_split, each.request[1:])
            ]
            return f"The request of {moment(later[0].at)} sent it." if later else ""
    return ""
