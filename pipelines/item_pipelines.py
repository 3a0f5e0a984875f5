"""How does an item get from the spider into the store? Scrapy's item pipelines of a crawl.

`StoreStage` filters and stores, several items in one transaction. A transaction waits for the disk and costs as much as
writing a page. So while many requests are under way, items that end within a moment are written together, all or none.
Each page is filtered just before it is stored, so it is compared with those before it. Where one item fails,
each is written by itself, and the others are not lost.

A rejected page continues to the store like any other. The crawl remembers it with the reason; the index never gets it.

`PageRows` writes what was stored into Scrapy's feeds.
"""

from __future__ import annotations

import asyncio
from dataclasses import InitVar, dataclass
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from crawldb.database import DatabaseError, StorageError
from crawldb.pages.pages import Pages
from frontier.session import Session
from pipelines.filters import FilterSettings, PageFilters
from pipelines.review import PageReview
from urls.records import LeaseEnd, Outcome, Page, Sitemap, Stylesheet

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    Written = Page | Outcome | Stylesheet  # items that are written together; a sitemap is written in slices
    Item = Written | Sitemap
    Waiting = list[tuple[Written, asyncio.Future[None]]]


GATHER_SECONDS = 0.02  # for which an item waits for others
MOST_TOGETHER = 8  # items of a transaction: some 40 ms, for which another process waits that writes
BUSY = 4  # requests under way, from which on there is something to gather: fewer get their answers by turns


class StoreStage:
    """Filters what a callback yields and ends its lease: page or outcome, links, journal and feed in one transaction.

    Settings: those of `FilterSettings`.
    """

    def __init__(self, filters: PageFilters, session: Session, crawler: Crawler) -> None:
        self._filters = filters
        self._session = session
        self._crawler = crawler
        read = crawler.spider.read_page  # type: ignore[union-attr]  # of a crawl, which has one
        self._review = PageReview(session.store.writer, filters, read, session.store.transaction)
        self._waiting: Waiting = []

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StoreStage:
        """Build the stage for a crawler."""
        session = getattr(crawler.spider, "session", None)
        if not isinstance(session, Session):
            raise NotConfigured("it belongs to `crawl site`, and this is no such crawl")
        return cls(PageFilters(session.database, FilterSettings.read(crawler.settings)), session, crawler)

    async def process_item(self, item: Item) -> Item:
        """Write how a lease ended. If nothing can be written, end the crawl: the next one finds the lease."""
        store, frontier = self._session.store, self._session.frontier
        try:
            if isinstance(item, Sitemap):
                for _ in store.sitemap_in_slices(item):
                    frontier.look_again()  # pages that changed go before those that were read ahead
                    await asyncio.sleep(0)  # all that waits has its turn
            else:
                await self._written(item)
                for _ in self._review.refilter_waiting():
                    await asyncio.sleep(0)  # the same
        except StorageError as error:
            if not self._session.trouble and self._crawler.engine is not None:
                self._session.trouble = str(error)
                self._closing = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason="storage"))
        return item

    def _written(self, item: Written) -> asyncio.Future[None]:
        """Return a future for the item: it is written soon with others, or now where few requests are under way."""
        loop = asyncio.get_running_loop()
        ended = loop.create_future()
        self._waiting.append((item, ended))
        if len(self._waiting) >= MOST_TOGETHER or self._crawler.spider.capacity.under_way < BUSY:  # type: ignore[union-attr]  # as above
            self._write()
        elif len(self._waiting) == 1:
            loop.call_later(GATHER_SECONDS, self._write)
        return ended

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        try:
            with self._session.store.together():
                for item, _ in waiting:
                    self._end(item)
        except StorageError as error:  # of the disk, and of no item: each by itself would wait for it as long again
            for _, ended in waiting:
                _settle(ended, error)
        except Exception:  # noqa: BLE001 - it is raised below, where the item is awaited that it is of
            for item, ended in waiting:
                self._end_alone(item, ended)
        else:
            for _, ended in waiting:
                _settle(ended)

    def _end_alone(self, item: Written, ended: asyncio.Future[None]) -> None:
        try:
            self._end(item)
        except Exception as error:  # noqa: BLE001 - Scrapy and the spider report it
            _settle(ended, error)
        else:
            _settle(ended)

    def _end(self, item: Written) -> None:
        store, asks = self._session.store, False
        if isinstance(item, Page):
            asks = store.page(self._kept(self._filters.apply(item))).asks
        elif isinstance(item, Stylesheet):
            asks = store.stylesheet(item)
        else:
            store.outcome(item)
        if asks:
            self._session.frontier.look_again()

    def _kept(self, page: Page) -> Page:
        """Return the page to store: all of it."""
        return page

    async def close_spider(self) -> None:
        """Filter by the templates of the sites, unless the crawl was stopped: then the next one does."""
        try:
            for _ in self._review.refilter_by_templates():
                if not self._crawler.crawling or self._session.trouble:
                    return
                await asyncio.sleep(0)  # a signal has its turn
        except StorageError as error:
            self._session.trouble = self._session.trouble or str(error)


def _settle(ended: asyncio.Future[None], error: Exception | None = None) -> None:
    if ended.done():  # whoever waited for it was cancelled
        return
    if error is None:
        ended.set_result(None)
    else:
        ended.set_exception(error)


@dataclass
class PageRow:
    """One page of a feed, its fields in the order of their columns. Texts are empty where nothing may be kept.

    `fetched_at` is in seconds since 1970 (UTC). `indexed` is as of the moment when the page was stored:
    a page that repeats this one may later take its place. `rule` and `reason` say why it is not indexed.
    """

    url: str
    title: str
    text: str  # the main text, without menus
    language: str  # ISO 639-1; empty: not known
    fetched_at: float
    status: int
    content_type: str
    indexed: bool
    rule: str = ""
    reason: str = ""
    duplicate_of: str = ""
    near_duplicate_of: str = ""
    ending: InitVar[Page | Outcome | None] = None

    def __post_init__(self, ending: Page | Outcome | None) -> None:
        """Keep the item from which the row was made: it is no column."""
        self.ended = ending

    @classmethod
    def of(cls, page: Page, ending: Page | Outcome) -> PageRow:
        """Return the row of a stored page."""
        refusal = page.refusals[0] if page.refusals else None
        return cls(
            page.url,
            page.title,
            page.text,
            page.language,
            page.fetched_at,
            page.status,
            page.content_type,
            indexed=refusal is None,
            rule=refusal.rule if refusal else "",
            reason=refusal.reason if refusal else "",
            duplicate_of=page.duplicate_of or "",
            near_duplicate_of=page.near_duplicate_of or "",
            ending=ending,
        )


class PageRows:
    """Turns what was stored into rows for Scrapy's feeds; other items, and pages that were not stored, pass.

    It runs after `StoreStage`, where a crawl writes feeds.
    """

    def __init__(self, session: Session) -> None:
        self._pages = Pages(session.database)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PageRows:
        """Build the stage for a crawl of the site spider."""
        return cls(crawler.spider.session)  # type: ignore[union-attr]  # `crawl` names this stage for its own spider

    def process_item(self, item: object) -> object:
        """Return the row of a page that is stored or unchanged; anything else as it is."""
        if not (isinstance(item, Page) or (isinstance(item, Outcome) and item.fate is LeaseEnd.NOT_MODIFIED)):
            return item
        try:
            page = self._pages.get(item.url)
        except DatabaseError:
            return item  # the stage that stores tells of it
        return item if page is None else PageRow.of(page, item)
