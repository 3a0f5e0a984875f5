"""In which order are the queued URLs of a site leased? `url.worth` is their priority.

A URL is given its priority when its site has its turn, and again when a page links to it. `frontier/url_orders.py` has
the orders, `urls/schedule.py` the formula of the one by worth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.tables.urls import IS_QUEUED
from urls.records import FoundBy
from urls.schedule import DAY, LEAST_APART, MAX_INLINKS, UNSET, VisitHistory, change_rate, worth

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawldb.database import CrawlDatabase

# Orders of the queued URLs of a site, in SQL. An index holds each.
BREADTH_FIRST = "urgency DESC, depth, id"
BY_PRIORITY = "urgency DESC, worth DESC, depth, id"
_INDEX = f"CREATE INDEX IF NOT EXISTS url_worth ON url (site, {BY_PRIORITY}) WHERE {IS_QUEUED}"
# Expressions of a row of table `url`, in SQL.
INLINKS = f"(SELECT count(*) FROM (SELECT DISTINCT source FROM link WHERE target = url.id LIMIT {MAX_INLINKS}))"
_LISTED = f"lastmod IS NOT NULL OR found_by = '{FoundBy.SITEMAP}'"
WORTH = (
    f"coalesce((SELECT worth_of(depth, {INLINKS}, {_LISTED}, visits, unchanged, seconds) "
    f"FROM visit WHERE visit.url = url.id), worth_of(depth, {INLINKS}, {_LISTED}, 0, 0, 0))"
)


def create_priority_index(database: CrawlDatabase) -> None:
    """Make the index that an order by priority reads, and the function that `WORTH` calls."""
    database.connection.create_function("worth_of", 6, _worth_of, deterministic=True)
    database.connection.execute(_INDEX)


def drop_priority_index(database: CrawlDatabase) -> None:
    """Drop that index, if it is there: an order that doesn't read it must not pay for it."""
    if database.value("SELECT 1 FROM sqlite_master WHERE name = 'url_worth'") is not None:
        database.connection.execute("DROP INDEX url_worth")


def compute_priorities(database: CrawlDatabase, site: int, expression: str) -> None:
    """Give the queued URLs of a site that have no priority the value of an expression, in a transaction of its own."""
    waiting = f"SELECT id FROM url WHERE site = ? AND {IS_QUEUED} AND worth = ?"
    if database.value(f"{waiting} LIMIT 1", site, UNSET) is None:
        return
    with database.transaction() as connection:
        connection.execute(f"UPDATE url SET worth = {expression} WHERE id IN ({waiting})", (site, UNSET))


def set_priorities(database: CrawlDatabase, priorities: Iterable[tuple[int, float]]) -> None:
    """Write the priorities of URLs, each below `UNSET`, within the caller's transaction."""
    rows = [(min(priority, UNSET - LEAST_APART), url) for url, priority in priorities]
    database.connection.executemany("UPDATE url SET worth = ? WHERE id = ?", rows)


def clear_all_priorities(database: CrawlDatabase) -> None:
    """Take the priority of every queued URL away: each gets a new one."""
    database.connection.execute(f"UPDATE url SET worth = {UNSET} WHERE {IS_QUEUED}")


def clear_priorities(database: CrawlDatabase, urls: Iterable[int]) -> None:
    """Take the priority of queued URLs away, within the caller's transaction: a page has linked to them."""
    database.connection.executemany(
        f"UPDATE url SET worth = ? WHERE id = ? AND {IS_QUEUED} AND worth < ?", [(UNSET, url, UNSET) for url in urls]
    )


def _worth_of(depth: int, inlinks: int, listed: int, visits: int, unchanged: int, seconds: float) -> float:
    changes = change_rate(VisitHistory(visits, unchanged, seconds, 0.0, 0.0))
    return worth(depth, inlinks, listed, changes * DAY)
