"""What of an HTTP message goes into its record? All that was on the wire but secrets, in a form that can be read.

As received: the status line, the header lines with their spelling and order, and the body as it was packed. Re-made:
lines end with CRLF, an interim answer (1xx) before the answer is dropped, and chunks are joined, since a payload is
what they carry (WARC 1.1 names RFC 2616's entity-body). Transfer-Encoding then has another name, as Common Crawl does
it: X-Crawler-Transfer-Encoding. Left out: cookies and passwords, whoever sent them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

SECRETS = frozenset({b"authorization", b"proxy-authorization", b"cookie", b"cookie2", b"set-cookie", b"set-cookie2"})
TRANSFER_ENCODING = b"transfer-encoding"
RENAMED = b"X-Crawler-"  # before the name of a header line that no longer holds
_STATUS_LINE = re.compile(rb"[A-Za-z]+/[0-9]+\.[0-9]+ +([0-9]{3})(?: |$)")
_END_OF_HEAD = re.compile(rb"\n\r*\n")
_CHUNK_SIZE = re.compile(rb"[0-9A-Fa-f]{1,15}")
_LENGTH = re.compile(rb"[0-9]{1,15}")
_INTERIM = range(100, 200)
_WITHOUT_BODY = frozenset({204, 304})  # of which a length may be told all the same (RFC 9110, 8.6)
_SWITCHED = 101  # the last answer that is HTTP, so it is none before another


@dataclass(frozen=True, slots=True)
class HttpMessage:
    """A message ready to be written. `head` ends with the blank line; `is_whole`: all came that the head tells."""

    head: bytes
    body: bytes = b""
    status: int | None = None
    left_out: tuple[str, ...] = ()  # names of header lines, in lower case
    is_whole: bool = True

    @property
    def block(self) -> bytes:
        """Head and body: the block of its record."""
        return self.head + self.body


def response_message(answer: bytes) -> HttpMessage | None:
    """Read what came for a request; None: it is no HTTP, or not even a status line has come whole."""
    while True:
        head, body, is_whole = _split(answer)
        lines = _lines(head)
        found = _STATUS_LINE.match(lines[0]) if lines else None
        if found is None:
            return None
        status = int(found[1])
        if status not in _INTERIM or status == _SWITCHED or not body:
            break
        answer = body
    kept, left_out = _without_secrets(lines)
    if _is_chunked(kept):
        body, is_whole = joined_chunks(body)
        kept = [RENAMED + line if _name(line) == TRANSFER_ENCODING else line for line in kept]
    elif status not in _WITHOUT_BODY:
        is_whole = is_whole and len(body) >= _announced(kept)
    return HttpMessage(_head_of(kept), body, status, left_out, is_whole)


def request_message(request: bytes) -> HttpMessage:
    """Read what was sent: a request line and header lines."""
    kept, left_out = _without_secrets(_lines(_split(request)[0]))
    return HttpMessage(_head_of(kept), left_out=left_out)


def joined_chunks(data: bytes) -> tuple[bytes, bool]:
    """Return what chunks carry (RFC 9112, 7.1), as far as they came, and whether the last one has come."""
    pieces: list[bytes] = []
    at = 0
    while (end := data.find(b"\n", at)) >= 0:
        size = data[at:end].partition(b";")[0].strip()
        if not _CHUNK_SIZE.fullmatch(size):
            break
        if not int(size, 16):
            return b"".join(pieces), True
        at = end + 1 + int(size, 16)
        pieces.append(data[end + 1 : at])
        at += 2 if data[at : at + 2] == b"\r\n" else 1
    return b"".join(pieces), False


def _split(message: bytes) -> tuple[bytes, bytes, bool]:
    """Return head and body, and whether the head is whole; of one that is not, the last line is left aside."""
    found = _END_OF_HEAD.search(message)
    if found is None:
        return message[: message.rfind(b"\n") + 1], b"", False
    return message[: found.start()], message[found.end() :], True


def _lines(head: bytes) -> list[bytes]:
    """Return the lines of a head. One of nothing but blanks would end the head for some readers, so it goes."""
    lines = (line.rstrip(b"\r") for line in head.split(b"\n"))
    return [line for line in lines if line.decode("latin-1").strip() and line.decode("utf-8", "replace").strip()]


def _without_secrets(lines: list[bytes]) -> tuple[list[bytes], tuple[str, ...]]:
    kept, left_out, is_secret = lines[:1], [], False
    for line in lines[1:]:
        if line[:1] not in {b" ", b"\t"}:  # else it continues the line before it
            name = _name(line)
            is_secret = name in SECRETS
            if is_secret:
                left_out.append(name.decode("ascii"))
        if not is_secret:
            kept.append(line)
    return kept, tuple(sorted(set(left_out)))


def _name(line: bytes) -> bytes:
    return line.partition(b":")[0].strip().lower()


def _is_chunked(lines: list[bytes]) -> bool:
    return any(_name(line) == TRANSFER_ENCODING and b"chunked" in line.lower() for line in lines[1:])


def _announced(lines: list[bytes]) -> int:
    """Return the length of the body that the head tells, in bytes; 0: it tells none."""
    told = (line.partition(b":")[2].strip() for line in lines[1:] if _name(line) == b"content-length")
    return max((int(length) for length in told if _LENGTH.fullmatch(length)), default=0)


def _head_of(lines: list[bytes]) -> bytes:
    return b"\r\n".join([*lines, b"", b""])
