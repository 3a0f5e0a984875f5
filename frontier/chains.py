"""Does the way to a page lead through pages of its own kind? Only then can there be ever more of them.

What a single page lists has an end, however alike its entries are; what goes on from itself may have none. So this is
asked before a page counts against its pattern, and before a site is asked whether it makes pages up.

Some traps are wider than one pattern. Each link of `/shop/red/`, `/shop/red/large/`, … is in a folder of its own, and
each `?print=1` is another page's: no narrow pattern ever has enough of them. So paths that grow with each link are
counted as a tree, below the first folder of their site. Views of pages are counted by the names of their parameters
alone, and of those only copies count: whoever has read the pages has read their views.

A chain of pages may go on beyond MAX_DEPTH, once its site has shown that it does not make pages up. A diary that leads
from day to day, a list that leads from page to page: the hundredth is a hundred links from the seed, and as good as the
first. Such a page is asked for as if it were half of MAX_DEPTH away, and what it leads to, such as the articles of a
list, a link further.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from crawldb.tables.urls import State
from urls.counted import counted
from urls.records import CanonicalUrl
from urls.rules import Rule
from urls.traps.made_up import Authorship
from urls.traps.novelty import is_exhausted, leads_through_itself, page_marks
from urls.traps.pattern import PatternKind, path_and_query, patterns_of, trees_of, views_of

if TYPE_CHECKING:
    from sqlite3 import Connection

    from crawldb.tables.patterns import PatternAccount, Patterns
    from urls.records import Page
    from urls.traps.pattern import Pattern

STEPS = 2  # links in a row, each to something below the page that it stands on
LOOKED_BACK = 100  # pages of a way: a chain of thousands shows what it is in the last of them
_WAY_TO = (
    "WITH RECURSIVE way (id) AS (SELECT found_on FROM url WHERE id = ? UNION "
    f"SELECT url.found_on FROM url JOIN way ON url.id = way.id LIMIT {LOOKED_BACK}) "
    "SELECT url.url FROM way JOIN url ON url.id = way.id"
)
_LAST_STEPS_TO = (
    "WITH RECURSIVE way (id, step) AS (SELECT ?, 0 UNION ALL SELECT url.found_on, step + 1 FROM url "
    f"JOIN way ON url.id = way.id WHERE step < {STEPS}) "
    "SELECT url.url FROM way JOIN url ON url.id = way.id ORDER BY step"
)


def comes_from_its_own_pattern(connection: Connection, url: int, pattern: Pattern) -> bool:
    """Return whether one of the last two pages before `url` is of its pattern too: then no list has led to it."""
    return any(pattern in patterns_of(name) for name in _last_links_to(connection, url)[1:])


def path_grows(connection: Connection, url: int, address: CanonicalUrl) -> bool:
    """Return whether the last links to `url` each led below the page that they stand on: `/a/`, `/a/b/`, `/a/b/c/`."""
    if path_and_query(address)[0].count("/") <= STEPS:
        return False  # it is not as deep as that: nobody need look for the way to it
    folders = [name.partition("?")[0].rpartition("/")[0] for name in _last_links_to(connection, url)]
    return len(folders) > STEPS and all(below.startswith(f"{above}/") for below, above in pairwise(folders))


def _last_links_to(connection: Connection, url: int) -> list[CanonicalUrl]:
    """Return the last pages of the way to `url`, the latest first, which is `url` itself."""
    return [CanonicalUrl(name) for (name,) in connection.execute(_LAST_STEPS_TO, (url,))]


def may_be_endless(connection: Connection, url: int, pattern: Pattern, *, dated: bool = False) -> bool:
    """Return whether the way from a seed to `url` leads through its pattern (urls/traps/novelty.py has the rule)."""
    way = [CanonicalUrl(name) for (name,) in connection.execute(_WAY_TO, (url,))]
    return leads_through_itself(way, pattern, dated=dated)


@dataclass(frozen=True, slots=True)
class Closing:
    """A pattern that has had its chance, by its account, and why nothing more of it is asked for."""

    account: PatternAccount
    why: str


def closing_of(account: PatternAccount, barren: int, patience: int, why: str) -> Closing | None:
    """Return the closing of a pattern that is open, where `barren` pages by now exhaust the patience; else None."""
    return Closing(account, why) if account.may_be_closed and is_exhausted(account.pattern, barren, patience) else None


def note_in_tree_or_views(
    connection: Connection, patterns: Patterns, url: int, site: int, page: Page, patience: int, *, copy: bool
) -> Closing | None:
    """Enter a page into the account of its tree or its views; return what that closes. `copy`: it is known content."""
    views = views_of(page.url)
    if views is not None:
        account = patterns.ensure(site, views)
        barren = patterns.note_page_of_tree_or_views(account.id, fresh=not copy, counts=copy)
        copies = counted(barren, "page was a copy of a known one", "pages in a row were copies of known ones")
        why = f"with the parameters of {views.name[:100]}, {copies}"
        return closing_of(account, barren, patience, why)
    if patterns_of(page.url)[0].kind is not PatternKind.FOLDER or not path_grows(connection, url, page.url):
        return None
    tree = trees_of(page.url)[0]
    account = patterns.ensure(site, tree)
    fresh = not copy and patterns.has_new_line(account.id, page_marks(page, tree))
    barren = patterns.note_page_of_tree_or_views(account.id, fresh=fresh, counts=not fresh)
    why = f"paths below {tree.name[:100]} grow with each link, and {counted(barren, 'page')} in a row said nothing new"
    return closing_of(account, barren, patience, why)


def depth_of_written(max_depth: int) -> int:
    """Return the depth with which a page counts beyond MAX_DEPTH, where the pages of its pattern were written."""
    return max_depth // 2


def was_written(patterns: Patterns, site: int, url: CanonicalUrl) -> bool:
    """Return whether the pages of the pattern of `url` were written: a probe has shown it, or a person has said so.

    `urls/traps/made_up.py` has the rule of the one, `release.py` the other.
    """
    own = patterns_of(url)[0]
    accounts = patterns.find(site, [own if own.kind is PatternKind.NUMBERED else trees_of(url)[0]]).values()
    return any(account.exempt or account.authorship is Authorship.WRITTEN for account in accounts)


def held_by_depth(connection: Connection, patterns: Patterns, account: int) -> list[tuple[int, str]]:
    """Return ids and addresses of what only its depth keeps out of a pattern whose pages were written."""
    (site,) = connection.execute("SELECT site FROM pattern WHERE id = ?", (account,)).fetchone()
    rows = connection.execute(
        "SELECT id, url FROM url WHERE site = ? AND state = ? AND rule = ?", (site, State.SUPPRESSED, Rule.DEPTH)
    ).fetchall()
    return [(identity, name) for identity, name in rows if was_written(patterns, site, CanonicalUrl(name))]
