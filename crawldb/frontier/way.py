"""Does the way to a page lead through pages of its own kind? Only then can there be ever more of them.

What a single page lists has an end, however alike its entries are; what goes on from itself may have none. So this is
asked before a page counts against its pattern, and before a site is asked whether it makes pages up.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from crawldb.frontier.traps import PatternKind, patterns_of, trees_of
from crawldb.page import CanonicalUrl

if TYPE_CHECKING:
    from sqlite3 import Connection

    from crawldb.frontier.traps import Pattern

STEPS = 2  # links in a row, each to something below the page that it stands on
LOOKED_BACK = 100  # pages of a way: a chain of thousands shows what it is in the last of them
_WAY_TO = (
    "WITH RECURSIVE way (id) AS (SELECT found_on FROM url WHERE id = ? UNION "
    f"SELECT url.found_on FROM url JOIN way ON url.id = way.id LIMIT {LOOKED_BACK}) "
    "SELECT url.url FROM way JOIN url ON url.id = way.id"
)


def comes_from_its_own(connection: Connection, url: int, pattern: Pattern) -> bool:
    """Return whether one of the last two pages before `url` is of its pattern too: then no list has led to it."""
    return any(pattern in patterns_of(name) for name in _last(connection, url)[1:])


def _last(connection: Connection, url: int) -> list[CanonicalUrl]:
    """Return the last pages of the way to `url`, the latest first, which is `url` itself."""
    rows = connection.execute(
        "WITH RECURSIVE way (id, step) AS (SELECT ?, 0 UNION ALL SELECT url.found_on, step + 1 FROM url "
        "JOIN way ON url.id = way.id WHERE step < ?) SELECT url.url FROM way JOIN url ON url.id = way.id ORDER BY step",
        (url, STEPS),
    )
    return [CanonicalUrl(name) for (name,) in rows]


def grows(connection: Connection, url: int) -> bool:
    """Return whether the last links to `url` each led below the page that they stand on: `/a/`, `/a/b/`, `/a/b/c/`."""
    folders = [name.partition("?")[0].rpartition("/")[0] for name in _last(connection, url)]
    return len(folders) > STEPS and all(below.startswith(f"{above}/") for below, above in pairwise(folders))


def may_be_endless(connection: Connection, url: int, pattern: Pattern, *, dated: bool = False) -> bool:
    """Return whether the way from a seed to `url` leads through its pattern, or twice through another's numbers.

    For a `dated` page once is enough: the days of one month are as many as a calendar needs to be known.
    Through a tree it has to lead twice: every page of a site is below its front page.
    """
    way = [CanonicalUrl(name) for (name,) in connection.execute(_WAY_TO, (url,))]
    if pattern.is_tree:
        return sum(pattern in trees_of(name) for name in way) > 1
    patterns = [one for name in way for one in patterns_of(name)]
    numbered = [one for one in patterns if one.kind is PatternKind.NUMBERED]
    repeated = pattern in patterns or len(set(numbered)) < len(numbered) or (dated and bool(numbered))
    return repeated or any(pattern.is_made_by(name) for name in way)
