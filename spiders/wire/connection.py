"""What may an answer take of its connection? Bytes and seconds, and memory when there is some; then it is closed.

The server has no say in this: over TLS, too, a connection ends when we end it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from service_identity import CertificateError, VerificationError
from service_identity.pyopenssl import verify_hostname, verify_ip_address
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.internet.interfaces import IHandshakeListener
from twisted.python.failure import Failure
from twisted.web._newclient import HTTP11ClientProtocol  # Twisted has no public way to a connection's protocol
from twisted.web.client import _HTTP11ClientFactory
from zope.interface import implementer

from spiders.address import literal_address
from spiders.reservation import LARGE_ANSWER, Reservations
from spiders.wire.parser import AnswerParser

if TYPE_CHECKING:
    from twisted.internet.interfaces import IAddress

WIRE_FACTOR = 2  # bytes that may come for each byte that a body may have: a chunk of one byte takes six
FAREWELL_SECONDS = 1.0  # from the end of a connection to its abortion: over TLS it would wait for the server's farewell


class AnswerLimitError(Exception):
    """An answer is beyond a limit; `rule` is "header-limit", "timeout" or "size"."""

    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(reason)
        self.rule = rule


@dataclass(frozen=True, slots=True)
class AnswerBounds:
    """What an answer may take: bytes and seconds of its header lines, and bytes for which large bodies wait."""

    head_bytes: int
    head_seconds: float
    body_bytes: int
    reservations: Reservations[BoundedProtocol]
    clock: Any  # with Twisted's callLater


@implementer(IHandshakeListener)
class BoundedProtocol(HTTP11ClientProtocol):
    """One connection: its header lines come to an end, and a large body is read when there is memory for it."""

    _parser: AnswerParser | None = None

    def __init__(self, quiescent: Any, bounds: AnswerBounds) -> None:
        super().__init__(quiescent)  # type: ignore[no-untyped-call]  # Twisted has no types
        self._bounds = bounds
        self._received = 0  # bytes of the answer under way
        self._late: Any = None  # the delayed call of what ends an answer whose header lines drip
        self._farewell: Any = None  # … and of what ends a connection that the server does not let go of
        self._large = False  # whether memory was asked for

    def request(self, request: Any) -> Any:
        """Send a request; what was counted for the one before it is over."""
        self._over()
        self._received = 0
        answer = super().request(request)
        if self._parser is not None:
            self._parser.__class__ = AnswerParser  # as Scrapy does it: Twisted has no other way
            self._parser.MAX_LENGTH = self._bounds.head_bytes  # of one line: Twisted's own would end it without a word
        return answer

    def handshakeCompleted(self) -> None:  # noqa: N802 - Twisted's name
        """Ask for whom the certificate is, before the request leaves: Twisted passes one whose names it can't read."""
        if self._currentRequest is None:
            return
        transport: Any = self.transport
        asked: Any = self._currentRequest._parsedURI  # noqa: SLF001 - Twisted has no other way
        host: str = asked.host.decode("ascii")
        verify: Any = verify_ip_address if literal_address(host) else verify_hostname
        try:
            verify(transport.getHandle(), host.strip("[]"))
        except (VerificationError, CertificateError):
            self._giveUp(_failure())

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        """Count what comes, and refuse what is too much."""
        if self._parser is None:
            self._unasked()
            return
        if self._late is None and not self._received:
            # From the first byte on: a server may think for long, but what it has begun to say it is to say at once.
            self._late = self._bounds.clock.callLater(self._bounds.head_seconds, self._drips)
        self._received += len(data)
        super().dataReceived(data)  # type: ignore[no-untyped-call]  # Twisted has no types
        if not self._under_way:
            self._over()
        elif self._reads_body:
            self._on_time()
            self._bound_body()
        elif self._received > self._bounds.head_bytes:
            self._end("header-limit", f"its header lines have more than {self._bounds.head_bytes} bytes")

    def connectionLost(self, reason: Failure) -> None:  # type: ignore[override] # noqa: N802 - Twisted's name
        """Free what this connection held."""
        self._over()
        if self._farewell is not None and self._farewell.active():
            self._farewell.cancel()
        if self._parser is not None:
            over_tls = hasattr(self.transport, "getPeerCertificate")  # many servers end TLS without a farewell
            self._parser.broke = isinstance(reason.value, ConnectionLost) and not over_tls
        super().connectionLost(reason)  # type: ignore[no-untyped-call]  # Twisted has no types

    @property
    def _under_way(self) -> bool:
        return self._parser is not None

    @property
    def _reads_body(self) -> bool:
        return self._parser is not None and self._parser.bodyDecoder is not None and self._parser.is_read

    def _unasked(self) -> None:
        """Close an idle connection on which something came; what comes on one that is being closed is dropped."""
        if self._state == "QUIESCENT":
            self._state = "GENERATION_FAILED"  # Twisted's name for what must not be used again
            self._giveUp(_failure(ConnectionDone()))

    def _finishResponse(self, rest: bytes) -> None:  # noqa: N802 - Twisted's name
        """End an answer; a connection on which more came than was asked for is not used again."""
        if rest and self._currentRequest is not None:
            self._currentRequest.persistent = False
        super()._finishResponse(rest)

    def _giveUp(self, reason: Failure) -> None:  # noqa: N802 - Twisted's name
        """End the connection, politely after a whole answer, and in any case soon."""
        super()._giveUp(reason)  # type: ignore[no-untyped-call]  # Twisted has no types
        transport: Any = self.transport
        if not isinstance(reason.value, ConnectionDone):
            transport.abortConnection()
        elif self._farewell is None:
            self._farewell = self._bounds.clock.callLater(FAREWELL_SECONDS, transport.abortConnection)

    def _end(self, rule: str, reason: str) -> None:
        self._giveUp(_failure(AnswerLimitError(rule, reason)))

    def _drips(self) -> None:
        self._late = None
        self._end("timeout", f"its header lines took longer than {self._bounds.head_seconds:g} s")

    def _bound_body(self) -> None:
        if self._received > self._bounds.head_bytes + WIRE_FACTOR * self._bounds.body_bytes:
            self._end("size", f"its body takes more than {WIRE_FACTOR} times the bytes that it may have")
            return
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


class BoundedFactory(_HTTP11ClientFactory):
    """Makes connections within bounds, for Twisted's pool."""

    noisy = False

    def __init__(self, bounds: AnswerBounds, *arguments: Any) -> None:
        super().__init__(*arguments)  # type: ignore[no-untyped-call]  # Twisted has no types
        self._bounds = bounds

    def buildProtocol(self, addr: IAddress | None) -> BoundedProtocol:  # noqa: ARG002, N802 - Twisted's name
        """Build one."""
        return BoundedProtocol(self._quiescentCallback, self._bounds)


_failure: Any = Failure  # Twisted has no types for it
