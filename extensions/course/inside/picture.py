"""How do pages get from a seed to a result, and how many are at each step? The picture at the top of `/inside`.

Each station has a number of `report --json`, and parts that add up to it. What leaves the way at one station does not
reach the next one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, cast

from crawldb.tables.urls import State
from gateway.plots import WIDTH, element
from urls.rules import Rule
from urls.traps import TRAP_RULES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from extension_points import InsideView
    from reports.numbers import Report

BAR_HEIGHT = 10  # units of a plot
_PLURAL = re.compile(r"\b(seed|URL|request|page)s\b")
_REPORTED = (("/stats#pages", "Crawl report"),)
_SUPPRESSED = (("/stats#suppressed", "Crawl report"),)


class PartKind(StrEnum):
    """Whether the pages of a part go on, as a class of the stylesheet."""

    GOES_ON = "goes-on"
    WAITS = "waits"
    LEAVES = "leaves"


STATUS_CLASSES = {  # by status code, or by its first digit
    "2": ("2xx: success", PartKind.GOES_ON),
    "304": ("304: unchanged", PartKind.GOES_ON),
    "3": ("3xx: redirect", PartKind.LEAVES),
    "4": ("4xx: client error", PartKind.LEAVES),
    "5": ("5xx: server error", PartKind.LEAVES),
}


@dataclass(frozen=True, slots=True)
class StationPart:
    """A part of a station's number."""

    name: str
    number: int
    kind: PartKind


@dataclass(frozen=True, slots=True)
class Station:
    """A step on the way of a page: its number, what that counts, and the parts that add up to it.

    `links` are the views that show the step, each with path and name; the station's name links to the first one.
    """

    name: str
    does: str
    number: int
    counts: str
    parts: tuple[StationPart, ...] = ()
    links: tuple[tuple[str, str], ...] = ()

    @property
    def noun(self) -> str:
        """What the number counts: one seed, two seeds."""
        return _PLURAL.sub(r"\1", self.counts) if self.number == 1 else self.counts

    @property
    def bar(self) -> Markup:
        """Draw the parts as one bar. The list below it has the same numbers, so a screen reader skips the bar."""
        pieces: list[Markup] = []
        at = 0.0
        for part in self.parts:
            width = WIDTH * part.number / max(self.number, 1)
            pieces.append(element("rect", x=at, y=0, width=width, height=BAR_HEIGHT, class_=part.kind))
            at += width
        box = f"0 0 {WIDTH} {BAR_HEIGHT}"
        return element("svg", *pieces, viewBox=box, preserveAspectRatio="none", aria_hidden="true", focusable="false")


def stations(numbers: Report | None, views: Sequence[InsideView]) -> list[Station]:
    """Return the stations of a crawl with the views that name them; None: there is no crawl yet, so all is 0."""
    counted = numbers or _NO_CRAWL
    found = [*_of_urls(counted), *_of_pages(counted)]
    return [replace(station, links=_links(station, views) or station.links) for station in found]


_NO_CRAWL = cast(
    "Report",
    {
        "urls": dict.fromkeys(("discovered", *(state.name.lower() for state in State)), 0),
        "pages": dict.fromkeys(("stored", "indexed", "duplicates", "near_duplicates", "noindex", "refused"), 0),
        "suppressed": {},
        "seeds": [],
        "status": {},
        "requests": 0,
    },
)


def _links(station: Station, views: Sequence[InsideView]) -> tuple[tuple[str, str], ...]:
    return tuple((view.path, view.name) for view in views if view.station == station.name)


