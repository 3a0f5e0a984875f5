"""What is known of each origin's robots.txt? Kept with the crawl, so that a restart goes on where it was.

Table `robots` has a row an origin: what holds, until when, the latest file that came whole, and since when it has
failed. Table `fetch` has a row for each request that was sent for it, one a redirect. Table `robots_change` has a row
each time that the state, or the file that decides, is another one than before; robots_versions.py keeps the files.
"""

from __future__ import annotations

import time
from dataclasses import astuple, dataclass, fields, replace
from typing import TYPE_CHECKING

import zstandard

from crawldb.tables.fetches import RobotsFetch, SentRequest, note_fetch
from crawldb.tables.journal import Journal
from crawldb.tables.robots_versions import MAX_CHANGES, MAX_STORED, file_digest, note_version
from robots import Access, RobotsRecord, RobotsStep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.tables.runs import Run
    from robots import Notice, RobotsRequest


CLOSED_SECONDS = 24 * 3600.0  # a robots.txt that fails for so long is told like an alarm

_COLUMNS = ", ".join(field.name for field in fields(RobotsRecord))
_WRITE = f"INSERT OR REPLACE INTO robots ({_COLUMNS}) VALUES ({', '.join('?' * len(fields(RobotsRecord)))})"


def read_robots(database: CrawlDatabase, origin: str) -> RobotsRecord | None:
    """Return the record of an origin ("https://example.com:443"), or None where none was ever asked for."""
    row = database.connection.execute(f"SELECT {_COLUMNS} FROM robots WHERE origin = ?", (origin,)).fetchone()
    if row is None:
        return None
    record = RobotsRecord(*row)
    return replace(record, body=zstandard.ZstdDecompressor().decompress(record.body, max_output_size=MAX_STORED))


def write_robots(
    database: CrawlDatabase,
    run: Run | None,
    record: RobotsRecord,
    notice: Notice | None = None,
    samples: Sequence[str] = (),
) -> None:
    """Keep what holds now, with what the journal has to say and the URLs that it is about, in one transaction.

    What no run has asked for comes from an archive.
    """
    with database.transaction() as connection:
        if notice is not None:
            Journal(database, run.id if run else None).write_notice(record.origin, notice, samples)
        note_change(database, record)
        note_version(database, record)
        packed = zstandard.ZstdCompressor().compress(record.body[:MAX_STORED])
        connection.execute(_WRITE, astuple(replace(record, body=packed)))


def note_request(
    database: CrawlDatabase, run: Run, origin: str, request: RobotsRequest, step: RobotsStep = RobotsStep.ASKED
) -> None:
    """Note a request that was sent for the robots.txt of `origin`, whatever follows from its answer."""
    sent = SentRequest(run.id, request.at, request.seconds, request.status, request.size, RobotsFetch[step.name])
    with database.transaction():
        note_fetch(database, replace(sent, address=request.address, origin=origin))


@dataclass(frozen=True, slots=True)
class RobotsChange:
    """From `at` on (seconds since the epoch), `state` held, a name of `robots.Access`, for the reason given."""

    at: float
    state: str
    status: int | None
    reason: str


def note_change(database: CrawlDatabase, record: RobotsRecord) -> None:
    """Note what holds where it is not what held before. The caller holds the transaction."""
    digest = _digest(record)
    latest = database.connection.execute(
        "SELECT state, digest FROM robots_change WHERE origin = ? ORDER BY id DESC LIMIT 1", (record.origin,)
    ).fetchone()
    if latest == (record.state, digest):
        return
    database.connection.execute(
        "INSERT INTO robots_change (origin, at, state, status, digest, reason) VALUES (?, ?, ?, ?, ?, ?)",
        (record.origin, record.fetched_at, record.state, record.status, digest, record.reason),
    )
    database.connection.execute(
        "DELETE FROM robots_change WHERE origin = ? AND id <= "
        "(SELECT id FROM robots_change WHERE origin = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
        (record.origin, record.origin, MAX_CHANGES),
    )


def changes_of(database: CrawlDatabase, origin: str, limit: int = MAX_CHANGES) -> tuple[RobotsChange, ...]:
    """Return what held for an origin, the newest first."""
    rows = database.connection.execute(
        "SELECT at, state, status, reason FROM robots_change WHERE origin = ? ORDER BY id DESC LIMIT ?",
        (origin, limit),
    )
    return tuple(RobotsChange(*row) for row in rows)


def holds_since(database: CrawlDatabase, record: RobotsRecord) -> float:
    """Return since when what the record says has held without a break, in seconds since the epoch.

    If the clock was set back, an earlier change has a later time. Then nobody can tell what held until that time.
    """
    row = database.connection.execute(
        "SELECT at, state, digest FROM robots_change WHERE origin = ? ORDER BY id DESC LIMIT 1", (record.origin,)
    ).fetchone()
    if row is None or row[1:] != (record.state, _digest(record)):
        return record.fetched_at
    latest = database.value("SELECT max(at) FROM robots_change WHERE origin = ?", record.origin)
    return min(float(row[0]), record.fetched_at) if latest == row[0] else float(str(latest))


def _digest(record: RobotsRecord) -> bytes:
    """Return the digest of the file that decides; empty where none does."""
    if record.state != Access.PARSED.name:
        return b""
    return file_digest(record.body)


def answers_by_status(database: CrawlDatabase) -> dict[str, int]:
    """Return how many origins gave which status when their robots.txt was last asked for; "no answer": none came."""
    rows = database.connection.execute(
        "SELECT coalesce(status, 'no answer'), count(*) FROM robots GROUP BY status ORDER BY count(*) DESC, status"
    )
    return {str(status): number for status, number in rows}


def closed_origins(database: CrawlDatabase, now: float | None = None) -> list[tuple[str, float]]:
    """Return the origins that are closed because their robots.txt has failed for a day or more.

    With the time since when, the longest first. Where a copy decides, or the file was given up, it still fails, and its
    origin is not closed.
    """
    since = (time.time() if now is None else now) - CLOSED_SECONDS
    rows = database.connection.execute(
        "SELECT origin, failing_since FROM robots WHERE failing_since <= ? AND state = ? "
        "ORDER BY failing_since, origin",
        (since, Access.CLOSED.name),
    )
    return rows.fetchall()


def silent_origins(database: CrawlDatabase) -> list[str]:
    """Return the origins that gave no response at all when their robots.txt was last asked for."""
    rows = database.connection.execute("SELECT origin FROM robots WHERE state = 'CLOSED' AND status IS NULL")
    return [origin for (origin,) in rows]


def let_robots_expire(database: CrawlDatabase, origin: str) -> None:
    """Let the robots.txt of an origin be asked for at once, within the caller's transaction."""
    database.connection.execute("UPDATE robots SET expires_at = 0 WHERE origin = ?", (origin,))
