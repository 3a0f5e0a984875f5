"""How is a response kept within limits? Its header lines in bytes and seconds, and all responses together in bytes.

DOWNLOAD_MAXSIZE and DOWNLOAD_TIMEOUT, Scrapy's own settings, limit a whole response. The timer is our own
(`response_limits.py`). When a person stops the crawl, each fetch ends within STOP_SECONDS: its response has come, or
its lease goes back to the frontier.

A packed body is unpacked once, within DOWNLOAD_MAXSIZE, before anything else reads it.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.exceptions import DownloadTimeoutError, IgnoreRequest
from scrapy.http import Response
from scrapy.responsetypes import responsetypes
from twisted.logger import globalLogBeginner

from crawldb.clock import RUN_CLOCK
from frontier.session import Session
from robots import HostRestsError
from spiders.downloader.address_policy import LOOPBACK_CONCURRENCY
from spiders.downloader.bounded_connection import BoundedFactory, ResponseLimits
from spiders.downloader.content_coding import ACCEPTED, Unreadable, unpack
from spiders.downloader.response_limits import CLOCK, SENT_AT, Reservations, ResponseTimer
from urls.records import Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.crawler import Crawler

    from spiders.pace.host_pace import RequestThrottle
    from urls.records import Outcome


READ_TO = "read_to"  # key of Request.meta: how many bytes of the body to read; the rest is not unpacked
SCRAPYS_LIMIT = "download_timeout"  # Scrapy's key of Request.meta: seconds for a whole response
NO_LIMIT = 7 * 86_400.0  # seconds; Scrapy needs a number
STOPPING = object()  # the signal that the spider sends when it begins to stop
STOPPED = Refusal(Rule.STOPPED, "the crawl was stopped before an answer came")


def header_lines(response: Response) -> list[tuple[str, str]]:
    """Return the header lines of a response, names in lower case; lines with the same name are not joined."""
    return [
        (name.decode("latin-1").lower(), value.decode("latin-1"))
        for name, values in dict.items(response.headers)  # Scrapy's own `items` looks each name up once more
        for value in values
    ]


def is_crawl(crawler: Crawler) -> bool:
    """Return whether the site spider runs here; else it is another one, or none yet as in the shell."""
    return isinstance(getattr(crawler.spider, "session", None), Session)


class LeaseEndedError(IgnoreRequest):
    """Ends a lease instead of a request: carries the outcome to the spider's errback."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


class UnreadableError(IgnoreRequest):
    """A body can't be unpacked; `rule` and the message say why."""

    def __init__(self, problem: Unreadable) -> None:
        super().__init__(problem.reason)
        self.rule = problem.rule


class StoppedError(IgnoreRequest):
    """A request is not sent, or its response not awaited; `refusal` says why. The lease goes back to the frontier."""

    def __init__(self, refusal: Refusal = STOPPED) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


class RestingError(StoppedError, HostRestsError):
    """A request for a robots.txt is not sent, because its host rests for so many `seconds` more."""

    def __init__(self, refusal: Refusal, seconds: float) -> None:
        super().__init__(refusal)
        self.seconds = seconds


def _is_for_the_log(record: logging.LogRecord) -> bool:
    """Drop Twisted's lines about certificates that can't be read: such a fetch ends with a rule of its own."""
    return "while verifying certificate" not in record.getMessage()