def _of_urls(numbers: Report) -> list[Station]:
    urls, suppressed, seeds = numbers["urls"], numbers["suppressed"], numbers["seeds"]
    fruitful = sum(1 for seed in seeds if seed["pages"])
    by_traps = sum(suppressed.get(rule, 0) for rule in TRAP_RULES)
    by_robots = suppressed.get(Rule.ROBOTS, 0)
    return [
        Station(
            "Seeds",
            "The crawl begins with these URLs.",
            len(seeds),
            "seeds",
            (
                StationPart("led to stored pages", fruitful, PartKind.GOES_ON),
                StationPart("led to none", len(seeds) - fruitful, PartKind.LEAVES),
            ),
            (("/stats", "Crawl report"),),
        ),
        Station(
            "Frontier",
            "Each discovered URL has one state.",
            urls["discovered"],
            "URLs discovered",
            (
                StationPart("done", urls["done"], PartKind.GOES_ON),
                StationPart("leased: being fetched", urls["leased"], PartKind.GOES_ON),
                StationPart("queued", urls["queued"], PartKind.WAITS),
                StationPart("failed", urls["failed"], PartKind.LEAVES),
                StationPart("suppressed by a trap rule", by_traps, PartKind.LEAVES),
                StationPart("suppressed by robots.txt", by_robots, PartKind.LEAVES),
                StationPart("suppressed by other rules", urls["suppressed"] - by_traps - by_robots, PartKind.LEAVES),
            ),
            (("/stats#urls", "Crawl report"),),
        ),
        Station(
            "Traps",
            "Parts of a site with endless URLs are left out.",
            by_traps,
            "URLs suppressed by a trap rule",
            tuple(
                StationPart(rule, suppressed[rule], PartKind.LEAVES)
                for rule in sorted(TRAP_RULES, key=lambda rule: -suppressed.get(rule, 0))
                if suppressed.get(rule)
            ),
            _SUPPRESSED,
        ),
        Station(
            "robots.txt",
            "Each site says what a robot may fetch.",
            by_robots,
            "URLs disallowed by robots.txt",
            (),
            _SUPPRESSED,
        ),
        _fetch(numbers),
    ]


def _fetch(numbers: Report) -> Station:
    counts = dict.fromkeys(STATUS_CLASSES, 0)
    for status, number in numbers["status"].items():
        if (key := status if status in counts else status[0]) in counts:
            counts[key] += number
    parts = [StationPart(STATUS_CLASSES[key][0], number, STATUS_CLASSES[key][1]) for key, number in counts.items()]
    rest = StationPart("no response", numbers["requests"] - sum(counts.values()), PartKind.LEAVES)
    return Station(
        "Fetch",
        "Pages, robots.txt files and sitemaps are requested.",
        numbers["requests"],
        "requests",
        (*parts, rest),
        (("/stats#status", "Crawl report"),),
    )


def _of_pages(numbers: Report) -> list[Station]:
    pages = numbers["pages"]
    stored, indexed, copies, near = (pages[name] for name in ("stored", "indexed", "duplicates", "near_duplicates"))
    passed = stored - pages["refused"] - pages["noindex"]
    return [
        Station(
            "Filters",
            "Error pages, empty pages and unwanted types are rejected.",
            stored,
            "pages read",
            (
                StationPart("passed", passed, PartKind.GOES_ON),
                StationPart("rejected", pages["refused"], PartKind.LEAVES),
                StationPart("noindex", pages["noindex"], PartKind.LEAVES),
            ),
            _REPORTED,
        ),
        Station(
            "Duplicates",
            "A page with the content of another one stays out of the index.",
            passed,
            "pages that passed",
            (
                StationPart("not a duplicate", passed - copies, PartKind.GOES_ON),
                StationPart("exact duplicates", copies, PartKind.LEAVES),
            ),
            _REPORTED,
        ),
        Station(
            "Crawl database",
            "Each page is stored with its verdict. Its links go to the frontier.",
            stored,
            "pages stored",
            (
                StationPart("for the index", indexed, PartKind.GOES_ON),
                StationPart("not for the index", stored - indexed, PartKind.LEAVES),
            ),
            _REPORTED,
        ),
        Station("Index", "The words of a page become postings.", indexed, "pages for the index", (), _REPORTED),
        Station(
            "Ranking",
            "Pages that match a query get a score. Near duplicates are folded under the best one.",
            indexed,
            "pages to rank",
            (
                StationPart("distinct", indexed - near, PartKind.GOES_ON),
                StationPart("near duplicates", near, PartKind.LEAVES),
            ),
            (("/search", "Search"),),
        ),
        Station(
            "Results",
            "The best pages are shown.",
            indexed - near,
            "distinct pages to show",
            (),
            (("/search", "Search"),),
        ),
    ]
