"""How does a crawl's item get from the parse into the store? It is judged, and stored: two stages of Scrapy's.

A refused page goes on to the store like any other: it is remembered with the reason, and only the index never sees it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from crawldb.database import StorageError
from frontier.session import Session
from pipelines.judges import Criteria, Judges
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
    """Lets each page pass the judges (pipelines/judges.py).

    Settings: those of `Criteria`.
    """

    def __init__(self, judges: Judges) -> None:
        self._judges = judges

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> JudgeStage:
        """Build the stage for a crawler."""
        return cls(Judges(_session(crawler).database, Criteria.read(crawler.settings)))

    async def process_item(self, item: Item) -> Item:
        """Judge a page; what is no page passes."""
        return self._judges.judge(item) if isinstance(item, Page) else item


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