class BoundedDownloadHandler(HTTP11DownloadHandler):
    """Scrapy's HTTP/1.1 handler within bounds; it drops requests under way soon after a crawl begins to stop.

    Settings: HEADERS_TIMEOUT, LARGE_ANSWERS_MAXSIZE, STOP_SECONDS.
    """

    lazy = True
    connections: Callable[..., BoundedFactory] = BoundedFactory  # makes the connections

    def __init__(self, crawler: Crawler) -> None:
        from twisted.internet import reactor  # importing it earlier would choose the reactor

        super().__init__(crawler)
        logging.getLogger("twisted").addFilter(_is_for_the_log)
        if globalLogBeginner._temporaryObserver is not None:  # noqa: SLF001 - Twisted tells it in no other way
            # Twisted prints critical lines next to Scrapy's log until a program begins logging, and Scrapy never does.
            globalLogBeginner.beginLoggingTo([], discardBuffer=True, redirectStandardIO=False)
        self._pool.maxPersistentPerHost = max(self._pool.maxPersistentPerHost, LOOPBACK_CONCURRENCY)
        settings = crawler.settings
        self._turns: RequestThrottle | None = getattr(crawler.spider, "turns", None)  # of the site spider alone
        bounds = ResponseLimits(
            MAX_HEADER_BYTES,
            settings.getfloat("HEADERS_TIMEOUT"),
            settings.getint("DOWNLOAD_MAXSIZE"),
            Reservations(settings.getint("LARGE_ANSWERS_MAXSIZE")),
            reactor,
            getattr(crawler.spider, "head_watchers", ()),
            getattr(crawler.spider, "credentials", None),
            None if self._turns is None else self._turns.left,
        )
        pool: Any = self._pool  # as Scrapy's own handler does
        pool._factory = partial(self.connections, bounds)  # noqa: SLF001 - Twisted has no other way
        # Otherwise, if a connection is just closed, its request is sent again at once: out of turn, and uncounted.
        pool.retryAutomatically = False
        self._grace = settings.getfloat("STOP_SECONDS")
        self._seconds = settings.getfloat("DOWNLOAD_TIMEOUT")
        self._under_way: set[asyncio.Future[Response]] = set()
        self._stopped = False
        crawler.signals.connect(self._stop, signal=STOPPING)

    async def download_request(self, request: Request) -> Response:
        """Download `request` when its turn has come; raise `StoppedError` where the crawl does not wait for that."""
        if self._stopped:
            raise StoppedError
        download = asyncio.ensure_future(self._send(request))
        self._under_way.add(download)
        try:
            return await download
        except asyncio.CancelledError:
            if not self._stopped:
                raise
            raise StoppedError from None
        finally:
            self._under_way.discard(download)

    async def _send(self, request: Request) -> Response:
        if self._turns is not None and (refusal := await self._turns.take(request.url)) is not None:
            raise StoppedError(refusal)
        request.meta[SENT_AT] = RUN_CLOCK.now()
        seconds = request.meta.get(SCRAPYS_LIMIT) or self._seconds
        request.meta[SCRAPYS_LIMIT] = NO_LIMIT
        clock = request.meta[CLOCK] = ResponseTimer(seconds)
        try:
            async with clock:
                return await super().download_request(request)
        except TimeoutError as error:
            if not clock.struck:
                raise
            raise DownloadTimeoutError(f"Getting {request.url} took longer than {seconds:g} seconds.") from error
        finally:
            request.meta[SCRAPYS_LIMIT] = seconds
            if self._turns is not None:
                self._turns.ended(request.url)

    def _stop(self) -> None:
        asyncio.get_running_loop().call_later(self._grace, self._cancel_all)

    def _cancel_all(self) -> None:
        self._stopped = True
        for download in self._under_way:
            download.cancel()


MAX_HEADER_BYTES = 256 * 1024  # of a response's header lines, one long line included; browsers stop there too
SUCCESS_CLASS = 2  # of status codes: only bodies of a success are read


class ContentCodingMiddleware:
    """Requests packed bodies and unpacks them.

    It replaces Scrapy's own middleware, which guesses the character encoding of each unpacked body: that costs more
    than the whole parse. Scrapy's also takes a body that breaks off for a whole one. A crawl reads nothing but bytes.
    Outside a crawl (`typed`) the response gets a class by its type, for `response.css(…)`.

    Settings: DOWNLOAD_MAXSIZE.
    """

    def __init__(self, limit: int, *, typed: bool = False) -> None:
        self._limit = limit
        self._typed = typed

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ContentCodingMiddleware:
        """Build the component for a crawler."""
        return cls(crawler.settings.getint("DOWNLOAD_MAXSIZE"), typed=not is_crawl(crawler))

    def process_request(self, request: Request) -> None:
        """Say which codings can be undone."""
        request.headers.setdefault("Accept-Encoding", ACCEPTED)

    def process_response(self, request: Request, response: Response) -> Response:
        """Return the response with its body unpacked, or raise `UnreadableError`."""
        lines = response.headers.getlist("Content-Encoding")
        if not lines or not response.body or response.status // 100 != SUCCESS_CLASS:
            return response  # the body of a redirect or an error is not read, so it need not be readable
        codings = b",".join(lines).decode("latin-1").split(",")
        read_to = request.meta.get(READ_TO)
        body = unpack(response.body, codings, read_to or self._limit, cut=read_to is not None)
        if isinstance(body, Unreadable):
            raise UnreadableError(body)
        headers = response.headers.copy()
        del headers["Content-Encoding"]
        kind = responsetypes.from_args(headers, response.url, body=body) if self._typed else Response
        return kind(
            url=response.url,
            status=response.status,
            headers=headers,
            body=body,
            flags=response.flags,
            request=response.request,
            certificate=response.certificate,
            ip_address=response.ip_address,
            protocol=response.protocol,
        )
