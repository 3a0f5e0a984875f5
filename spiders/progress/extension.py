"""How far is the crawl? One live line on a terminal, and a plain line every ten seconds anywhere else."""

from __future__ import annotations

import asyncio
import sys
import time
from typing import TYPE_CHECKING

from scrapy import signals

from crawldb import Fate, Outcome, Page
from crawldb.state import State
from crawldb.tables.alarms import alarms
from crawldb.tables.hosts import resting

if TYPE_CHECKING:
    from rich.status import Status
    from scrapy.crawler import Crawler

    from crawldb import CrawlDatabase
    from spiders.site import SiteSpider

TERMINAL_SECONDS = 0.25  # between two redrawings of the live line
NAMED = 2  # hosts that the line has room for
PLAIN_SECONDS = 10.0  # between two plain lines, so that a cron mail stays short


class Progress:
    """Tells on standard error how many pages were fetched, refused and failed, and how many URLs are queued.

    Settings: none. Standard error being a terminal or not decides the form.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._began = time.monotonic()
        self._pages = self._unchanged = self._refused = self._failed = 0
        self._task: asyncio.Task[None] | None = None
        self._status: Status | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Progress:
        """Build the component for a crawler."""
        progress = cls(crawler)
        crawler.signals.connect(progress.opened, signal=signals.spider_opened)
        crawler.signals.connect(progress.item, signal=signals.item_scraped)
        crawler.signals.connect(progress.closed, signal=signals.spider_closed)
        return progress

    def opened(self) -> None:
        """Begin to tell."""
        if sys.stderr.isatty():
            from rich.console import Console  # noqa: PLC0415 - 60 ms that a cron job does not need

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
        """Stop telling."""
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
        spider: SiteSpider = self._crawler.spider  # type: ignore[assignment]  # the only one there is
        database = spider.session.database
        queued = database.count("SELECT count(*) FROM url WHERE state = ?", State.QUEUED)
        seconds = time.monotonic() - self._began
        return (
            f"{self._pages} pages ({self._pages / seconds:.1f}/s), {self._unchanged} unchanged, "
            f"{self._refused} refused, {self._failed} failed, {queued} queued{troubles(database, time.time())}"
        )


def troubles(database: CrawlDatabase, now: float) -> str:
    """Return what a person should know of hosts that are left alone, and of sites that mostly fail."""
    hosts = [host.name for host, _ in resting(database, now)]
    sites = [alarm.site for alarm in alarms(database)]
    told = f"; resting: {_few(hosts)}" if hosts else ""
    return told + (f"; ALARM, mostly failing: {_few(sites)}" if sites else "")


def _few(names: list[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
