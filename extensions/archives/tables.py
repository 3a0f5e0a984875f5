"""Which tables does the extension keep? The places of the crawl's own records, and the imported archives.

`archived` has a row an exchange, like a CDX. The transaction that ends the lease writes the row, or the next one. By
then its records are on the disk, so every place in the table is readable. An imported archive is identified by the hash
of its bytes: the same file is read once, under any name. `capture` has a row a response, as `fetch` has one for each
request of our own. Only requests count for the proof of politeness. The last functions read tables of the engine, for
an export. Columns: crawldb/schema.sql.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from crawldb.database import stored_json
from crawldb.tables.urls import Kind, State
from extension_points import RecorderNotes
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Self

    from crawldb.database import CrawlDatabase
    from extensions.archives.captures import Capture
    from urls.records import CanonicalUrl

RESPONSE, REVISIT = "response", "revisit"  # kinds of records that hold a response: whole, or by reference to another
_COLUMNS = "name, start, stop, offset, length, address, at, kind, status, payload, record"
_READ = f"SELECT {_COLUMNS} FROM archived JOIN archive_file ON archive_file.id = archived.file"


class RecordPlace(NamedTuple):
    """The beginning of a record: the offset of its member in the file, and its own offset in the unpacked member.

    A file that is not packed has one member a record. A file that was packed as a whole has all records in one member.
    """

    member: int
    inside: int = 0

    def __str__(self) -> str:
        """Return the place in words."""
        return f"offset {self.member:,}" + (f", {self.inside:,} bytes into what it unpacks to" if self.inside else "")


@dataclass(frozen=True, slots=True)
class ArchivedPlace:
    """The place of one exchange: bytes `start` to `stop` of `file`, with the response's record at `offset`."""

    file: str
    start: int
    stop: int
    offset: int
    length: int
    address: str
    at: float
    kind: str
    status: int | None
    payload: bytes | None
    record: UUID

    @classmethod
    def of(cls, row: tuple[Any, ...]) -> Self:
        """Read a row of `_READ`."""
        return cls(**dict(zip(_FIELDS, row, strict=True)) | {"record": UUID(bytes=row[-1])})


_FIELDS = tuple(field.name for field in fields(ArchivedPlace))


class ArchivedPlaces(RecorderNotes[ArchivedPlace]):
    """The places that a crawl's next transaction must write."""

    def write_rows(self, rows: Sequence[ArchivedPlace]) -> None:
        """Write places, within the caller's transaction."""
        write_places(self.database, rows)

    def not_kept(self, url: CanonicalUrl) -> None:
        """Flag the archived exchanges of a URL: a person removed it while it was fetched."""
        flag_forgotten(self.database, [url])


def write_places(database: CrawlDatabase, places: Iterable[ArchivedPlace]) -> None:
    """Write rows, within the caller's transaction; existing rows stay."""
    execute = database.connection.execute
    for one in places:
        execute("INSERT OR IGNORE INTO archive_file (name) VALUES (?)", (one.file,))
        numbers = (one.start, one.stop, one.offset, one.length)
        execute(
            "INSERT OR IGNORE INTO archived (file, start, stop, offset, length, address, at, kind, status, payload, "
            "record) VALUES ((SELECT id FROM archive_file WHERE name = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (one.file, *numbers, one.address, one.at, one.kind, one.status, one.payload, one.record.bytes),
        )


def archived_places(database: CrawlDatabase, url: str) -> list[ArchivedPlace]:
    """Return the places of a URL's exchanges, the newest first, without removed ones."""
    return _places(database, "address = ? AND NOT forgotten ORDER BY at DESC", url)


def last_success(database: CrawlDatabase, url: str) -> ArchivedPlace | None:
    """Return the newest response with status 2xx of a URL, to which a 304 refers; it may be a revisit itself."""
    kept = "address = ? AND NOT forgotten AND status BETWEEN 200 AND 299 ORDER BY at DESC LIMIT 1"
    return next(iter(_places(database, kept, url)), None)


def same_payload(database: CrawlDatabase, payload: bytes) -> ArchivedPlace | None:
    """Return a response with this payload."""
    return next(iter(_places(database, "payload = ? AND kind = 'response' AND NOT forgotten LIMIT 1", payload)), None)


