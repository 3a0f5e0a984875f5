"""Which requests were sent, and what came of each? Table `fetch`: a row a request, written with what it taught.

The row of a page has the time of its end, that of a robots.txt the time of its start.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request of a run: `at` in seconds since the epoch, `size` in bytes; no status: no answer came.

    `url` is the id of a URL. For a robots.txt it is None: then `origin` says whose file it is, `address` where it was
    asked for.
    """

    run: int
    at: float
    seconds: float
    status: int | None
    size: int
    rule: str  # how it ended
    url: int | None = None
    address: str | None = None
    origin: str | None = None


def note_fetch(database: CrawlDatabase, sent: SentRequest) -> None:
    """Write down a request that has ended, within the caller's transaction."""
    database.connection.execute(
        "INSERT INTO fetch (run, at, seconds, status, size, rule, url, address, origin) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        astuple(sent),
    )
