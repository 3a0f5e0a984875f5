"""What happens when a page leaves? It, its links and its copies: all that hung on it is settled at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.tables.canonicals import settle
from crawldb.tables.copies import release
from crawldb.tables.feed import Feed
from crawldb.tables.links import LinkGraph
from crawldb.tables.pages import Pages

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from crawldb.tables.journal import Journal


def take_out(database: CrawlDatabase, journal: Journal, url: int, links: LinkGraph | None = None) -> bool:
    """Remove the page of a URL within the caller's transaction; return whether there was one.

    Its oldest copy takes its place, the pages that it linked to lose its words, and the index is told of all of them.
    """
    if database.value("SELECT 1 FROM page WHERE url = ?", url) is None:
        return False
    changed = {url, *release(database, journal, url)}
    for target in (links or LinkGraph(database)).replace(url, ()):
        if is_indexed(database, target):
            changed.add(target)
    Pages(database).remove(url)
    for page in tuple(changed):
        changed.update(settle(database, journal, page))
    Feed(database).announce(sorted(changed))
    return True


def is_indexed(database: CrawlDatabase, url: int) -> bool:
    """Return whether the page of a URL is one that the index holds."""
    return database.value("SELECT 1 FROM page WHERE url = ? AND refusals = '[]'", url) is not None
