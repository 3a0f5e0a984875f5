"""May this request be sent? The robots.txt of its origin is fetched first, once, however many requests wait for it."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.asyncio import is_asyncio_available

from robots import (
    MAX_ROBOTS_BYTES,
    Access,
    AccessState,
    RobotsResponse,
    Unreachable,
    inquire,
    notice,
    origin_of,
    product_token,
)
from robots_addon.state import states_in

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from robots import Availability, RobotsRequest, RobotsStep

logger = logging.getLogger(__name__)

OWN = "robots_addon_bytes"  # key of Request.meta of a request for a robots.txt: its bytes received so far
DENIALS = ("open", "closed")
MAX_DELAY = 60.0  # seconds


class RobotsGate:
    """Holds each request until its origin's rules are known, and ends it with IgnoreRequest where they say no.

    Stats, named as those of Scrapy's own middleware: robotstxt/request_count, robotstxt/forbidden, robotstxt/closed.
    Raises ValueError for a setting that can't be used.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if not is_asyncio_available():
            raise ValueError("robots_addon needs Scrapy's default reactor: take TWISTED_REACTOR out of the settings")
        denial = settings.get("ROBOTS_DENIAL", DENIALS[0])
        if denial not in DENIALS:
            raise ValueError(f"ROBOTS_DENIAL={denial!r}: give one of {' or '.join(DENIALS)}")
        unreachable = settings.get("ROBOTS_UNREACHABLE", Unreachable.RFC9309.value)
        if unreachable not in {reading.value for reading in Unreachable}:
            raise ValueError(f"ROBOTS_UNREACHABLE={unreachable!r}: give one of rfc9309 or google")
        self._reading = Unreachable(unreachable)
        self._crawler = crawler
        self._denial_closes = denial == DENIALS[1]
        self._most = settings.getfloat("ROBOTS_MAX_DELAY", MAX_DELAY)
        self._states = states_in(settings.get("ROBOTS_STATE"))
        self._asking: dict[str, asyncio.Task[AccessState]] = {}
        crawler.signals.connect(self._stop_reading, signal=signals.bytes_received)
        crawler.signals.connect(self._states.close, signal=signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RobotsGate:
        """Build the component."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Let `request` pass, or raise IgnoreRequest with the sentence that says why not."""
        if request.meta.get("dont_obey_robotstxt") or OWN in request.meta:
            return
        try:
            origin = origin_of(request.url)
        except ValueError:
            return  # data: and file: have no robots.txt
        availability = (await self._state(origin)).availability(time.time())
        if availability.access is Access.CLOSED:
            raise self._refused("closed", request, f"{availability.reason}; again in {availability.retry_after:.0f} s")
        agent = agent_of(request, self._crawler.settings)
        verdict = availability.decide(agent, request.url)
        if not verdict.allowed:
            raise self._refused("forbidden", request, f"robots.txt: {verdict.with_rule}")
        self._keep_delay(request, availability, agent)

    def _refused(self, why: str, request: Request, reason: str) -> IgnoreRequest:
        self._count(why)
        logger.info("%s is not requested: %s", request.url, reason)
        return IgnoreRequest(reason)

    async def _state(self, origin: str) -> AccessState:
        state = self._states.get(origin)
        if state is not None and not state.due(time.time()):
            return state
        task = self._asking.get(origin)
        if task is None:
            task = self._asking[origin] = asyncio.ensure_future(self._ask(origin, state))
            task.add_done_callback(lambda _: self._asking.pop(origin, None))
        return await asyncio.shield(task)  # one request that is given up must not end the question for all

    async def _ask(self, origin: str, before: AccessState | None) -> AccessState:
        known, closes = before or AccessState(), self._denial_closes
        found = await inquire(origin, known, self, denial_closes=closes, clock=time.time, reading=self._reading)
        news = notice(before, found.answer, found.state, found.urls_asked)
        if news is not None:
            logger.warning("%s: %s", origin, news.reason)
        self._states.put(origin, found.state)
        return found.state

    async def fetch(self, url: str, conditions: dict[str, str]) -> RobotsResponse:
        """Request a robots.txt once: the inquiry decides whether to follow, to try again or to give up."""
        self._count("request_count")
        flags = ("dont_redirect", "dont_retry", "dont_cache", "handle_httpstatus_all", "allow_offsite")
        meta: dict[str, Any] = dict.fromkeys(flags, True) | {OWN: 0}
        request = Request(url, callback=NO_CALLBACK, meta=meta, dont_filter=True, headers=conditions)
        sent_at = time.time()
        try:
            response: Response = await self._crawler.engine.download_async(request)
        except IgnoreRequest as refused:  # another middleware of the project: the site has not failed
            return RobotsResponse(None, trouble=str(refused) or "the project refuses it", refused_by_us=True)
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the rules are not known
            return RobotsResponse(sent_at, time.time() - sent_at, trouble=str(error) or type(error).__name__)
        return RobotsResponse(sent_at, time.time() - sent_at, response.status, header_lines(response), response.body)

    def refusal(self, url: str) -> str:  # noqa: ARG002 - part of what an inquiry asks
        """Let every redirect be followed: the project's own middlewares check the request anyway."""
        return ""

    def sent(self, origin: str, hop: RobotsRequest, step: RobotsStep) -> None:
        """Log a request for a robots.txt, or for a page that shows what a failing one means."""
        logger.debug("robots.txt of %s: %s answered %s (%s)", origin, hop.address, hop.status, step.value)

    def _keep_delay(self, request: Request, availability: Availability, agent: str) -> None:
        """Slow the request's download slot down to the delay of the file; never make it faster."""
        asked = min(availability.seconds_between_visits(agent), self._most)
        if not asked:
            return
        downloader = self._crawler.engine.downloader
        key = downloader.get_slot_key(request)
        own = downloader.per_slot_settings.setdefault(key, {})
        own["delay"] = max(asked, own.get("delay", self._crawler.settings.getfloat("DOWNLOAD_DELAY")))
        if key in downloader.slots:
            downloader.slots[key].delay = max(asked, downloader.slots[key].delay)

    def _stop_reading(self, data: bytes, request: Request) -> None:
        """Stop reading a robots.txt that is longer than is read of one (RFC 9309, 2.5)."""
        if OWN in request.meta:
            request.meta[OWN] += len(data)
            if request.meta[OWN] > MAX_ROBOTS_BYTES:
                raise StopDownload(fail=False)

    def _count(self, what: str) -> None:
        if self._crawler.stats is not None:
            self._crawler.stats.inc_value(f"robotstxt/{what}")


def agent_of(request: Request, settings: BaseSettings) -> str:
    """Return the name by which robots.txt and page controls call the sender of `request`."""
    if name := settings.get("ROBOTSTXT_USER_AGENT"):
        return str(name)
    user_agent = request.headers.get("User-Agent") or str(settings.get("USER_AGENT", "")).encode()
    return product_token(user_agent.decode("latin-1"))


def header_lines(response: Response) -> list[tuple[str, str]]:
    """Return the header lines of a response; lines with the same name are not joined."""
    return [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, values in response.headers.items()
        for value in values
    ]
