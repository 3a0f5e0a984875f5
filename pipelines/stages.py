"""What does a page pass on its way into the store? One judge after another, and then the store, which alone writes.

Each stage asks a pure judgement and puts the answer onto the page. A refused page goes on to the store like any other:
it is remembered with the reason, and only the index never sees it.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from crawldb.database import StorageError
from crawldb.tables.copies import near_duplicate_candidates, same_content
from crawldb.tables.links import led_to
from frontier.session import Session
from pipelines import near_duplicates
from pipelines.admission import admission_refusal, frames_refusal
from pipelines.fingerprint import fingerprint
from pipelines.no_page import redirect_refusal, soft404_refusal, well_known_refusal, well_known_urls
from urls.records import Page, Refusal, Sitemap
from urls.rules import Rule

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from crawldb.database import CrawlDatabase
    from urls.records import Outcome

    Item = Page | Outcome | Sitemap


def _session(crawler: Crawler) -> Session:
    session = getattr(crawler.spider, "session", None)
    if not isinstance(session, Session):
        raise NotConfigured("it belongs to `crawl site`, and this is no such crawl")
    return session


def _refused(page: Page, refusal: Refusal | None) -> Page:
    return page if refusal is None else replace(page, refusals=(refusal,))


class WellKnownFiles:
    """Refuses humans.txt, ads.txt, security.txt and their like: they are stored, and are no pages."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> WellKnownFiles:
        """Build the stage for a crawler."""
        return cls(_session(crawler).database)

    async def process_item(self, item: Item) -> Item:
        """Judge a page by its address, and by those that redirect to it."""
        if not isinstance(item, Page):
            return item
        redirecting = led_to(self._database, item.url, well_known_urls(item.url))
        return _refused(item, well_known_refusal(item, redirecting))


class Admission:
    """Refuses what an index can't hold or may not hold: by type, size, emptiness, noindex, or having only frames."""

    async def process_item(self, item: Item) -> Item:
        """Judge a page by itself."""
        if not isinstance(item, Page):
            return item
        now = datetime.fromtimestamp(item.fetched_at, UTC)
        return _refused(item, redirect_refusal(item) or admission_refusal(item, now=now) or frames_refusal(item))


class Fingerprint:
    """Marks a page that says exactly what another page says, apart from dates and counters that a program writes."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Fingerprint:
        """Build the stage for a crawler."""
        return cls(_session(crawler).database)

    async def process_item(self, item: Item) -> Item:
        """Put the fingerprint onto a page, and the page that it repeats."""
        if not isinstance(item, Page) or item.refusals:
            return item
        digest = fingerprint(item)
        known = same_content(self._database, item.url, digest)
        refusal = None if known is None else Refusal(Rule.DUPLICATE, f"it says the same as {known}")
        return _refused(replace(item, fingerprint=digest, duplicate_of=known), refusal)


class NearDuplicates:
    """Marks a page that says nearly what another page says: most of their word triples are the same.

    Settings: NEAR_DUPLICATE_THRESHOLD, the share of triples; 1 switches the stage off.
    """

    def __init__(self, database: CrawlDatabase, threshold: float) -> None:
        self._database = database
        self._threshold = threshold

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> NearDuplicates:
        """Build the stage for a crawler."""
        threshold = crawler.settings.getfloat("NEAR_DUPLICATE_THRESHOLD")
        if threshold >= 1:
            raise NotConfigured("NEAR_DUPLICATE_THRESHOLD is 1: near duplicates are not looked for")
        return cls(_session(crawler).database, threshold)

    async def process_item(self, item: Item) -> Item:
        """Put the MinHash signature onto a page, and the page that it nearly repeats."""
        if not isinstance(item, Page) or item.refusals:
            return item
        sketch = near_duplicates.signature(item.text)
        bands = near_duplicates.bands(sketch, self._threshold)
        page = replace(item, signature=sketch, bands=bands)
        candidates = near_duplicate_candidates(self._database, page.url, bands) if bands else ()
        found = near_duplicates.nearest(sketch, candidates, self._threshold)
        if found is None:
            return page
        known, alike = found
        shares = f"similarity {alike:.2f}, the share of word groups that both have (MinHash)"
        why = f"it says nearly the same as {known}: {shares}; NEAR_DUPLICATE_THRESHOLD is {self._threshold:g}"
        refusal = Refusal(Rule.NEAR_DUPLICATE, why)
        return _refused(replace(page, near_duplicate_of=known), refusal)


class SoftNotFound:
    """Refuses a page that says "not found" under a status that says "found"."""

    async def process_item(self, item: Item) -> Item:
        """Judge a page by its title, its first heading and its length."""
        if not isinstance(item, Page) or item.refusals:
            return item
        return _refused(item, soft404_refusal(item))


class StoreStage:
    """Ends the lease: page or outcome, links, journal and feed, in one transaction."""

    def __init__(self, session: Session, crawler: Crawler) -> None:
        self._session = session
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StoreStage:
        """Build the stage for a crawler."""
        return cls(_session(crawler), crawler)

    async def process_item(self, item: Item) -> Item:
        """Write how a lease ended. If nothing can be written, end the crawl: the next one finds the lease."""
        try:
            if isinstance(item, Page):
                if self._session.store.page(item).asks:
                    self._session.frontier.look_again()
            elif isinstance(item, Sitemap):
                for _ in self._session.store.sitemap_in_slices(item):
                    self._session.frontier.look_again()  # pages that changed go before those that were read ahead
                    await asyncio.sleep(0)  # all that waits has its turn
            else:
                self._session.store.outcome(item)
        except StorageError as error:
            if not self._session.trouble and self._crawler.engine is not None:
                self._session.trouble = str(error)
                self._closing = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason="storage"))
        return item
