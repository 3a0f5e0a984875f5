"""How does a crawl read an archived response? As the same `Page` or `Outcome` that it would make of a response today.

Reasons that announce another try are reworded: an archive is never requested again. A body may have been archived
unpacked, under the header lines of the packed one. It is read as it is.

How is a server's response read from a record of an archive? Its status, its header lines and its archived body.

HTTP responses are captures; every other record gets a word for its kind. Chunks are joined: wget archives them, and
browsers' archives don't have them. A body is read up to a limit, however long the record is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, BinaryIO

from crawldb.tables.queue import Lease
from extensions.archives.captures import Capture, NoCapture
from extensions.archives.importing.reader import ArchivedRecord, BoundedLines, DamagedError, Members, Records
from extensions.archives.records import joined_chunks
from pages import FetchedBody, parse_page
from pages.http_headers import binary_format
from spiders.downloader.content_coding import Unreadable, unpack
from spiders.outcome import ResponseHead, Retries, outcome_of, outcome_of_fault
from urls.records import LeaseEnd, Outcome
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extensions.archives.captures import DamagedStretch
    from extensions.archives.tables import RecordPlace
    from pages.documents import DocumentReaders
    from urls.records import CanonicalUrl, Page


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


ONCE = Retries(attempts=1)
_ASKED_AGAIN = frozenset({Rule.SERVER_ERROR, Rule.TOO_MANY_REQUESTS, Rule.STATUS})


def read_archive(
    file: BinaryIO, start: RecordPlace, limit: int, now: float
) -> Iterator[Capture | NoCapture | DamagedStretch]:
    """Yield the content of each record, from `start` on; bodies of up to `limit` bytes are whole."""
    members = Members(file)
    members.go_to(start)
    for record in Records(members):
        if not isinstance(record, ArchivedRecord):
            yield record
            continue
        try:
            found = capture_of(record, limit, now)
        except DamagedError as damage:
            record.damage = damage  # the iterator yields it next, with the place where the archive continues
        else:
            yield found


@dataclass(frozen=True, slots=True)
class CaptureReader:
    """Makes pages and outcomes of captures. `limit` is DOWNLOAD_MAXSIZE, `agent` our token in robots meta tags."""

    agent: str
    limit: int
    documents: DocumentReaders | None = None

    def __call__(self, capture: Capture, url: CanonicalUrl) -> Page | Outcome:
        """Read a capture under its canonical URL."""
        try:
            return self._read(capture, url)
        except Exception as error:  # noqa: BLE001 - a fault over one page is recorded for it, and the reader continues
            return outcome_of_fault(url, error, head_of_capture(capture))

    def again(self, answer: FetchedBody) -> Page:
        """Read a stored response again, for a new review (pipelines/review.py)."""
        return parse_page(answer, agent=self.agent, documents=self.documents)

    def _read(self, capture: Capture, url: CanonicalUrl) -> Page | Outcome:
        ended = self._outcome(capture, url)
        if ended is not None:
            return ended
        codings = ",".join(value for name, value in capture.headers if name == "content-encoding").split(",")
        body = unpack(capture.body, codings, self.limit)
        if isinstance(body, Unreadable):
            if body.rule is Rule.SIZE or binary_format(capture.body, capture.headers):
                return self._failed(capture, url, body.rule, body.reason)
            body = capture.body  # it is text: the archiving program had unpacked it
        headers = [line for line in capture.headers if line[0] != "content-encoding"]
        fetched = FetchedBody(body, url, headers, capture.status, capture.at)
        return parse_page(fetched, agent=self.agent, documents=self.documents)

    def _outcome(self, capture: Capture, url: CanonicalUrl) -> Outcome | None:
        ended = outcome_of(
            head_of_capture(capture), Lease(0, url, "", 0, 0, seed=False, referer="", etag="", last_modified=""), ONCE
        )
        if ended is not None:
            if ended.fate is LeaseEnd.FAILED and ended.rule in _ASKED_AGAIN:
                return replace(ended, reason=f"the server answered {capture.status}")
            return ended
        if capture.truncated:
            reason = f"the archive holds only its beginning ({capture.truncated})"
            return self._failed(capture, url, Rule.BROKEN_OFF, reason)
        if capture.size > self.limit:
            return self._failed(capture, url, Rule.SIZE, "its body is larger than DOWNLOAD_MAXSIZE")
        return None

    @staticmethod
    def _failed(capture: Capture, url: CanonicalUrl, rule: Rule, reason: str) -> Outcome:
        failed = Outcome(url, LeaseEnd.FAILED, rule, reason, status=capture.status)
        return replace(failed, fetched_at=capture.at, size=capture.size)


def head_of_capture(capture: Capture) -> ResponseHead:
    """Return the part of a captured response that decides."""
    locations = frozenset(value for name, value in capture.headers if name == "location")
    return ResponseHead(capture.status, dict(capture.headers), capture.at, 0.0, capture.size, locations)
