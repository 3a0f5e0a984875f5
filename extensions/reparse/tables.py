"""Which stored pages are still to be read again? A list that shrinks with each transaction, so a kill loses nothing.

`reparse` lists all its pages before it reads the first. Each of its transactions removes the stored ones from the list.
A second start continues with the rest, if it has the same version: the same rules, and the same choice of pages.

Pages in the index come first. So a copy meets the new reading of its original, and stays a copy.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from crawldb.database import in_index
from crawldb.pages.bodies import NO_PAGES, is_withheld
from crawldb.pages.pages import Pages

if TYPE_CHECKING:
    from collections.abc import Collection

    from crawldb.database import CrawlDatabase
    from urls.records import Page

AT_ONCE = 1000  # places read from the list at a time


class Place(NamedTuple):
    """A page on the list."""

    place: int
    url: str


class Rereading:
    """The list, within the caller's transaction."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._connection = database.connection

    def begin(self, version: str, pages: Collection[int] | None, sample: int = 0) -> bool:
        """Write a new list, unless one of this version is left; return whether one is.

        `pages` are ids of URLs, None for all; `sample` takes so many of them, always the same. Pages without a body are
        left out.
        """
        if self._database.value("SELECT version FROM rereading") == version:
            return True
        self.end()
        self._connection.execute("CREATE TEMP TABLE IF NOT EXISTS chosen (url INTEGER PRIMARY KEY)")
        self._connection.execute("DELETE FROM chosen")
        self._connection.executemany("INSERT OR IGNORE INTO chosen VALUES (?)", [(page,) for page in pages or ()])
        self._connection.execute(
            "INSERT INTO to_read_again (url) SELECT id FROM (SELECT url.id FROM body "
            "JOIN page ON page.url = body.url JOIN url ON url.id = body.url "
            "WHERE ?1 OR url.id IN (SELECT url FROM chosen) ORDER BY url_key(url.url), url.id LIMIT ?2) "
            f"ORDER BY NOT {in_index('id')}, id",
            (pages is None, sample or -1),
        )
        self._connection.execute(
            "INSERT INTO rereading (one, version, began_at, pages) SELECT 1, ?, ?, count(*) FROM to_read_again",
            (version, time.time()),
        )
        return False

    @property
    def counts(self) -> tuple[int, int, int]:
        """The number of pages on the list at first, those left, and the changed ones among the others."""
        row = self._connection.execute(
            "SELECT pages, (SELECT count(*) FROM to_read_again), changed FROM rereading"
        ).fetchone()
        return (0, 0, 0) if row is None else (row[0], row[1], row[2])

    def after(self, place: int) -> list[Place]:
        """Return the next pages on the list."""
        rows = self._connection.execute(
            "SELECT place, url.url FROM to_read_again JOIN url ON url.id = to_read_again.url WHERE place > ? "
            "ORDER BY place LIMIT ?",
            (place, AT_ONCE),
        )
        return [Place(*row) for row in rows]

    def done(self, up_to: int, changed: int) -> None:
        """Remove the stored pages from the list: all up to a place, of which `changed` have changed."""
        self._connection.execute("DELETE FROM to_read_again WHERE place <= ?", (up_to,))
        self._connection.execute("UPDATE rereading SET changed = changed + ?", (changed,))

    def end(self) -> None:
        """Delete the list."""
        self._connection.execute("DELETE FROM to_read_again")
        self._connection.execute("DELETE FROM rereading")


def reasons_without_body(database: CrawlDatabase) -> Counter[str]:
    """Return the number of stored pages that can't be read again, by the reason: noindex, noarchive, no-text, earlier.

    `earlier`: a Breadcrumb stored them that dropped the bodies of refused pages.
    """
    pages, found = Pages(database), Counter[str]()
    rows = database.connection.execute(
        "SELECT url.url FROM page JOIN url ON url.id = page.url WHERE page.url NOT IN (SELECT url FROM body)"
    )
    for (url,) in rows:
        page = pages.get(url)
        if page is not None:
            found[_reason_without_body(page)] += 1
    return found


def _reason_without_body(page: Page) -> str:
    if is_withheld(page):
        return "noindex"
    if not page.controls.archive:
        return "noarchive"
    return "no-text" if any(refusal.rule in NO_PAGES for refusal in page.refusals) else "earlier"


def stored_bodies(database: CrawlDatabase) -> int:
    """Return how many pages are stored with their bodies, so they can be read again."""
    return database.count("SELECT count(*) FROM body")
