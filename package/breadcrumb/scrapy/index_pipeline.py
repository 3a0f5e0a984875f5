"""How do the items of a Scrapy project get into an index that Breadcrumb searches? By an item pipeline.

    ITEM_PIPELINES = {"breadcrumb.scrapy.IndexPipeline": 900}
    DATA_DIR = "crawl"

Then `breadcrumb search WORDS --data crawl` finds them.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.utils.asyncio import is_asyncio_available

from crawldb.folders import holds_a_crawl
from filters_addon.filters import page_of_item
from indexer import IndexFault, item_pipeline
from robots import product_token

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

COMMIT_SECONDS = 1.0  # for which an item waits for others: a commit synchronises several files


class IndexPipeline(item_pipeline.IndexPipeline):
    """Adds each page to the index in DATA_DIR, or replaces the one with its URL.

    An item has the fields that the filters read: `url`, and `body`, `html` or `text`. Any other passes, and so does a
    page that says noindex. An item leaves the pipeline when the index has it on the disk. With the scheduler of
    `breadcrumb.scrapy`, a request is done after that: no kill loses a page.
    Stats: index/added, index/noindex, index/no_page.

    Raises ValueError for settings and folders that can't be used.
    """

    def __init__(self, data_dir: Path, crawler: Crawler) -> None:
        if holds_a_crawl(data_dir):
            raise ValueError(f"{data_dir} has a crawl of Breadcrumb, whose index follows it: give another DATA_DIR")
        try:
            super().__init__(data_dir)
        except (OSError, IndexFault) as error:
            raise ValueError(f"DATA_DIR={str(data_dir)!r}: its index can't be written: {error}") from error
        settings = crawler.settings
        self._agent = str(settings.get("ROBOTSTXT_USER_AGENT") or product_token(str(settings.get("USER_AGENT", ""))))
        self._stats = crawler.stats
        self._next_commit: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> IndexPipeline:  # type: ignore[override]  # it needs more of the crawler
        """Open the index in the folder that the setting DATA_DIR names."""
        if not crawler.settings.get("DATA_DIR"):
            raise ValueError('breadcrumb.scrapy.IndexPipeline needs a folder for the index: DATA_DIR = "crawl"')
        if not is_asyncio_available():
            raise ValueError("breadcrumb.scrapy.IndexPipeline needs Scrapy's default reactor: no TWISTED_REACTOR")
        return cls(Path(crawler.settings["DATA_DIR"]), crawler)

    async def process_item(self, item: Any) -> Any:
        """Add the page of an item, and return the item when it is committed."""
        page = page_of_item(item, self._agent)
        if page is None or not page.controls.index:
            self._count("no_page" if page is None else "noindex")
            return item
        self._writer.put(page)
        if self._next_commit is None:
            self._next_commit = asyncio.ensure_future(self._commit_soon())
        await asyncio.shield(self._next_commit)
        self._count("added")
        return item

    async def _commit_soon(self) -> None:
        await asyncio.sleep(COMMIT_SECONDS)
        self._next_commit = None
        self._commit()

    def _count(self, what: str) -> None:
        if self._stats is not None:
            self._stats.inc_value(f"index/{what}")
