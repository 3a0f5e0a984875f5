"""Which request is next, and what was requested already? Scrapy's scheduler and dupefilter, in one file on the disk.

    SCHEDULER = "breadcrumb.scrapy.Scheduler"
    DATA_DIR = "crawl"

The same command goes on after kill -9, a power cut or Ctrl-C. With Scrapy's `JOBDIR`, the requests that were under way
at a kill are lost, and with them all that they would have led to: they have left its queue, and are marked as seen.
Here a request stays until its response went through the spider and the item pipelines.
"""

from __future__ import annotations

import logging
import pickle
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast
from urllib.parse import quote

from scrapy.core.scheduler import BaseScheduler
from scrapy.dupefilters import RFPDupeFilter
from scrapy.settings import SETTINGS_PRIORITIES
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.misc import load_object
from scrapy.utils.request import request_from_dict

from breadcrumb.scrapy.stored_requests import StoredRequests

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

T = TypeVar("T")
START = "is_start_request"  # key of Request.meta, by Scrapy
SENT = "breadcrumb_sent"  # key of Request.meta: this request, or the one that it is a copy of, was sent before
REPLACED = (
    "SCHEDULER_DISK_QUEUE", "SCHEDULER_MEMORY_QUEUE", "SCHEDULER_PRIORITY_QUEUE", "SCHEDULER_START_DISK_QUEUE",
    "SCHEDULER_START_MEMORY_QUEUE",
)  # fmt: skip


