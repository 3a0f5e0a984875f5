"""Which page of a host first? Breadth first; or, as an option, the one that is probably worth most.

Cho, Garcia-Molina and Page, *Efficient Crawling Through URL Ordering* (WWW7, 1998): pages that many others link to, and
those near the front page, are the ones that people look for. What a sitemap lists is what its site wants to be found; a
page that changes often is out of date soonest. The weights are ours and stated: they add up to 1.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import TYPE_CHECKING

from urls.revisit import DAY, History, change_rate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawldb.database import CrawlDatabase

NEAR = 0.45  # weight of the distance from a seed, which halves with each link
LINKED = 0.30  # … of the pages that link to it, by their logarithm
LISTED = 0.15  # … of standing in a sitemap
LIVELY = 0.10  # … of changing once a day or more
MAX_INLINKS = 100  # pages that are counted: more tell no more
UNJUDGED = 1.0  # what the database holds for a URL that has not been judged, so that it is met first
_ORDER = "site, urgency DESC, worth DESC, depth, id"
_INDEX = f"CREATE INDEX IF NOT EXISTS url_worth ON url ({_ORDER}) WHERE state = 0"


class Priority(Enum):
    """The order within a host: setting `PRIORITY`."""

    BREADTH = "breadth"
    WORTH = "worth"

    @property
    def order(self) -> str:
        """The order as SQL has it; an index holds it."""
        return "urgency DESC, worth DESC, depth, id" if self is Priority.WORTH else "urgency DESC, depth, id"


def worth(depth: int, inlinks: int, listed: int, changes: float) -> float:
    """Return what a page is probably worth: more than 0, less than 1.

    `depth` counts links from a seed, `listed` is 1 for what stands in a sitemap, `changes` is a rate a day.
    """
    near = 0.5**depth
    linked = math.log1p(min(inlinks, MAX_INLINKS)) / math.log1p(MAX_INLINKS)
    total = NEAR * near + LINKED * linked + LISTED * (listed > 0) + LIVELY * min(max(changes, 0.0), 1.0)
    return min(total, UNJUDGED - 1e-9)


def prepare_order(database: CrawlDatabase, priority: Priority) -> None:
    """Make the index that the order needs, or drop it: what is not used shall cost nothing."""
    if priority is Priority.BREADTH:
        if database.value("SELECT 1 FROM sqlite_master WHERE name = 'url_worth'") is not None:
            database.connection.execute("DROP INDEX url_worth")
        return
    database.connection.create_function("worth_of", 6, _worth_of, deterministic=True)
    database.connection.execute(_INDEX)
    database.connection.execute(f"UPDATE url SET worth = {UNJUDGED} WHERE state = 0")  # links have come since


def judge_worth(database: CrawlDatabase, site: int) -> None:
    """Give the queued URLs of a site that have none their worth, in a transaction of its own."""
    waiting = "SELECT id FROM url WHERE site = ? AND state = 0 AND worth = ?"
    if database.value(f"{waiting} LIMIT 1", site, UNJUDGED) is None:
        return
    inlinks = f"SELECT count(*) FROM (SELECT DISTINCT source FROM link WHERE target = url.id LIMIT {MAX_INLINKS})"
    listed = "lastmod IS NOT NULL OR found_by = 'sitemap'"
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
        "UPDATE url SET worth = ? WHERE id = ? AND state = 0 AND worth < ?", [(UNJUDGED, url, UNJUDGED) for url in urls]
    )


def _worth_of(depth: int, inlinks: int, listed: int, visits: int, unchanged: int, seconds: float) -> float:
    changes = change_rate(History(visits, unchanged, seconds, 0.0, 0.0))
    return worth(depth, inlinks, listed, changes * DAY)
