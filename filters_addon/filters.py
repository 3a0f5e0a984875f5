"""Is this item worth keeping? The filters of the engine, each as an item pipeline that drops what it rejects."""

from __future__ import annotations

from datetime import UTC, datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy.exceptions import DropItem, NotConfigured

from crawldb.neighbours import Neighbours
from filters_addon.page_of_item import page_of_item
from pages.content.resemblance import THRESHOLD, banding
from pipelines.admission import admission_refusal, frames_refusal
from pipelines.fingerprint import fingerprint
from pipelines.near_duplicates import signature
from pipelines.no_content import no_content_refusal
from pipelines.no_page import redirect_refusal, well_known_refusal
from pipelines.soft404 import soft404_refusal
from pipelines.spoofing import SpoofThresholds, judge_spoofing
from robots import product_token
from urls.records import Refusal
from urls.rules import Rule
from urls.signals import signal_names

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from urls.records import Page
    from urls.signals import SignalName

ONE_PAGE_SIGNALS = ("hidden-text", "stuffing", "cloaking")  # the others need several pages of several sites


class Sign(NamedTuple):
    """What speaks against a page: the name of a rule or of a signal, and a clause."""

    name: str
    reason: str


class Rejected(DropItem):
    """A filter rejects an item: `rule` is a short fixed word, `reason` a clause."""

    def __init__(self, url: str, sign: Sign) -> None:
        super().__init__(f"{url}: {sign.name}: {sign.reason}", log_level="INFO")
        self.rule, self.reason = sign


class Filter:
    """What all filters have in common: the page of an item, the stats, and the exception."""

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
        """Judge a page by its URL and its type."""
        return well_known_refusal(page)


class Admission(Filter):
    """Drops what an index can't hold or may not hold.

    Order: 200. Settings: ROBOTSTXT_USER_AGENT, or the product token of USER_AGENT: the name by which robots metas and
    X-Robots-Tag lines call the robot. Rules: noindex, expired, type, binary, size, empty, moved (a refresh), feed,
    frames, login-wall, parked, script-shell.
    """

    def refusal(self, page: Page) -> Refusal | None:
        """Judge a page by itself."""
        refusal = redirect_refusal(page) or admission_refusal(page, now=datetime.now(UTC))
        if refusal is None or refusal.rule is Rule.EMPTY:
            refusal = frames_refusal(page) or no_content_refusal(page) or refusal
        return refusal


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
        """Judge a page by its words."""
        return soft404_refusal(page)


class Spoofing(Filter):
    """Drops a page that shows a search engine something else than its readers.

    The engine keeps such pages and lowers their score. Order: 600. Settings: SPOOF_HIDDEN_WORDS (20) and
    SPOOF_STUFFED_SHARE (0.15), from when on something is a sign; SPOOF_SIGNALS, the signs that drop a page:
    hidden-text, stuffing and cloaking unless given. Rules: the names of the signs.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings, usual = crawler.settings, SpoofThresholds()
        self._thresholds = SpoofThresholds(
            settings.getfloat("SPOOF_HIDDEN_WORDS", usual.hidden_words),
            settings.getfloat("SPOOF_STUFFED_SHARE", usual.stuffed_share),
        )
        self._names: frozenset[SignalName] = signal_names(settings.getlist("SPOOF_SIGNALS", list(ONE_PAGE_SIGNALS)))

    def sign(self, page: Page) -> Sign | None:
        """Return the strongest sign."""
        signs = [each for each in judge_spoofing(page, self._thresholds).signals if each.name in self._names]
        if not signs:
            return None
        strongest = max(signs, key=attrgetter("value"))
        return Sign(strongest.name, strongest.evidence)
