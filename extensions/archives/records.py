"""Which records does one exchange make? A request, its response or a revisit, and Breadcrumb's decisions (metadata).

WARC 1.1, ISO 28500:2017: each record is a gzip member of its own (annex D). It has the digest of its block, and names
the others of its exchange (WARC-Concurrent-To). A record's id follows from its content, so the same exchange never has
two. Pure: bytes in, bytes out; `warcio` writes the headers.

The record of an HTTP message has all that was on the wire but secrets, in a readable form. As received: the status
line, the header lines with their spelling and order, and the packed body. Changed: lines end with CRLF, interim
responses (1xx) are dropped, and the body has its chunks joined. A payload is what chunks carry (WARC 1.1 names RFC
2616's entity-body). Transfer-Encoding then becomes X-Crawler-Transfer-Encoding, as at Common Crawl. Left out: cookies
and passwords, of either side.
"""

from __future__ import annotations

import hashlib
import io
import re
import zlib
from base64 import b32encode
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, UUID, uuid5

from warcio.recordloader import ArcWarcRecord
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from extensions.archives.tables import RESPONSE, REVISIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Fields = Iterable[tuple[str, str]]

SECRETS = frozenset({b"authorization", b"proxy-authorization", b"cookie", b"cookie2", b"set-cookie", b"set-cookie2"})
TRANSFER_ENCODING = b"transfer-encoding"
RENAMED = b"X-Crawler-"  # before the name of a header line that no longer holds
_STATUS_LINE = re.compile(rb"[A-Za-z]+/[0-9]+\.[0-9]+ +([0-9]{3})(?: |$)")
_END_OF_HEAD = re.compile(rb"\n\r*\n")
_CHUNK_SIZE = re.compile(rb"[0-9A-Fa-f]{1,15}")
_LENGTH = re.compile(rb"[0-9]{1,15}")
_INTERIM = range(100, 200)
_WITHOUT_BODY = frozenset({204, 304})  # they may have a Content-Length anyway (RFC 9110, 8.6)
_SWITCHED = 101  # the last response that is HTTP, so none follows it


@dataclass(frozen=True, slots=True)
class HttpMessage:
    """A message ready to be written. `head` ends with the blank line; `is_whole`: no announced byte is missing."""

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
    """Read the bytes received for a request; None if they are no HTTP, or lack a whole status line."""
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
    """Read a sent request: a request line and header lines."""
    kept, left_out = _without_secrets(_lines(_split(request)[0]))
    return HttpMessage(_head_of(kept), left_out=left_out)


def joined_chunks(data: bytes) -> tuple[bytes, bool]:
    """Return the content of chunks (RFC 9112, 7.1), as far as they came, and whether the last one has come."""
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
    """Return head and body, and whether the head is whole. A head that is not loses its last line."""
    found = _END_OF_HEAD.search(message)
    if found is None:
        return message[: message.rfind(b"\n") + 1], b"", False
    return message[: found.start()], message[found.end() :], True


def _lines(head: bytes) -> list[bytes]:
    """Return the lines of a head without blank ones, which would end the head for some readers."""
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
    """Return the length of the body by the head, in bytes; 0 without one."""
    lengths = (line.partition(b":")[2].strip() for line in lines[1:] if _name(line) == b"content-length")
    return max((int(length) for length in lengths if _LENGTH.fullmatch(length)), default=0)


def _head_of(lines: list[bytes]) -> bytes:
    return b"\r\n".join([*lines, b"", b""])


VERSION = "WARC/1.1"
LEVEL = 6  # of zlib: the ninth takes twice the time for a hundredth of the bytes
GZIP = 31  # zlib's word for a gzip member
REQUEST, METADATA, WARCINFO = "request", "metadata", "warcinfo"
SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
FIELDS_TYPE = "application/warc-fields"
_HTTP_TYPE = "application/http; msgtype="
_NOT_MODIFIED_STATUS = 304


