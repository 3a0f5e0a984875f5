"""How is it run? Scrapy's CrawlerProcess with settings that keep a small crawl polite and within bounds.

./breadcrumb crawl textbook -a seeds=http://bakery.localhost:8400/ -a pages=50
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.crawler import CrawlerProcess
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.resolver import CachingThreadedResolver

from robots_addon.gate import RobotsGate
from textbook.filters import Fingerprint, NearDuplicates, PageControls
from textbook.index import FOLDER, WhooshWriter
from textbook.spider import TextbookSpider

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from twisted.python.failure import Failure

SETTINGS: dict[str, Any] = {
    "DOWNLOADER_MIDDLEWARES": {RobotsTxtMiddleware: None, RobotsGate: 100},
    "ITEM_PIPELINES": {PageControls: 100, Fingerprint: 200, NearDuplicates: 300, WhooshWriter: 400},
    # Breadth first: of the requests that wait, those nearest to a seed, and first in, first out.
    "DEPTH_PRIORITY": 1,
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    # Polite: one request at a time to a host, one a second.
    "DOWNLOAD_DELAY": 1.0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    # Bounded: whatever the site does, the crawl ends, and a page fits into memory.
    "CLOSESPIDER_PAGECOUNT": 1000,
    "DEPTH_LIMIT": 10,  # links from a seed
    "DOWNLOAD_MAXSIZE": 10 * 1024 * 1024,  # bytes
    "DOWNLOAD_TIMEOUT": 30,  # seconds
    "REDIRECT_MAX_TIMES": 5,
    "URLLENGTH_LIMIT": 1024,  # characters
    # Safe: Scrapy's defaults do not verify certificates, and they open a port for remote control.
    "DOWNLOAD_VERIFY_CERTIFICATES": True,
    "DOWNLOAD_HANDLERS": dict.fromkeys(("data", "file", "ftp", "s3")),
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "TWISTED_DNS_RESOLVER": "textbook.crawl.LocalResolver",
    "COOKIES_ENABLED": False,
    "LOG_LEVEL": "ERROR",
}


class LocalResolver(CachingThreadedResolver):
    """Knows that every name below `localhost` is this machine (RFC 6761, 6.3): the practice web lives there."""

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> Any:  # noqa: N802 - Twisted's name
        """Return a Deferred of the IP address of `name`."""
        return super().getHostByName("127.0.0.1" if name.endswith(".localhost") else name, timeout)


def crawl(seeds: list[str], data_dir: Path, agent: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Crawl the sites of `seeds` into the index in `data_dir`; return Scrapy's stats. `settings` take precedence.

    Raises what a component of Scrapy raises at the start, such as `ValueError` for a value that it can't use.
    """
    process = CrawlerProcess(SETTINGS | {"INDEX_FOLDER": str(data_dir / FOLDER)} | dict(settings))
    crawler = process.create_crawler(TextbookSpider)
    faults: list[Failure] = []
    process.crawl(crawler, seeds=seeds, agent=agent).addErrback(faults.append)
    process.start()
    if faults:
        faults[0].raiseException()
    return crawler.stats.get_stats() if crawler.stats else {}
