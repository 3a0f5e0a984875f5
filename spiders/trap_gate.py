"""Does this request lead into a trap? A downloader middleware for any Scrapy project, such as the textbook engine.

    DOWNLOADER_MIDDLEWARES = {"spiders.trap_gate.TrapGate": 200}

The rules are those of the engine (`urls/traps.py`): the form of a URL, and whether its pattern brings new content.
The engine applies them in its frontier, where a URL can wait, be released and outlive the process. Here the counts are
in memory and end with the crawl, and there is no probe.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse

from pages.http_headers import FetchedBody
from pages.page_parser import parse_page
from spiders.downloader.handler import header_lines
from urls.canonical import canonical_or_none, site_of
from urls.traps import (
    Limits,
    Pattern,
    PatternKind,
    closing_reason,
    is_cyclic,
    is_dated,
    is_exhausted,
    page_marks,
    patterns_of,
    shape_refusal,
)

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from urls.records import CanonicalUrl, Page

LOOKED_BACK = 100  # pages of the way to a page
PATIENCE = 20  # as TRAP_PATIENCE of the engine


@dataclass(slots=True)
class PatternCount:
    """The pages of one pattern of one site."""

    fetched: int = 0
    wasted: int = 0  # pages without new content
    barren: int = 0  # of these, those reached through their own pattern; each page with new content halves it
    lines: set[int] = field(default_factory=set)
    closed: str = ""  # why no more of its pages are requested


class TrapGate:
    """Ends a request with IgnoreRequest if its URL has the form of a trap, or its pattern is closed.

    Setting: TRAP_PATIENCE, the pages allowed in a row without new content (20). Stats: traps/RULE, ended requests.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._limits = Limits(trap_patience=crawler.settings.getint("TRAP_PATIENCE", PATIENCE))
        self._stats = crawler.stats
        self._year = datetime.now(UTC).year
        self._tallies: dict[tuple[str, Pattern], PatternCount] = {}
        self._found_on: dict[CanonicalUrl, CanonicalUrl | None] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TrapGate:
        """Build the component."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Let `request` pass, or raise IgnoreRequest with the sentence that says why not."""
        url = canonical_or_none(request.url)
        if url is None:
            return  # data: and file: have no traps
        self._found_on.setdefault(url, canonical_or_none((request.headers.get("Referer") or b"").decode("latin-1")))
        refusal = shape_refusal(url, request.meta.get("depth", 0), self._limits, year=self._year)
        closed = next((tally.closed for _, tally in self._counts_of(url) if tally.closed), "")
        if refusal or closed:
            rule, reason = (refusal.rule, refusal.reason) if refusal else ("no-yield", closed)
            if self._stats:
                self._stats.inc_value(f"traps/{rule}")
            raise IgnoreRequest(f"{url}: {reason}")

    def process_response(self, request: Request, response: Response) -> Response:
        """Enter a page into the counts of its patterns, and return the response as it is."""
        url = canonical_or_none(request.url)
        if url is not None and isinstance(response, HtmlResponse) and response.status == 200:  # noqa: PLR2004
            fetched = FetchedBody(response.body, url, header_lines(response))
            self._note(url, parse_page(fetched))
        return response

    def _counts_of(self, url: CanonicalUrl) -> list[tuple[Pattern, PatternCount]]:
        site = site_of(url)
        return [(each, self._tallies.setdefault((site, each), PatternCount())) for each in patterns_of(url)]

    def _note(self, url: CanonicalUrl, page: Page) -> None:
        tallies = self._counts_of(url)
        widest, tally = tallies[-1]
        if widest.kind is PatternKind.FOLDER:
            return  # a person may have chosen its names: there only copies would count
        marks = set(page_marks(page, widest))
        fresh = not marks <= tally.lines
        tally.lines |= marks
        way = self._path_to(url)
        for pattern, each in tallies:
            each.fetched += 1
            if fresh:
                each.barren //= 2
                continue
            each.wasted += 1
            each.barren += is_cyclic(way, pattern, dated=is_dated(url))
            if not each.closed and is_exhausted(pattern, each.barren, self._limits.trap_patience):
                each.closed = closing_reason(pattern.name, each.wasted, each.fetched)

    def _path_to(self, url: CanonicalUrl) -> list[CanonicalUrl]:
        """Return the pages that led to `url`, the latest first."""
        way: list[CanonicalUrl] = []
        above = self._found_on.get(url)
        while above is not None and above not in way and len(way) < LOOKED_BACK:
            way.append(above)
            above = self._found_on.get(above)
        return way
