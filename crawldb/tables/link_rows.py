"""What does the whole graph of links look like? Rows of the database as arrays.

A page may have several names: a redirect leads to it, it is a copy, or it names another page as its canonical URL.
Such pairs are returned as stored, and the caller counts their links for one page.

In a divided crawl these are the links within one part. `PartLinks` is what the part knows of the graph of all parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from crawldb.database import CrawlDatabase

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
            _pairs(database, "SELECT DISTINCT source, target FROM link WHERE source > 0"),
            _pairs(database, _PAIRS),
            _pairs(database, clusters_are),
        )


def inlinks_of(database: CrawlDatabase, target: int) -> int:
    """Return how many other pages link to a URL, by links that are followed."""
    return database.count("SELECT count(DISTINCT source) FROM link WHERE target = ?", target)


def site_ids(database: CrawlDatabase) -> dict[str, int]:
    """Return the ids of all sites by their names, in the order of these."""
    return dict(database.connection.execute("SELECT name, id FROM site ORDER BY name").fetchall())


def _pairs(database: CrawlDatabase, sql: str) -> NDArray[np.int64]:
    rows = database.connection.execute(sql)
    return np.fromiter(chain.from_iterable(rows), np.int64).reshape(-1, 2)
