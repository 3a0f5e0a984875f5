"""What does the extension keep in the crawl database? Table `course_head`: a row for each request, without bodies.

`extensions/course/heads.py` says what a row holds. The trigger removes the rows of a URL that a person takes out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crawldb.database import CrawlDatabase

KEPT = 10_000  # exchanges, about half a kilobyte each
MAKE_HEADS = """
CREATE TABLE course_head (
    id       INTEGER PRIMARY KEY,
    address  TEXT NOT NULL,    -- the URL as the request had it
    at       REAL NOT NULL,    -- when it was sent, in seconds since the epoch
    request  BLOB NOT NULL,    -- its lines, parted by LF
    response BLOB NOT NULL     -- empty: no response came
);
CREATE UNIQUE INDEX course_head_by_address ON course_head (address, at);
CREATE TRIGGER course_head_taken_out AFTER UPDATE OF rule ON url WHEN new.rule IN ('forgotten', 'blocked') BEGIN
    DELETE FROM course_head WHERE address = new.url;
END;
"""
_READ = "SELECT address, at, request, response FROM course_head"


class HeadRow(NamedTuple):
    """A row of the table; `at` is in seconds since the epoch."""

    address: str
    at: float
    request: bytes
    response: bytes


def write_heads(database: CrawlDatabase, rows: Sequence[HeadRow]) -> None:
    """Write rows, and drop the oldest ones beyond KEPT, within the caller's transaction; existing rows stay."""
    connection = database.connection
    connection.executemany(
        "INSERT OR IGNORE INTO course_head (address, at, request, response) VALUES (?, ?, ?, ?)", rows
    )
    connection.execute("DELETE FROM course_head WHERE id <= (SELECT max(id) FROM course_head) - ?", (KEPT,))


def remove_heads(database: CrawlDatabase, addresses: Iterable[str]) -> None:
    """Remove the rows of some addresses, within the caller's transaction."""
    sql = "DELETE FROM course_head WHERE address = ?"
    database.connection.executemany(sql, ((address,) for address in addresses))


def addresses_kept(database: CrawlDatabase) -> list[str]:
    """Return each address that has rows."""
    return database.column("SELECT DISTINCT address FROM course_head")


def heads_of(database: CrawlDatabase, address: str, most: int) -> list[HeadRow]:
    """Return the newest rows of an address, the newest first."""
    rows = database.connection.execute(f"{_READ} WHERE address = ? ORDER BY at DESC LIMIT ?", (address, most))
    return [HeadRow(*row) for row in rows]


def newest_heads(database: CrawlDatabase, most: int) -> list[HeadRow]:
    """Return the newest rows, the newest first."""
    return [HeadRow(*row) for row in database.connection.execute(f"{_READ} ORDER BY id DESC LIMIT ?", (most,))]


def heads_kept(database: CrawlDatabase) -> int:
    """Return the number of rows."""
    return database.count("SELECT count(*) FROM course_head")


class FirstFoundUrl(NamedTuple):
    """A discovered URL, and the id of the URL on which it was found first; None: it was found on none."""

    id: int
    url: str
    found_on: int | None


def urls_by_discovery(database: CrawlDatabase, most: int) -> list[FirstFoundUrl]:
    """Return the first discovered URLs, in the order of their discovery."""
    rows = database.connection.execute("SELECT id, url, found_on FROM url ORDER BY id LIMIT ?", (most,))
    return [FirstFoundUrl(*row) for row in rows]
