"""In which order does the queue hold the URLs of a site? Column `url.worth`, and the index that an order needs.

`urls/schedule.py` has the formula. A URL is judged when its site has its turn, and again when a page links to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.tables.urls import IS_QUEUED
from urls.records import FoundBy
from urls.schedule import DAY, MAX_INLINKS, UNJUDGED, Priority, VisitHistory, change_rate, worth

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawldb.database import CrawlDatabase

ORDERS = {  # of the URLs of a site, as SQL has it; an index holds each
    Priority.BREADTH: "urgency DESC, depth, id",
    Priority.WORTH: "urgency DESC, worth DESC, depth, id",
}
_INDEX = f"CREATE INDEX IF NOT EXISTS url_worth ON url (site, {ORDERS[Priority.WORTH]}) WHERE {IS_QUEUED}"


def prepare_order(database: CrawlDatabase, priority: Priority) -> None:
    """Make the index that the order needs, or drop it: what is not used shall cost nothing."""
    if priority is Priority.BREADTH:
        if database.value("SELECT 1 FROM sqlite_master WHERE name = 'url_worth'") is not None:
            database.connection.execute("DROP INDEX url_worth")
        return
    database.connection.create_function("worth_of", 6, _worth_of, deterministic=True)
    database.connection.execute(_INDEX)
    database.connection.execute(f"UPDATE url SET worth = {UNJUDGED} WHERE {IS_QUEUED}")  # links have come since


def judge_worth(database: CrawlDatabase, site: int) -> None:
    """Give the queued URLs of a site that have none their worth, in a transaction of its own."""
    waiting = f"SELECT id FROM url WHERE site = ? AND {IS_QUEUED} AND worth = ?"
    if database.value(f"{waiting} LIMIT 1", site, UNJUDGED) is None:
        return
    inlinks = f"SELECT count(*) FROM (SELECT DISTINCT source FROM link WHERE target = url.id LIMIT {MAX_INLINKS})"
    listed = f"lastmod IS NOT NULL OR found_by = '{FoundBy.SITEMAP}'"
    with database.transaction() as connection:
        connection.execute(
            f"UPDATE url SET worth = coalesce("
            f"(SELECT worth_of(depth, ({inlinks}), {listed}, visits, unchanged, seconds) "
            f"FROM visit WHERE visit.url = url.id), worth_of(depth, ({inlinks}), {listed}, 0, 0, 0)) "
            f"WHERE id IN ({waiting})",
            (site, UNJUDGED),
        )


def judge_worth_again(database: CrawlDatabase, urls: Iterable[int]) -> None:
    """Let the worth of queued URLs be found out anew, within the caller's transaction: a page has linked to them."""
    database.connection.executemany(
        f"UPDATE url SET worth = ? WHERE id = ? AND {IS_QUEUED} AND worth < ?",
        [(UNJUDGED, url, UNJUDGED) for url in urls],
    )


def _worth_of(depth: int, inlinks: int, listed: int, visits: int, unchanged: int, seconds: float) -> float:
    changes = change_rate(VisitHistory(visits, unchanged, seconds, 0.0, 0.0))
    return worth(depth, inlinks, listed, changes * DAY)
