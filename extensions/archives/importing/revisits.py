"""Which robots.txt does a revisit record stand for? That of the answer that it refers to, in any archive given.

A revisit names that answer by its record, by its address and date, or by its payload (ISO 28500, 6.7). An answer that
tells something without a body, such as 404, stands in the revisit itself.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING

from extensions.archives.captures import Capture
from extensions.archives.importing.answers import capture_of, record_key, warc_moment
from extensions.archives.importing.members import DamagedError, Members
from extensions.archives.importing.reader import ArchivedRecord, Records
from robots import MAX_ROBOTS_BYTES
from urls.canonical import UnusableUrl, canonicalize

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

MAX_AWAITED = 100_000  # robots.txt files of an archive whose bodies are looked for: the first
_OF_THE_BODY = frozenset({"content-encoding", "content-type"})  # the other lines, such as ETag, are of another address


@dataclass(frozen=True, slots=True)
class AwaitedRobots:
    """A revisit of a robots.txt: where it was asked for, and for which origins, each after so many redirects."""

    capture: Capture
    url: str
    asked: tuple[tuple[str, int], ...]


def needs_body(capture: Capture) -> bool:
    """Return whether what a revisit says stands elsewhere."""
    return bool(capture.same_as) and (capture.not_modified or capture.status // 100 == HTTPStatus.OK // 100)


class AwaitedAnswers:
    """Revisits of robots.txt files, by what each refers to."""

    def __init__(self) -> None:
        self._by_name: dict[int, list[AwaitedRobots]] = {}
        self.left: dict[int, AwaitedRobots] = {}

    def put(self, record: ArchivedRecord, awaited: AwaitedRobots) -> bool:
        """Take a revisit; False where there are too many."""
        if len(self.left) >= MAX_AWAITED:
            return False
        said = awaited.capture
        status = said.status if said.headers and not said.not_modified else 0
        awaited = replace(awaited, capture=replace(said, status=status, headers=()))
        names = _names(
            record.header("warc-refers-to"),
            record.header("warc-refers-to-target-uri") or record.url,
            record.header("warc-refers-to-date"),
            awaited.capture.payload,
        )
        for name in names:
            self._by_name.setdefault(name, []).append(awaited)
        self.left[id(awaited)] = awaited
        return True

    def found_in(self, file: BinaryIO, now: float) -> Iterator[AwaitedRobots]:
        """Yield those whose answers stand in an archive, each with its body."""
        for record in Records(Members(file)):
            if not self.left:
                return
            if not isinstance(record, ArchivedRecord) or record.header("warc-type").lower() != "response":
                continue
            waiting = self._named_by(record)
            if not waiting:
                continue
            try:
                answer = capture_of(record, MAX_ROBOTS_BYTES + 1, now)
            except DamagedError as damage:
                record.damage = damage
                continue
            if isinstance(answer, Capture):
                for each in waiting:
                    del self.left[id(each)]
                    yield replace(each, capture=_as_said(each.capture, answer))

    def _named_by(self, record: ArchivedRecord) -> list[AwaitedRobots]:
        payload = record.header("warc-payload-digest")[:200]
        names = _names(record.header("warc-record-id"), record.url, record.header("warc-date"), payload)
        found = {id(each): each for name in names for each in self._by_name.get(name, ()) if id(each) in self.left}
        return [each for each in found.values() if not payload or each.capture.payload in {"", payload}]


def _as_said(revisit: Capture, answer: Capture) -> Capture:
    kept = tuple(line for line in answer.headers if line[0] in _OF_THE_BODY)
    status = revisit.status or answer.status
    return replace(revisit, status=status, headers=kept, body=answer.body, size=answer.size, truncated=answer.truncated)


def _names(record: str, url: str, date: str, payload: str) -> Iterator[int]:
    """Yield keys of what an answer goes by."""
    if record:
        yield record_key(f"record {record}")
    at = warc_moment(date)
    if at is not None:
        with suppress(UnusableUrl):
            yield record_key(f"{at} {canonicalize(url)}")
    if payload:
        yield record_key(f"payload {payload}")
