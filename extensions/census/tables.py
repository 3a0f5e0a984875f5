"""Which figures did a census store? One row for each URL with a response, without a word of the page.

The page has its row in table `page`, as in every crawl, but without its words. Language, character encoding and copies
come from there (stage.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from crawldb.pages.pages import read_refusals
from crawldb.tables.urls import Kind, State
from crawldb.visited import find
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.database import CrawlDatabase

_IN_ROUND = "round = (SELECT max(id) FROM round)"
_ANSWERS = (
    "SELECT site.name, census.status, server, protocol, media_type, census.size, coalesce(language, ''), "
    "coalesce(encoding, ''), refusals, cluster FROM census JOIN url ON url.id = census.url "
    f"JOIN site ON site.id = url.site LEFT JOIN page ON page.url = census.url WHERE {_IN_ROUND} ORDER BY census.url"
)
_UNCOUNTED = (
    "SELECT site.name, state, rule, count(*) FROM url JOIN site ON site.id = url.site "
    f"WHERE kind = ? AND url.id NOT IN (SELECT url FROM census WHERE {_IN_ROUND}) "
    "GROUP BY site.name, state, rule ORDER BY count(*) DESC, rule"
)
_SITES = "SELECT DISTINCT site.name FROM url JOIN site ON site.id = url.site ORDER BY site.name"


class CensusHead(NamedTuple):
    """The status line and header lines of a response; `size` is in bytes."""

    status: int
    server: str
    protocol: str
    media_type: str
    size: int


class CountedResponse(NamedTuple):
    """The response of one URL. `rules` are those that reject its page; None: it brought no page."""

    site: str
    head: CensusHead
    language: str
    encoding: str
    rules: frozenset[Rule] | None
    cluster: int | None


def note_response(database: CrawlDatabase, round_id: int, url: str, head: CensusHead) -> None:
    """Store the head of the response of a known URL, in the caller's transaction."""
    database.connection.execute(
        "INSERT OR REPLACE INTO census (url, round, status, server, protocol, media_type, size) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (find(database.connection, url), round_id, *head),
    )


def counted_responses(database: CrawlDatabase) -> Iterator[CountedResponse]:
    """Yield the responses of the latest round, in the order in which their URLs were found."""
    for site, *head, language, encoding, refusals, cluster in database.connection.execute(_ANSWERS):
        rules = None if refusals is None else frozenset(each.rule for each in read_refusals(refusals))
        yield CountedResponse(site, CensusHead(*head), language, encoding, rules, cluster)


def uncounted_urls(database: CrawlDatabase) -> Iterator[tuple[str, Rule | None, int]]:
    """Yield site, rule and number of the URLs without a response in the latest round; no rule: they wait."""
    for site, state, rule, number in database.connection.execute(_UNCOUNTED, (Kind.PAGE,)):
        waits = state in {State.QUEUED, State.LEASED} or not rule
        yield site, None if waits else Rule(rule), number


def sites_of_census(database: CrawlDatabase) -> list[str]:
    """Return the names of the sites of which a URL is known."""
    return database.column(_SITES)


def keeps_pages(database: CrawlDatabase) -> bool:
    """Return whether the folder holds pages as they came: then it is no census's."""
    return database.value("SELECT 1 FROM body LIMIT 1") is not None
