"""How does a crawl read an archived response? As the same `Page` or `Outcome` that it would make of a response today.

Reasons that announce another try are reworded: an archive is never requested again. A body may have been archived
unpacked, under the header lines of the packed one. It is read as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, BinaryIO

from extensions.archives.importing.reader import ArchivedRecord, DamagedError, Members, Records
from extensions.archives.importing.responses import capture_of
from frontier.leases import Lease
from pages import FetchedBody, parse_page
from pages.http_headers import binary_format
from spiders.downloader.content_coding import Unreadable, unpack
from spiders.outcome import ResponseHead, Retries, outcome_of, outcome_of_fault
from urls.records import LeaseEnd, Outcome
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extensions.archives.captures import Capture, DamagedStretch, NoCapture
    from extensions.archives.tables import RecordPlace
    from pages.documents import DocumentReaders
    from urls.records import CanonicalUrl, Page

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
            return outcome_of_fault(url, error, _head(capture))

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
            _head(capture), Lease(0, url, "", 0, 0, seed=False, referer="", etag="", last_modified=""), ONCE
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


def _head(capture: Capture) -> ResponseHead:
    locations = frozenset(value for name, value in capture.headers if name == "location")
    return ResponseHead(capture.status, dict(capture.headers), capture.at, 0.0, capture.size, locations)
