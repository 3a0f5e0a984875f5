"""What held for an origin, and since when? A row each time that the state or the file that decides is another one."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from robots import Access

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from crawldb.tables.robots_files import RobotsRecord

MAX_CHANGES = 100  # of an origin that are kept: a site that comes and goes all day must not fill the disk
_DIGEST = 16  # bytes


@dataclass(frozen=True, slots=True)
class Change:
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


def changes_of(database: CrawlDatabase, origin: str, limit: int = MAX_CHANGES) -> tuple[Change, ...]:
    """Return what held for an origin, the newest first."""
    rows = database.connection.execute(
        "SELECT at, state, status, reason FROM robots_change WHERE origin = ? ORDER BY id DESC LIMIT ?",
        (origin, limit),
    )
    return tuple(Change(*row) for row in rows)


def holds_since(database: CrawlDatabase, record: RobotsRecord) -> float:
    """Return since when what the record says has held without a break, in seconds since the epoch."""
    row = database.connection.execute(
        "SELECT at, state, digest FROM robots_change WHERE origin = ? ORDER BY id DESC LIMIT 1", (record.origin,)
    ).fetchone()
    if row is None or row[1:] != (record.state, _digest(record)):
        return record.fetched_at
    return min(float(row[0]), record.fetched_at)


def _digest(record: RobotsRecord) -> bytes:
    """Return the digest of the file that decides; empty where none does."""
    if record.state != Access.PARSED.name:
        return b""
    return hashlib.blake2b(record.body, digest_size=_DIGEST).digest()
