"""Which records does one exchange make? A request, its response or a revisit, and what Breadcrumb decided (metadata).

WARC 1.1, ISO 28500:2017: each record is a gzip member of its own (annex D), has the digest of its block, and names the
others of its exchange (WARC-Concurrent-To). A record's id follows from what it records, so that the same exchange never
has two. Pure: bytes in, bytes out; `warcio` writes the headers.
"""

from __future__ import annotations

import hashlib
import io
import zlib
from base64 import b32encode
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, UUID, uuid5

from warcio.recordloader import ArcWarcRecord
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from extensions.archives.http_message import HttpMessage, request_message, response_message
from extensions.archives.tables import RESPONSE, REVISIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Fields = Iterable[tuple[str, str]]

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
    """A request and what came of it, as on the wire; `at` is in seconds since the epoch, when the request left.

    `truncated` says why the answer was cut, by a word of WARC-Truncated; empty: it is whole.
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
    """The records of an exchange, a gzip member each, in a row.

    `offset` and `length` are those of the answer's record within `data`, in bytes; 0 where none came. `kind` is
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
    NO_PAYLOAD_DIGEST_TYPES = (RESPONSE, REVISIT, REQUEST, METADATA, WARCINFO)  # ours are given, or there are none


def group(
    exchange: ArchivedExchange,
    facts: Sequence[tuple[str, str]] = (),
    earlier: Earlier | None = None,
    *,
    without_body: bool = False,
    warcinfo_id: UUID | None = None,
) -> RecordGroup:
    """Return the records of an exchange.

    `facts` and what was left out make its metadata record; where there are none, there is no such record. With
    `earlier`, whose payload is the same or to which a 304 refers, a revisit takes the response's place. `without_body`:
    the page asks not to be archived.
    """
    message = response_message(exchange.answer)
    kind, payload = _kind_of(message, earlier, without_body=without_body), payload_digest(message, without_body)
    if kind == REVISIT and earlier is not None:
        payload = payload or earlier.payload  # of a 304: of what it refers to
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
    whole = payload if kind == REVISIT or not exchange.truncated else None  # of what is cut, nothing is a revisit
    return RecordGroup(
        before + answered + after, len(before) if answered else 0, len(answered), kind, status, whole, of
    )


def warcinfo(name: str, at: float, fields: Fields) -> tuple[bytes, UUID]:
    """Return the record with which a file begins, and its id; `name` is the file's."""
    of = uuid5(NAMESPACE_URL, f"{WARCINFO} {name} {at:.6f}")
    headers = [("WARC-Filename", name), ("WARC-Date", warc_date(at))]
    return _member(WARCINFO, of, headers, FIELDS_TYPE, fields_block(fields)), of


def payload_digest(message: HttpMessage | None, without_body: bool = False) -> bytes | None:
    """Return the SHA-1 of a payload; None where there is none, or where it is not kept."""
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
        truncated = truncated or ("" if unchanged else "length")  # 6.7.2: this word for a payload that is there already
    headers += [("WARC-Truncated", truncated)] if truncated else []
    return headers + ([("WARC-Payload-Digest", sha1_of(payload))] if payload else [])


def _left_out(sent: HttpMessage | None, message: HttpMessage | None, exchange: ArchivedExchange) -> Fields:
    names = {name for one in (sent, message) if one is not None for name in one.left_out}
    if names:
        yield "left-out", ", ".join(sorted(names))
    if message is None and exchange.answer:
        yield "left-out", f"an answer of {len(exchange.answer)} bytes that is no HTTP"


def fields_block(fields: Fields) -> bytes:
    """Return lines of `name: value`, each on one line whatever it holds."""
    lines = (f"{name}: {' '.join(value.split())}\r\n" for name, value in fields)
    return "".join(lines).encode("utf-8", "replace")


def _member(kind: str, of: UUID, headers: list[tuple[str, str]], content_type: str, block: bytes) -> bytes:
    """Return one record as a gzip member."""
    digest = sha1_of(hashlib.sha1(block).digest())  # noqa: S324 - as above
    fields = [("WARC-Type", kind), ("WARC-Record-ID", urn(of)), *headers, ("WARC-Block-Digest", digest)]
    of_record = StatusAndHeaders("", fields, protocol=VERSION)
    # Given as a response of bytes: warcio would write a revisit's head anew, and parse what is already as it should be.
    record = ArcWarcRecord("warc", RESPONSE, of_record, io.BytesIO(block), None, content_type, len(block))
    out = io.BytesIO()
    _Writer(out, gzip=False, warc_version=VERSION).write_record(record)
    return gzip_member(out.getvalue())


def gzip_member(data: bytes) -> bytes:
    """Pack data as one gzip member, without a time: the same data is always the same member."""
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
