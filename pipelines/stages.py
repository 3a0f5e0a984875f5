"""What does a page pass on its way into the store? One judge after the other, and the store, which alone writes.

Each stage asks a pure judgement and writes its answer onto the page. A refused page goes on to the store like any
other: it is remembered with the reason, and only the index never sees it.
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
from pipelines import admission, near_duplicates, soft404, well_known
from pipelines import admission as frames
from pipelines.fingerprint import fingerprint
from urls.records import Page, Refusal, Sitemap

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
    """Sets humans.txt, ads.txt, security.txt and their like apart: they are kept, and no page."""

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
        return _refused(
            item,
            well_known.well_known_refusal(item, led_to(self._database, item.url, well_known.well_known_urls(item.url))),
        )


class Admission:
    """Refuses what an index can't hold, or may not: type, size, emptiness, noindex, a page that is only a frame's."""

    async def process_item(self, item: Item) -> Item:
        """Judge a page by itself."""
        if not isinstance(item, Page):
            return item
        now = datetime.fromtimestamp(item.fetched_at, UTC)
        return _refused(item, admission.admission_refusal(item, now=now) or frames.frames_refusal(item))


class Fingerprint:
    """Marks a page that says exactly what another says, dates and counters of a machine aside."""

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
        mark = fingerprint(item)
        known = same_content(self._database, item.url, mark)
        refusal = None if known is None else Refusal("duplicate", f"it says the same as {known}")
        return _refused(replace(item, fingerprint=mark, duplicate_of=known), refusal)


class NearDuplicates:
    """Marks a page that says nearly what another says: most of its word triples are the same.

    Settings: NEAR_DUPLICATE_THRESHOLD, the share from which on; 1 switches the stage off.
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
        known = (
            near_duplicates.nearest(sketch, near_duplicate_candidates(self._database, page.url, bands), self._threshold)
            if bands
            else None
        )
        if known is None:
            return page
        refusal = Refusal("near-duplicate", f"it says nearly the same as {known}")
        return _refused(replace(page, near_duplicate_of=known), refusal)


class SoftNotFound:
    """Refuses a page that says "not found" under a status that says "found"."""

    async def process_item(self, item: Item) -> Item:
        """Judge a page by its title, its first heading and its length."""
        if not isinstance(item, Page) or item.refusals:
            return item
        return _refused(item, soft404.soft404_refusal(item))


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
        """Write what became of a lease; where nothing can be written, end the crawl: the lease is found by the next."""
        try:
            if isinstance(item, Page):
                if self._session.store.page(item).asks:
                    self._session.frontier.look_again()
            elif isinstance(item, Sitemap):
                self._session.store.sitemap(item)
                self._session.frontier.look_again()  # what changed goes before what was read ahead
            else:
                self._session.store.outcome(item)
        except StorageError as error:
            if not self._session.trouble and self._crawler.engine is not None:
                self._session.trouble = str(error)
                self._closing = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason="storage"))
        return item
