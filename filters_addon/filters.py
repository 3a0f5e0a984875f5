"""Should this item be kept? The filters of the engine, each as an item pipeline that drops what it rejects."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem, NotConfigured

from crawldb.neighbours import Neighbours
from pages import FetchedBody, parse_page
from pages.content.similarity import THRESHOLD, banding
from pages.http_headers import DOCUMENT_TYPES
from pipelines.duplicates import fingerprint, signature
from pipelines.filters import page_refusal
from pipelines.no_content import soft404_refusal, well_known_refusal
from robots import controls_from, product_token
from robots.freshness import first_header
from robots.page_controls import declared_type
from urls.canonical import canonical_or_none
from urls.records import Page, Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler

READ_AT_ONCE = 32  # pages that are kept in memory while an item goes from filter to filter
HTML = "text/html; charset=utf-8"

Lines = tuple[tuple[str, str], ...]


def page_of_item(item: Any, agent: str) -> Page | None:
    """Return the page of an item; None where it describes none. `agent` is the name by which a page may call us."""
    if not ItemAdapter.is_item(item):
        return None
    fields = ItemAdapter(item)
    url, title, text = (fields.get(name) for name in ("url", "title", "text"))
    content = fields.get("body") or fields.get("html")
    if not isinstance(url, str) or not (isinstance(content, (str, bytes)) or isinstance(text, str)):
        return None
    try:
        lines = tuple(_header_lines(fields.get("headers")))
        status = int(fields.get("status") or 200)
    except (TypeError, ValueError):
        return None
    content = content if isinstance(content, (str, bytes)) else ""
    return _read(url, content, _text(title), _text(text), lines, status, agent)


@lru_cache(maxsize=READ_AT_ONCE)
def _read(url: str, content: str | bytes, title: str, text: str, lines: Lines, status: int, agent: str) -> Page | None:
    canonical = canonical_or_none(url)
    if canonical is None:
        return None
    declared = declared_type(first_header(lines, "content-type"))
    if isinstance(content, str):  # it is decoded: whatever the server called its encoding, it is UTF-8 now
        others = tuple((name, value) for name, value in lines if name != "content-type")
        lines = (*others, ("content-type", f"{declared or 'text/html'}; charset=utf-8"))
        content = content.encode("utf-8", "replace")
    elif not declared:
        lines = (*lines, ("content-type", HTML))
    if text and (not content or declared in DOCUMENT_TYPES):
        controls = controls_from(lines, (), agent=agent)
        return Page(canonical, title, text, controls=controls, status=status, content_type="text/plain")
    if declared in DOCUMENT_TYPES:
        return None  # read in a process of its own, which belongs to a crawl
    return parse_page(FetchedBody(content, canonical, lines, status), agent=agent)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _header_lines(headers: Any) -> Iterator[tuple[str, str]]:
    """Yield header lines, names in lower case, of a mapping or of pairs. Raises TypeError and ValueError."""
    pairs = headers.items() if hasattr(headers, "items") else headers or ()
    for name, values in pairs:
        for value in values if isinstance(values, (list, tuple)) else (values,):
            yield _decoded(name).lower(), _decoded(value)


def _decoded(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


class Sign(NamedTuple):
    """Why a page is rejected: the name of a rule or of a signal, and a clause."""

    name: str
    reason: str


class Rejected(DropItem):
    """A filter rejects an item: `rule` is a short fixed word, `reason` a clause."""

    def __init__(self, url: str, sign: Sign) -> None:
        super().__init__(f"{url}: {sign.name}: {sign.reason}", log_level="INFO")
        self.rule, self.reason = sign


class Filter:
    """Base class of the filters: it makes the page of an item, counts, and raises the exception."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._stats = crawler.stats
        self._agent = str(settings.get("ROBOTSTXT_USER_AGENT") or product_token(str(settings.get("USER_AGENT", ""))))

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Filter:
        """Build the filter for any crawler. Raises ValueError for a setting that can't be used."""
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        """Return the item, or raise `Rejected`."""
        page = page_of_item(item, self._agent)
        if page is None:
            self._count("no_page")
            return item
        if sign := self.sign(page):
            self._count(str(sign.name))
            raise Rejected(page.url, sign)
        self._count("passed")
        return item

    def sign(self, page: Page) -> Sign | None:
        """Return why a page is rejected, or None."""
        refusal = self.refusal(page)
        return Sign(refusal.rule, refusal.reason) if refusal else None

    def refusal(self, page: Page) -> Refusal | None:
        """Return why the engine does not index a page, or None."""
        raise NotImplementedError

    def _count(self, what: str) -> None:
        if self._stats is not None:
            self._stats.inc_value(f"filters/{type(self).__name__}/{what}")


