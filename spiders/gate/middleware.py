"""May we fetch this? Each origin's robots.txt is asked for first, once, however many pages wait for it."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.exceptions import StopDownload
from scrapy.http.request import NO_CALLBACK

from crawldb import Fate, Outcome, UnusableUrl, canonicalize
from crawldb.frontier.site import site_of
from crawldb.tables.robots_files import RobotsRecord, read, write
from robots import MAX_ROBOTS_BYTES, Access, Availability, no_answer, origin_of, parse, read_answer, robots_url
from spiders.ending import failure_reason
from spiders.handler import LeaseEndedError, StoppedError, header_lines
from spiders.pace import slot_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from crawldb import Refusal
    from crawldb.frontier.frontier import Lease
    from spiders.site import SiteSpider

ROBOTS = "robots_txt"  # key of Request.meta: this request is for a robots.txt and passes the gate


class RobotsGateMiddleware:
    """Holds each request until its origin's rules are known, and ends its lease where they say no.

    Settings: PRODUCT, the token that a robots.txt calls us by.
    Stats: breadcrumb/robots/requests, breadcrumb/robots/disallowed, breadcrumb/robots/closed.
    """

    def __init__(self, crawler: Crawler, spider: SiteSpider) -> None:
        self._crawler = crawler
        self._spider = spider
        self._product = crawler.settings["PRODUCT"]
        self._known: dict[str, tuple[Availability, float]] = {}  # with the time until which it holds
        self._asking: dict[str, asyncio.Task[Availability]] = {}
        crawler.signals.connect(self._cut, signal=signals.bytes_received)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RobotsGateMiddleware:
        """Build the component for a crawler."""
        return cls(crawler, crawler.spider)  # type: ignore[arg-type]  # only the site spider runs behind this gate

    async def process_request(self, request: Request) -> None:
        """Let `request` pass, or raise `LeaseEndedError` with the outcome of its lease."""
        if request.meta.get(ROBOTS):
            return
        lease: Lease = request.meta["lease"]
        try:
            availability = await self._availability(origin_of(lease.url))
        except StoppedError:
            reason = "the crawl was stopped before robots.txt was known"
            raise LeaseEndedError(_outcome(lease, Fate.DEFERRED, "stopped", reason)) from None
        if availability.access is Access.CLOSED:
            self._count("closed")
            wait = availability.retry_after
            reason = f"{availability.reason}; again in {wait:g} s"
            raise LeaseEndedError(_outcome(lease, Fate.DEFERRED, "robots-closed", reason, wait))
        verdict = availability.decide(self._product, lease.url)
        if not verdict.allowed:
            self._count("disallowed")
            reason = f"robots.txt: {verdict} ({verdict.rule})" if verdict.line else f"robots.txt: {verdict}"
            raise LeaseEndedError(_outcome(lease, Fate.REFUSED, "robots", reason))

    async def _availability(self, origin: str) -> Availability:
        availability, until = self._known.get(origin) or self._remembered(origin)
        if availability is not None and time.time() < until:
            return availability
        task = self._asking.get(origin)
        if task is None:
            task = self._asking[origin] = asyncio.ensure_future(self._ask(origin))
            task.add_done_callback(lambda _: self._asking.pop(origin, None))
        return await asyncio.shield(task)  # one waiting page that gives up must not end the question for all

    def _remembered(self, origin: str) -> tuple[Availability | None, float]:
        record = read(self._spider.session.database, origin)
        if record is None:
            return None, 0.0
        access = Access[record.state]
        file = parse(record.body) if access is Access.PARSED else None
        availability = Availability(access, record.reason, record.expires_at - record.fetched_at, file, record.body)
        self._known[origin] = availability, record.expires_at
        return availability, record.expires_at

    async def _ask(self, origin: str) -> Availability:
        url, hops, status = robots_url(origin), 0, None
        began = at = time.time()
        while True:
            at = time.time()
            try:
                response = await self._fetch(url)
            except StoppedError:
                raise
            except Exception as error:  # noqa: BLE001 - whatever went wrong, the rules are not known
                availability = no_answer(failure_reason(error, url, self._spider.refusals))
                break
            status = response.status
            headers = header_lines(response)
            availability = read_answer(
                url, status, headers, response.body, now=datetime.fromtimestamp(at, UTC), hops=hops
            )
            if availability.access is not Access.MOVED:
                break
            url, hops = availability.location, hops + 1
            refusal = self._port_refusal(url)
            if refusal is not None:
                availability = no_answer(f"it is at {url[:200]}, and {refusal.reason}")
                break
        until = at + availability.lifetime
        self._known[origin] = availability, until
        record = RobotsRecord(
            origin, availability.access.name, availability.reason, at, until, status, availability.body
        )
        write(self._spider.session.database, self._spider.session.run, record, time.time() - began, url)
        return availability

    def _port_refusal(self, url: str) -> Refusal | None:
        try:
            canonical = canonicalize(url)
        except UnusableUrl as error:
            return error.refusal
        return self._spider.session.policy.port_refusal(canonical, site_of(canonical))

    async def _fetch(self, url: str) -> Response:
        self._count("requests")
        slot = slot_of(url)
        self._spider.prepare_slot(slot)
        meta: dict[str, Any] = {ROBOTS: True, "download_slot": slot, "received": 0}
        request = Request(url, callback=NO_CALLBACK, meta=meta, dont_filter=True, headers={"Accept": "text/plain"})
        engine = self._crawler.engine
        if engine is None:
            raise StoppedError
        return await engine.download_async(request)

    def _cut(self, data: bytes, request: Request) -> None:
        """Stop reading a robots.txt where nobody reads on (RFC 9309, 2.5)."""
        if request.meta.get(ROBOTS):
            request.meta["received"] += len(data)
            if request.meta["received"] > MAX_ROBOTS_BYTES:
                raise StopDownload(fail=False)

    def _count(self, what: str) -> None:
        self._crawler.stats.inc_value(f"breadcrumb/robots/{what}")


def _outcome(lease: Lease, fate: Fate, rule: str, reason: str, wait: float | None = None) -> Outcome:
    return Outcome(
        lease.url, fate, rule, reason, retry_after=wait, fetched_at=time.time(), requested=False,
        whole_origin=wait is not None,
    )  # fmt: skip
