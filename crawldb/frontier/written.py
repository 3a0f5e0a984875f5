"""How far may a chain of pages go on? Beyond MAX_DEPTH, once its site has shown that it does not make pages up.

A diary that leads from day to day, a list that leads from page to page: the hundredth is a hundred links from the seed,
and as good as the first. Such a page is asked for as if it were half of MAX_DEPTH away, and what it leads to, such as
the articles of a list, a link further.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.frontier.traps import PatternKind, patterns_of, trees_of
from crawldb.frontier.traps.standing import Standing
from crawldb.page import CanonicalUrl
from crawldb.state import State

if TYPE_CHECKING:
    from sqlite3 import Connection

    from crawldb.tables.patterns import Patterns

DEPTH = "depth"  # the rule of what is too deep


def depth_of_written(max_depth: int) -> int:
    """Return as how many links from a seed a page counts that is too deep, where its pattern's pages were written."""
    return max_depth // 2


def was_written(patterns: Patterns, site: int, url: CanonicalUrl) -> bool:
    """Return whether the pages of the pattern of `url` were written, as a probe has shown, or a person has said.

    `traps/standing.py` has the rule of the one, `release.py` the other.
    """
    own = patterns_of(url)[0]
    asked = own if own.kind is PatternKind.NUMBERED else trees_of(url)[0]
    account = patterns.account(site, asked)
    return account is not None and (account.exempt or account.standing is Standing.WRITTEN)


def held_by_depth(connection: Connection, patterns: Patterns, account: int) -> list[tuple[int, str]]:
    """Return ids and addresses of what only its depth keeps out of a pattern whose pages were written."""
    (site,) = connection.execute("SELECT site FROM pattern WHERE id = ?", (account,)).fetchone()
    rows = connection.execute(
        "SELECT id, url FROM url WHERE site = ? AND state = ? AND rule = ?", (site, State.SUPPRESSED, DEPTH)
    ).fetchall()
    return [(identity, name) for identity, name in rows if was_written(patterns, site, CanonicalUrl(name))]
