"""May we fetch this? The robots.txt of each origin is requested first, once, however many pages wait for it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.exceptions import StopDownload
from scrapy.http.request import NO_CALLBACK

from crawldb.clock import RUN_CLOCK
from crawldb.tables.blocks import blacklist
from crawldb.tables.robots_files import note_request, read_robots, write_robots
from robots import (
    DENIALS,
    MAX_ROBOTS_BYTES,
    Access,
    AccessState,
    RobotsCache,
    RobotsRecord,
    RobotsResponse,
    inquire,
    notice,
    origin_of,
)
from spiders.downloader.handler import READ_TO, LeaseEndedError, RestingError, StoppedError, header_lines
from spiders.downloader.response_limits import SENT_AT, seconds_since_sent
from spiders.downloader.response_parser import CUT_OFF
from spiders.outcome import MAYBE_NOT_WHOLE, OWN_REFUSALS, fetch_failure
from spiders.without_crawl import site_spider
from urls.canonical import UnusableUrl, canonicalize, host_of, site_of
from urls.records import LeaseEnd, Outcome
from urls.rules import Rule

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from crawldb.tables.queue import Lease
    from robots import RobotsRequest, RobotsStep
    from spiders.site import SiteSpider

ROBOTS = "robots_txt"  # key of Request.meta: this request is for a robots.txt and passes the gate
PART_OF = "part_of"  # key of Request.meta: no lease ends with this request, such as one of a page's script; its Lease
# has the id of the page and the URL of the request
# This signal is sent when an origin's rules become known to this run, or are renewed. They come from the site or from
# the crawl database. Receivers get `origin` and `availability`, whose `file` is the one that decides. Pace and sitemaps
# use it. When the cache has dropped an origin, its rules are read from the database and sent again.
ROBOTS_KNOWN = object()


class RobotsGateMiddleware:
    """Holds each request until its origin's rules are known, and ends its lease where they say no.

    Settings: PRODUCT, the token that a robots.txt calls us by; ROBOTS_DENIAL,
    ROBOTS_UNREACHABLE and ROBOTS_MISSPELT, which the spider has read.
    Stats: breadcrumb/robots/requests, breadcrumb/robots/disallowed, breadcrumb/robots/closed.
    """

    def __init__(self, crawler: Crawler, spider: SiteSpider) -> None:
        self._crawler = crawler
        self._spider = spider
        self._product = crawler.settings["PRODUCT"]
        self._denial_closes = spider.crawl_settings.denial_closes
        unreachable, meant = spider.crawl_settings.unreachable, spider.crawl_settings.misspelt_counts
        self._inquire = partial(inquire, denial_closes=self._denial_closes, reading=unreachable, meant=meant)
        self._known = RobotsCache()
        self._asking: dict[str, asyncio.Task[AccessState]] = {}
        crawler.signals.connect(self._stop_reading, signal=signals.bytes_received)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RobotsGateMiddleware:
        """Build the component for a crawl of the site spider."""
        return cls(crawler, site_spider(crawler))

    async def process_request(self, request: Request) -> None:
        """Let `request` pass, or raise `LeaseEndedError` with the outcome of its lease."""
        lease: Lease | None = request.meta.get("lease") or request.meta.get(PART_OF)
        if lease is None:  # it is for a robots.txt, or of an extension that asks `verdict` itself
            return
        try:
            state = await self._state(origin_of(lease.url))
        except StoppedError as stopped:
            reason = f"robots.txt is not known: {stopped.refusal.reason}"
            raise LeaseEndedError(_outcome(lease, LeaseEnd.DEFERRED, stopped.refusal.rule, reason)) from None
        availability = state.availability(RUN_CLOCK.now())
        if availability.access is Access.CLOSED:
            self._count("closed")
            reason, wait = availability.reason, availability.retry_after
            raise LeaseEndedError(_outcome(lease, LeaseEnd.DEFERRED, Rule.ROBOTS_CLOSED, reason, wait))
        verdict = availability.decide(self._product, lease.url)
        if not verdict.allowed:
            self._count("disallowed")
            raise LeaseEndedError(_outcome(lease, LeaseEnd.REFUSED, Rule.ROBOTS, f"robots.txt: {verdict.with_rule}"))

    async def _state(self, origin: str) -> AccessState:
        """Return what holds for `origin` now. A page that waited long is checked by the file as it is then."""
        state = self._known.get(origin) or self._remembered(origin)
        if state is not None and not state.due(RUN_CLOCK.now()) and not self._denial_setting_changed(state):
            return state
        task = self._asking.get(origin)
        if task is None:
            task = self._asking[origin] = asyncio.ensure_future(self._ask(origin, state))
            task.add_done_callback(lambda _: self._asking.pop(origin, None))
        return await asyncio.shield(task)  # one waiting page that gives up must not end the question for all

    def _remembered(self, origin: str) -> AccessState | None:
        record = read_robots(self._spider.session.database, origin)
        if record is None:
            return None
        state = record.access_state
        self._known.put(origin, state)
        if not state.due(RUN_CLOCK.now()) and not self._denial_setting_changed(state):
            self._send_known(origin, state)
        return state

    def _denial_setting_changed(self, state: AccessState) -> bool:
        """Return whether ROBOTS_DENIAL had another value when a 401 or 403 was read."""
        return state.status in DENIALS and (state.access is Access.DENIED) is not self._denial_closes

    async def _ask(self, origin: str, before: AccessState | None) -> AccessState:
        found = await self._inquire(origin, before or AccessState(), self, clock=RUN_CLOCK.now)
        news = notice(before, found.answer, found.state, found.urls_asked)
        session = self._spider.session
        samples = [found.hop.address] if found.hop is not None else []
        write_robots(session.database, session.run, RobotsRecord.of(origin, found.state), news, samples)
        self._known.put(origin, found.state)
        self._send_known(origin, found.state)
        return found.state

    def _send_known(self, origin: str, state: AccessState) -> None:
        availability = state.availability(RUN_CLOCK.now())
        self._crawler.signals.send_catch_log(ROBOTS_KNOWN, origin=origin, availability=availability)

    async def fetch(self, url: str, conditions: dict[str, str]) -> RobotsResponse:
        """Request a robots.txt; raise StoppedError if the crawl does not wait for it any longer.

        The rest after its own first response is short, and waited for.
        """
        if 0 < (rest := self._spider.turns.rest_left(host_of(url))) <= self._spider.crawl_settings.retries.delay:
            await asyncio.sleep(rest)
        self._count("requests")
        meta: dict[str, Any] = {ROBOTS: True, READ_TO: MAX_ROBOTS_BYTES + 1, "received": 0}
        headers = {"Accept": "text/plain"} | conditions
        request = Request(url, callback=NO_CALLBACK, meta=meta, dont_filter=True, headers=headers)
        engine = self._crawler.engine
        if engine is None:
            raise StoppedError
        try:
            response: Response = await engine.download_async(request)
        except StoppedError as stopped:
            if stopped.refusal.rule is Rule.HOST_RESTS:
                raise RestingError(stopped.refusal, self._spider.turns.rest_left(host_of(url))) from None
            raise
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the rules are not known
            failure = fetch_failure(error, url, self._spider.refusals)
            by_us = failure.rule in OWN_REFUSALS
            sent_at = None if by_us else request.meta.get(SENT_AT)
            seconds = 0.0 if by_us else seconds_since_sent(request.meta)
            return RobotsResponse(sent_at, seconds, trouble=failure.reason, refused_by_us=by_us)
        sent_at = request.meta.get(SENT_AT, RUN_CLOCK.now())
        seconds = seconds_since_sent(request.meta)
        if CUT_OFF in response.flags:  # a rule that is missing may forbid what the others allow
            return RobotsResponse(sent_at, seconds, trouble=MAYBE_NOT_WHOLE)
        return RobotsResponse(sent_at, seconds, response.status, header_lines(response), response.body)

    def refusal(self, url: str) -> str:
        """Return why `url`, to which a robots.txt has moved, is not requested: its form, its port or the blacklist."""
        try:
            canonical = canonicalize(url)
        except UnusableUrl as error:
            return error.refusal.reason
        session = self._spider.session
        refused = session.policy.port_refusal(canonical, site_of(canonical))
        refused = refused or blacklist(session.database).refusal(canonical)
        return "" if refused is None else refused.reason

    def sent(self, origin: str, hop: RobotsRequest, step: RobotsStep) -> None:
        """Note one request for the robots.txt of `origin`."""
        note_request(self._spider.session.database, self._spider.session.run, origin, hop, step)

    def _stop_reading(self, data: bytes, request: Request) -> None:
        """Stop reading a robots.txt beyond MAX_ROBOTS_BYTES (RFC 9309, 2.5)."""
        if request.meta.get(ROBOTS):
            request.meta["received"] += len(data)
            if request.meta["received"] > MAX_ROBOTS_BYTES:
                raise StopDownload(fail=False)

    def _count(self, what: str) -> None:
        self._crawler.stats.inc_value(f"breadcrumb/robots/{what}")


def _outcome(lease: Lease, fate: LeaseEnd, rule: Rule, reason: str, wait: float | None = None) -> Outcome:
    ended = Outcome(lease.url, fate, rule, reason, fetched_at=RUN_CLOCK.now(), requested=False)
    return replace(ended, retry_after=wait, whole_origin=wait is not None)
