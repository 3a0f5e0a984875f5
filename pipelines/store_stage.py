"""How does a crawl's item get from the parse into the store? It is judged and stored, several in one transaction.

A transaction waits for the disk, and costs as much as the writing of a page. So while many requests are under way,
what ends within a moment is written together: all of it, or nothing. Each page is judged just before it is stored, so
that it meets those before it. Where one of them fails, each is written by itself, and the others are not lost by it.

A refused page goes on to the store like any other: it is remembered with the reason, and only the index never sees it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from crawldb.database import StorageError
from frontier.session import Session
from pipelines.judges import Criteria, Judges
from pipelines.review import PageReview
from urls.records import Page
from urls.sitemap_records import Sitemap
from urls.stylesheet_record import Stylesheet

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from urls.records import Outcome

    Written = Page | Outcome | Stylesheet  # items that are written together; a sitemap is written in slices
    Item = Written | Sitemap
    Waiting = list[tuple[Written, asyncio.Future[None]]]

GATHER_SECONDS = 0.02  # for which an item waits for others
MOST_TOGETHER = 8  # items of a transaction: some 40 ms, for which another process waits that writes
BUSY = 4  # requests under way, from which on there is something to gather: fewer get their answers by turns


class StoreStage:
    """Judges what a callback yields and ends its lease: page or outcome, links, journal and feed in one transaction.

    Settings: those of `Criteria`.
    """

    def __init__(self, judges: Judges, session: Session, crawler: Crawler) -> None:
        self._judges = judges
        self._session = session
        self._crawler = crawler
        read = crawler.spider.read_again  # type: ignore[union-attr]  # of a crawl, which has one
        self._review = PageReview(session.store.writer, judges, read, session.store.transaction)
        self._waiting: Waiting = []

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StoreStage:
        """Build the stage for a crawler."""
        session = getattr(crawler.spider, "session", None)
        if not isinstance(session, Session):
            raise NotConfigured("it belongs to `crawl site`, and this is no such crawl")
        return cls(Judges(session.database, Criteria.read(crawler.settings)), session, crawler)

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
                for _ in self._review.judge_waiting():
                    await asyncio.sleep(0)  # the same
        except StorageError as error:
            if not self._session.trouble and self._crawler.engine is not None:
                self._session.trouble = str(error)
                self._closing = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason="storage"))
        return item

    def _written(self, item: Written) -> asyncio.Future[None]:
        """Return what is done when the item is written: soon, with others, or at once where there are hardly any."""
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
            asks = store.page(self._kept(self._judges.judge(item))).asks
        elif isinstance(item, Stylesheet):
            asks = store.stylesheet(item)
        else:
            store.outcome(item)
        if asks:
            self._session.frontier.look_again()

    def _kept(self, page: Page) -> Page:
        """Return what is stored of a page that was judged: all of it."""
        return page

    async def close_spider(self) -> None:
        """Review the templates of the sites, unless the crawl was told to stop: then the next one does."""
        try:
            for _ in self._review.judge_by_templates():
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
