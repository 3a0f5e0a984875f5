"""Where does the archive hold what was sent and received for a URL? Table `archived`: a row an exchange, as in a CDX.

A row is written with the transaction that ends the lease, or with the next one; by then its records are on the disk. So
what the table names can be read, whatever happens. Columns and units: crawldb/migrations/0025_archive.sql.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import Self

    from crawldb.database import CrawlDatabase

RESPONSE, REVISIT = "response", "revisit"  # kinds of records that hold an answer: whole, or by reference to another
_COLUMNS = "name, start, stop, offset, length, address, at, kind, status, payload, record"
_READ = f"SELECT {_COLUMNS} FROM archived JOIN archive_file ON archive_file.id = archived.file"


@dataclass(frozen=True, slots=True)
class ArchivedPlace:
    """Where the records of one exchange stand: bytes `start` to `stop` of `file`, the answer's at `offset`."""

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


class ArchivedPlaces:
    """The places that a crawl has to write down; they are written with its transactions."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._waiting: list[ArchivedPlace] = []
        self._written: list[ArchivedPlace] = []  # in the transaction that is open, or was the last

    def note(self, place: ArchivedPlace) -> None:
        """Take a place; it is written with the next transaction that ends a lease."""
        self._waiting.append(place)

    def write(self) -> None:
        """Write what waits, within the caller's transaction."""
        self._written, self._waiting = self._waiting, []
        write_places(self._database, self._written)

    def not_kept(self, url: str) -> None:
        """Flag what the archive holds of a URL: a person took it out while it was fetched."""
        flag_forgotten(self._database, [url])

    def rolled_back(self) -> None:
        """Write the last ones once more: their transaction came to nothing."""
        self._waiting, self._written = self._written + self._waiting, []


def write_places(database: CrawlDatabase, places: Iterable[ArchivedPlace]) -> None:
    """Write rows, within the caller's transaction; what is there already stays."""
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
    """Return where the exchanges of a URL stand, the newest first; not those that a person took out."""
    return _places(database, "address = ? AND NOT forgotten ORDER BY at DESC", url)


def last_success(database: CrawlDatabase, url: str) -> ArchivedPlace | None:
    """Return the newest answer of a URL that brought it, to which a 304 refers; it may be a revisit itself."""
    kept = "address = ? AND NOT forgotten AND status BETWEEN 200 AND 299 ORDER BY at DESC LIMIT 1"
    return next(iter(_places(database, kept, url)), None)


def same_payload(database: CrawlDatabase, payload: bytes) -> ArchivedPlace | None:
    """Return a response with this payload."""
    return next(iter(_places(database, "payload = ? AND kind = 'response' AND NOT forgotten LIMIT 1", payload)), None)


def known_end(database: CrawlDatabase, file: str) -> int:
    """Return up to which byte the table knows a file; 0: not at all."""
    of = "file = (SELECT id FROM archive_file WHERE name = ?)"
    return database.count(f"SELECT max(stop) FROM archived WHERE {of}", file)


class ArchiveFileEnd(NamedTuple):
    """A file of the archive, the exchanges that stand in it, and the byte at which the last of them ends."""

    name: str
    exchanges: int
    end: int


def archive_file_ends(database: CrawlDatabase) -> list[ArchiveFileEnd]:
    """Return how far each file of the archive was written, in the order in which they were begun."""
    rows = database.connection.execute(
        "SELECT name, count(archived.file), coalesce(max(stop), 0) "
        "FROM archive_file LEFT JOIN archived ON archived.file = archive_file.id GROUP BY archive_file.id"
    )
    return [ArchiveFileEnd(*row) for row in rows]


def holds_any(database: CrawlDatabase) -> bool:
    """Return whether there is an archive at all."""
    return database.value("SELECT 1 FROM archived LIMIT 1") is not None


def archived_robots_files(database: CrawlDatabase) -> list[str]:
    """Return the addresses of robots.txt files of which the archive holds something."""
    rows = database.connection.execute("SELECT DISTINCT address FROM archived WHERE address LIKE '%/robots.txt'")
    return [address for (address,) in rows]


def archived_addresses(database: CrawlDatabase) -> list[str]:
    """Return all addresses of which the archive holds something."""
    return [address for (address,) in database.connection.execute("SELECT DISTINCT address FROM archived")]


def flag_forgotten(database: CrawlDatabase, urls: Iterable[str]) -> None:
    """Take out what the archive holds of URLs, within the caller's transaction; `removal.py` then overwrites it."""
    database.connection.executemany("UPDATE archived SET forgotten = 1 WHERE address = ?", ((url,) for url in urls))


def forgotten_places(database: CrawlDatabase, limit: int) -> list[ArchivedPlace]:
    """Return places that are to be overwritten, file by file."""
    return _places(database, "forgotten ORDER BY file, start LIMIT ?", limit)


def drop_places(database: CrawlDatabase, places: Iterable[ArchivedPlace]) -> None:
    """Drop the rows of what is overwritten, within the caller's transaction."""
    of = "file = (SELECT id FROM archive_file WHERE name = ?)"
    rows = ((one.file, one.start) for one in places)
    database.connection.executemany(f"DELETE FROM archived WHERE {of} AND start = ?", rows)


def bare_revisits(database: CrawlDatabase, payloads: Collection[bytes]) -> int:
    """Return how many revisits have one of these payloads, and no response holds it for them any longer."""
    rows = database.connection.execute(
        "SELECT payload FROM archived WHERE kind = 'revisit' AND payload IS NOT NULL AND NOT forgotten AND NOT EXISTS "
        "(SELECT 1 FROM archived AS whole WHERE whole.payload = archived.payload AND whole.kind = 'response' "
        "AND NOT whole.forgotten)"
    )
    return sum(payload in payloads for (payload,) in rows) if payloads else 0


def _places(database: CrawlDatabase, where: str, *parameters: object) -> list[ArchivedPlace]:
    return [ArchivedPlace.of(row) for row in database.connection.execute(f"{_READ} WHERE {where}", parameters)]
