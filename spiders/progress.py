"""How far is the crawl? A live line with a bar shows it on a terminal; in a log, a dated line does every ten seconds.

The number of known URLs may grow. So the share counts only the URLs known so far. The time left is the least that it
takes at the pace of the last minute, if no URL is put off to the next run. A robot that finds ten links on each page
has only begun at its first hundred.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy import signals

from crawldb.learnt import Purpose
from crawldb.tables.fetches import alarms
from crawldb.tables.hosts import resting
from crawldb.tables.queue import queued
from spiders.without_crawl import site_spider
from urls.records import LeaseEnd, Outcome, Page
from urls.wording import counted, rounded_time

if TYPE_CHECKING:
    from rich.status import Status
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from crawldb.database import CrawlDatabase
    from crawldb.tables.queue import Lease
    from spiders.site import SiteSpider

TERMINAL_SECONDS = 0.25  # between two redrawings of the live line
PLAIN_SECONDS = 10.0  # between two lines in a log: a cron mail stays short
PACE_SECONDS = 60.0  # the time over which the present pace is measured
HOSTS_NAMED = 2  # the line has room for so many
CELLS = 12  # of the bar
_OF_PAGES = frozenset({"", Purpose.TWICE})  # purposes of leases whose URL is one of its site


@dataclass(slots=True)
class ProgressNumbers:
    """The leases that have ended in this run, and the URLs that wait."""

    pages: int = 0
    unchanged: int = 0
    refused: int = 0
    failed: int = 0
    ended: int = 0  # leases: the four above, and what was put off or moved, and probes
    waiting: int = 0  # URLs that are queued
    under_way: int = 0
    hosts: int = 0  # that have a URL under way

    def note(self, item: object, lease: Lease) -> None:
        """Count one end of a lease; a probe is no page of its site, and its 404 is no failure."""
        self.ended += 1
        if lease.probes not in _OF_PAGES:
            return
        item = getattr(item, "ended", item)  # of a row of a feed
        if isinstance(item, Page):
            self.pages += 1
        elif isinstance(item, Outcome):
            self.unchanged += item.fate is LeaseEnd.NOT_MODIFIED
            self.refused += item.fate is LeaseEnd.REFUSED
            self.failed += item.fate in {LeaseEnd.FAILED, LeaseEnd.GONE}

    @property
    def share(self) -> float:
        """The share of the known leases and URLs that has ended, 0 to 1."""
        known = self.ended + self.waiting + self.under_way
        return self.ended / known if known else 0.0

    def line(self, pace: float, left: float | None) -> str:
        """Return the numbers; `pace` is in pages a second, `left` in seconds."""
        at_least = "" if left is None else f", at this pace at least {rounded_time(left, digits=1)} left"
        return (
            f"{counted(self.pages, 'page')} ({pace:.1f}/s), {self.unchanged} unchanged, {self.refused} refused, "
            f"{self.failed} failed, {self.waiting} queued, {counted(self.hosts, 'host')} at work{at_least}"
        )


class Throughput:
    """How many leases end in a second, over the last minute. Moments are in seconds, of any clock that goes forward."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, int, int]] = deque()

    def note(self, now: float, pages: int, ended: int) -> None:
        """Note how many pages have come and leases have ended by `now`."""
        self._marks.append((now, pages, ended))
        while len(self._marks) > 2 and now - self._marks[1][0] >= PACE_SECONDS:  # noqa: PLR2004 - two make a distance
            self._marks.popleft()

    def of_pages(self) -> float:
        """Return pages a second."""
        return self._rate(1)

    def left(self, waiting: int) -> float | None:
        """Return in how many seconds so many leases end at this pace; None if there are none, or no pace yet."""
        rate = self._rate(2)
        return waiting / rate if waiting and rate else None

    def _rate(self, of: int) -> float:
        first, last = self._marks[0], self._marks[-1]
        return (last[of] - first[of]) / (last[0] - first[0]) if last[0] > first[0] else 0.0


def bar(share: float) -> str:
    """Return a bar of `CELLS` cells, of which `share` (0 to 1) are full, and the share."""
    full = int(share * CELLS)
    return f"{'█' * full}{'░' * (CELLS - full)} {share:.0%} of what is known"


class Progress:
    """Prints the progress to standard error: pages fetched, refused and failed, the URLs that wait, and the time left.

    Settings: none. The form depends on whether standard error is a terminal.
    """

    def __init__(self, spider: SiteSpider) -> None:
        self._spider = spider
        self.numbers, self._pace = ProgressNumbers(), Throughput()
        self._pace.note(time.monotonic(), 0, 0)
        self._task: asyncio.Task[None] | None = None
        self._status: Status | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Progress:
        """Build the component for a crawl of the site spider."""
        progress = cls(site_spider(crawler))
        crawler.signals.connect(progress.opened, signal=signals.spider_opened)
        crawler.signals.connect(progress.item, signal=signals.item_scraped)
        crawler.signals.connect(progress.closed, signal=signals.spider_closed)
        return progress

    def opened(self) -> None:
        """Start the line."""
        if sys.stderr.isatty():
            from rich.console import Console  # 60 ms that a cron job does not need

            own = Console(file=sys.__stderr__)  # what `commands` put in its place drops the codes that move the cursor
            self._status = own.status("looking for robots.txt …")
            self._status.start()
        self._task = asyncio.ensure_future(self._tell())

    def item(self, item: object, response: Response | Failure) -> None:
        """Count one end of a lease; `response` led to it, or the failure of its request."""
        self.numbers.note(item, response.request.meta["lease"])  # type: ignore[union-attr]  # Scrapy has set it

    def closed(self) -> None:
        """End the line."""
        if self._task is not None:
            self._task.cancel()
        if self._status is not None:
            self._status.stop()

    async def _tell(self) -> None:
        while True:
            await asyncio.sleep(TERMINAL_SECONDS if self._status else PLAIN_SECONDS)
            line = self._line()
            if self._status:
                self._status.update(f"{bar(self.numbers.share)}: {line}")
            else:
                print(f"{time.strftime('%Y-%m-%d %H:%M:%S UTC', time.gmtime())}  {line}", file=sys.stderr, flush=True)

    def _line(self) -> str:
        numbers, database = self.numbers, self._spider.session.database
        numbers.waiting = queued(database)
        numbers.under_way, numbers.hosts = self._spider.capacity.under_way, self._spider.capacity.hosts
        self._pace.note(time.monotonic(), numbers.pages, numbers.ended)
        left = self._pace.left(numbers.waiting + numbers.under_way)
        return numbers.line(self._pace.of_pages(), left) + hosts_and_sites_in_trouble(database, time.time())


def hosts_and_sites_in_trouble(database: CrawlDatabase, now: float) -> str:
    """Return the end of the line: hosts that rest, and sites that mostly fail."""
    hosts = [host.name for host, _ in resting(database, now)]
    sites = [alarm.site for alarm in alarms(database)]
    rests = f"; resting: {_few(hosts)}" if hosts else ""
    return rests + (f"; ALARM, mostly failing: {_few(sites)}" if sites else "")


def _few(names: list[str]) -> str:
    more = len(names) - HOSTS_NAMED
    return ", ".join(names[:HOSTS_NAMED]) + (f" and {more} more" if more > 0 else "")
