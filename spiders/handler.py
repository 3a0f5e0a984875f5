"""How is an answer kept within bounds? In bytes and seconds for its header lines, in bytes for all that are under way.

The whole of an answer is bounded by DOWNLOAD_MAXSIZE and DOWNLOAD_TIMEOUT, which are Scrapy's own. And when a person
wants to stop, a fetch ends within STOP_SECONDS, arrived or given back to the frontier.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

# Scrapy has no public way to a connection's protocol; its version is pinned to a minor (pyproject.toml).
from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
)
from scrapy.exceptions import IgnoreRequest
from twisted.python.failure import Failure

from crawldb import Refusal
from spiders.reservation import LARGE_ANSWER, Reservations

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.interfaces import IAddress

    from crawldb import Outcome
    from spiders.coding.codings import Unreadable
    from spiders.pace.turns import Turns

SENT_AT = "sent_at"  # key of Request.meta: when the request left, in seconds since the epoch
STOPPING = object()  # the signal that the spider sends when it is told to stop
STOPPED = Refusal("stopped", "the crawl was stopped before an answer came")


def header_lines(response: Response) -> list[tuple[str, str]]:
    """Return the header lines of an answer, several of one name apart, names in lower case."""
    return [
        (name.decode("latin-1").lower(), value.decode("latin-1"))
        for name, values in response.headers.items()
        for value in values
    ]


class LeaseEndedError(IgnoreRequest):
    """Ends a lease instead of a request: carries the outcome to the spider's errback."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


class UnreadableError(IgnoreRequest):
    """A body that came can't be unpacked; `rule` and the message say why."""

    def __init__(self, problem: Unreadable) -> None:
        super().__init__(problem.reason)
        self.rule = problem.rule


class StoppedError(IgnoreRequest):
    """A request is not sent, or its answer not waited for; `refusal` says why. Its lease goes back to the frontier."""

    def __init__(self, refusal: Refusal = STOPPED) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


class HeaderLimitError(Exception):
    """The header lines of an answer are beyond a limit; `rule` is "header-limit" or "timeout"."""

    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(reason)
        self.rule = rule


@dataclass(frozen=True, slots=True)
class AnswerBounds:
    """What an answer may take: bytes and seconds of its header lines, and bytes for which large bodies wait."""

    head_bytes: int
    head_seconds: float
    body_bytes: int
    reservations: Reservations[_BoundedProtocol]


