"""Which bytes went over the wire for one request? Both directions are kept, until the exchange has ended."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from twisted.internet.error import ConnectionDone
from twisted.web._newclient import HTTPClientParser

from spiders.downloader.bounded_connection import BoundedFactory, BoundedProtocol, ResponseLimitError
from spiders.downloader.exchange_heads import sent_head
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from twisted.internet.interfaces import IAddress
    from twisted.python.failure import Failure

_WITHOUT_BODY = HTTPClientParser.NO_BODY_CODES


@dataclass(slots=True)
class Recording:
    """One exchange: the request sent at `at` (seconds since the epoch), and the bytes received so far."""

    url: str
    at: float
    request: bytes
    address: str
    received: list[bytes] = field(default_factory=list)
    is_leased: bool = False  # it is written when its lease ends
    is_whole: bool = False  # the response came to its end by itself
    cut: str = ""  # a word of WARC-Truncated: why the response is cut; "": it may be whole


class RecordedProtocol(BoundedProtocol):
    """A connection within bounds that records the bytes it sends and receives."""

    _recording: Recording | None = None
    began: Callable[[Recording], None]
    ended: Callable[[Recording], None]

    def request(self, request: Any) -> Any:
        """Send a request, and begin to record."""
        answer = super().request(request)
        if self._parser is not None:
            transport: Any = self.transport
            url = request.absoluteURI.decode("ascii")
            self._recording = Recording(url, time.time(), sent_head(request), transport.getPeer().host)
            self.began(self._recording)
        return answer

    def dataReceived(self, data: bytes) -> None:
        """Record the bytes received for a request; unrequested bytes belong to none."""
        if self._recording is not None:
            self._recording.received.append(data)
        super().dataReceived(data)

    def _finishResponse(self, rest: bytes) -> None:
        recording, parser = self._recording, self._parser
        if recording is not None:
            recording.is_whole = True
            # The parser expects no body for such a status, so it does not wait for the one that comes.
            is_unread = parser is not None and parser.response.code in parser.NO_BODY_CODES - _WITHOUT_BODY
            if is_unread:
                recording.cut = "length"
            elif rest:  # bytes after the response: they belong to nothing
                recording.received = [b"".join(recording.received)[: -len(rest)]]
        super()._finishResponse(rest)

    def _disconnectParser(self, reason: Failure) -> None:
        """End the recording with the exchange, before any callback of its end."""
        recording, self._recording = self._recording, None
        if recording is not None:
            if not recording.is_whole:
                recording.cut = _why_ended(reason.value)
            self.ended(recording)
        super()._disconnectParser(reason)


def _why_ended(error: BaseException | None) -> str:
    if isinstance(error, ResponseLimitError):
        return "time" if error.rule is Rule.TIMEOUT else "length"
    return "" if isinstance(error, ConnectionDone) else "disconnect"


class RecordedFactory(BoundedFactory):
    """Makes connections that call `began` and `ended` for each exchange."""

    def __init__(
        self, began: Callable[[Recording], None], ended: Callable[[Recording], None], bounds: Any, *arguments: Any
    ) -> None:
        super().__init__(bounds, *arguments)
        self._told = began, ended

    def buildProtocol(self, addr: IAddress | None) -> RecordedProtocol:  # noqa: ARG002 - Twisted passes it
        """Build one."""
        protocol = RecordedProtocol(self._quiescentCallback, self._bounds)
        protocol.began, protocol.ended = self._told
        return protocol