def known_end(database: CrawlDatabase, file: str) -> int:
    """Return the byte up to which the table knows a file; 0: not at all."""
    of = "file = (SELECT id FROM archive_file WHERE name = ?)"
    return database.count(f"SELECT max(stop) FROM archived WHERE {of}", file)


class ArchiveFileEnd(NamedTuple):
    """A file of the archive, the number of exchanges in it, and the byte at which the last of them ends."""

    name: str
    exchanges: int
    end: int


def archive_file_ends(database: CrawlDatabase) -> list[ArchiveFileEnd]:
    """Return how far each file of the archive was written, in the order of their beginnings."""
    rows = database.connection.execute(
        "SELECT name, count(archived.file), coalesce(max(stop), 0) "
        "FROM archive_file LEFT JOIN archived ON archived.file = archive_file.id GROUP BY archive_file.id"
    )
    return [ArchiveFileEnd(*row) for row in rows]


def holds_any(database: CrawlDatabase) -> bool:
    """Return whether there is an archive at all."""
    return database.value("SELECT 1 FROM archived LIMIT 1") is not None


def archived_robots_files(database: CrawlDatabase) -> list[str]:
    """Return the URLs of robots.txt files in the archive."""
    return database.column("SELECT DISTINCT address FROM archived WHERE address LIKE '%/robots.txt'")


def archived_addresses(database: CrawlDatabase) -> list[str]:
    """Return all URLs in the archive."""
    return database.column("SELECT DISTINCT address FROM archived")


def flag_forgotten(database: CrawlDatabase, urls: Iterable[str]) -> None:
    """Flag the archived exchanges of URLs, within the caller's transaction; `copies.py` then overwrites them."""
    database.connection.executemany("UPDATE archived SET forgotten = 1 WHERE address = ?", ((url,) for url in urls))


def forgotten_places(database: CrawlDatabase, limit: int) -> list[ArchivedPlace]:
    """Return places to overwrite, file by file."""
    return _places(database, "forgotten ORDER BY file, start LIMIT ?", limit)


def drop_places(database: CrawlDatabase, places: Iterable[ArchivedPlace]) -> None:
    """Drop the rows of overwritten records, within the caller's transaction."""
    of = "file = (SELECT id FROM archive_file WHERE name = ?)"
    rows = ((one.file, one.start) for one in places)
    database.connection.executemany(f"DELETE FROM archived WHERE {of} AND start = ?", rows)


def bare_revisits(database: CrawlDatabase, payloads: Collection[bytes]) -> int:
    """Return the number of revisits with one of these payloads that no response holds any longer."""
    rows = database.connection.execute(
        "SELECT payload FROM archived WHERE kind = 'revisit' AND payload IS NOT NULL AND NOT forgotten AND NOT EXISTS "
        "(SELECT 1 FROM archived AS whole WHERE whole.payload = archived.payload AND whole.kind = 'response' "
        "AND NOT whole.forgotten)"
    )
    return sum(payload in payloads for (payload,) in rows) if payloads else 0


def _places(database: CrawlDatabase, where: str, *parameters: object) -> list[ArchivedPlace]:
    return [ArchivedPlace.of(row) for row in database.connection.execute(f"{_READ} WHERE {where}", parameters)]


@dataclass(slots=True)
class ImportedArchive:
    """An archive whose import is running or done: `account` counts its records by how they ended."""

    id: int
    name: str
    size: int  # bytes
    software: str = ""
    is_surveyed: bool = False
    is_done: bool = False
    place: RecordPlace = RecordPlace(0)  # noqa: RUF009 - it is a tuple
    without_robots: int = 0  # pages read without a known robots.txt of their origin
    account: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class CaptureSource:
    """The source of a response: the archive, its place there, the software, and the time of its fetch."""

    archive: str
    software: str
    place: str  # in words
    at: float  # seconds since the epoch
    status: int | None
    size: int  # bytes
    rule: str


