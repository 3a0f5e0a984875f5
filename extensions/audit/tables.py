"""Which requests did a crawl log, and what did each bring? Table `fetch` with what else is known of each request.

The row of a page has the time of its end, the row of a robots.txt the time of its start. Each redirect to a robots.txt
has a row of its own. A request that was under way when the crawl was killed or stopped has no row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from crawldb.tables.runs import FULL_DISK, KILLED
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.database import CrawlDatabase

_LOGGED = """
SELECT fetch.id,
       CASE WHEN fetch.url IS NULL THEN fetch.at ELSE fetch.at - fetch.seconds END AS start,
       CASE WHEN fetch.url IS NULL THEN fetch.at + fetch.seconds ELSE fetch.at END,
       fetch.seconds, fetch.status, fetch.rule, coalesce(url.url, fetch.address, ''), fetch.origin, run.round,
       EXISTS (SELECT 1 FROM journal
               WHERE journal.url = fetch.url AND journal.run = fetch.run AND journal.rule = fetch.rule),
       EXISTS (SELECT 1 FROM journal LEFT JOIN probe ON probe.url = journal.url
               WHERE journal.url = fetch.url AND journal.rule = 'probe' AND journal.samples = '[]'
                 AND journal.at >= fetch.at AND coalesce(purpose, 'twice') = 'twice')
FROM fetch JOIN run ON run.id = fetch.run LEFT JOIN url ON url.id = fetch.url
ORDER BY start, fetch.id
"""


class LoggedFetch(NamedTuple):
    """A request that ended; times are seconds since the epoch."""

    place: int  # the id of its row
    start: float
    end: float
    seconds: float
    status: int | None  # None: no response came
    rule: str  # how it ended
    url: str
    origin: str | None  # whose robots.txt was requested; None: something else
    round: int
    journaled: int  # 1: the journal has a row for this ending, as it has for each retry
    asked_twice: int  # 1: the page was requested once more, to be compared with itself


def logged_fetches(database: CrawlDatabase) -> Iterator[LoggedFetch]:
    """Yield all requests, in the order in which they began."""
    return map(LoggedFetch._make, database.connection.execute(_LOGGED))


class RobotsAddress(NamedTuple):
    """An origin, and an address that was requested for its robots.txt."""

    origin: str
    address: str


def robots_addresses(database: CrawlDatabase) -> list[RobotsAddress]:
    """Return the addresses that were requested for the robots.txt of each origin, also those of redirects."""
    rows = database.connection.execute("SELECT DISTINCT origin, address FROM fetch WHERE origin != ''")
    return [RobotsAddress(*row) for row in rows]


def unfinished_runs(database: CrawlDatabase) -> int:
    """Return how many runs could not write all their requests: killed, their disk failed, or they are at work."""
    unwritten = f"'{KILLED}', '{FULL_DISK}', 'storage'"
    return database.count(f"SELECT count(*) FROM run WHERE ending IN ({unwritten}) OR ended_at IS NULL")


def stopped_requests(database: CrawlDatabase) -> int:
    """Return how many requests may have been under way when a crawl was stopped."""
    return database.count(f"SELECT count(*) FROM journal WHERE rule = '{Rule.STOPPED}'")


class RequestRow(NamedTuple):
    """A request that ended: `start` is in seconds since the epoch, `rule` says how it ended."""

    place: int  # the id of its row
    start: float
    status: int | None  # None: no response came
    rule: str
    url: str


def sent_requests(database: CrawlDatabase, most: int) -> list[RequestRow]:
    """Return the newest requests, `most` at most, the oldest first."""
    sql = (
        "SELECT fetch.id, CASE WHEN fetch.url IS NULL THEN fetch.at ELSE fetch.at - fetch.seconds END, status, "
        "fetch.rule, coalesce(url.url, fetch.address, '') FROM fetch LEFT JOIN url ON url.id = fetch.url "
        "ORDER BY fetch.id DESC LIMIT ?"
    )
    return [RequestRow._make(row) for row in database.connection.execute(sql, (most,))][::-1]
