"""How does a crawl write an archive? Its connections record, and each item waits until its exchange is on the disk.

Both are put in place when the crawl begins with WARC=yes; without it, nothing of this room is imported.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem, NotConfigured

from crawldb.database import StorageError
from extensions.archives.recording.crawl_archive import CrawlArchive
from extensions.archives.recording.recorded_connection import RecordedFactory
from extensions.archives.recording.recovery import recover
from spiders.downloader.handler import BoundedDownloadHandler
from spiders.without_crawl import site_spider

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from spiders.site import SiteSpider
    from urls.records import Outcome, Page
    from urls.sitemap_records import Sitemap

BEFORE_THE_STORE = 800  # in ITEM_PIPELINES, where the store is 900


def write_archive(crawler: Crawler, spider: SiteSpider) -> None:
    """Let a crawl that is about to begin write its archive. Raises StorageError."""
    recover(spider.session.database, spider.session.run.id)
    for name, changes in (
        ("DOWNLOAD_HANDLERS", {"http": ArchivingDownloadHandler, "https": ArchivingDownloadHandler}),
        ("ITEM_PIPELINES", {ArchiveStage: BEFORE_THE_STORE}),
    ):
        crawler.settings.set(name, crawler.settings.getdict(name) | changes, priority="cmdline")


class ArchiveStage:
    """Holds each item until its exchange is in the archive; ends the crawl where the disk does not take it.

    Settings: WARC_SIZE.
    """

    def __init__(self, archive: CrawlArchive, crawler: Crawler) -> None:
        self.archive = archive
        self._crawler = crawler
        self._closing: asyncio.Future[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ArchiveStage:
        """Build the stage for a crawl of the site spider."""
        spider = site_spider(crawler)
        size = crawler.settings.getint("WARC_SIZE")
        return cls(CrawlArchive(spider.session, spider.conduct, size), crawler)

    async def process_item(self, item: Page | Outcome | Sitemap) -> Page | Outcome | Sitemap:
        """Return the item when its records are on the disk. Else its lease stays, and the next crawl asks again."""
        try:
            await self.archive.keep(item)
        except StorageError as error:
            spider = site_spider(self._crawler)
            spider.session.trouble = spider.session.trouble or str(error)
            if self._closing is None and self._crawler.engine is not None:
                self._closing = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason="storage"))
            raise DropItem("its exchange could not be archived", log_level="DEBUG") from error
        return item

    async def close_spider(self) -> None:
        """Finish the archive."""
        try:
            await self.archive.close()
        except StorageError as error:
            session = site_spider(self._crawler).session
            session.trouble = session.trouble or str(error)


class ArchivingDownloadHandler(BoundedDownloadHandler):
    """The handler of a crawl whose connections tell the archive what goes over them."""

    def __init__(self, crawler: Crawler) -> None:
        stage = crawler.get_item_pipeline(ArchiveStage)
        if stage is None:
            raise NotConfigured("it belongs to a crawl with WARC=yes, and this is none")
        self._archive: CrawlArchive = stage.archive
        self.connections = partial(RecordedFactory, self._archive.began, self._archive.ended)
        super().__init__(crawler)

    async def _send(self, request: Request) -> Response:
        if (lease := request.meta.get("lease")) is not None:
            self._archive.expect(lease)
        return await super()._send(request)
