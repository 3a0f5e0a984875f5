"""How is a server's response read from a record of an archive? Its status, its header lines and its archived body.

HTTP responses are captures; every other record gets a word for its kind. Chunks are joined: wget archives them, and
browsers' archives don't have them. A body is read up to a limit, however long the record is.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING

from extensions.archives.captures import Capture, NoCapture
from extensions.archives.importing.reader import BoundedLines
from extensions.archives.records import joined_chunks

if TYPE_CHECKING:
    from extensions.archives.importing.reader import ArchivedRecord

_STATUS = re.compile(rb"HTTP/[0-9.]{1,8}[ \t]+([0-9]{3})(?![0-9])", re.IGNORECASE)
_METHOD = re.compile(rb"([A-Z]{1,20}) ")
# ISO 28500, 5.5: as exact as is known, in UTC.
_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?)?Z)?)?)?", re.ASCII)
_INTERIM = range(100, 200)  # status codes of responses before the final one
CHUNK_SHARE = 4  # at most a quarter of a body may be lines between its chunks; more is an attack
MAX_AHEAD = 24 * 3600.0  # seconds by which a record may be dated in the future: a clock may be wrong
_HTTP = ("http:", "https:")
_ANSWERS = frozenset({"response", "revisit"})


def capture_of(record: ArchivedRecord, limit: int, now: float) -> Capture | NoCapture:
    """Read a record to its end. A body longer than `limit` bytes is kept in part.

    `now` is in seconds since the epoch. Raises `DamagedError` if the record breaks off.
    """
    kind, at = record.header("warc-type").lower(), warc_moment(record.header("warc-date"))
    if kind not in _ANSWERS:
        return _none(record, kind or "record without a type")
    if not record.url.lower().startswith(_HTTP):
        scheme = record.url.partition(":")[0].lower() if ":" in record.url else "without a URL"
        return _none(record, f"{kind} {scheme[:20]}")
    if at is None or at > now + MAX_AHEAD:
        return _none(record, f"{kind} without a date")
    status, headers = _head_of(record)
    if kind == "revisit":
        return _revisit(record, at, status, headers)
    if not status:
        return _none(record, "response without HTTP")
    body, size, broken = _body_of(record, headers, limit)
    record.finish()
    return Capture(
        record.place, record.end, record.url, at, status, headers, body, size,
        payload=record.header("warc-payload-digest")[:200],
        truncated=_truncated(record) or broken,
        record=record_key(record.header("warc-record-id")),
    )  # fmt: skip


def _none(record: ArchivedRecord, kind: str) -> NoCapture:
    record.finish()
    return NoCapture(record.place, record.end, kind[:60], record.url)


def _revisit(record: ArchivedRecord, at: float, status: int, headers: tuple[tuple[str, str], ...]) -> Capture:
    record.finish()
    not_modified = "server-not-modified" in record.header("warc-profile")
    return Capture(
        record.place, record.end, record.url, at, status or (304 if not_modified else 200), headers,
        payload=record.header("warc-payload-digest")[:200],
        same_as=record.header("warc-refers-to-target-uri") or record.url,
        not_modified=not_modified,
        record=record_key(record.header("warc-record-id")),
    )  # fmt: skip


def _head_of(record: ArchivedRecord) -> tuple[int, tuple[tuple[str, str], ...]]:
    """Return status and header lines of the response in a record; status 0 if it does not begin with HTTP."""
    status, headers = _one_head(record)
    while status in _INTERIM:
        status, headers = _one_head(record)
    return status, headers


def _one_head(record: ArchivedRecord) -> tuple[int, tuple[tuple[str, str], ...]]:
    lines = BoundedLines(record)
    begins = _STATUS.match(lines.readline())
    if begins is None:
        return 0, ()
    headers: list[tuple[str, str]] = []
    while text := lines.readline().decode("latin-1").rstrip("\r\n"):
        name, colon, value = text.partition(":")
        if text[0] in " \t" and headers:  # a line that was folded (RFC 9112, 5.2)
            headers[-1] = (headers[-1][0], f"{headers[-1][1]} {text.strip()}")
        elif colon:
            headers.append((name.strip().lower(), value.strip()))
    return int(begins[1]), tuple(headers)


def _truncated(record: ArchivedRecord) -> str:
    if record.header("warc-segment-number"):
        return "it stands in segments"
    said = record.header("warc-truncated")
    return f"WARC-Truncated: {said[:40]}" if said else ""


def _body_of(record: ArchivedRecord, headers: tuple[tuple[str, str], ...], limit: int) -> tuple[bytes, int, str]:
    """Return the body without chunks (or a little over `limit` bytes of it), its size, and why it is not whole."""
    is_chunked = any(name == "transfer-encoding" and "chunked" in value.lower() for name, value in headers)
    size = record.left
    body = record.read_up_to(limit + 1 + (limit // CHUNK_SHARE if is_chunked else 0))
    if not is_chunked:
        return body, size, ""
    joined, is_whole = joined_chunks(body)
    if record.left:  # too many lines between its chunks, or more than the limit anyway
        return joined, max(len(joined), limit + 1), ""
    if not joined and not is_whole:  # the archiving program had joined them
        return body, size, ""
    return joined, len(joined), "" if is_whole else "its last chunk is missing"


def method_of(record: ArchivedRecord) -> str:
    """Return the method of a request record; "" if it has none."""
    found = _METHOD.match(record.readline(64))
    return found[1].decode() if found else ""


def record_key(identity: str) -> int:
    """Return the key of a WARC-Record-ID: 64 bits of a hash."""
    return int.from_bytes(blake2b(identity.encode("utf-8", "replace"), digest_size=8).digest(), signed=True)


def warc_moment(text: str) -> float | None:
    """Return a WARC-Date in seconds since the epoch, or None if it is invalid."""
    found = _DATE.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day, hour, minute, second = (
        int(part or least) for part, least in zip(found.groups()[:6], "011000", strict=True)
    )
    try:
        return datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC).timestamp() + float(found[7] or 0)
    except ValueError:
        return None
