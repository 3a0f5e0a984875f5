"""Which archives were imported, how far, and what did each hold? Tables `imported_archive`, `capture` and those beside.

An archive is known by its bytes, so that the same file is read once, whatever it is called. `capture` has a row an
answer, as `fetch` has one for each request of our own; only those count for the proof that the robot was polite.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawldb.database import stored_json
from urls.captures import RecordPlace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawldb.database import CrawlDatabase
    from urls.captures import Capture


@dataclass(slots=True)
class ImportedArchive:
    """An archive that is being imported, or was: `account` has how many of its records came to which end."""

    id: int
    name: str
    size: int  # bytes
    software: str = ""
    is_surveyed: bool = False
    is_done: bool = False
    place: RecordPlace = RecordPlace(0)  # noqa: RUF009 - it is a tuple
    without_robots: int = 0  # pages that were read though no robots.txt of their origin is known
    account: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class CaptureSource:
    """Where an answer comes from: the archive, its place there, by which software, and when it was fetched."""

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
        """Return what is known of an archive, which may be nothing yet."""
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
        """Keep which program wrote an archive."""
        self._connection.execute("UPDATE imported_archive SET software = ? WHERE id = ?", (software, archive))

    def note_no_pages(self, archive: int, records: Iterable[int]) -> None:
        """Remember records whose answers are no pages, by how or why they were asked for."""
        rows = [(archive, record) for record in records]
        self._connection.executemany("INSERT OR IGNORE INTO other_method VALUES (?, ?)", rows)

    def end_survey(self, archive: int) -> None:
        """Note that an archive was looked through."""
        self._connection.execute("UPDATE imported_archive SET surveyed = 1 WHERE id = ?", (archive,))

    def is_no_page(self, archive: int, record: int) -> bool:
        """Return whether the answer of a record is no page, by how or why it was asked for."""
        sql = "SELECT 1 FROM other_method WHERE archive = ? AND record = ?"
        return self._connection.execute(sql, (archive, record)).fetchone() is not None

    def put_progress(self, archive: ImportedArchive) -> None:
        """Keep how far an archive was read, and what came of it."""
        sql = "UPDATE imported_archive SET member = ?, inside = ?, without_robots = ?, account = ? WHERE id = ?"
        row = (*archive.place, archive.without_robots, json.dumps(archive.account), archive.id)
        self._connection.execute(sql, row)

    def end(self, archive: ImportedArchive) -> None:
        """Note that an archive was read to its end; how its records were asked for is not needed any longer."""
        self.put_progress(archive)
        self._connection.execute("UPDATE imported_archive SET ended_at = ? WHERE id = ?", (time.time(), archive.id))
        self._connection.execute("DELETE FROM other_method WHERE archive = ?", (archive.id,))
        archive.is_done = True

    # -- Captures

    def note_capture(
        self, archive: int, url: int, capture: Capture, rule: str, *, status: int | None, size: int
    ) -> None:
        """Note an answer, with how it ended."""
        row = (archive, *capture.place, url, capture.at, status, size, rule, capture.payload)
        self._connection.execute("INSERT OR REPLACE INTO capture VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def newest(self, url: int) -> float:
        """Return when a URL was last answered, by a server or in an archive, in seconds since the epoch; 0: never."""
        sql = (
            "SELECT max(coalesce((SELECT max(at) FROM capture WHERE url = :url), 0), "
            "coalesce((SELECT max(at) FROM fetch WHERE url = :url), 0), "
            "coalesce((SELECT fetched_at FROM page WHERE url = :url), 0))"
        )
        return float(self._connection.execute(sql, {"url": url}).fetchone()[0])

    def is_known(self, url: int, capture: Capture) -> bool:
        """Return whether the same answer was imported before, from this archive or from another one."""
        sql = "SELECT 1 FROM capture WHERE url = ? AND at = ? AND status IS ? AND payload = ?"
        return self._connection.execute(sql, (url, capture.at, capture.status, capture.payload)).fetchone() is not None

    def holder_of(self, payload: str) -> str | None:
        """Return the URL whose stored page came with that payload digest, as its newest answer; None: there is none."""
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
    """Return the answers that archives have brought for a URL, the newest first."""
    rows = database.connection.execute(
        "SELECT name, software, capture.member, capture.inside, at, status, capture.size, rule FROM capture "
        "JOIN imported_archive ON imported_archive.id = archive WHERE url = ? ORDER BY at DESC LIMIT ?",
        (url, limit),
    )
    return tuple(
        CaptureSource(name, software, str(RecordPlace(member, inside)), at, status, size, rule)
        for name, software, member, inside, at, status, size, rule in rows
    )
