"""What did each origin's robots.txt last say? Kept with the crawl, so that a restart does not ask again too soon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import zstandard

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from crawldb.rounds import Run

MAX_STORED = 512_000  # bytes: no robots.txt is read further (RFC 9309, 2.5)


@dataclass(frozen=True, slots=True)
class RobotsRecord:
    """The last answer of an origin: `state` is a name of `robots.availability`, times are seconds since the epoch."""

    origin: str
    state: str
    reason: str
    fetched_at: float
    expires_at: float
    status: int | None = None
    body: bytes = b""


def read(database: CrawlDatabase, origin: str) -> RobotsRecord | None:
    """Return the record of an origin ("https://example.com:443"), or None where none was ever asked for."""
    row = database.connection.execute(
        "SELECT state, reason, fetched_at, expires_at, status, body FROM robots WHERE origin = ?", (origin,)
    ).fetchone()
    if row is None:
        return None
    state, reason, fetched_at, expires_at, status, packed = row
    body = zstandard.ZstdDecompressor().decompress(packed, max_output_size=MAX_STORED)
    return RobotsRecord(origin, state, reason, fetched_at, expires_at, status, body)


def write(database: CrawlDatabase, run: Run, record: RobotsRecord, seconds: float, address: str) -> None:
    """Store the answer that `address` gave after `seconds`, and count the request, in one transaction."""
    body = zstandard.ZstdCompressor().compress(record.body[:MAX_STORED])
    with database.transaction() as connection:
        connection.execute(
            "INSERT OR REPLACE INTO robots (origin, fetched_at, expires_at, state, status, body, reason) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (record.origin, record.fetched_at, record.expires_at, record.state, record.status, body, record.reason),
        )
        connection.execute(
            "INSERT INTO fetch (run, address, at, seconds, status, size, rule) VALUES (?, ?, ?, ?, ?, ?, 'robots.txt')",
            (run.id, address, record.fetched_at, seconds, record.status, len(record.body)),
        )
