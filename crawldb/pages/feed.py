"""Which pages must the index read again? The change feed: one row for each changed page, by its newest sequence number.

A row means *that* a page changed, not how. The reader looks the page up, and finds it stored, rejected or gone. So the
index writes a page once that changes twice before a commit, and a repeated row does no harm.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawldb.pages.link_only import link_only_page
from crawldb.pages.pages import Pages, signals_of
from crawldb.tables.link_rows import read_link_rows
from crawldb.tables.links import MAX_ANCHORS, anchors_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crawldb.database import CrawlDatabase
    from crawldb.tables.link_rows import LinkRows
    from urls.records import CanonicalUrl, Page

LAST = 2**63 - 1  # the last number that a feed can have


@dataclass(frozen=True, slots=True)
class Change:
    """One row of the feed: the page as it is now, or None when it must leave the index."""

    seq: int
    url: CanonicalUrl
    page: Page | None


class Feed:
    """The change feed of a crawl database."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._pages = Pages(database)

    def announce(self, urls: Iterable[int]) -> None:
        """Put the URLs with these ids at the end of the feed, within the caller's transaction."""
        self._database.connection.executemany(
            "INSERT OR REPLACE INTO change (url) VALUES (?)", [(url,) for url in urls]
        )

    def announce_again(self, urls: Iterable[int]) -> None:
        """Put those of the URLs at the end of the feed that were in it and have no page: the index may let them go."""
        self._database.connection.executemany(
            "INSERT OR REPLACE INTO change (url) SELECT url FROM change WHERE url = ? AND url NOT IN "
            "(SELECT url FROM page)",
            [(url,) for url in urls],
        )

    def check_place(self) -> None:
        """Raise StorageError where the database was taken away: what a reader still sees is of a crawl that is over."""
        self._database.check_place()

    def urls_after(self, seq: int) -> set[int]:
        """Return the ids of all URLs that changed after `seq`."""
        return {url for (url,) in self._database.connection.execute("SELECT url FROM change WHERE seq > ?", (seq,))}

    def links(self) -> tuple[LinkRows, int]:
        """Return the whole graph of links as it is now, and how many of them have come or gone so far."""
        changes = self.changes_of_links()  # asked first: what comes in between is counted once more
        return read_link_rows(self._database), changes

    def changes_of_links(self) -> int:
        """Return how many links have come or gone since the crawl began."""
        return self._database.count("SELECT links FROM link_change")

    def last(self) -> int:
        """Return the newest sequence number; 0 where nothing has changed yet."""
        return self._database.count("SELECT max(seq) FROM change")

    def rows(self) -> int:
        """Return how many changes there are: one for each URL that ever had one."""
        return self._database.count("SELECT count(*) FROM change")

    def waiting(self, seq: int) -> int:
        """Return how many changes there are after `seq`."""
        return self._database.count("SELECT count(*) FROM change WHERE seq > ?", seq)

    def middle(self) -> int:
        """Return the number of a change that as many are before as after; 0 where there is none."""
        return self._database.count(
            "SELECT seq FROM change ORDER BY seq LIMIT 1 OFFSET (SELECT count(*) / 2 FROM change)"
        )

    def after(self, seq: int, limit: int, until: int = LAST) -> Iterator[Change]:
        """Yield at most `limit` changes after `seq`, none of them after `until`, oldest first."""
        rows = self._database.connection.execute(
            "SELECT seq, url.url, url.id FROM change JOIN url ON url.id = change.url "
            "WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
            (seq, until, limit),
        ).fetchall()
        for number, url, identity in rows:
            yield Change(number, url, self._indexable(url, identity))

    def _indexable(self, url: CanonicalUrl, identity: int) -> Page | None:
        page = self._pages.get(url)
        if page is None:
            return link_only_page(self._database, url, identity)
        if page.refusals:
            return None
        signals = signals_of(self._database, identity, page.signals)
        return replace(page, anchors=anchors_of(self._database, identity, MAX_ANCHORS), signals=signals)
