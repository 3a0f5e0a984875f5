"""Who keeps the pace in Scrapy? Scrapy has a slot for each host; earlier responses set the delay of the slot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import signals

from crawldb.clock import RUN_CLOCK
from crawldb.tables.hosts import MAX_KNOWN
from robots import Access
from robots.freshness import retry_after
from spiders.downloader.handler import StoppedError, header_lines
from spiders.downloader.response_limits import SENT_AT, seconds_since_sent
from spiders.outcome import fetch_failure
from spiders.pace.host_pace import SILENCE
from spiders.robots_gate import PART_OF, ROBOTS_KNOWN
from spiders.without_crawl import site_spider
from urls.canonical import host_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from robots import Availability
    from spiders.site import SiteSpider

SLOT = "download_slot"  # key of Request.meta: the host without the port, since it is one machine that is spared


class PaceMiddleware:
    """Gives each host its slot and its delay, and stops requests to a host that rests.

    Settings: PRODUCT, the token that a robots.txt calls us by. The pace itself is read by spiders/crawl_settings.py.
    """

    def __init__(self, crawler: Crawler, spider: SiteSpider) -> None:
        self._crawler = crawler
        self._spider = spider
        self._turns = spider.turns
        self._product = crawler.settings["PRODUCT"]
        crawler.signals.connect(self.known, signal=ROBOTS_KNOWN)
        crawler.signals.connect(self.answered, signal=signals.response_downloaded)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PaceMiddleware:
        """Build the component for a crawl of the site spider."""
        return cls(crawler, site_spider(crawler))

    async def process_request(self, request: Request) -> None:
        """Put a request into its host's slot, or raise `StoppedError` where the host rests."""
        host = host_of(request.url)
        refusal = self._turns.refusal(host)
        if refusal is not None:
            raise StoppedError(refusal)
        request.meta[SLOT] = host
        self._set_delay(host)

    async def process_exception(self, request: Request, exception: Exception) -> None:
        """Learn from a request that got no response."""
        if SENT_AT not in request.meta or isinstance(exception, StoppedError):
            return
        failure = fetch_failure(exception, request.url, self._spider.refusals)
        host, lease = host_of(request.url), _lease_id(request)
        if failure.rule in SILENCE:
            self._turns.silent(request.url, lease, failure.reason, seconds_since_sent(request.meta))
            self._spider.slots.failed(host)
            self._set_delay(host)
        elif lease is not None:
            self._spider.slots.responded(host)  # its response was too long or broke off, but the host is there

    def answered(self, response: Response, request: Request) -> None:
        """Learn from a response, of a page or of anything else."""
        now = RUN_CLOCK.now()
        asked = retry_after(dict(header_lines(response)).get("retry-after", ""), now)
        seconds = seconds_since_sent(request.meta)
        host, lease = host_of(request.url), _lease_id(request)
        self._turns.answered(request.url, lease, response.status, asked, seconds)
        if lease is not None:  # a host that gives its robots.txt may still give no pages
            self._spider.slots.responded(host)
        self._set_delay(host)

    def known(self, origin: str, availability: Availability) -> None:
        """Obey the delay of a robots.txt; while the file is not known, its last delay holds."""
        if availability.access is not Access.CLOSED:
            self._turns.asks(origin, availability.seconds_between_visits(self._product))
            self._set_delay(host_of(origin))

    def _set_delay(self, host: str) -> None:
        """Tell Scrapy the delay of a host, for its present slot and for those that are made after a pause."""
        downloader = self._crawler.engine.downloader
        pace = self._spider.crawl_settings.pace_policy.of(host)
        delay = self._turns.delay(host).seconds
        if len(downloader.per_slot_settings) >= MAX_KNOWN:
            downloader.per_slot_settings.clear()  # each request sets its own again
        downloader.per_slot_settings[host] = {"concurrency": pace.concurrency, "delay": delay}
        slot = downloader.slots.get(host)
        if slot is not None:
            slot.delay = delay


def _lease_id(request: Request) -> int | None:
    lease = request.meta.get("lease") or request.meta.get(PART_OF)
    return None if lease is None else lease.id
