"""In which order does the queue hold the URLs of a site? Column `url.worth`, and the index that an order needs.

`urls/schedule.py` has the formulas. A URL is judged when its site has its turn, and again when a page links to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.tables.urls import IS_QUEUED
from urls.records import FoundBy
from urls.schedule import DAY, LEAST_APART, MAX_INLINKS, UNJUDGED, Priority, VisitHistory, change_rate, rarity, worth

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawldb.database import CrawlDatabase

_BY_WORTH = "urgency DESC, worth DESC, depth, id"
# Of the URLs of a site, as SQL has it; an index holds each.
ORDERS = dict.fromkeys(Priority, _BY_WORTH) | {Priority.BREADTH: "urgency DESC, depth, id"}
_INDEX = f"CREATE INDEX IF NOT EXISTS url_worth ON url (site, {_BY_WORTH}) WHERE {IS_QUEUED}"
# What a URL is worth: of PRIORITY=topic it is the promise, which frontier/followers/topic.py puts there.
LINKED = f"(SELECT count(*) FROM (SELECT DISTINCT source FROM link WHERE target = url.id LIMIT {MAX_INLINKS}))"
_LISTED = f"lastmod IS NOT NULL OR found_by = '{FoundBy.SITEMAP}'"
_WORTHS = {
    Priority.WORTH: (
        f"coalesce((SELECT worth_of(depth, {LINKED}, {_LISTED}, visits, unchanged, seconds) "
        f"FROM visit WHERE visit.url = url.id), worth_of(depth, {LINKED}, {_LISTED}, 0, 0, 0))"
    ),
    Priority.RARE: f"rarity_of({LINKED})",
}


def prepare_order(database: CrawlDatabase, priority: Priority) -> None:
    """Make the index that the order needs, or drop it: what is not used shall cost nothing."""
    if priority is Priority.BREADTH:
        if database.value("SELECT 1 FROM sqlite_master WHERE name = 'url_worth'") is not None:
            database.connection.execute("DROP INDEX url_worth")
        return
    database.connection.create_function("worth_of", 6, _worth_of, deterministic=True)
    database.connection.create_function("rarity_of", 1, rarity, deterministic=True)
    database.connection.execute(_INDEX)
    if priority is Priority.TOPIC:
        return  # what URLs promise is kept, and judged again little by little (frontier/followers/topic.py)
    database.connection.execute("UPDATE topic SET digest = x''")  # what they promised is overwritten
    judge_all_again(database)  # links have come since


def judge_worth(database: CrawlDatabase, site: int, priority: Priority) -> None:
    """Give the queued URLs of a site that have none their worth, in a transaction of its own."""
    waiting = f"SELECT id FROM url WHERE site = ? AND {IS_QUEUED} AND worth = ?"
    if database.value(f"{waiting} LIMIT 1", site, UNJUDGED) is None:
        return
    with database.transaction() as connection:
        connection.execute(
            f"UPDATE url SET worth = {_WORTHS[priority]} WHERE id IN ({waiting})",
            (site, UNJUDGED),
        )


_QUEUED = f"SELECT id, url, found_by, found_on FROM url WHERE site = ? AND {IS_QUEUED}"
QueuedUrl = tuple[int, str, str, int | None]  # id, URL, how and on which page it was found


def unjudged(database: CrawlDatabase, site: int) -> list[QueuedUrl]:
    """Return the queued URLs of a site that have no worth."""
    return database.connection.execute(f"{_QUEUED} AND worth = ? ORDER BY id", (site, UNJUDGED)).fetchall()


def queued_after(database: CrawlDatabase, site: int, url: int, limit: int) -> list[QueuedUrl]:
    """Return at most so many queued URLs of a site, those with the least ids above one."""
    # `+id`: by the index of the site's queue, and not through the URLs of all sites.
    sql = f"{_QUEUED} AND id > ? ORDER BY +id LIMIT ?"
    return database.connection.execute(sql, (site, url, limit)).fetchall()


def put_worth(database: CrawlDatabase, worths: Iterable[tuple[int, float]]) -> None:
    """Keep what URLs are worth, within the caller's transaction."""
    rows = [(min(worth, UNJUDGED - LEAST_APART), url) for url, worth in worths]
    database.connection.executemany("UPDATE url SET worth = ? WHERE id = ?", rows)


def judge_all_again(database: CrawlDatabase) -> None:
    """Let the worth of all that is queued be found out anew."""
    database.connection.execute(f"UPDATE url SET worth = {UNJUDGED} WHERE {IS_QUEUED}")


def judge_worth_again(database: CrawlDatabase, urls: Iterable[int]) -> None:
    """Let the worth of queued URLs be found out anew, within the caller's transaction: a page has linked to them."""
    database.connection.executemany(
        f"UPDATE url SET worth = ? WHERE id = ? AND {IS_QUEUED} AND worth < ?",
        [(UNJUDGED, url, UNJUDGED) for url in urls],
    )


def _worth_of(depth: int, inlinks: int, listed: int, visits: int, unchanged: int, seconds: float) -> float:
    changes = change_rate(VisitHistory(visits, unchanged, seconds, 0.0, 0.0))
    return worth(depth, inlinks, listed, changes * DAY)
