"""Which sites does a sitemap speak for? A robots.txt names files, an index lists more, and a redirect leads to one.

A file may be on any host. Its entries count for its own site, and for each site whose robots.txt names it, directly or
by way of an index. Otherwise a site could fill another site's part of the frontier.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from urls.canonical import canonicalize, site_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from crawldb.database import CrawlDatabase
    from urls.records import CanonicalUrl, Sitemap

# All sitemaps for which somebody speaks now: named in a robots.txt, or reached from one that is.
ALIVE = (
    "WITH RECURSIVE alive (id) AS (SELECT sitemap FROM sitemap_naming {where} "
    "UNION SELECT child FROM sitemap_child JOIN alive ON parent = alive.id) SELECT id FROM alive"
)
# A sitemap and those that lead to it, each with the number of indexes in between.
_ABOVE = (
    "WITH RECURSIVE above (id, indexes) AS (SELECT ?, 0 UNION SELECT parent, indexes + by_index FROM sitemap_child "
    "JOIN above ON child = above.id WHERE indexes + by_index <= 1) "
    "SELECT origin, min(indexes) FROM above JOIN sitemap_naming ON sitemap = above.id GROUP BY origin"
)


@dataclass(frozen=True, slots=True)
class SitemapRules:
    """How many sitemap files of one site a run reads, and whether it trusts their dates."""

    files: int = 1000
    trust_lastmod: bool = False


class Sitemaps:
    """The sitemap files and who names them, by the ids of their URLs, within the caller's transaction."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._connection = database.connection

    def named_by(self, origin: str) -> dict[str, int]:
        """Return the files that the robots.txt of an origin names, by URL."""
        sql = "SELECT url.url, url.id FROM sitemap_naming JOIN url ON url.id = sitemap WHERE origin = ?"
        return dict(self._connection.execute(sql, (origin,)).fetchall())

    def name(self, origin: str, sitemaps: Collection[int]) -> None:
        """Make `sitemaps` the files that the robots.txt of an origin names."""
        # Under a new origin more of a file may count, so it is requested in full, and so are the files that it lists.
        new = set(sitemaps).difference(self.named_by(origin).values())
        self._connection.execute("DELETE FROM sitemap_naming WHERE origin = ?", (origin,))
        self._connection.executemany(
            "INSERT INTO sitemap_naming VALUES (?, ?)", [(sitemap, origin) for sitemap in set(sitemaps)]
        )
        alive = ALIVE.format(where="WHERE origin = ?")
        if new:
            sql = f"UPDATE sitemap SET etag = '', last_modified = '' WHERE url IN ({alive})"
            self._connection.execute(sql, (origin,))

    def forget_all_validators(self) -> None:
        """Let the next fetch of every sitemap bring all of it: it is requested without a condition."""
        self._connection.execute("UPDATE sitemap SET etag = '', last_modified = ''")

    def note_unchanged(self, url: int, at: float) -> None:
        """Note that a sitemap was requested `at` that time, and is as it was when it was last read."""
        self._connection.execute("UPDATE sitemap SET read_at = ? WHERE url = ?", (at, url))

    def lead(self, parent: int, children: Iterable[int], *, by_index: bool) -> None:
        """Make `children` the files that `parent` lists, or the one that it redirects to."""
        self._connection.execute("DELETE FROM sitemap_child WHERE parent = ?", (parent,))
        rows = [(parent, child, by_index) for child in children if child != parent]
        self._connection.executemany("INSERT OR IGNORE INTO sitemap_child VALUES (?, ?, ?)", rows)

    def speakers(self, sitemap: int) -> dict[str, int]:
        """Return the origins whose robots.txt leads to a file, each with the number of indexes in between."""
        return dict(self._connection.execute(_ABOVE, (sitemap,)).fetchall())

    def sites(self, sitemap: int, url: CanonicalUrl) -> frozenset[str]:
        """Return the sites whose pages may stand in a file."""
        return frozenset({site_of(url), *(site_of(canonicalize(f"{origin}/")) for origin in self.speakers(sitemap))})

    def count(self, origins: Iterable[str]) -> int:
        """Return how many files some origins speak for in all."""
        named = tuple(origins)
        where = f"WHERE origin IN ({', '.join('?' * len(named))})"
        return self._database.count(f"SELECT count(*) FROM ({ALIVE.format(where=where)})", *named)

    def put(self, url: int, sitemap: Sitemap, *, accepted: int, new: int) -> None:
        """Note what was read in a file."""
        entries = len(sitemap.entries) + len(sitemap.children) + sitemap.beyond
        read = (sitemap.fetched_at, sitemap.form, entries, accepted, new, sitemap.etag, sitemap.last_modified)
        self._connection.execute(
            "INSERT OR REPLACE INTO sitemap (url, read_at, form, entries, accepted, new, etag, last_modified) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (url, *read),
        )
