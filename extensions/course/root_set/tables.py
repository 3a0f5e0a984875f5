"""From which URL does a crawl get to which? The links, and all other ways, as arrays.

Other ways are redirects, refreshes, entries of sitemaps and feeds, and canonical addresses. Of an entry, only the file
that named the URL first is kept (`url.found_on`). A robots.txt leads from any URL of its site to its sitemaps.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from crawldb.pages.feed import LinkRows, read_link_rows, site_ids
from urls.canonical import canonicalize, site_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from crawldb.database import CrawlDatabase

_OTHER_WAYS = (
    "SELECT found_on, id FROM url WHERE found_on IS NOT NULL "
    "UNION SELECT id, moved_to FROM url WHERE moved_to IS NOT NULL "
    "UNION SELECT url, canonical FROM page WHERE canonical IS NOT NULL "
    "UNION SELECT parent, child FROM sitemap_child"
)


@dataclass(frozen=True, slots=True)
class WayRows:
    """The links of a crawl, and the other ways; all numbers are ids of the database."""

    links: LinkRows
    others: NDArray[np.int64]  # (k, 2): a URL that leads to another, in another way than a link
    sitemaps: NDArray[np.int64]  # (s, 2): a site, and a sitemap that its robots.txt names
    stored: NDArray[np.int64]  # URLs with a stored page
    seeds: NDArray[np.int64]  # the root set
    handed_over: NDArray[np.int64]  # URLs to which other parts of a divided crawl lead
    sites: dict[str, int]


def read_ways(database: CrawlDatabase) -> WayRows:
    """Read all ways in one state. A million links take about a second."""
    with database.one_state():
        sites = site_ids(database)
        return WayRows(
            read_link_rows(database),
            _numbers(database, _OTHER_WAYS).reshape(-1, 2),
            _sitemaps(database, sites),
            _numbers(database, "SELECT url FROM page ORDER BY url"),
            _numbers(database, "SELECT id FROM url WHERE seed = 1 ORDER BY id"),
            _numbers(database, "SELECT url FROM foreign_source ORDER BY url"),
            sites,
        )


def _sitemaps(database: CrawlDatabase, sites: dict[str, int]) -> NDArray[np.int64]:
    rows = database.connection.execute("SELECT origin, sitemap FROM sitemap_naming")
    named = [(sites.get(site_of(canonicalize(f"{origin}/"))), sitemap) for origin, sitemap in rows]
    return np.array([row for row in named if row[0] is not None], np.int64).reshape(-1, 2)


def _numbers(database: CrawlDatabase, sql: str) -> NDArray[np.int64]:
    return np.fromiter(chain.from_iterable(database.connection.execute(sql)), np.int64)