class _BoundedProtocol(_LenientHTTP11ClientProtocol):
    """One connection: its header lines come to an end, and a large body is read when there is memory for it."""

    def __init__(self, quiescent: Any, bounds: AnswerBounds) -> None:
        super().__init__(quiescent)  # type: ignore[no-untyped-call]  # Twisted's
        self._bounds = bounds
        self._received = 0  # bytes of the answer under way
        self._late: Any = None  # the delayed call of what ends an answer whose header lines drip
        self._large = False  # whether memory was asked for

    def request(self, request: Any) -> Any:
        """Send a request; what was counted for the one before it is over."""
        self._over()
        self._received = 0
        answer = super().request(request)
        if self._parser is not None:
            self._parser.MAX_LENGTH = self._bounds.head_bytes  # of one line: Twisted's own would end it without a word
        return answer

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        """Count what comes, and refuse what is too much."""
        if self._late is None and not self._received:
            from twisted.internet import reactor  # noqa: PLC0415 - importing it earlier would choose the reactor

            # From the first byte on: a server may think for long, but what it has begun to say it is to say at once.
            clock: Any = reactor  # typed as a module, which it is not
            self._late = clock.callLater(self._bounds.head_seconds, self._drips)
        self._received += len(data)
        super().dataReceived(data)  # type: ignore[no-untyped-call]  # Twisted's
        if self._parser is None:
            self._over()
        elif self._parser.bodyDecoder is None:
            self._bound_head()
        else:
            self._on_time()
            self._bound_body()

    def connectionLost(self, reason: Failure) -> None:  # type: ignore[override] # noqa: N802 - Twisted's name
        """Free what this connection held."""
        self._over()
        super().connectionLost(reason)  # type: ignore[no-untyped-call]  # Twisted's

    def _bound_head(self) -> None:
        if self._received > self._bounds.head_bytes:
            reason = f"its header lines have more than {self._bounds.head_bytes} bytes"
            self._giveUp(Failure(HeaderLimitError("header-limit", reason)))  # type: ignore[no-untyped-call]  # Scrapy has no types here

    def _drips(self) -> None:
        self._late = None
        reason = f"its header lines took longer than {self._bounds.head_seconds:g} s"
        self._giveUp(Failure(HeaderLimitError("timeout", reason)))  # type: ignore[no-untyped-call]  # Scrapy has no types here

    def _bound_body(self) -> None:
        if self._large or self._received <= LARGE_ANSWER or self._parser is None:
            return
        self._large = True
        length = self._parser.response.length
        size = min(length, self._bounds.body_bytes) if isinstance(length, int) else self._bounds.body_bytes
        if not self._bounds.reservations.ask(self, size):
            self.pause()

    def pause(self) -> None:
        """Read no further."""
        transport: Any = self.transport
        transport.pauseProducing()

    def go_on(self) -> None:
        """Read on."""
        transport: Any = self.transport
        transport.resumeProducing()

    def _on_time(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _over(self) -> None:
        self._on_time()
        if self._large:
            self._large = False
            for connection in self._bounds.reservations.leave(self):
                connection.go_on()


class _BoundedFactory(_LenientHTTP11ClientFactory):
    """Makes connections within bounds."""

    def __init__(self, bounds: AnswerBounds, *arguments: Any) -> None:
        super().__init__(*arguments)  # type: ignore[no-untyped-call]  # Twisted's
        self._bounds = bounds

    def buildProtocol(self, addr: IAddress | None) -> _BoundedProtocol:  # noqa: ARG002, N802 - Twisted's name
        """Build one."""
        return _BoundedProtocol(self._quiescentCallback, self._bounds)


class BoundedDownloadHandler(HTTP11DownloadHandler):
    """Scrapy's HTTP/1.1 handler within bounds; it lets go of what is under way soon after a crawl began to stop.

    Settings: HEADERS_MAXSIZE, HEADERS_TIMEOUT, LARGE_ANSWERS_MAXSIZE; STOP_SECONDS; LOOPBACK_CONCURRENCY for the
    connections kept open to one host.
    """

    lazy = True

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool.maxPersistentPerHost = max(
            self._pool.maxPersistentPerHost, crawler.settings.getint("LOOPBACK_CONCURRENCY")
        )
        settings = crawler.settings
        bounds = AnswerBounds(
            settings.getint("HEADERS_MAXSIZE"),
            settings.getfloat("HEADERS_TIMEOUT"),
            settings.getint("DOWNLOAD_MAXSIZE"),
            Reservations(settings.getint("LARGE_ANSWERS_MAXSIZE")),
        )
        pool: Any = self._pool  # as Scrapy's own handler does
        pool._factory = partial(_BoundedFactory, bounds)  # noqa: SLF001 - Twisted has no other way
        self._grace = crawler.settings.getfloat("STOP_SECONDS")
        self._turns: Turns = crawler.spider.turns  # type: ignore[union-attr]  # the site spider, which is there by now
        self._under_way: set[asyncio.Future[Response]] = set()
        self._stopped = False
        crawler.signals.connect(self._stop, signal=STOPPING)

    async def download_request(self, request: Request) -> Response:
        """Download `request` when its turn has come; raise `StoppedError` where the crawl does not wait for it."""
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
        refusal = await self._turns.take(request.url)
        if refusal is not None:
            raise StoppedError(refusal)
        request.meta[SENT_AT] = time.time()
        return await super().download_request(request)

    def _stop(self) -> None:
        asyncio.get_running_loop().call_later(self._grace, self._let_go)

    def _let_go(self) -> None:
        self._stopped = True
        for download in self._under_way:
            download.cancel()