class Imports:
    """The tables of imported archives, within the caller's transaction."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._connection = database.connection

    def archive(self, digest: bytes, name: str, size: int) -> ImportedArchive:
        """Return the row of an archive; a new one is empty."""
        columns = "id, name, size, software, surveyed, ended_at IS NOT NULL, member, inside, without_robots, account"
        sql = f"SELECT {columns} FROM imported_archive WHERE digest = ?"
        row = self._connection.execute(sql, (digest,)).fetchone()
        if row is None:
            self._connection.execute(
                "INSERT INTO imported_archive (digest, name, size, began_at) VALUES (?, ?, ?, ?)",
                (digest, name, size, time.time()),
            )
            row = self._connection.execute(sql, (digest,)).fetchone()
        number, known_as, length, software, surveyed, done, member, inside, without_robots, account = row
        place, ends = RecordPlace(member, inside), Counter(stored_json(account, dict))
        return ImportedArchive(
            number, known_as, length, software, bool(surveyed), bool(done), place, without_robots, ends
        )

    def note_software(self, archive: int, software: str) -> None:
        """Keep the name of the program that wrote an archive."""
        self._connection.execute("UPDATE imported_archive SET software = ? WHERE id = ?", (software, archive))

    def note_no_pages(self, archive: int, records: Iterable[int]) -> None:
        """Keep the records whose responses are no pages, by the method or purpose of their request."""
        rows = [(archive, record) for record in records]
        self._connection.executemany("INSERT OR IGNORE INTO other_method VALUES (?, ?)", rows)

    def end_survey(self, archive: int) -> None:
        """Note that the survey of an archive is complete."""
        self._connection.execute("UPDATE imported_archive SET surveyed = 1 WHERE id = ?", (archive,))

    def is_no_page(self, archive: int, record: int) -> bool:
        """Return whether the response in a record is no page, by the method or purpose of its request."""
        sql = "SELECT 1 FROM other_method WHERE archive = ? AND record = ?"
        return self._connection.execute(sql, (archive, record)).fetchone() is not None

    def put_progress(self, archive: ImportedArchive) -> None:
        """Keep the position in an archive, and how its records have ended so far."""
        sql = "UPDATE imported_archive SET member = ?, inside = ?, without_robots = ?, account = ? WHERE id = ?"
        row = (*archive.place, archive.without_robots, json.dumps(archive.account), archive.id)
        self._connection.execute(sql, row)

    def end(self, archive: ImportedArchive) -> None:
        """Note the end of an archive, and drop the rows about the requests of its records."""
        self.put_progress(archive)
        self._connection.execute("UPDATE imported_archive SET ended_at = ? WHERE id = ?", (time.time(), archive.id))
        self._connection.execute("DELETE FROM other_method WHERE archive = ?", (archive.id,))
        archive.is_done = True

    # -- Captures

    def note_capture(
        self, archive: int, url: int, capture: Capture, rule: str, *, status: int | None, size: int
    ) -> None:
        """Note a response, with its rule."""
        row = (archive, *capture.place, url, capture.at, status, size, rule, capture.payload)
        self._connection.execute("INSERT OR REPLACE INTO capture VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def newest(self, url: int) -> float:
        """Return when a URL last had a response, of a server or in an archive, in seconds since the epoch; 0: never."""
        sql = (
            "SELECT max(coalesce((SELECT max(at) FROM capture WHERE url = :url), 0), "
            "coalesce((SELECT max(at) FROM fetch WHERE url = :url), 0), "
            "coalesce((SELECT fetched_at FROM page WHERE url = :url), 0))"
        )
        return float(self._connection.execute(sql, {"url": url}).fetchone()[0])

    def is_known(self, url: int, capture: Capture) -> bool:
        """Return whether the same response was imported before, from this archive or from another one."""
        sql = "SELECT 1 FROM capture WHERE url = ? AND at = ? AND status IS ? AND payload = ?"
        return self._connection.execute(sql, (url, capture.at, capture.status, capture.payload)).fetchone() is not None

    def holder_of(self, payload: str) -> str | None:
        """Return the URL whose stored page came with that payload digest, as its newest response, or None."""
        sql = (
            "SELECT url.url FROM capture JOIN url ON url.id = capture.url JOIN page ON page.url = url.id "
            "WHERE payload = ? AND page.fetched_at = capture.at ORDER BY capture.at DESC LIMIT 1"
        )
        row = self._connection.execute(sql, (payload,)).fetchone() if payload else None
        return None if row is None else str(row[0])

    def forgotten_at(self, url: int, rule: str) -> float:
        """Return when a person last made the crawl forget a URL, in seconds since the epoch; 0: never."""
        sql = (
            "SELECT coalesce(max(at), 0) FROM journal WHERE rule = :rule "
            "AND (url = :url OR id = (SELECT journal FROM explanation WHERE url = :url))"
        )
        return float(self._connection.execute(sql, {"rule": rule, "url": url}).fetchone()[0])


def captures_of(database: CrawlDatabase, url: int, limit: int) -> tuple[CaptureSource, ...]:
    """Return the responses that archives have brought for a URL, the newest first."""
    rows = database.connection.execute(
        "SELECT name, software, capture.member, capture.inside, at, status, capture.size, rule FROM capture "
        "JOIN imported_archive ON imported_archive.id = archive WHERE url = ? ORDER BY at DESC LIMIT ?",
        (url, limit),
    )
    return tuple(
        CaptureSource(name, software, str(RecordPlace(member, inside)), at, status, size, rule)
        for name, software, member, inside, at, status, size, rule in rows
    )


# -- The engine's tables, for an export

# Rules of URLs that an export leaves out: a person, or Breadcrumb itself, wants nothing of them shown.
UNTOLD = (Rule.BLOCKED, Rule.FORGOTTEN, Rule.PROBE)
_COLUMNS = "SELECT url, at, status, rule FROM"
_ANSWERS = f"({_COLUMNS} fetch WHERE url IS NOT NULL UNION ALL {_COLUMNS} capture)"
_BODIES = f"('{Rule.FETCHED}', '{Rule.PROBE}')"  # rules of responses whose body was stored; a second look is a probe
# A URL, when its body came (a later 304 has moved the date of the page), and its latest response: date, status, target.
# In the order of discovery: of two pages with the same content, the first is the original.
_LISTED = (
    "SELECT url.id, url.url, coalesce(url.rule, ''), page.fetched_at, "
    f"(SELECT max(at) FROM {_ANSWERS} WHERE url = url.id AND rule IN {_BODIES} AND page.url IS NOT NULL) AS came, "
    f"(SELECT max(at) FROM {_ANSWERS} WHERE url = url.id AND status IS NOT NULL) AS answered, "
    f"(SELECT status FROM {_ANSWERS} WHERE url = url.id AND status IS NOT NULL ORDER BY at DESC LIMIT 1), "
    "(SELECT url FROM url AS target WHERE target.id = url.moved_to) FROM url LEFT JOIN page ON page.url = url.id "
    f"WHERE kind = {Kind.PAGE:d} AND coalesce(url.rule, '') NOT IN ({', '.join(repr(str(rule)) for rule in UNTOLD)}) "
    f"AND (page.url IS NOT NULL OR (answered IS NOT NULL AND state != {State.SUPPRESSED:d})) ORDER BY "
    f"coalesce((SELECT min(at) FROM {_ANSWERS} WHERE url = url.id), page.fetched_at), url.id"
)


class FetchedUrl(NamedTuple):
    """A URL with a page or a response; dates in seconds since the epoch."""

    id: int
    url: str
    rule: str
    fetched_at: float | None  # of its page
    came: float | None  # when the body of its page came
    answered: float | None  # its latest response …
    status: int | None  # … and the status of that
    target: str | None  # where it redirects


def answered_urls(database: CrawlDatabase) -> Iterator[FetchedUrl]:
    """Yield each URL with a page or a response, in the order of discovery."""
    return map(FetchedUrl._make, database.connection.execute(_LISTED))


def unchanged_visits(database: CrawlDatabase, url: int, since: float) -> list[float]:
    """Return the times after `since` at which a URL was unchanged."""
    sql = f"SELECT at FROM {_ANSWERS} WHERE url = ? AND rule = '{Rule.NOT_MODIFIED}' AND at > ? ORDER BY at"
    return database.column(sql, url, since)


def robots_origins(database: CrawlDatabase) -> list[str]:
    """Return the origins with a known robots.txt, in the order of their fetches."""
    return database.column("SELECT origin FROM robots ORDER BY fetched_at, origin")


def rule_of_url(database: CrawlDatabase, url: int) -> str | None:
    """Return how the turn of a URL last ended, or what holds it back (a Rule); None where it never had a turn."""
    rule = database.value("SELECT rule FROM url WHERE id = ?", url)
    return None if rule is None else str(rule)


def note_imported_sites(database: CrawlDatabase, names: Iterable[str]) -> None:
    """Take sites into the crawl, whose pages came without a request of ours; within the caller's transaction."""
    database.connection.executemany("INSERT OR IGNORE INTO imported_site VALUES (?)", [(name,) for name in names])
