"""How does a crawl's item get from the parse into the store? It is judged, and stored: two stages of Scrapy's.

A refused page goes on to the store like any other: it is remembered with the reason, and only the index never sees it.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from crawldb.database import StorageError
from frontier.session import Session
from pipelines.again import judge_record_again
from pipelines.judges import Criteria, Judges
from pipelines.template_review import review_templates
from urls.records import Page
from urls.sitemap_records import Sitemap

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from urls.records import Outcome

    Item = Page | Outcome | Sitemap


def _session(crawler: Crawler) -> Session:
    session = getattr(crawler.spider, "session", None)
    if not isinstance(session, Session):
        raise NotConfigured("it belongs to `crawl site`, and this is no such crawl")
    return session


class JudgeStage:
    """Lets each page pass the judges (pipelines/judges.py); and again at the end, where more is known of its site.

    Settings: those of `Criteria`.
    """

    def __init__(self, judges: Judges, session: Session, crawler: Crawler) -> None:
        self._judges = judges
        self._session = session
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> JudgeStage:
        """Build the stage for a crawler."""
        session = _session(crawler)
        return cls(Judges(session.database, Criteria.read(crawler.settings)), session, crawler)

    async def process_item(self, item: Item) -> Item:
        """Judge a page; what is no page passes."""
        return self._judges.judge(item) if isinstance(item, Page) else item

    async def close_spider(self) -> None:
        """Review the templates of the sites, unless the crawl was told to stop: then the next one does."""
        begin, read = self._session.store.judging_again, self._crawler.spider.read_again  # type: ignore[union-attr]  # of a crawl, which has one
        try:
            for _ in review_templates(self._session.database, begin, self._judges, read):
                if not self._crawler.crawling or self._session.trouble:
                    return
                await asyncio.sleep(0)  # a signal has its turn
        except StorageError as error:
            self._session.trouble = self._session.trouble or str(error)


class StoreStage:
    """Ends the lease: page or outcome, links, journal and feed, in one transaction."""

    def __init__(self, judges: Judges, session: Session, crawler: Crawler) -> None:
        self._session = session
        self._crawler = crawler
        read = crawler.spider.read_again  # type: ignore[union-attr]  # of a crawl, which has one
        self._judge = partial(judge_record_again, judges=judges, read=read)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StoreStage:
        """Build the stage for a crawler."""
        session = _session(crawler)
        return cls(Judges(session.database, Criteria.read(crawler.settings)), session, crawler)

    async def process_item(self, item: Item) -> Item:
        """Write how a lease ended. If nothing can be written, end the crawl: the next one finds the lease."""
        try:
            if isinstance(item, Page):
                if self._session.store.page(item).asks:
                    self._session.frontier.look_again()
                for _ in self._session.store.judge_again(self._judge):
                    await asyncio.sleep(0)  # all that waits has its turn
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