@dataclass(frozen=True, slots=True)
class ArchivedExchange:
    """A request and its response, as on the wire; `at` is when the request left, in seconds since the epoch.

    `truncated` is a word of WARC-Truncated for why the response was cut; empty: it is whole.
    """

    url: str
    at: float
    request: bytes  # empty: not known
    answer: bytes  # empty: none came
    address: str = ""  # the server's IP address
    truncated: str = ""


@dataclass(frozen=True, slots=True)
class Earlier:
    """The record of an earlier response, to which a revisit refers; `payload` is its SHA-1, or None."""

    url: str
    at: float
    record: UUID
    payload: bytes | None


@dataclass(frozen=True, slots=True)
class RecordGroup:
    """The records of an exchange, a gzip member each, one after the other.

    `offset` and `length` are those of the response's record within `data`, in bytes; 0 without one. `kind` is
    "response", "revisit" or "". `payload` is the SHA-1 by which later records may refer to this one, or None.
    """

    data: bytes
    offset: int
    length: int
    kind: str
    status: int | None
    payload: bytes | None
    record: UUID


class _Writer(WARCWriter):  # type: ignore[misc]  # warcio has no types
    NO_PAYLOAD_DIGEST_TYPES = (RESPONSE, REVISIT, REQUEST, METADATA, WARCINFO)  # we give the digests ourselves, or none


def group(
    exchange: ArchivedExchange,
    facts: Sequence[tuple[str, str]] = (),
    earlier: Earlier | None = None,
    *,
    without_body: bool = False,
    warcinfo_id: UUID | None = None,
) -> RecordGroup:
    """Return the records of an exchange.

    `facts` and the left-out parts make its metadata record; without any, there is no such record. With `earlier`, a
    revisit takes the response's place: `earlier` has the same payload, or a 304 refers to it. `without_body`: the page
    forbids archiving.
    """
    message = response_message(exchange.answer)
    kind, payload = _kind_of(message, earlier, without_body=without_body), payload_digest(message, without_body)
    if kind == REVISIT and earlier is not None:
        payload = payload or earlier.payload  # of a 304: the payload that it refers to
    of = _record_id(kind or REQUEST, exchange)
    common = [("WARC-Target-URI", exchange.url), ("WARC-Date", warc_date(exchange.at))]
    common += [("WARC-Warcinfo-ID", urn(warcinfo_id))] if warcinfo_id else []
    beside = [("WARC-Concurrent-To", urn(of))]
    sent = request_message(exchange.request) if exchange.request else None
    before = after = answered = b""
    if sent is not None:
        named = common + (beside if kind else [])
        before = _member(REQUEST, _record_id(REQUEST, exchange), named, _HTTP_TYPE + "request", sent.block)
    if message is not None:
        headers = common + _answer_headers(
            exchange, message, earlier if kind == REVISIT else None, payload, without_body
        )
        block = message.head if kind == REVISIT or without_body else message.block
        answered = _member(kind, of, headers, _HTTP_TYPE + "response", block)
    noted = [*facts, *_left_out(sent, message, exchange)]
    if noted:
        after = _member(METADATA, _record_id(METADATA, exchange), common + beside, FIELDS_TYPE, fields_block(noted))
    status = None if message is None else message.status
    whole = payload if kind == REVISIT or not exchange.truncated else None  # no revisit may refer to a cut response
    return RecordGroup(
        before + answered + after, len(before) if answered else 0, len(answered), kind, status, whole, of
    )


def warcinfo(name: str, at: float, fields: Fields) -> tuple[bytes, UUID]:
    """Return the first record of a file, and its id; `name` is the file's."""
    of = uuid5(NAMESPACE_URL, f"{WARCINFO} {name} {at:.6f}")
    headers = [("WARC-Filename", name), ("WARC-Date", warc_date(at))]
    return _member(WARCINFO, of, headers, FIELDS_TYPE, fields_block(fields)), of


