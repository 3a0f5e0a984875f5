"""Which header lines went over the network for a request? Those of the request and of its response, as bytes.

Watchers see them, such as extensions that show or keep them. Without a watcher nothing is recorded.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlparse, urlunparse

_END = re.compile(rb"\r?\n\r?\n")  # of the header lines; servers of old end lines with \n alone
_INTERIM = re.compile(rb"HTTP/\d\.\d 1\d\d\b")  # RFC 9110, 15.2: the final response follows


@dataclass(slots=True)
class ExchangeHeads:
    """The header lines of one exchange, with the first line of each. `at` is in seconds since the epoch.

    `response` has what has come so far: it may be empty, or end early.
    """

    url: str  # as the request has it
    at: float
    request: bytes
    response: bytearray = field(default_factory=bytearray)

    def final_response(self) -> bytes:
        """Return the header lines of the response, without interim responses and without the body."""
        found = bytes(self.response)
        while _INTERIM.match(found) and (end := _END.search(found)):
            found = found[end.end() :]
        end = _END.search(found)
        return found[: end.start()] if end else found


def began(request: Any) -> ExchangeHeads:
    """Return the header lines of a request of Twisted that has just been sent."""
    return ExchangeHeads(request.absoluteURI.decode("ascii"), time.time(), sent_head(request))


def sent_head(request: Any) -> bytes:
    """Return the bytes before the body of a request of Twisted, as it sends them."""
    lines: list[bytes] = []
    written = SimpleNamespace(writeSequence=lines.extend)
    request._writeHeaders(written, None)  # noqa: SLF001 - the method that sends it: Twisted has no other way
    return b"".join(lines)


def as_sent(url: str) -> str:
    """Return a URL as its request has it: without fragment, and as urllib normalises it."""
    return urlunparse(urlparse(url)._replace(fragment=""))
