"""How did each run behave towards servers, in numbers? Counts for the guidelines of the book, 9.5."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from crawldb.tables.blocks import blacklist
from urls.records import CanonicalUrl
from urls.rules import Rule

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase

_FAILED = "(status IS NULL OR status >= 500)"


class RunRequests(NamedTuple):
    """A run: how it presented itself, and how many requests it sent. `product` is None where it did not note that."""

    round: int
    ending: str | None  # None: it is at work, or was killed and no run has begun since
    policy: str  # a digest of its scope and limits
    requests: int
    product: str | None
    contact: str | None
    bot_url: str | None
    download_delay: float | None  # seconds; 0 on loopback, if nobody gave one


def requests_by_run(database: CrawlDatabase) -> list[RunRequests]:
    """Return all runs, the first one first."""
    rows = database.connection.execute(
        "SELECT round, ending, policy, (SELECT count(*) FROM fetch WHERE fetch.run = run.id), "
        "product, contact, bot_url, download_delay FROM run LEFT JOIN manners ON manners.run = run.id ORDER BY run.id"
    )
    return [RunRequests._make(row) for row in rows]


class EtiquetteCounts(NamedTuple):
    """Counts over all requests of a crawl."""

    with_query: int  # URLs with a query that were requested
    failures: int  # requests without a response, or with a status of 500 or more
    after_failure: int  # requests after the first of them
    blocked: int  # entries of the blacklist
    blocked_requests: int  # requests for a blocked URL, after it was blocked
    proposals: int  # block requests of visitors
    decisions: int  # rows of the journal
    options: int  # site options that a person has applied
    resumed: int  # runs that continued the round of an earlier one


def etiquette_counts(database: CrawlDatabase) -> EtiquetteCounts:
    """Count what shows how a crawl behaved."""
    continued = "EXISTS (SELECT 1 FROM run AS earlier WHERE earlier.round = run.round AND earlier.id < run.id)"
    first = database.value(f"SELECT min(id) FROM fetch WHERE {_FAILED}")
    return EtiquetteCounts(
        database.count(
            "SELECT count(DISTINCT url.id) FROM fetch JOIN url ON url.id = fetch.url "
            f"WHERE instr(url.url, '?') AND fetch.rule != '{Rule.PROBE}'"
        ),
        database.count(f"SELECT count(*) FROM fetch WHERE {_FAILED}"),
        database.count("SELECT count(*) FROM fetch WHERE id > ?", first),
        database.count("SELECT count(*) FROM block"),
        _requests_after_block(database),
        database.count("SELECT count(*) FROM block_proposal"),
        database.count("SELECT count(*) FROM journal"),
        database.count("SELECT count(*) FROM site_option WHERE origin = 'person'"),
        database.count(f"SELECT count(*) FROM run WHERE {continued}"),
    )


def _requests_after_block(database: CrawlDatabase) -> int:
    """Count the requests for a URL on the blacklist, later than its newest entry."""
    blocked = blacklist(database)
    since = database.value("SELECT max(at) FROM block")
    if since is None:
        return 0
    rows = database.connection.execute(
        "SELECT url.url FROM fetch JOIN url ON url.id = fetch.url WHERE fetch.at - fetch.seconds > ?", (since,)
    )
    return sum(blocked.refusal(CanonicalUrl(url)) is not None for (url,) in rows)
