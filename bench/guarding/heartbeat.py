"""How long does the crawl ever stand still? A beat twenty times a second, in the crawl's own process.

One thread sends all requests and reads all responses. While it works on one page, it sends no other request, checks no
time limit and handles no Ctrl-C. So the longest gap between two beats is the cost of the worst page to all others. On a
busy machine the clock includes other work; the CPU seconds in the gap are the crawl's own.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import signals
from twisted.internet.task import LoopingCall

from spiders.pace.host_pace import RestBounds

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

BEAT_SECONDS = 0.05
FIRST_REST, REST_SECONDS = 0.2, 1.0  # rest of a host after a response here, the first time and at most
REPORT = "BREADCRUMB_HEARTBEAT"  # the environment variable with the path of the report


class Heartbeat:
    """Writes the longest gap, and the most work in one, as JSON when the crawl has ended."""

    def __init__(self, crawler: Crawler, report: Path) -> None:
        self._report, self._crawler = report, crawler
        self._before = self._worked = 0.0
        self._longest = self._work = 0.0
        self._beat = LoopingCall(self._look)
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawler.signals.connect(self._closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Heartbeat:
        """Build the component for a crawler."""
        return cls(crawler, Path(os.environ[REPORT]))

    def _opened(self) -> None:
        self._crawler.spider.turns._rests = RestBounds(FIRST_REST, REST_SECONDS)  # type: ignore[union-attr]  # noqa: SLF001 - an hour is too long here
        self._before, self._worked = time.monotonic(), time.process_time()
        self._beat.start(BEAT_SECONDS, now=False)

    def _look(self) -> None:
        now, worked = time.monotonic(), time.process_time()
        gap, work = now - self._before - BEAT_SECONDS, worked - self._worked
        self._longest, self._work = max(self._longest, gap), max(self._work, work)
        self._before, self._worked = now, worked

    def _closed(self) -> None:
        self._look()
        if self._beat.running:
            self._beat.stop()
        told = {"longest_stop": round(self._longest, 3), "cpu": round(self._work, 3)}
        self._report.write_text(json.dumps(told), "utf-8")
