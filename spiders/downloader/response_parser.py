"""Where does a response begin and end, and how much of it is read? As much as its status asks for.

The parser reads as browsers do if that is harmless, and more strictly if not. It skips an invalid header line;
Twisted's own parser would give up the whole response. It reads only the body of a success, a 2xx (for robots.txt: RFC
9309, 2.3.1.1). The status and the header lines of another response hold whatever its body is, even without an end.

With LOOKED_AT in its Accept, a request wants the header lines, of a PDF for example. The parser reads the body only if
it is text after all. Such a request is a GET and no HEAD: many servers respond differently to a HEAD, and some HTML
pages have a name like a picture's.
"""

from __future__ import annotations

import re
from typing import Any

from twisted.python.failure import Failure
from twisted.web._newclient import DONE, HEADER, HTTPClientParser, ParseError, ResponseFailed
from twisted.web.http import _DataLoss

from pages.http_headers import NOT_TEXT, document_kind
from robots.page_controls import declared_type

SUCCESS_CODES = range(200, 300)  # the status codes of the responses whose bodies are read …
WITHOUT_BODY = frozenset({205, 206})  # … except these: no body at all (RFC 9110, 15.3.6), and a part of one
UNREAD_BYTES = 64 * 1024  # of an unread body: up to this length, its connection is kept
CUT_OFF = "partial"  # Scrapy's flag of a response whose body may not be whole
LEFT_ASIDE = b"-"  # the name for a line that is no header line
_VERSION = re.compile(rb"[^/]+/[0-9]+\.[0-9]+")  # RFC 9112, 2.3, or what looks like it
_FIELD = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:")  # RFC 9110, 5.6.2
# Twisted has no types for these.
_failure: Any = Failure
_response_failed: Any = ResponseFailed


class ResponseParser(HTTPClientParser):
    """Reads one response.

    `broke` says that the connection ended without being closed by the server. `cut` says that TLS ended without the
    alert by which a server closes it (RFC 8446, 6.1): then it is unknown whether more was to come.
    """

    broke = False
    cut = False
    looks = False  # whether only a response with text is wanted whole
    head = 0  # bytes of the header lines so far
    content = 0  # bytes of the body so far, without the lines between its chunks
    _is_text = True

    @property
    def is_read(self) -> bool:
        """Whether the body is read; the status line must have come."""
        return self.response.code in SUCCESS_CODES and self.response.code not in WITHOUT_BODY and self._is_text

    def lineReceived(self, line: bytes) -> None:
        """Read a line; one that is no header line is left aside with its continuation, as browsers do."""
        self.head += len(line) + 1
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
        """Read the status line; Python would read `+200` and `2_00` as numbers, and explain `HTTP/2` by itself."""
        parts = status.split(b" ", 2)
        if not _VERSION.fullmatch(parts[0]):
            raise ParseError("no version of HTTP/1", status)
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

    def switchToBodyMode(self, decoder: Any) -> None:
        """Count the bytes of the body as they are decoded."""
        pass_on = decoder.dataCallback

        def count(data: bytes) -> None:
            self.content += len(data)
            pass_on(data)

        decoder.dataCallback = count
        super().switchToBodyMode(decoder)

    def _stays_open(self) -> bool:
        """Return whether the server accepts more requests on this connection (RFC 9112, 9.3)."""
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
        """End the response: it is whole if its body is not read, and broken off if a body of unknown length broke.

        A body of unknown length is whole if the server closed the connection (RFC 9112, 6.3 and 9.8). Where it was cut,
        Twisted says that it may not be whole, and Scrapy gives the response the flag CUT_OFF.
        """
        if self.bodyDecoder is not None and self.state != DONE:
            endless = getattr(self.bodyDecoder, "contentLength", 0) is None
            if not self.is_read or (endless and not self.cut):
                self.bodyDecoder, self.state = None, DONE
                finish: Any = self.response._bodyDataFinished
                lost = _response_failed([reason, _failure(_DataLoss())], self.response)
                finish(_failure(lost) if self.is_read and self.broke else None)
        super().connectionLost(reason)
