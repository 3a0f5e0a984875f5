"""What may a response cost while it is read? A limited number of bytes, of seconds, and of memory.

Beyond a limit, we close the connection, over TLS too. While a response waits for memory, its timer is stopped.

A certificate holds for the hosts that its subject alternative names name (RFC 9525, 6). Only names of one kind count:
DNS names for a host, IP addresses for an IP address. An invalid name matches nothing; `service_identity` would reject
the whole certificate for it.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING, Any

from cryptography import x509
from service_identity import CertificateError, VerificationError
from service_identity.hazmat import DNS_ID, DNSPattern, IPAddress_ID, IPAddressPattern, verify_service_identity
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.internet.interfaces import IHandshakeListener
from twisted.python.failure import Failure
from twisted.web._newclient import HTTP11ClientProtocol
from twisted.web.client import _HTTP11ClientFactory
from zope.interface import implementer

from pages.http_headers import LOOKED_AT
from spiders.downloader.address_policy import literal_address
from spiders.downloader.epoch import OWN_EPOCH
from spiders.downloader.exchange_heads import ExchangeHeads, began
from spiders.downloader.response_limits import CLOCK, LARGE_RESPONSE, Reservations
from spiders.downloader.response_parser import ResponseParser
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from twisted.internet.interfaces import IAddress

    from spiders.downloader.response_limits import ResponseTimer

_failure: Any = Failure  # Twisted has no types for it
CHUNK_SHARE = 4  # lines between chunks take up to a quarter of the body, and MAX_HEADER_BYTES: each chunk costs CPU
FAREWELL_SECONDS = 1.0  # from closing a connection to aborting it: over TLS it would wait for the server's farewell


class ResponseLimitError(Exception):
    """A response is beyond a limit; `rule` is Rule.HEADER_LIMIT, TIMEOUT or CODING."""

    def __init__(self, rule: Rule, reason: str) -> None:
        super().__init__(reason)
        self.rule = rule


@dataclass(frozen=True, slots=True)
class ResponseLimits:
    """The limits of a response: bytes and seconds for its header lines, and bytes of memory for large bodies.

    `watchers` see the header lines of each exchange, once, when the response's have come or the exchange has ended.
    """

    head_bytes: int
    head_seconds: float
    body_bytes: int
    reservations: Reservations[BoundedProtocol]
    clock: Any  # with Twisted's callLater
    watchers: Sequence[Callable[[ExchangeHeads], None]] = ()
    credentials: Callable[[str], Sequence[tuple[bytes, bytes]]] | None = None  # the header lines for a URL
    left: Callable[[str], None] | None = None  # hears of each URL when its request has left this machine


@contextmanager
def _with_credentials(
    request: Any, credentials: Callable[[str], Sequence[tuple[bytes, bytes]]] | None
) -> Iterator[None]:
    """Add the credentials of its URL to a request of Twisted, only while its header lines are written.

    So they go to the scheme, host and port of this connection, and nothing that sees requests sees them.
    """
    without = request.headers
    if credentials is not None and (lines := credentials(request.absoluteURI.decode("ascii"))):
        request.headers = without.copy()
        for name, value in lines:
            request.headers.setRawHeaders(name, [value])
    try:
        yield
    finally:
        request.headers = without


@implementer(IHandshakeListener)
class BoundedProtocol(HTTP11ClientProtocol):
    """One connection: it bounds the header lines, and reads a large body when there is memory for it."""

    transport: Any
    _parser: ResponseParser | None = None
    _heads: ExchangeHeads | None = None  # of the exchange under way, for the watchers
    _is_secured = False  # over TLS: the handshake is done, and the certificate is for the host

    def __init__(self, quiescent: Any, bounds: ResponseLimits) -> None:
        super().__init__(quiescent)
        self._bounds = bounds
        self._received = 0  # bytes of the response under way
        self._late: Any = None  # the delayed call that ends a response with too slow header lines
        self._farewell: Any = None  # … and the one that aborts a connection that the server does not close
        self._large = False  # whether it has requested memory

    def request(self, request: Any) -> Any:
        """Send a request; what was counted for the request before it is over."""
        self._over()
        self._received = 0
        OWN_EPOCH.check()
        with _with_credentials(request, self._bounds.credentials):
            answer = super().request(request)
        if self._parser is not None:
            self._parser.__class__ = ResponseParser  # as Scrapy does it: Twisted has no other way
            self._parser.looks = request.headers.getRawHeaders(b"Accept", ()) == [LOOKED_AT.encode()]
            # Of one line: Twisted's own limit would end the response without a reason.
            self._parser.MAX_LENGTH = self._bounds.head_bytes
            if self._bounds.watchers:
                self._heads = began(request)
            if self._is_secured or not (request.absoluteURI or b"").startswith(b"https:"):  # else after the handshake
                self._leaves(request)
        return answer

    def _leaves(self, request: Any) -> None:
        """Tell that a request has left, once its bytes are with the system: Twisted writes them before its timers."""
        if self._bounds.left is not None and request.absoluteURI:
            self._bounds.clock.callLater(0, self._bounds.left, request.absoluteURI.decode("ascii"))

    def handshakeCompleted(self) -> None:
        """Check for whom the certificate is before the request leaves: Twisted accepts one without readable names."""
        if self._currentRequest is None:
            return
        OWN_EPOCH.check()  # here the request leaves
        asked: Any = self._currentRequest._parsedURI
        host: str = asked.host.decode("ascii")
        try:
            verify_certificate(self.transport.getHandle().get_peer_certificate().to_cryptography(), host)
        except (VerificationError, CertificateError):
            self._giveUp(_failure())
        else:
            self._is_secured = True
            self._leaves(self._currentRequest)

    def dataReceived(self, data: bytes) -> None:
        """Count received bytes, and end a response with too many."""
        if self._parser is None:
            self._unasked()
            return
        if self._late is None and not self._received:
            # The clock runs from the first byte: a server may think for long, but then it has to respond at once.
            self._late = self._bounds.clock.callLater(self._bounds.head_seconds, self._too_slow)
        self._received += len(data)
        if self._heads is not None:
            self._heads.response += data
        super().dataReceived(data)
        if self._heads is not None and self._parser is not None and self._parser.bodyDecoder is not None:
            self._show_heads()
        if not self._under_way:
            self._over()
        elif self._reads_body:
            self._on_time()
            self._bound_body()
        elif self._received > self._bounds.head_bytes:
            self._end_by_head()

    def connectionLost(self, reason: Failure) -> None:  # type: ignore[override]  # a reason always comes
        """Free the memory of this connection."""
        self._over()
        if self._farewell is not None and self._farewell.active():
            self._farewell.cancel()
        if self._parser is not None:
            over_tls = hasattr(self.transport, "getPeerCertificate")  # many servers end TLS without an alert
            lost = isinstance(reason.value, ConnectionLost)
            self._parser.broke, self._parser.cut = lost and not over_tls, lost and over_tls
        super().connectionLost(reason)

    @property
    def _under_way(self) -> bool:
        return self._parser is not None

    @property
    def _reads_body(self) -> bool:
        return self._parser is not None and self._parser.bodyDecoder is not None and self._parser.is_read

    def _unasked(self) -> None:
        """Close an idle connection that receives something; drop bytes on a connection that is closing."""
        if self._state == "QUIESCENT":
            self._state = "GENERATION_FAILED"  # Twisted's name for what must not be used again
            self._giveUp(_failure(ConnectionDone()))

    def _finishResponse(self, rest: bytes) -> None:
        """End a response; a connection with bytes beyond the response is not used again."""
        if rest and self._currentRequest is not None:
            self._currentRequest.persistent = False
        super()._finishResponse(rest)

    def _disconnectParser(self, reason: Failure) -> None:
        """End the exchange; its header lines are all that will come."""
        self._show_heads()
        super()._disconnectParser(reason)

    def _show_heads(self) -> None:
        """Show the watchers an exchange once; without a TLS handshake nothing was sent."""
        heads, self._heads = self._heads, None
        if heads is None or (heads.url.startswith("https:") and not self._is_secured):
            return
        for watcher in self._bounds.watchers:
            watcher(heads)

    def _giveUp(self, reason: Failure) -> None:
        """End the connection: politely after a whole response, and soon in any case."""
        super()._giveUp(reason)
        if not isinstance(reason.value, ConnectionDone):
            self.transport.abortConnection()
        elif self._farewell is None:
            self._farewell = self._bounds.clock.callLater(FAREWELL_SECONDS, self.transport.abortConnection)

    def _end(self, rule: Rule, reason: str) -> None:
        self._giveUp(_failure(ResponseLimitError(rule, reason)))

    def _end_by_head(self) -> None:
        self._end(Rule.HEADER_LIMIT, f"its header lines have more than {self._bounds.head_bytes} bytes")

    def _too_slow(self) -> None:
        self._late = None
        self._end(Rule.TIMEOUT, f"its header lines took longer than {self._bounds.head_seconds:g} s")

    def _bound_body(self) -> None:
        head, content = (0, 0) if self._parser is None else (self._parser.head, self._parser.content)
        if head > self._bounds.head_bytes:  # its end came together with the begin of the body
            self._end_by_head()
            return
        if self._received - head - content > self._bounds.head_bytes + content // CHUNK_SHARE:
            self._end(Rule.CODING, "the lines between its chunks take more than a quarter of its body")
            return
        if self._large or self._received <= LARGE_RESPONSE or self._parser is None:
            return
        self._large = True
        length = self._parser.response.length
        size = min(length, self._bounds.body_bytes) if isinstance(length, int) else self._bounds.body_bytes
        if not self._bounds.reservations.ask(self, size):
            self.pause()

    def pause(self) -> None:
        """Read no further, and stop the response's clock."""
        self.transport.pauseProducing()
        if self._clock is not None:
            self._clock.stop()

    def go_on(self) -> None:
        """Read on."""
        if self._clock is not None:
            self._clock.go_on()
        self.transport.resumeProducing()

    @property
    def _clock(self) -> ResponseTimer | None:
        """The clock of the response whose body is read here."""
        reader: Any = getattr(self._parser and self._parser.response, "_bodyProtocol", None)
        request = getattr(reader, "_request", None)  # Scrapy's, if a crawl reads
        return None if request is None else request.meta.get(CLOCK)

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

    def __init__(self, bounds: ResponseLimits, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._bounds = bounds

    def buildProtocol(self, addr: IAddress | None) -> BoundedProtocol:  # noqa: ARG002 - Twisted passes it
        """Build one."""
        return BoundedProtocol(self._quiescentCallback, self._bounds)


def verify_certificate(certificate: x509.Certificate, host: str) -> None:
    """Raise `VerificationError` or `CertificateError` unless the certificate is for `host`, a name or an IP address."""
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound as error:
        raise CertificateError("it names no host") from error
    except ValueError as error:
        raise CertificateError(f"its names can't be read: {error}") from error
    if literal_address(host):
        verify_service_identity(list(_addresses(names)), [IPAddress_ID(host.strip("[]"))], [])
    else:
        verify_service_identity(list(_dns_names(names)), [DNS_ID(host)], [])


def _addresses(names: x509.SubjectAlternativeName) -> Iterator[IPAddressPattern]:
    for address in names.get_values_for_type(x509.IPAddress):
        if isinstance(address, (IPv4Address, IPv6Address)):  # no network
            yield IPAddressPattern(address)


def _dns_names(names: x509.SubjectAlternativeName) -> Iterator[DNSPattern]:
    for name in names.get_values_for_type(x509.DNSName):
        with suppress(CertificateError):
            yield DNSPattern.from_bytes(name.encode())
