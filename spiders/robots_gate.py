"""May we fetch this? Each origin's robots.txt is asked for first, once, however many pages wait for it."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.exceptions import StopDownload
from scrapy.http.request import NO_CALLBACK

from crawldb.tables.blocks import blacklist
from crawldb.tables.robots_files import RobotsRecord, note_redirect, read_robots, write_robots
from robots import DENIALS, MAX_ROBOTS_BYTES, Access, AccessState, notice, origin_of
from spiders.handler import READ_TO, SENT_AT, LeaseEndedError, StoppedError, header_lines
from spiders.lease_outcome import fetch_failure
from spiders.robots_inquiry import RobotsCache, RobotsResponse, inquire
from spiders.without_crawl import site_spider
from urls.canonical import UnusableUrl, canonicalize
from urls.records import Fate, Outcome
from urls.site import site_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from crawldb.tables.robots_files import Hop
    from frontier.leases import Lease
    from spiders.site import SiteSpider

ROBOTS = "robots_txt"  # key of Request.meta: this request is for a robots.txt and passes the gate
OWN_REFUSALS = frozenset({"address", "identity"})  # rules under which we send nothing: the site has not failed
# The signal that is sent when an origin's rules become known to this run, from the site or from the crawl database, and
# each time that they are renewed: receivers get `origin` and `availability`, whose `file` is the one that decides. The
# pace and the sitemaps follow from it. What memory had to let go of is read and told again.
ROBOTS_KNOWN = object()


class RobotsGateMiddleware:
    """Holds each request until its origin's rules are known, and ends its lease where they say no.

    Settings: PRODUCT, the token that a robots.txt calls us by; ROBOTS_DENIAL, by way of the spider's conduct.
    Stats: breadcrumb/robots/requests, breadcrumb/robots/disallowed, breadcrumb/robots/closed.
    """

    def __init__(self, crawler: Crawler, spider: SiteSpider) -> None:
        self._crawler = crawler
        self._spider = spider
        self._product = crawler.settings["PRODUCT"]
        self._denial_closes = spider.conduct.denial_closes
        self._known = RobotsCache()
        self._asking: dict[str, asyncio.Task[AccessState]] = {}
        crawler.signals.connect(self._cut, signal=signals.bytes_received)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RobotsGateMiddleware:
        """Build the component for a crawl of the site spider."""
        return cls(crawler, site_spider(crawler))

    async def process_request(self, request: Request) -> None:
        """Let `request` pass, or raise `LeaseEndedError` with the outcome of its lease."""
        if request.meta.get(ROBOTS):
            return
        lease: Lease = request.meta["lease"]
        try:
            standing = await self._standing(origin_of(lease.url))
        except StoppedError as stopped:
            reason = f"robots.txt is not known: {stopped.refusal.reason}"
            raise LeaseEndedError(_outcome(lease, Fate.DEFERRED, stopped.refusal.rule, reason)) from None
        availability = standing.availability(time.time())
        if availability.access is Access.CLOSED:
            self._count("closed")
            wait = availability.retry_after
            reason = f"{availability.reason}; again in {wait:.0f} s"
            raise LeaseEndedError(_outcome(lease, Fate.DEFERRED, "robots-closed", reason, wait))
        verdict = availability.decide(self._product, lease.url)
        if not verdict.allowed:
            self._count("disallowed")
            reason = f"robots.txt: {verdict} ({verdict.rule})" if verdict.line else f"robots.txt: {verdict}"
            raise LeaseEndedError(_outcome(lease, Fate.REFUSED, "robots", reason))

    async def _standing(self, origin: str) -> AccessState:
        """Return what holds for `origin` now. A page that waited long is judged by the file as it is then."""
        standing = self._known.get(origin) or self._remembered(origin)
        if standing is not None and not standing.due(time.time()) and not self._switched(standing):
            return standing
        task = self._asking.get(origin)
        if task is None:
            task = self._asking[origin] = asyncio.ensure_future(self._ask(origin, standing))
            task.add_done_callback(lambda _: self._asking.pop(origin, None))
        return await asyncio.shield(task)  # one waiting page that gives up must not end the question for all

    def _remembered(self, origin: str) -> AccessState | None:
        record = read_robots(self._spider.session.database, origin)
        if record is None:
            return None
        standing = record.standing
        self._known.put(origin, standing)
        if not standing.due(time.time()) and not self._switched(standing):
            self._tell(origin, standing)
        return standing

    def _switched(self, standing: AccessState) -> bool:
        """Return whether ROBOTS_DENIAL was another when a 401 or 403 was read."""
        return standing.status in DENIALS and (standing.access is Access.DENIED) is not self._denial_closes

    async def _ask(self, origin: str, before: AccessState | None) -> AccessState:
        found = await inquire(origin, before or AccessState(), self, denial_closes=self._denial_closes)
        told = notice(before, found.answer, found.standing, found.way)
        session = self._spider.session
        write_robots(session.database, session.run, RobotsRecord.of(origin, found.standing), found.hop, told)
        self._known.put(origin, found.standing)
        self._tell(origin, found.standing)
        return found.standing

    def _tell(self, origin: str, standing: AccessState) -> None:
        availability = standing.availability(time.time())
        self._crawler.signals.send_catch_log(ROBOTS_KNOWN, origin=origin, availability=availability)

    async def fetch(self, url: str, conditions: dict[str, str]) -> RobotsResponse:
        """Ask for a robots.txt; raise StoppedError where the crawl does not wait for it any longer."""
        self._count("requests")
        meta: dict[str, Any] = {ROBOTS: True, READ_TO: MAX_ROBOTS_BYTES + 1, "received": 0}
        headers = {"Accept": "text/plain"} | conditions
        request = Request(url, callback=NO_CALLBACK, meta=meta, dont_filter=True, headers=headers)
        engine = self._crawler.engine
        if engine is None:
            raise StoppedError
        try:
            response: Response = await engine.download_async(request)
        except StoppedError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the rules are not known
            ending = fetch_failure(error, url, self._spider.refusals)
            ours = ending.rule in OWN_REFUSALS
            sent_at = None if ours else request.meta.get(SENT_AT)
            return RobotsResponse(sent_at, _since(sent_at), trouble=ending.reason, ours=ours)
        sent_at = request.meta.get(SENT_AT, time.time())
        return RobotsResponse(sent_at, _since(sent_at), response.status, header_lines(response), response.body)

    def refusal(self, url: str) -> str:
        """Say why `url`, to which a robots.txt has moved, is not asked: its port, its host or the blacklist."""
        try:
            canonical = canonicalize(url)
        except UnusableUrl as error:
            return error.refusal.reason
        session = self._spider.session
        refused = session.policy.port_refusal(canonical, site_of(canonical))
        refused = refused or blacklist(session.database).refusal(canonical)
        return "" if refused is None else refused.reason

    def redirected(self, origin: str, hop: Hop) -> None:
        """Note one request on the way to the robots.txt of `origin`."""
        note_redirect(self._spider.session.database, self._spider.session.run, origin, hop)

    def _cut(self, data: bytes, request: Request) -> None:
        """Stop reading a robots.txt where nobody reads on (RFC 9309, 2.5)."""
        if request.meta.get(ROBOTS):
            request.meta["received"] += len(data)
            if request.meta["received"] > MAX_ROBOTS_BYTES:
                raise StopDownload(fail=False)

    def _count(self, what: str) -> None:
        self._crawler.stats.inc_value(f"breadcrumb/robots/{what}")


def _since(sent_at: float | None) -> float:
    return 0.0 if sent_at is None else max(0.0, time.time() - sent_at)


def _outcome(lease: Lease, fate: Fate, rule: str, reason: str, wait: float | None = None) -> Outcome:
    return Outcome(
        lease.url, fate, rule, reason, retry_after=wait, fetched_at=time.time(), requested=False,
        whole_origin=wait is not None,
    )  # fmt: skip
