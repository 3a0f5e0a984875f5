"""What happens beside the fetches? A person is told how far the crawl is, and Sitemap lines of robots.txt are noted.

How far is the crawl? One live line on a terminal tells it; elsewhere a plain line does, every ten seconds.

When is a sitemap known? As soon as the robots.txt that names it is read, so it is fetched before the pages of the site.
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import TYPE_CHECKING

from scrapy import signals

from crawldb.database import StorageError
from crawldb.tables.fetches import alarms
from crawldb.tables.hosts import resting
from crawldb.tables.urls import State
from robots import Access
from spiders.robots_gate import ROBOTS_KNOWN
from spiders.without_crawl import site_spider
from urls.counted import counted
from urls.records import Fate, Outcome, Page

if TYPE_CHECKING:
    from rich.status import Status
    from scrapy.crawler import Crawler

    from crawldb.database import CrawlDatabase
    from frontier.session import Session
    from robots import Availability


TERMINAL_SECONDS = 0.25  # between two redrawings of the live line
HOSTS_NAMED = 2  # the line has room for so many
PLAIN_SECONDS = 10.0  # between two plain lines, so that a cron mail stays short


class Progress:
    """Tells on standard error how many pages were fetched, refused and failed, and how many URLs are queued.

    Settings: none. The form depends on whether standard error is a terminal.
    """

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._began = time.monotonic()
        self._pages = self._unchanged = self._refused = self._failed = 0
        self._task: asyncio.Task[None] | None = None
        self._status: Status | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Progress:
        """Build the component for a crawl of the site spider."""
        progress = cls(site_spider(crawler).session.database)
        crawler.signals.connect(progress.opened, signal=signals.spider_opened)
        crawler.signals.connect(progress.item, signal=signals.item_scraped)
        crawler.signals.connect(progress.closed, signal=signals.spider_closed)
        return progress

    def opened(self) -> None:
        """Start the line."""
        if sys.stderr.isatty():
            from rich.console import Console  # 60 ms that a cron job does not need

            self._status = Console(stderr=True).status("looking for robots.txt …")
            self._status.start()
        self._task = asyncio.ensure_future(self._tell())

    def item(self, item: object) -> None:
        """Count one end of a lease."""
        if isinstance(item, Page):
            self._pages += 1
        elif isinstance(item, Outcome):
            self._unchanged += item.fate is Fate.NOT_MODIFIED
            self._refused += item.fate is Fate.REFUSED
            self._failed += item.fate in {Fate.FAILED, Fate.GONE}

    def closed(self) -> None:
        """End the line."""
        if self._task is not None:
            self._task.cancel()
        if self._status is not None:
            self._status.stop()

    async def _tell(self) -> None:
        while True:
            await asyncio.sleep(TERMINAL_SECONDS if self._status else PLAIN_SECONDS)
            if self._status:
                self._status.update(self._line())
            else:
                print(self._line(), file=sys.stderr, flush=True)

    def _line(self) -> str:
        queued = self._database.count("SELECT count(*) FROM url WHERE state = ?", State.QUEUED)
        seconds = time.monotonic() - self._began
        trouble = hosts_and_sites_in_trouble(self._database, time.time())
        return (
            f"{counted(self._pages, 'page')} ({self._pages / seconds:.1f}/s), {self._unchanged} unchanged, "
            f"{self._refused} refused, {self._failed} failed, {queued} queued{trouble}"
        )


def hosts_and_sites_in_trouble(database: CrawlDatabase, now: float) -> str:
    """Return the end of the line: hosts that rest, and sites that mostly fail."""
    hosts = [host.name for host, _ in resting(database, now)]
    sites = [alarm.site for alarm in alarms(database)]
    rests = f"; resting: {_few(hosts)}" if hosts else ""
    return rests + (f"; ALARM, mostly failing: {_few(sites)}" if sites else "")


def _few(names: list[str]) -> str:
    more = len(names) - HOSTS_NAMED
    return ", ".join(names[:HOSTS_NAMED]) + (f" and {more} more" if more > 0 else "")


class SitemapLines:
    """Brings the Sitemap lines of each robots.txt into the frontier.

    Stats: breadcrumb/sitemaps/named, the lines that were read.
    """

    def __init__(self, crawler: Crawler, session: Session) -> None:
        self._crawler = crawler
        self._session = session
        self._seen: dict[str, int] = {}  # by origin: the hash of the lines that this run has noted
        crawler.signals.connect(self._known, signal=ROBOTS_KNOWN)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SitemapLines:
        """Build the component for a crawl of the site spider."""
        return cls(crawler, site_spider(crawler).session)

    def _known(self, origin: str, availability: Availability) -> None:
        lines = _sitemaps_named(availability)
        if lines is None or self._seen.get(origin) == hash(lines):
            return
        self._seen[origin] = hash(lines)
        self._crawler.stats.inc_value("breadcrumb/sitemaps/named", len(lines))
        try:
            if self._session.store.name_sitemaps(origin, lines):
                self._session.frontier.look_again()
        except StorageError as error:
            self._session.trouble = self._session.trouble or str(error)  # the next write fails too, and ends the crawl


def _sitemaps_named(availability: Availability) -> tuple[str, ...] | None:
    """Return the sitemaps that a robots.txt names; None where the file could not be had."""
    if availability.file is not None:
        return availability.file.sitemaps
    return () if availability.access is Access.OPEN else None
