"""Which traps are wider than one pattern? Paths that grow with each link, and views of every page of a site.

Each link of `/shop/red/`, `/shop/red/large/`, … is in a folder of its own, and each `?print=1` is another page's: no
narrow pattern ever has enough of them. So the first are counted below the first folder of their site, the others by the
names of their parameters alone, and of those only copies count: whoever has read the pages has read their views.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.frontier.traps import PatternKind, patterns_of, trees_of
from crawldb.frontier.traps.echo import said
from crawldb.frontier.traps.patience import has_had_its_chance
from crawldb.frontier.traps.pattern import views_of
from crawldb.frontier.way import grows

if TYPE_CHECKING:
    from sqlite3 import Connection

    from crawldb.frontier.traps import Pattern
    from crawldb.page import Page
    from crawldb.tables.patterns import Account, Patterns

Closed = tuple["Pattern", "Account", str]  # with the reason


def enter_wide(
    connection: Connection, patterns: Patterns, url: int, site: int, page: Page, patience: int, *, copy: bool
) -> Closed | None:
    """Enter a page into the account of its tree or its views; return what that closes. `copy`: it is known content."""
    views = views_of(page.url)
    if views is not None:
        account = patterns.open(site, views)
        barren = patterns.note_wide(account.id, fresh=not copy, counts=copy)
        why = f"{barren} pages in a row with the parameters of {views.name[:100]} were copies of known ones"
        return _closed(views, account, barren, patience, why)
    if patterns_of(page.url)[0].kind is not PatternKind.FOLDER or not grows(connection, url):
        return None
    tree = trees_of(page.url)[0]
    account = patterns.open(site, tree)
    fresh = not copy and patterns.has_news(account.id, said(page, tree))
    barren = patterns.note_wide(account.id, fresh=fresh, counts=not fresh)
    why = f"paths below {tree.name[:100]} grow with each link, and {barren} pages in a row said nothing new"
    return _closed(tree, account, barren, patience, why)


def kind_of(pattern: Pattern) -> PatternKind:
    """Return as which kind a pattern is patient: a tree as a numbered one, since only what grows counts there."""
    return PatternKind.NUMBERED if pattern.is_tree else pattern.kind


def _closed(pattern: Pattern, account: Account, barren: int, patience: int, why: str) -> Closed | None:
    open_yet = not (account.closed or account.exempt)
    return (pattern, account, why) if open_yet and has_had_its_chance(kind_of(pattern), barren, patience) else None