class Scheduler(BaseScheduler):
    """Keeps all requests of a spider in `DATA_DIR/frontier/`, and never sends one twice unless it says `dont_filter`.

    Requests are the same if REQUEST_FINGERPRINTER_CLASS says so. The site with the fewest requests under way is next.
    Within a site the highest priority is next, then the earliest request. Stats are those of Scrapy's scheduler. A
    request that can't be pickled, such as one whose callback is a lambda, is kept in memory: a kill loses it.

    Raises ValueError for settings and folders that can't be used.
    """

    def __init__(self, crawler: Crawler) -> None:
        _check(crawler.settings)
        self._crawler, self._spider = crawler, cast("Spider", crawler.spider)  # it is there before a scheduler
        self._folder = Path(crawler.settings["DATA_DIR"]) / "frontier" / f"spider-{quote(self._spider.name, safe='')}"
        self._requests = StoredRequests(self._folder)
        self._sites = self._requests.sites()  # queued requests of each, the site that was leased last at the end
        self._memory: dict[int, Request] = {}  # by row: what can't be pickled
        self._leased: dict[Request, tuple[int, str]] = {}  # row and site
        self._has_failed = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Scheduler:
        """Build the scheduler."""
        return cls(crawler)

    def open(self, spider: Spider) -> None:  # noqa: ARG002 - Scrapy's interface
        """Say what is continued."""
        if self._requests.is_continued:
            logger.info("The crawl in %s continues: %d requests are queued", self._folder, sum(self._sites.values()))

    def close(self, reason: str) -> None:
        """Write the last ends. Requests that are queued wait for the next run."""
        if not self._has_failed:
            self._write(self._settle)
        left = sum(self._sites.values())
        if left:
            logger.info("%d requests are queued in %s (%s): the same command continues", left, self._folder, reason)
        self._requests.close()

    def has_pending_requests(self) -> bool:
        """Return whether a request is queued."""
        return bool(self._sites) and not self._has_failed

    def enqueue_request(self, request: Request) -> bool:
        """Queue a request, and return True; or return False if it is known, or was begun by an earlier process."""
        return bool(self._write(lambda: self._enqueue(request)))

    def next_request(self) -> Request | None:
        """End the leases of requests that are done, and return the next request, or None."""
        return self._write(self._next)

    def _enqueue(self, request: Request) -> bool:
        fingerprint = self._crawler.request_fingerprinter.fingerprint(request)
        is_start = START in request.meta and SENT not in request.meta  # and no retry of one
        row = self._requests.row_of(fingerprint)
        if row is not None and not request.dont_filter:
            self._count("dupefilter/filtered")
            logger.debug("Filtered duplicate request: %s", request)
            return False
        if row is not None and is_start and row <= self._requests.last_earlier:
            return False  # start requests come again in each run
        may_repeat = row is not None or (request.dont_filter and not is_start)
        site = self._crawler.engine.downloader.get_slot_key(request)
        content = self._pickled(request)
        row = self._requests.add(None if may_repeat else fingerprint, site, request.priority, content)
        if content is None:
            self._memory[row] = request
        self._sites[site] = self._sites.get(site, 0) + 1
        self._count("scheduler/enqueued/memory" if content is None else "scheduler/enqueued/disk")
        self._count("scheduler/enqueued")
        return True

    def _next(self) -> Request | None:
        self._settle()
        while self._sites:
            site = self._next_site()
            leased = self._requests.lease(site)
            if leased is None:
                self._sites.pop(site)
                continue
            self._sites[site] = self._sites.pop(site) - 1  # to the end: its turn is over
            if not self._sites[site]:
                self._sites.pop(site)
            request = self._memory.pop(leased.id, None) or self._unpickled(leased.content)
            if request is not None:
                request.meta[SENT] = True
                self._leased[request] = leased.id, site
                self._count("scheduler/dequeued/disk" if leased.content else "scheduler/dequeued/memory")
                self._count("scheduler/dequeued")
                self._requests.commit()
                return request
        self._requests.commit()
        return None

    def _next_site(self) -> str:
        under_way: dict[str, int] = {}
        for _, site in self._leased.values():
            under_way[site] = under_way.get(site, 0) + 1
        return min(self._sites, key=lambda site: under_way.get(site, 0))

    def _settle(self) -> None:
        """End the leases of the requests that the engine is done with: their callbacks and item pipelines have ended.

        No signal says so for requests of every kind, such as one that a downloader middleware drops.
        """
        slot = self._crawler.engine._slot  # noqa: SLF001 - see above
        under_way = slot.inprogress if slot is not None else ()
        ended = [request for request in self._leased if request not in under_way]
        if ended:
            self._requests.end([self._leased.pop(request)[0] for request in ended])
        self._requests.commit()

    def _write(self, work: Callable[[], T]) -> T | None:
        """Do something with the file. If that fails, close the spider: a request that is not kept would be lost."""
        if self._has_failed:
            return None
        try:
            return work()
        except sqlite3.Error as error:
            self._has_failed = True
            logger.error(  # noqa: TRY400 - the sentence says all
                "%s can't be written (%s). The crawl ends. Make room, then the same command continues it",
                self._folder, error,
            )  # fmt: skip
            deferred_from_coro(self._crawler.engine.close_spider_async(reason="frontier_failed"))
            return None

    def _pickled(self, request: Request) -> bytes | None:
        try:
            return pickle.dumps(request.to_dict(spider=self._spider), protocol=4)
        except (pickle.PicklingError, AttributeError, TypeError, ValueError, RecursionError) as error:
            logger.warning("%s is kept in memory, and a kill would lose it: %s", request, error)
            return None

    def _unpickled(self, content: bytes | None) -> Request | None:
        """Return a request of the file; None if this spider can't send it. It stays there for one that can."""
        try:
            return request_from_dict(pickle.loads(content or b""), spider=self._spider)  # noqa: S301 - see _check_owner
        except Exception as error:  # noqa: BLE001 - the classes of its values may have changed in any way
            logger.error(  # noqa: TRY400 - the error belongs to the project's classes
                "A queued request can't be read, and waits for a run of a spider that can: %s", error
            )
            return None

    def _count(self, name: str) -> None:
        if self._crawler.stats is not None:
            self._crawler.stats.inc_value(name)


def _check(settings: BaseSettings) -> None:
    """Raise ValueError for settings that contradict the scheduler, and name those without effect in the log."""
    if not settings.get("DATA_DIR"):
        raise ValueError('breadcrumb.scrapy.Scheduler needs a folder for its requests: DATA_DIR = "crawl"')
    chosen = settings["DUPEFILTER_CLASS"]
    if load_object(chosen) is not RFPDupeFilter:
        raise ValueError(
            f"DUPEFILTER_CLASS={chosen!r}: breadcrumb.scrapy.Scheduler filters duplicates itself. Take it out; "
            "REQUEST_FINGERPRINTER_CLASS says which requests are the same"
        )
    if settings.get("JOBDIR"):
        logger.warning("JOBDIR=%r keeps spider.state alone: requests are in DATA_DIR", settings["JOBDIR"])
    usual = SETTINGS_PRIORITIES["default"]
    if unused := [name for name in REPLACED if (settings.getpriority(name) or 0) > usual]:
        logger.warning("No effect with breadcrumb.scrapy.Scheduler: %s", ", ".join(unused))
