"""What has to be known of an archive before its pages are judged? Its robots.txt files, its sites, its methods.

The robots.txt of an origin may stand behind its pages, and a request behind its answer. So an archive is read twice,
the first time without its pages. Where a robots.txt is a revisit record, what it refers to is looked for after that,
in all archives that are given.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, BinaryIO

from crawldb.learnt.probes import Purpose
from extensions.archives.captures import Capture, Surveyed, SurveyedRobots
from extensions.archives.importing.answers import capture_of, method_of, record_key
from extensions.archives.importing.members import DamagedError, Members
from extensions.archives.importing.reader import ArchivedRecord, Records
from extensions.archives.importing.revisits import AwaitedAnswers, AwaitedRobots, needs_body
from robots import MAX_ROBOTS_BYTES, Access, Availability, HttpAnswer, origin_of, read_answer, robots_url
from spiders.downloader.content_coding import unpack
from urls.canonical import UnusableUrl, canonicalize
from urls.site import site_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

MAX_MOVED = 10_000  # robots.txt files that redirect, whose targets are looked for: the latest
MAX_CONCURRENT = 8  # records that a request names as its own: one is usual
MAX_INFO_BYTES = 64 * 1024  # of a warcinfo record
MAX_SOFTWARE_CHARS = 200


class Survey:
    """Looks through an archive. `denial_closes` and `meant` are as for `read_answer`, `now` is seconds of the epoch.

    `others` are the archives beside it.
    """

    def __init__(
        self,
        file: BinaryIO,
        now: float,
        others: Sequence[Path] = (),
        *,
        denial_closes: bool = False,
        meant: bool = False,
    ) -> None:
        self._file = file
        self._members = Members(file)
        self._now = now
        self._others = others
        self._awaited = AwaitedAnswers()
        self._read_as = {"denial_closes": denial_closes, "meant": meant}
        self._moved: OrderedDict[str, tuple[str, int]] = OrderedDict()  # target: whose robots.txt it is, and redirects
        self._has_software = False

    def __iter__(self) -> Iterator[Surveyed]:
        """Yield what each record tells that tells anything."""
        for record in Records(self._members):
            if not isinstance(record, ArchivedRecord):
                continue
            try:
                found = self._one(record)
            except DamagedError as damage:
                record.damage = damage
            else:
                if found is not None:
                    yield found
        yield from self._revisited()

    def _revisited(self) -> Iterator[Surveyed]:
        """Yield the robots.txt files that revisits stand for, and which of these stand for nothing that is here."""
        yield from self._found_in(self._file)
        for path in self._others:
            if self._awaited.left:
                with path.open("rb") as file:
                    yield from self._found_in(file)
        for each in self._awaited.left.values():
            yield _not_here(each.capture, each.url)

    def _found_in(self, file: BinaryIO) -> Iterator[Surveyed]:
        if self._awaited.left:
            for each in self._awaited.found_in(file, self._now):
                yield Surveyed(robots=self._answers(each))

    def _one(self, record: ArchivedRecord) -> Surveyed | None:
        kind = record.header("warc-type").lower()
        if kind == "warcinfo" and not self._has_software:
            software = _software(record.read_up_to(MAX_INFO_BYTES))
            self._has_software = bool(software)
            return Surveyed(software=software)
        if (kind == "request" and method_of(record) not in {"GET", ""}) or (kind == "metadata" and _is_probe(record)):
            named = (record.header("warc-record-id"), *record.header("warc-concurrent-to").split(",", MAX_CONCURRENT))
            return Surveyed(no_pages=tuple(record_key(name.strip()) for name in named if name.strip()))
        if kind not in {"response", "revisit"}:
            return None
        try:
            url = canonicalize(record.url)
        except UnusableUrl:
            return None
        return replace(self._robots(record, url), site=site_of(url))

    def _robots(self, record: ArchivedRecord, url: str) -> Surveyed:
        wanted = self._moved.pop(url, None)
        asked = [] if wanted is None else [wanted]
        if url == robots_url(origin_of(url)):
            asked.append((origin_of(url), 0))
        if not asked:
            return Surveyed()
        capture = capture_of(record, MAX_ROBOTS_BYTES + 1, self._now)
        if not isinstance(capture, Capture):
            return Surveyed()
        awaited = AwaitedRobots(capture, url, tuple(asked))
        if needs_body(capture):
            return Surveyed() if self._awaited.put(record, awaited) else _not_here(capture, url)
        return Surveyed(robots=self._answers(awaited))

    def _answers(self, given: AwaitedRobots) -> tuple[SurveyedRobots, ...]:
        found = []
        capture, url = given.capture, given.url
        for origin, hops in given.asked:
            answer = self._answer(capture, url, hops)
            if answer.access is Access.MOVED:
                self._await(answer.location, origin, hops + 1)
            else:
                found.append(SurveyedRobots(origin, url, capture.at, answer))
        return tuple(found)

    def _answer(self, capture: Capture, url: str, hops: int) -> Availability:
        codings = ",".join(value for name, value in capture.headers if name == "content-encoding").split(",")
        body = unpack(capture.body, codings, MAX_ROBOTS_BYTES + 1, cut=True)
        intact = isinstance(body, bytes) and not capture.truncated
        at = datetime.fromtimestamp(capture.at, UTC)
        got = HttpAnswer(
            url, capture.status, capture.headers, body if isinstance(body, bytes) else b"", at, intact, hops
        )
        return read_answer(got, **self._read_as)

    def _await(self, location: str, origin: str, hops: int) -> None:
        try:
            self._moved[canonicalize(location)] = (origin, hops)
        except UnusableUrl:
            return
        if len(self._moved) > MAX_MOVED:
            self._moved.popitem(last=False)


def _not_here(capture: Capture, url: str) -> Surveyed:
    return Surveyed(no_pages=(capture.record,) if url == robots_url(origin_of(url)) else ())


def _is_probe(record: ArchivedRecord) -> bool:
    """Return whether Breadcrumb says, beside an answer, that it made its address up."""
    if record.length > MAX_INFO_BYTES:
        return False
    lines = record.read_up_to(MAX_INFO_BYTES).split(b"\r\n")
    return any(f"probe: {purpose}".encode() in lines for purpose in (Purpose.MISSING, Purpose.TRAP))


def _software(info: bytes) -> str:
    """Return the program that wrote an archive, by the fields of its warcinfo record."""
    for line in info.decode("utf-8", "replace").splitlines():
        name, _, value = line.partition(":")
        if name.strip().lower() == "software":
            return " ".join(value.split())[:MAX_SOFTWARE_CHARS]
    return ""