def payload_digest(message: HttpMessage | None, without_body: bool = False) -> bytes | None:
    """Return the SHA-1 of a payload; None if there is none, or if it is not kept."""
    return hashlib.sha1(message.body).digest() if message and message.body and not without_body else None  # noqa: S324 - the field's custom, for what is the same and for nothing secret


def _kind_of(message: HttpMessage | None, earlier: Earlier | None, *, without_body: bool) -> str:
    if message is None:
        return ""
    return REVISIT if earlier is not None and not without_body else RESPONSE


def _answer_headers(
    exchange: ArchivedExchange, message: HttpMessage, earlier: Earlier | None, payload: bytes | None, without_body: bool
) -> list[tuple[str, str]]:
    headers = [("WARC-IP-Address", exchange.address)] if exchange.address else []
    truncated = exchange.truncated or ("" if message.is_whole else "unspecified")
    if without_body and message.body:
        truncated = "unspecified"
    if earlier is not None:
        unchanged = message.status == _NOT_MODIFIED_STATUS
        headers += [
            ("WARC-Profile", NOT_MODIFIED if unchanged else SAME_PAYLOAD),
            ("WARC-Refers-To", urn(earlier.record)),
            ("WARC-Refers-To-Target-URI", earlier.url),
            ("WARC-Refers-To-Date", warc_date(earlier.at)),
        ]
        truncated = truncated or ("" if unchanged else "length")  # 6.7.2: this word for a payload that is already there
    headers += [("WARC-Truncated", truncated)] if truncated else []
    return headers + ([("WARC-Payload-Digest", sha1_of(payload))] if payload else [])


def _left_out(sent: HttpMessage | None, message: HttpMessage | None, exchange: ArchivedExchange) -> Fields:
    names = {name for one in (sent, message) if one is not None for name in one.left_out}
    if names:
        yield "left-out", ", ".join(sorted(names))
    if message is None and exchange.answer:
        yield "left-out", f"an answer of {len(exchange.answer)} bytes that is no HTTP"


def fields_block(fields: Fields) -> bytes:
    """Return lines of `name: value`, each on one line whatever its value."""
    lines = (f"{name}: {' '.join(value.split())}\r\n" for name, value in fields)
    return "".join(lines).encode("utf-8", "replace")


def _member(kind: str, of: UUID, headers: list[tuple[str, str]], content_type: str, block: bytes) -> bytes:
    """Return one record as a gzip member."""
    digest = sha1_of(hashlib.sha1(block).digest())  # noqa: S324 - as above
    fields = [("WARC-Type", kind), ("WARC-Record-ID", urn(of)), *headers, ("WARC-Block-Digest", digest)]
    of_record = StatusAndHeaders("", fields, protocol=VERSION)
    # Given as a response of bytes: warcio would rewrite a revisit's head, and parse a message that is ready.
    record = ArcWarcRecord("warc", RESPONSE, of_record, io.BytesIO(block), None, content_type, len(block))
    out = io.BytesIO()
    _Writer(out, gzip=False, warc_version=VERSION).write_record(record)
    return gzip_member(out.getvalue())


def gzip_member(data: bytes) -> bytes:
    """Pack data into a single gzip member, without a time: the same data always gives the same member."""
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP)
    return packer.compress(data) + packer.flush()


def _record_id(kind: str, exchange: ArchivedExchange) -> UUID:
    return uuid5(NAMESPACE_URL, f"{kind} {exchange.at:.6f} {exchange.url}")


def urn(of: UUID) -> str:
    """Return an id as WARC writes it."""
    return f"<{of.urn}>"


def sha1_of(digest: bytes) -> str:
    """Return a digest as WARC writes it."""
    return f"sha1:{b32encode(digest).decode('ascii')}"


def warc_date(at: float) -> str:
    """Return a time as WARC 1.1 writes it, to the microsecond."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
