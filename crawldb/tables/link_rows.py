"""What does the whole graph of links look like, at once? Rows of the database as arrays, for what asks about all of it.

A page may have several names: it redirects, says the same as another one, or names another one as its canonical
address. Such pairs are given as they are kept; whoever counts links lets them count for one page.

Of a crawl in several parts these are the links within one part; those between parts are `foreign_links`.
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


def read_link_rows(database: CrawlDatabase) -> LinkRows:
    """Read the graph in one state: a link that came while it is read would lead to a URL that is not there yet.

    A million links take about a second.
    """
    with database.one_state() as connection:
        rows = connection.execute(
            "SELECT id, url, site, seed OR id IN (SELECT url FROM foreign_source) FROM url ORDER BY id"
        ).fetchall()
        ids, urls, sites, roots = zip(*rows, strict=True) if rows else ((), (), (), ())
        return LinkRows(
            urls,
            np.array(ids, np.int64),
            np.array(sites, np.int64),
            np.array(roots, np.bool_),
            _pairs(database, "SELECT DISTINCT source, target FROM link WHERE source > 0"),
            _pairs(database, _PAIRS),
            _pairs(database, "SELECT url, cluster FROM page WHERE cluster IS NOT NULL"),
        )


def inlinks_of(database: CrawlDatabase, target: int) -> int:
    """Return how many other pages link to a URL, by links that are followed."""
    return database.count("SELECT count(DISTINCT source) FROM link WHERE target = ?", target)


def _pairs(database: CrawlDatabase, sql: str) -> NDArray[np.int64]:
    rows = database.connection.execute(sql)
    return np.fromiter(chain.from_iterable(rows), np.int64).reshape(-1, 2)
