"""What does the index read of a crawl? The pages that changed, in the change feed, and the whole graph of links.

**Feed.** It has one row for each changed page, by its newest sequence number. A row means *that* a page changed, not
how. The reader looks the page up, and finds it stored, rejected or gone. So the index writes a page once that changes
twice before a commit, and a repeated row does no harm.

**Links.** Rows of the database as arrays. A page may have several names: a redirect leads to it, it is a copy, or it
names another page as its canonical URL. Such pairs are returned as stored, and the caller counts their links for one
page. In a divided crawl these are the links within one part. `PartLinks` is what the part knows of the graph of all
parts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from crawldb.pages.link_only import link_only_page
from crawldb.pages.pages import Pages, signals_of
from crawldb.tables.links import MAX_ANCHORS, anchors_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from crawldb.database import CrawlDatabase
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

    @property
    def crawl(self) -> str:
        """The identity of the crawl."""
        return self._database.identity

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
        return set(self._database.column("SELECT url FROM change WHERE seq > ?", seq))

    def links(self) -> tuple[LinkRows, int]:
        """Return the whole graph of links as it is now, and how many of them have come or gone so far."""
        changes = self.changes_of_links()  # asked first: what comes in between is counted once more
        return read_link_rows(self._database), changes

    def link_texts(self) -> LinkTextRows:
        """Return the texts of all links as they are now."""
        return read_link_texts(self._database)

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


_PAIRS = (  # URLs that are names of one page; each of these columns has an index of its own
    "SELECT id, moved_to FROM url WHERE moved_to IS NOT NULL "
    "UNION SELECT url, duplicate_of FROM page WHERE duplicate_of IS NOT NULL "
    "UNION SELECT url, canonical FROM page WHERE canonical IS NOT NULL"
)


@dataclass(frozen=True, slots=True)
class LinkRows:
    """The links between URLs, and what is known of the URLs; m links, n URLs, all numbers are ids of the database."""

    urls: tuple[str, ...]  # n, canonical
    ids: NDArray[np.int64]  # n, ascending
    sites: NDArray[np.int64]  # n
    roots: NDArray[np.bool_]  # n: a seed or submitted, or another part of a divided crawl led to it
    links: NDArray[np.int64]  # (m, 2): source and target, each pair once
    names: NDArray[np.int64]  # (k, 2): two URLs of one page
    clusters: NDArray[np.int64]  # (c, 2): a URL, and the cluster of pages that say nearly the same as its page


@dataclass(frozen=True, slots=True)
class PartLinks:
    """The graph of all parts as one part knows it: in `rows` only seeds are roots."""

    rows: LinkRows  # `clusters` below 0 are numbers that several parts share
    foreign: tuple[tuple[str, int], ...]  # a page of another part, and the id of a URL that it links to; each pair once
    fingerprints: tuple[tuple[int, bytes], ...]  # of the pages in the index
    changes: int  # links that had come or gone when it was read
    named: tuple[tuple[str, int], ...] = ()  # a page of another part, and the id of one that names it as its address


@dataclass(frozen=True, slots=True)
class LinkTextRows:
    """Which links have which texts? m links, without those whose text is empty; numbers are ids of the database."""

    texts: dict[int, str]
    targets: dict[int, str]  # the URLs of the pages that links lead to
    links: NDArray[np.int64]  # (m, 3): text, target, and who links: a page of the target's site, or a site, below 0


_SEEDS = "seed"
_FIRST_HERE = "seed OR id IN (SELECT url FROM foreign_source)"  # of one part alone: where others lead to begins here
_CLUSTERS = "SELECT url, cluster FROM page WHERE cluster IS NOT NULL"
_JOINED = "SELECT url, coalesce(-joined, id) FROM page JOIN cluster ON cluster.id = page.cluster"


def read_link_rows(database: CrawlDatabase) -> LinkRows:
    """Read the graph in one state: a link that came while it is read would lead to a URL that is not there yet.

    A million links take about a second.
    """
    return _read(database, _FIRST_HERE, _CLUSTERS)


def read_part_links(database: CrawlDatabase) -> PartLinks:
    """Read what a part knows of the graph of all parts, in one state."""
    with database.one_state() as connection:
        changes = database.count("SELECT links FROM link_change")
        foreign = connection.execute(
            "SELECT DISTINCT page.url, target FROM link JOIN foreign_page AS page ON page.id = -source WHERE source < 0"
        )
        prints = connection.execute("SELECT url, fingerprint FROM indexed_page ORDER BY url")
        named = connection.execute("SELECT target, url FROM foreign_canonical JOIN page USING (url)")
        return PartLinks(_read(database, _SEEDS, _JOINED), tuple(foreign), tuple(prints), changes, tuple(named))


def _read(database: CrawlDatabase, roots_are: str, clusters_are: str) -> LinkRows:
    with database.one_state() as connection:
        rows = connection.execute(f"SELECT id, url, site, {roots_are} FROM url ORDER BY id").fetchall()
        ids, urls, sites, roots = zip(*rows, strict=True) if rows else ((), (), (), ())
        return LinkRows(
            urls,
            np.array(ids, np.int64),
            np.array(sites, np.int64),
            np.array(roots, np.bool_),
            _columns(database, 2, "SELECT DISTINCT source, target FROM link WHERE source > 0"),
            _columns(database, 2, _PAIRS),
            _columns(database, 2, clusters_are),
        )


def read_link_texts(database: CrawlDatabase) -> LinkTextRows:
    """Read the texts of all links in one state. A million links take two seconds."""
    with database.one_state() as connection:
        texts = dict(connection.execute("SELECT id, text FROM anchor WHERE text != ''").fetchall())
        targets = dict(connection.execute("SELECT id, url FROM url WHERE id IN (SELECT target FROM link)").fetchall())
        sites = _columns(database, 2, "SELECT id, site FROM url ORDER BY id")
        links = _columns(database, 3, "SELECT anchor, target, source FROM link WHERE source > 0")
        foreign = connection.execute(
            "SELECT DISTINCT anchor, target, site FROM link JOIN foreign_page ON id = -source WHERE source < 0"
        ).fetchall()
    site_of = sites[:, 1]
    text, target, source = links.T
    own, theirs = (site_of[np.searchsorted(sites[:, 0], ids)] for ids in (target, source))
    known = np.stack([text, target, np.where(own == theirs, source, -theirs)], axis=1)
    last = int(site_of.max(initial=0))  # a site of another part has a number after those of this one
    numbers = {site: number for number, site in enumerate(sorted({site for _, _, site in foreign}), last + 1)}
    others = np.array([(text, target, -numbers[site]) for text, target, site in foreign], np.int64).reshape(-1, 3)
    every = np.concatenate([known, others])
    return LinkTextRows(texts, targets, every[np.isin(every[:, 0], np.array([*texts], np.int64))])


def inlinks_of(database: CrawlDatabase, target: int) -> int:
    """Return how many other pages link to a URL, by links that are followed."""
    return database.count("SELECT count(DISTINCT source) FROM link WHERE target = ?", target)


def site_ids(database: CrawlDatabase) -> dict[str, int]:
    """Return the ids of all sites by their names, in the order of these."""
    return dict(database.connection.execute("SELECT name, id FROM site ORDER BY name").fetchall())


def _columns(database: CrawlDatabase, columns: int, sql: str) -> NDArray[np.int64]:
    rows = database.connection.execute(sql)
    return np.fromiter(chain.from_iterable(rows), np.int64).reshape(-1, columns)