class WellKnownFiles(Filter):
    """Drops humans.txt, ads.txt, security.txt and their like: files for programs, and no pages.

    Order: 100. Settings: none. Rule: well-known.
    """

    def refusal(self, page: Page) -> Refusal | None:
        """Filter a page by its URL and its type."""
        return well_known_refusal(page)


class Admission(Filter):
    """Drops what an index can't hold or may not hold.

    Order: 200. Settings: ROBOTSTXT_USER_AGENT, or the product token of USER_AGENT: the name by which robots metas and
    X-Robots-Tag lines call the robot. Rules: noindex, expired, type, binary, size, empty, moved (a refresh), feed,
    frames, login-wall, parked, script-shell.
    """

    def refusal(self, page: Page) -> Refusal | None:
        """Filter a page by itself."""
        return page_refusal(page, now=datetime.now(UTC))


class Fingerprint(Filter):
    """Drops a page that says what an earlier one of this run says, apart from dates and counters.

    Order: 300. Settings: none. Rule: duplicate. Memory: 16 bytes and a URL a page.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._url_of: dict[bytes, str] = {}

    def refusal(self, page: Page) -> Refusal | None:
        """Compare a page with those before it; the same URL again is no copy."""
        known = self._url_of.setdefault(fingerprint(page), page.url)
        return None if known == page.url else Refusal(Rule.DUPLICATE, f"it says the same as {known}")


class NearDuplicates(Filter):
    """Drops a page that says nearly what an earlier one of this run says, by MinHash.

    The engine keeps such pages and folds them in its results; a project without an index has no use for both.
    Order: 400. Settings: NEAR_DUPLICATE_THRESHOLD, the share of common word groups, 0.45; 1 switches the filter off.
    Rule: near-duplicate. Memory: about 350 bytes and a URL a page.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._threshold = crawler.settings.getfloat("NEAR_DUPLICATE_THRESHOLD", THRESHOLD)
        if not 0 < self._threshold <= 1:
            raise ValueError(f"NEAR_DUPLICATE_THRESHOLD={self._threshold:g}: give a share above 0, 1 at most")
        if self._threshold == 1:
            raise NotConfigured("NEAR_DUPLICATE_THRESHOLD=1: no page is nearly like another")
        self._neighbours = Neighbours(*banding(self._threshold))
        self._urls: list[str] = []

    def refusal(self, page: Page) -> Refusal | None:
        """Compare a page with those before it; the same URL again is no copy."""
        signed = signature(page.text)
        if not signed:
            return None  # too short to be compared
        near = self._neighbours.nearest(signed, least=self._threshold)
        if not near:
            self._neighbours.add(len(self._urls), signed)
            self._urls.append(page.url)
            return None
        (place, likeness), *_ = near
        known = self._urls[place]
        if known == page.url:
            return None
        return Refusal(Rule.NEAR_DUPLICATE, f"{likeness:.0%} of its word groups are those of {known}")


class SoftNotFound(Filter):
    """Drops a page that says "not found" under a status that says "found", in many languages.

    Order: 500. Settings: none. Rule: soft-404. The engine also asks each site for a page that cannot be there, and
    compares; an item pipeline sends no requests.
    """

    def refusal(self, page: Page) -> Refusal | None:
        """Filter a page by its words."""
        return soft404_refusal(page)
