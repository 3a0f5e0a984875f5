"""How is one answer read from its connection? Within bounds, and no further than its status asks.

Where does an answer begin and end? It is read as browsers do where that is harmless, and more strictly where it is not.
A line that is no header line is left aside, where Twisted's own parser would give up the whole answer. Only the body of
a success is read: of a page that of a 2xx, of a robots.txt that of any 2xx (RFC 9309, 2.3.1.1). Whatever the body of
another answer does, even if it has no end or is no HTTP, the status and the header lines hold. A request that says
LOOKED_AT in its Accept wants to know the header lines, of a PDF say; the body is read where it is text after all.
That is a GET and no HEAD: many servers answer a HEAD otherwise, and some pages of HTML have a name like a picture's.

What may an answer cost? Bytes, seconds, and memory while there is some; beyond that the connection is closed. The
server has no say in this: over TLS, too, a connection ends when we end it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from service_identity import CertificateError, VerificationError
from service_identity.pyopenssl import verify_hostname, verify_ip_address
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.internet.interfaces import IHandshakeListener
from twisted.python.failure import Failure
from twisted.web._newclient import DONE, HEADER, HTTP11ClientProtocol, HTTPClientParser, ParseError, ResponseFailed
from twisted.web.client import _HTTP11ClientFactory
from twisted.web.http import _DataLoss
from zope.interface import implementer

from robots.page.controls import declared_type
from spiders.downloader.address_policy import literal_address
from spiders.lease.reservation import LARGE_ANSWER, Reservations
from spiders.pace.term import OWN_TERM
from spiders.parse.http_headers import LOOKED_AT, NOT_TEXT, document_kind
from urls.rules import Rule

if TYPE_CHECKING:
    from twisted.internet.interfaces import IAddress


SUCCESS_CODES = range(200, 300)  # the status codes of the answers whose bodies are read …
WITHOUT_BODY = frozenset({205, 206})  # … except these: no body at all (RFC 9110, 15.3.6), and a part of one
UNREAD_BYTES = 64 * 1024  # of a body that is not read: if it is no longer, its connection is worth keeping
LEFT_ASIDE = b"-"  # the name for a line that is no header line
_FIELD = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:")  # RFC 9110, 5.6.2
# Twisted has no types for these.
_failure: Any = Failure
_response_failed: Any = ResponseFailed


class AnswerParser(HTTPClientParser):
    """Reads one answer. `broke` says that the connection ended without being closed by the server."""

    broke = False
    looks = False  # whether only an answer of text is wanted whole
    _is_text = True

    @property
    def is_read(self) -> bool:
        """Whether the body is read; the status line must have come."""
        return self.response.code in SUCCESS_CODES and self.response.code not in WITHOUT_BODY and self._is_text

    def lineReceived(self, line: bytes) -> None:
        """Read a line; one that is no header line is left aside with its continuation, as browsers do."""
        if self.state == HEADER and not _FIELD.match(line):
            line = line.removesuffix(b"\r")
            if line[:1] in {b" ", b"\t"}:
                if self._partialHeader is None:
                    return  # it continues nothing
            elif line:
                name, colon, value = line.partition(b":")
                name = name.rstrip(b" \t")  # RFC 9112, 5.1: a client removes these blanks
                line = name + colon + value if _FIELD.match(name + colon) else LEFT_ASIDE + b":"
        super().lineReceived(line)

    def statusReceived(self, status: bytes) -> None:
        """Read the status line; Python would read `+200` and `2_00` as numbers."""
        parts = status.split(b" ", 2)
        if len(parts) > 1 and not parts[1].isdigit():
            raise ParseError("non-integer status code", status)
        super().statusReceived(status)

    def headerReceived(self, name: bytes, value: bytes) -> None:
        """Keep a header line."""
        if name != LEFT_ASIDE:
            super().headerReceived(name, value)

    def allHeadersReceived(self) -> None:
        """Find out how the body ends; a body that is not read is not waited for unless it is short."""
        codings = [value.lower() for value in self.connHeaders.getRawHeaders(b"Transfer-Encoding", ())]
        if codings and set(codings) <= {b"", b"identity"}:
            self.connHeaders.removeHeader(b"Transfer-Encoding")  # no coding at all (RFC 2616, 3.6)
            codings = []
        if self.looks:
            declared = (self.headers.getRawHeaders(b"Content-Type") or [b""])[0].decode("latin-1")
            self._is_text = document_kind(b"", declared_type(declared)) not in NOT_TEXT
        if self.response.code >= SUCCESS_CODES.start and not self.is_read and not self._is_short(codings):
            self.NO_BODY_CODES = {self.response.code}
            self.request.persistent = False
        if not self._stays_open():
            self.request.persistent = False
        super().allHeadersReceived()

    def _stays_open(self) -> bool:
        """Return whether the server will answer more requests on this connection (RFC 9112, 9.3)."""
        lines = self.connHeaders.getRawHeaders(b"Connection", ())
        options = {option.strip().lower() for line in lines for option in line.split(b",")}
        return b"close" not in options and (self.response.version[1:] >= (1, 1) or b"keep-alive" in options)

    def _is_short(self, codings: list[bytes]) -> bool:
        if codings:
            return codings == [b"chunked"] and self._is_text
        lengths = {value.strip() for value in self.connHeaders.getRawHeaders(b"Content-Length", ())}
        length = lengths.pop() if len(lengths) == 1 else b""
        return length.isdigit() and len(length) <= len(str(UNREAD_BYTES)) and int(length) <= UNREAD_BYTES

    def connectionLost(self, reason: Failure | None = None) -> None:
        """End the answer: it is whole if its body is not read, and broken off if a body of unknown length broke."""
        if self.bodyDecoder is not None and self.state != DONE:
            endless = getattr(self.bodyDecoder, "contentLength", 0) is None
            if not self.is_read or (endless and self.broke):
                self.bodyDecoder, self.state = None, DONE
                finish: Any = self.response._bodyDataFinished
                lost = _response_failed([reason, _failure(_DataLoss())], self.response)
                finish(_failure(lost) if self.is_read else None)
        super().connectionLost(reason)


WIRE_FACTOR = 2  # bytes that may come for each byte that a body may have: a chunk of one byte takes six
FAREWELL_SECONDS = 1.0  # from closing a connection to aborting it: over TLS it would wait for the server's farewell


class AnswerLimitError(Exception):
    """An answer is beyond a limit; `rule` is Rule.HEADER_LIMIT, TIMEOUT or SIZE."""

    def __init__(self, rule: Rule, reason: str) -> None:
        super().__init__(reason)
        self.rule = rule


@dataclass(frozen=True, slots=True)
class AnswerBounds:
    """What an answer may take: bytes and seconds for its header lines, and bytes of memory for large bodies."""

    head_bytes: int
    head_seconds: float
    body_bytes: int
    reservations: Reservations[BoundedProtocol]
    clock: Any  # with Twisted's callLater


@implementer(IHandshakeListener)
class BoundedProtocol(HTTP11ClientProtocol):
    """One connection: its header lines are bounded, and a large body is read when there is memory for it."""

    transport: Any
    _parser: AnswerParser | None = None

    def __init__(self, quiescent: Any, bounds: AnswerBounds) -> None:
        super().__init__(quiescent)
        self._bounds = bounds
        self._received = 0  # bytes of the answer under way
        self._late: Any = None  # the delayed call that ends an answer whose header lines come too slowly
        self._farewell: Any = None  # … and the one that aborts a connection that the server does not close
        self._large = False  # whether memory was asked for

    def request(self, request: Any) -> Any:
        """Send a request; what was counted for the request before it is over."""
        self._over()
        self._received = 0
        OWN_TERM.check()
        answer = super().request(request)
        if self._parser is not None:
            self._parser.__class__ = AnswerParser  # as Scrapy does it: Twisted has no other way
            self._parser.looks = request.headers.getRawHeaders(b"Accept", ()) == [LOOKED_AT.encode()]
            # Of one line: Twisted's own limit would end the answer without a reason.
            self._parser.MAX_LENGTH = self._bounds.head_bytes
        return answer

    def handshakeCompleted(self) -> None:
        """Check for whom the certificate is before the request leaves: Twisted accepts one without readable names."""
        if self._currentRequest is None:
            return
        OWN_TERM.check()  # here the request leaves
        asked: Any = self._currentRequest._parsedURI
        host: str = asked.host.decode("ascii")
        verify: Any = verify_ip_address if literal_address(host) else verify_hostname
        try:
            verify(self.transport.getHandle(), host.strip("[]"))
        except (VerificationError, CertificateError):
            self._giveUp(_failure())

    def dataReceived(self, data: bytes) -> None:
        """Count what comes, and refuse what is too much."""
        if self._parser is None:
            self._unasked()
            return
        if self._late is None and not self._received:
            # The clock runs from the first byte: a server may think for long, but then it has to answer at once.
            self._late = self._bounds.clock.callLater(self._bounds.head_seconds, self._too_slow)
        self._received += len(data)
        super().dataReceived(data)
        if not self._under_way:
            self._over()
        elif self._reads_body:
            self._on_time()
            self._bound_body()
        elif self._received > self._bounds.head_bytes:
            self._end(Rule.HEADER_LIMIT, f"its header lines have more than {self._bounds.head_bytes} bytes")

    def connectionLost(self, reason: Failure) -> None:  # type: ignore[override]  # a reason always comes
        """Free what this connection held."""
        self._over()
        if self._farewell is not None and self._farewell.active():
            self._farewell.cancel()
        if self._parser is not None:
            over_tls = hasattr(self.transport, "getPeerCertificate")  # many servers end TLS without a farewell
            self._parser.broke = isinstance(reason.value, ConnectionLost) and not over_tls
        super().connectionLost(reason)

    @property
    def _under_way(self) -> bool:
        return self._parser is not None

    @property
    def _reads_body(self) -> bool:
        return self._parser is not None and self._parser.bodyDecoder is not None and self._parser.is_read

    def _unasked(self) -> None:
        """Close an idle connection on which something came; bytes on a connection that is being closed are dropped."""
        if self._state == "QUIESCENT":
            self._state = "GENERATION_FAILED"  # Twisted's name for what must not be used again
            self._giveUp(_failure(ConnectionDone()))

    def _finishResponse(self, rest: bytes) -> None:
        """End an answer; a connection on which more came than the answer is not used again."""
        if rest and self._currentRequest is not None:
            self._currentRequest.persistent = False
        super()._finishResponse(rest)

    def _giveUp(self, reason: Failure) -> None:
        """End the connection: politely after a whole answer, and soon in any case."""
        super()._giveUp(reason)
        if not isinstance(reason.value, ConnectionDone):
            self.transport.abortConnection()
        elif self._farewell is None:
            self._farewell = self._bounds.clock.callLater(FAREWELL_SECONDS, self.transport.abortConnection)

    def _end(self, rule: Rule, reason: str) -> None:
        self._giveUp(_failure(AnswerLimitError(rule, reason)))

    def _too_slow(self) -> None:
        self._late = None
        self._end(Rule.TIMEOUT, f"its header lines took longer than {self._bounds.head_seconds:g} s")

    def _bound_body(self) -> None:
        if self._received > self._bounds.head_bytes + WIRE_FACTOR * self._bounds.body_bytes:
            self._end(Rule.SIZE, f"its body takes more than {WIRE_FACTOR} times the bytes that it may have")
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
        self.transport.pauseProducing()

    def go_on(self) -> None:
        """Read on."""
        self.transport.resumeProducing()

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
        super().__init__(*arguments)
        self._bounds = bounds

    def buildProtocol(self, addr: IAddress | None) -> BoundedProtocol:  # noqa: ARG002 - Twisted passes it
        """Build one."""
        return BoundedProtocol(self._quiescentCallback, self._bounds)
