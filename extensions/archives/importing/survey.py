"""Which facts come before the filters of an archive's pages? Its robots.txt files, its sites, its methods.

The robots.txt of an origin may come after its pages, and a request after its response. So an archive is read twice, the
first time without its pages. A robots.txt is kept like one fetched at its date, unless the folder knows a later one. So
it rules for the archive's pages, and `why` shows it. A later crawl requests it again, since none is valid for over a
day.

If a robots.txt is a revisit record, its body is looked for afterwards, in all given archives. A revisit names that
response by its record, by its URL and date, or by its payload (ISO 28500, 6.7). A response that needs no body, such as
404, is in the revisit itself.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, BinaryIO

from crawldb.learnt import Purpose
from crawldb.tables.robots_files import read_robots, write_robots
from extensions.archives.captures import Capture, Surveyed, SurveyedRobots
from extensions.archives.importing.reader import ArchivedRecord, DamagedError, Members, Records
from extensions.archives.importing.reading import capture_of, method_of, record_key, warc_moment
from extensions.archives.tables import Imports, note_imported_sites
from robots import (
    MAX_ROBOTS_BYTES,
    Access,
    AccessState,
    Availability,
    HttpResponse,
    RobotsRecord,
    notice,
    origin_of,
    read_answer,
    robots_url,
)
from spiders.downloader.content_coding import unpack
from urls.canonical import canonical_or_none, site_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from crawldb.database import CrawlDatabase
    from extensions.archives.tables import ImportedArchive
    from robots import Unreachable

MAX_AWAITED = 100_000  # robots.txt files of an archive whose bodies are looked for: the first ones
_OF_THE_BODY = frozenset({"content-encoding", "content-type"})  # the other lines, such as ETag, belong to another URL


@dataclass(frozen=True, slots=True)
class AwaitedRobots:
    """A revisit of a robots.txt: its URL, and the origins that it serves, each with its number of redirects."""

    capture: Capture
    url: str
    asked: tuple[tuple[str, int], ...]


def needs_body(capture: Capture) -> bool:
    """Return whether the body of a revisit is in another record."""
    return bool(capture.same_as) and (capture.not_modified or capture.status // 100 == HTTPStatus.OK // 100)


class AwaitedResponses:
    """Revisits of robots.txt files, by the response that each refers to."""

    def __init__(self) -> None:
        self._by_name: dict[int, list[AwaitedRobots]] = {}
        self.left: dict[int, AwaitedRobots] = {}

    def put(self, record: ArchivedRecord, awaited: AwaitedRobots) -> bool:
        """Take a revisit; False if there are too many."""
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
        """Yield the revisits whose responses are in an archive, each with its body."""
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
    """Yield the keys by which a response can be named."""
    if record:
        yield record_key(f"record {record}")
    at = warc_moment(date)
    if at is not None and (canonical := canonical_or_none(url)):
        yield record_key(f"{at} {canonical}")
    if payload:
        yield record_key(f"payload {payload}")


MAX_MOVED = 10_000  # robots.txt files that redirect, whose targets are looked for: the latest ones
MAX_CONCURRENT = 8  # records that a request names as its own: one is usual
MAX_INFO_BYTES = 64 * 1024  # of a warcinfo record
MAX_SOFTWARE_CHARS = 200


class Survey:
    """Looks through an archive. `denial_closes` and `meant` are as for `read_answer`, `now` is seconds since the epoch.

    `others` are the archives next to it.
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
        self._awaited = AwaitedResponses()
        self._read_as = {"denial_closes": denial_closes, "meant": meant}
        self._moved: OrderedDict[str, tuple[str, int]] = OrderedDict()  # target: the robots.txt's origin, and redirects
        self._has_software = False

    def __iter__(self) -> Iterator[Surveyed]:
        """Yield the findings of each record that has any."""
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
        """Yield the robots.txt files of revisits, then the revisits whose body is in no given archive."""
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
        url = canonical_or_none(record.url)
        return None if url is None else replace(self._robots(record, url), site=site_of(url))

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
        got = HttpResponse(
            url, capture.status, capture.headers, body if isinstance(body, bytes) else b"", at, intact, hops
        )
        return read_answer(got, **self._read_as)

    def _await(self, location: str, origin: str, hops: int) -> None:
        if url := canonical_or_none(location):
            self._moved[url] = (origin, hops)
        if len(self._moved) > MAX_MOVED:
            self._moved.popitem(last=False)


def _not_here(capture: Capture, url: str) -> Surveyed:
    return Surveyed(no_pages=(capture.record,) if url == robots_url(origin_of(url)) else ())


def _is_probe(record: ArchivedRecord) -> bool:
    """Return whether the record is Breadcrumb's note that the URL next to it was generated."""
    if record.length > MAX_INFO_BYTES:
        return False
    lines = record.read_up_to(MAX_INFO_BYTES).split(b"\r\n")
    return any(f"probe: {purpose}".encode() in lines for purpose in (Purpose.MISSING, Purpose.TRAP))


def _software(info: bytes) -> str:
    """Return the program that wrote an archive, from the fields of its warcinfo record."""
    for line in info.decode("utf-8", "replace").splitlines():
        name, _, value = line.partition(":")
        if name.strip().lower() == "software":
            return " ".join(value.split())[:MAX_SOFTWARE_CHARS]
    return ""


SLICE = 1000  # findings in a transaction


def take_survey(
    database: CrawlDatabase,
    archive: ImportedArchive,
    found: Iterable[Surveyed],
    reading: Unreachable,
    go_on: Callable[[], bool],
) -> bool:
    """Keep the findings; return whether the survey saw the whole archive. `go_on` may end it before that."""
    imports = Imports(database)
    no_pages: list[int] = []
    sites: set[str] = set()

    def write(*, last: bool) -> None:
        with database.transaction():
            note_imported_sites(database, sites)
            imports.note_no_pages(archive.id, no_pages)
            if archive.software:
                imports.note_software(archive.id, archive.software)
            if last:
                imports.end_survey(archive.id)
        no_pages.clear()
        sites.clear()

    for number, each in enumerate(found, 1):
        archive.software = archive.software or each.software
        if each.site:
            sites.add(each.site)
        no_pages += each.no_pages
        for robots in each.robots:
            _keep(database, robots, reading)
        if number % SLICE == 0:
            write(last=False)
            if not go_on():
                return False
    write(last=True)
    archive.is_surveyed = True
    return True


def _keep(database: CrawlDatabase, found: SurveyedRobots, reading: Unreachable) -> None:
    """Keep a robots.txt, unless the folder knows a later one of its origin."""
    record = read_robots(database, found.origin)
    before = None if record is None else record.access_state
    if before is not None and before.asked_at >= found.at:
        return
    state = (before or AccessState()).after(found.answer, found.at, reading)
    news = notice(before, found.answer, state, [found.address])
    write_robots(database, None, RobotsRecord.of(found.origin, state), news)
