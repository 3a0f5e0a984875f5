"""Which other pages are copies of a stored page, or nearly so? Their rows are updated at once.

`Copies` handles exact copies and canonical pages. If a page has changed, one of its former copies takes its place.
Pages that name it as their canonical page stand aside, or come back. All of them go into the change feed.

`NearCopies` puts a page into the cluster of its near duplicates, and journals why it joined.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crawldb.pages.copies import apply_canonical, prefer_named_host, release_copies, those_with_link_words
from crawldb.pages.feed import Feed
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Collection

    from crawldb.database import CrawlDatabase
    from crawldb.pages.clusters import Clusters
    from crawldb.pages.pages import PageDigest
    from crawldb.tables.journal import Journal
    from frontier.followers.order import WrittenPage
    from urls.records import Page


class Copies:
    """Announces a page to the index, and all pages that enter or leave the index because of it."""

    def __init__(self, database: CrawlDatabase, journal: Journal) -> None:
        self._database = database
        self._journal = journal
        self._feed = Feed(database)

    def page_stored(self, stored: WrittenPage) -> None:
        """Release the copies of the former text of a page, and announce all that has changed."""
        before = stored.before
        if before is not None and _copied(before) != _copied(stored.after):
            for heir in release_copies(self._database, self._journal, stored.url, stays=True):
                self._feed.announce([heir, *apply_canonical(self._database, self._journal, heir)])
        self.announce(stored.url, stored.reworded, has_changed=stored.has_changed)

    def announce(self, url: int, reworded: Collection[int], *, has_changed: bool) -> None:
        """Release the copies of the earlier version of a page, and put all changes into the change feed."""
        database, journal = self._database, self._journal
        others = [*apply_canonical(database, journal, url), *prefer_named_host(database, journal, url)]
        changed = {*those_with_link_words(database, reworded)}
        self._feed.announce(others)
        self._feed.announce(sorted(changed | {url} if has_changed else changed))


def _copied(digest: PageDigest) -> object:
    """Return the part of a page that its copies share: the fingerprint, and why it is not in the index, if so."""
    return digest.fingerprint, digest.refusals


class NearCopies:
    """Puts each page into the cluster of its near copies."""

    def __init__(self, database: CrawlDatabase, journal: Journal, clusters: Clusters) -> None:
        self._feed = Feed(database)
        self._journal = journal
        self._clusters = clusters

    def page_stored(self, stored: WrittenPage) -> None:
        """Put a page into its cluster, and note on the page its near duplicate."""
        stored.page = self.place(stored.url, stored.page, is_announced=stored.has_changed)

    def place(self, url: int, page: Page, *, is_announced: bool = False) -> Page:
        """Return the page with its near duplicate, if any; journal once that it joined a cluster.

        `is_announced`: the feed has the page already.
        """
        kept = all(refusal.rule == Rule.CANONICAL for refusal in page.refusals)  # a non-canonical page may come back
        near = self._clusters.place(url, page.signature if kept else b"")
        if near.moved and not is_announced:
            self._feed.announce([url])
        if near.canonical is None:
            return page
        if near.moved:
            why = (
                f"it says nearly the same as {near.canonical}, and a search shows one of them for both: resemblance "
                f"{near.similarity:.2f} (MinHash) to the page with which their cluster began; NEAR_DUPLICATE_THRESHOLD "
                f"is {self._clusters.threshold:g}"
            )
            self._journal.write(url, Rule.NEAR_DUPLICATE, why)
        return replace(page, near_duplicate_of=near.canonical, resemblance=near.similarity)
