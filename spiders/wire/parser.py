"""Where does an answer begin and end? Read as browsers do where that is harmless, and stricter where it is not.

A header line that is none is left aside: Twisted's own parser gives up the whole answer. Only the body of a success is
read by anybody: of a page that of a 200, of a robots.txt that of any 2xx (RFC 9309, 2.3.1.1). So whatever becomes of
another's body, if it has no end or is no HTTP, its status and its header lines hold.
"""

from __future__ import annotations

import re
from typing import Any

from twisted.python.failure import Failure
from twisted.web._newclient import (  # Twisted has no public way to the parser of a connection
    DONE,
    HEADER,
    HTTPClientParser,
    ParseError,
    ResponseFailed,
)
from twisted.web.http import _DataLoss

SUCCESS = range(200, 300)  # the status codes of the answers whose bodies are read …
PART = 206  # … but for this: a part that nobody asked for is nothing whole
UNREAD_BYTES = 64 * 1024  # of a body that nobody reads: if no more, its connection is worth keeping
LEFT_ASIDE = b"-"  # the name that a header line gets that is none
_FIELD = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:")  # RFC 9110, 5.6.2
# Twisted has no types for these.
_failure: Any = Failure
_failed: Any = ResponseFailed


class AnswerParser(HTTPClientParser):
    """Reads one answer. `broke` says that the connection ended otherwise than by the server's closing it."""

    broke = False

    @property
    def is_read(self) -> bool:
        """Whether anybody reads the body; its beginning must have come."""
        return self.response.code in SUCCESS and self.response.code != PART

    def lineReceived(self, line: bytes) -> None:  # noqa: N802 - Twisted's name
        """Read a line; one that is no header line is left aside with what continues it, as browsers do."""
        if self.state == HEADER and not _FIELD.match(line):
            line = line.removesuffix(b"\r")
            if line[:1] in {b" ", b"\t"}:
                if self._partialHeader is None:
                    return  # it continues nothing
            elif line:
                name, colon, value = line.partition(b":")
                name = name.rstrip(b" \t")  # RFC 9112, 5.1: to be removed by whoever reads an answer
                line = name + colon + value if _FIELD.match(name + colon) else LEFT_ASIDE + b":"
        super().lineReceived(line)  # type: ignore[no-untyped-call]  # Twisted has no types

    def statusReceived(self, status: bytes) -> None:  # noqa: N802 - Twisted's name
        """Read the status line; Python would read `+200` and `2_00` as numbers."""
        parts = status.split(b" ", 2)
        if len(parts) > 1 and not parts[1].isdigit():
            raise ParseError("non-integer status code", status)  # type: ignore[no-untyped-call]  # Twisted has no types
        super().statusReceived(status)  # type: ignore[no-untyped-call]  # Twisted has no types

    def headerReceived(self, name: bytes, value: bytes) -> None:  # noqa: N802 - Twisted's name
        """Keep a header line."""
        if name != LEFT_ASIDE:
            super().headerReceived(name, value)  # type: ignore[no-untyped-call]  # Twisted has no types

    def allHeadersReceived(self) -> None:  # noqa: N802 - Twisted's name
        """Find out how the body ends; one that nobody reads is not waited for unless it is short."""
        codings = [value.lower() for value in self.connHeaders.getRawHeaders(b"Transfer-Encoding", ())]
        if codings and set(codings) <= {b"", b"identity"}:
            self.connHeaders.removeHeader(b"Transfer-Encoding")  # no coding at all (RFC 2616, 3.6)
            codings = []
        if self.response.code >= SUCCESS.start and not self.is_read and not self._is_short(codings):
            self.NO_BODY_CODES = {self.response.code}
            self.request.persistent = False
        super().allHeadersReceived()  # type: ignore[no-untyped-call]  # Twisted has no types

    def _is_short(self, codings: list[bytes]) -> bool:
        if codings:
            return codings == [b"chunked"]
        lengths = {value.strip() for value in self.connHeaders.getRawHeaders(b"Content-Length", ())}
        length = lengths.pop() if len(lengths) == 1 else b""
        return length.isdigit() and len(length) <= len(str(UNREAD_BYTES)) and int(length) <= UNREAD_BYTES

    def connectionLost(self, reason: Failure | None = None) -> None:  # noqa: N802 - Twisted's name
        """End the answer: one whose body nobody reads is whole, one without a length is not if the connection broke."""
        if self.bodyDecoder is not None and self.state != DONE:
            endless = getattr(self.bodyDecoder, "contentLength", 0) is None
            if not self.is_read or (endless and self.broke):
                self.bodyDecoder, self.state = None, DONE
                finish: Any = self.response._bodyDataFinished  # noqa: SLF001 - as Twisted's own parser does
                finish(_failure(_failed([reason, _failure(_DataLoss())], self.response)) if self.is_read else None)
        super().connectionLost(reason)
