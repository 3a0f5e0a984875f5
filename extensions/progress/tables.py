"""How fast does a crawl go, and what waits? Counts by site, depth, time and round: queries on the engine's tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from crawldb.figures.totals import GOT_A_PAGE
from crawldb.tables.runs import SECONDS_OF_RUN
from crawldb.tables.urls import IS_QUEUED, State

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase


class SiteQueue(NamedTuple):
    """A site, and how many of its URLs wait."""

    site: str
    queued: int


def queued_by_site(database: CrawlDatabase) -> list[SiteQueue]:
    """Return the sites of which URLs wait, the most first."""
    rows = database.connection.execute(
        f"SELECT name, count(*) FROM url JOIN site ON site.id = url.site WHERE {IS_QUEUED} GROUP BY site.id "
        "ORDER BY count(*) DESC, name"
    )
    return [SiteQueue(*row) for row in rows]


def queued_by_depth(database: CrawlDatabase) -> tuple[tuple[int, int], ...]:
    """Return how many URLs wait at each number of links from a seed, the nearest first."""
    return tuple(database.connection.execute(f"SELECT depth, count(*) FROM url WHERE {IS_QUEUED} GROUP BY depth"))


def last_request_of_run(database: CrawlDatabase, run: int) -> float | None:
    """Return when the last request of a run ended; None where it has sent none."""
    last = database.value("SELECT max(at) FROM fetch WHERE run = ?", run)
    return last if isinstance(last, float) else None


class SentRequests(NamedTuple):
    """Requests, how many of them got a page, and the bytes of their bodies."""

    requests: int = 0
    pages: int = 0
    bytes: int = 0


def requests_by_stretch(database: CrawlDatabase, end: float, length: float, number: int) -> dict[int, SentRequests]:
    """Return what was requested in each of the last `number` stretches of `length` seconds before `end`.

    The key 0 is the last stretch; one without a request is left out.
    """
    rows = database.connection.execute(
        "SELECT CAST((:end - at) / :length AS INTEGER), count(*), "
        f"count(*) FILTER (WHERE rule IN {GOT_A_PAGE}), sum(size) "
        "FROM fetch WHERE at > :end - :number * :length AND at <= :end GROUP BY 1",
        {"end": end, "length": length, "number": number},
    )
    return {place: SentRequests(*counts) for place, *counts in rows}


class ExplainedUrl(NamedTuple):
    """A URL, and the reason that the journal has for its state; "" where it has none."""

    url: str
    reason: str


def newest_with_rule(database: CrawlDatabase, state: State, rule: str, limit: int) -> tuple[ExplainedUrl, ...]:
    """Return URLs that a rule has brought into a state, those that were met last first."""
    rows = database.connection.execute(
        "SELECT url.url, coalesce((SELECT reason FROM explanation JOIN journal ON journal.id = explanation.journal "
        "WHERE explanation.url = url.id), (SELECT reason FROM journal WHERE journal.url = url.id "
        "AND journal.rule = url.rule ORDER BY id DESC LIMIT 1), '') "
        "FROM url WHERE state = ? AND rule = ? ORDER BY url.id DESC LIMIT ?",
        (state, rule, limit),
    )
    return tuple(ExplainedUrl(*row) for row in rows)


@dataclass(frozen=True, slots=True)
class RoundWork:
    """A round, when it began and ended (None: it continues), and what its runs did; `seconds` are of crawling."""

    id: int
    opened_at: float
    closed_at: float | None
    runs: int
    requests: int
    pages: int
    bytes: int
    seconds: float


def newest_rounds(database: CrawlDatabase, limit: int) -> list[RoundWork]:
    """Return the newest rounds, each with what its runs did; the newest first."""
    connection = database.connection
    by_runs = connection.execute(f"SELECT round, count(*), sum({SECONDS_OF_RUN}) FROM run GROUP BY round")
    runs = {round_: (number, seconds) for round_, number, seconds in by_runs}
    by_requests = connection.execute(
        f"SELECT round, count(*), count(*) FILTER (WHERE rule IN {GOT_A_PAGE}), sum(size) "
        "FROM fetch JOIN run ON run.id = fetch.run GROUP BY round"
    )
    fetched = {round_: SentRequests(*counts) for round_, *counts in by_requests}
    rows = connection.execute("SELECT id, opened_at, closed_at FROM round ORDER BY id DESC LIMIT ?", (limit,))
    found = []
    for id_, opened_at, closed_at in rows:
        number, seconds = runs.get(id_, (0, 0.0))
        found.append(RoundWork(id_, opened_at, closed_at, number, *fetched.get(id_, SentRequests()), seconds))
    return found
