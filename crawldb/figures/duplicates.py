"""Which stored pages have the same content, or nearly? Exact copies, clusters, and the contents of whole sites.

Reports read them: which pages another threshold would join, and the evidence for an option of a site. A crawl decides
by `crawldb/pages/copies.py` and `crawldb/pages/clusters.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from crawldb.database import in_index
from crawldb.tables.urls import State
from urls.records import CanonicalUrl
from urls.rules import Rule

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase

_ITS_SITE = "site = (SELECT id FROM site WHERE name = ?)"
# Pages whose content says something about an option; what was refused otherwise proves nothing.
_KNOWN_CONTENT = f"length(fingerprint) > 0 AND ({in_index('page.url')} OR refusals LIKE '[[\"{Rule.DUPLICATE}\"%')"
# Rules under which a fetched URL is no page; a server without a response proves nothing.
_NO_PAGE = (
    Rule.GONE, Rule.MOVED, Rule.REDIRECT_LOOP, Rule.REDIRECT_LIMIT, Rule.BAD_LOCATION, Rule.OFF_SITE, Rule.FORBIDDEN,
    Rule.AUTH, Rule.STATUS, Rule.NO_PAGE, Rule.ROBOTS,
)  # fmt: skip
_A_COPY = (Rule.DUPLICATE, Rule.CANONICAL)  # another page stands for it


def cluster_count(database: CrawlDatabase) -> int:
    """Return how many clusters there are, those of one page among them."""
    return database.count("SELECT count(*) FROM cluster")


def shared_clusters_counted(database: CrawlDatabase) -> int:
    """Return how many clusters have several pages in the index."""
    return database.count(
        "SELECT count(*) FROM (SELECT 1 FROM indexed_page WHERE cluster IS NOT NULL "
        "GROUP BY cluster HAVING count(*) > 1)"
    )


def shared_clusters(database: CrawlDatabase, most: int, skipped: int) -> list[int]:
    """Return the ids of clusters with several pages in the index, the largest first, without the first `skipped`."""
    rows = database.connection.execute(
        "SELECT cluster FROM indexed_page WHERE cluster IS NOT NULL GROUP BY cluster "
        "HAVING count(*) > 1 ORDER BY count(*) DESC, cluster LIMIT ? OFFSET ?",
        (most, skipped),
    )
    return [cluster for (cluster,) in rows]


def cluster_of_content(database: CrawlDatabase, url: int | None) -> int | None:
    """Return the cluster of a page, or of the page of which it is an exact copy; None where it has none."""
    cluster = database.value(
        "SELECT cluster FROM page WHERE url = coalesce((SELECT duplicate_of FROM page WHERE url = ?1), ?1)", url
    )
    return cluster if isinstance(cluster, int) else None


class ClusterCentre(NamedTuple):
    """A cluster: the signature of its centre, the URL of its canonical and why it is that, its pages in the index."""

    signature: bytes
    canonical: str
    reason: str  # a CanonicalReason
    pages: int


def cluster_centre(database: CrawlDatabase, cluster: int) -> ClusterCentre:
    """Return what a cluster is about."""
    row = database.connection.execute(
        "SELECT signature, url.url, reason, (SELECT count(*) FROM indexed_page WHERE cluster = ?1) "
        "FROM cluster JOIN url ON url.id = cluster.canonical WHERE cluster.id = ?1",
        (cluster,),
    ).fetchone()
    return ClusterCentre(*row)


class TitledPage(NamedTuple):
    """A page, by its id, its URL and its title."""

    id: int
    url: str
    title: str


def pages_of_cluster(database: CrawlDatabase, cluster: int, most: int) -> list[TitledPage]:
    """Return pages of a cluster that are in the index, the oldest first."""
    rows = database.connection.execute(
        "SELECT url.id, url.url, title FROM indexed_page AS page JOIN url ON url.id = page.url WHERE cluster = ? "
        "ORDER BY url.id LIMIT ?",
        (cluster, most),
    )
    return [TitledPage(*row) for row in rows]


class SignedCluster(NamedTuple):
    """A cluster, by the URL of its canonical and the signature of its centre."""

    canonical: str
    signature: bytes


def signed_clusters(database: CrawlDatabase, signature_bytes: int, most: int) -> list[SignedCluster]:
    """Return clusters whose centre has a signature of so many bytes, the oldest first."""
    rows = database.connection.execute(
        "SELECT url.url, signature FROM cluster JOIN url ON url.id = cluster.canonical "
        "WHERE length(signature) = ? ORDER BY cluster.id LIMIT ?",
        (signature_bytes, most),
    )
    return [SignedCluster(*row) for row in rows]


class Original(NamedTuple):
    """A page that has exact copies."""

    id: int
    url: str


def most_copied(database: CrawlDatabase, most: int) -> list[Original]:
    """Return pages that have exact copies, those with most of them first."""
    rows = database.connection.execute(
        "SELECT duplicate_of, url.url FROM page JOIN url ON url.id = duplicate_of WHERE duplicate_of IS NOT NULL "
        "GROUP BY duplicate_of ORDER BY count(*) DESC, duplicate_of LIMIT ?",
        (most,),
    )
    return [Original(*row) for row in rows]


def copies_counted(database: CrawlDatabase, original: int) -> int:
    """Return how many exact copies a page has."""
    return database.count("SELECT count(*) FROM page WHERE duplicate_of = ?", original)


def copies_of(database: CrawlDatabase, original: int, most: int) -> tuple[str, ...]:
    """Return the URLs of exact copies of a page, the oldest first."""
    rows = database.connection.execute(
        "SELECT url.url FROM page JOIN url ON url.id = page.url WHERE duplicate_of = ? ORDER BY url.id LIMIT ?",
        (original, most),
    )
    return tuple(url for (url,) in rows)


def site_names(database: CrawlDatabase) -> list[str]:
    """Return the names of all sites, in the order in which they were met."""
    return [name for (name,) in database.connection.execute("SELECT name FROM site ORDER BY id")]


def fingerprints_of_site(database: CrawlDatabase, site: str, most: int) -> dict[CanonicalUrl, bytes]:
    """Return the fingerprints of a site's newest pages whose content is known, the newest first."""
    rows = database.connection.execute(
        f"SELECT url.url, fingerprint FROM url JOIN page ON page.url = url.id WHERE {_ITS_SITE} AND {_KNOWN_CONTENT} "
        "ORDER BY url.id DESC LIMIT ?",
        (site, most),
    )
    return {CanonicalUrl(url): fingerprint for url, fingerprint in rows}


def urls_without_page(database: CrawlDatabase, site: str, most: int) -> frozenset[str]:
    """Return the URLs of a site under which there is no page to be kept: what became known by one would be lost."""
    named = f"{_ITS_SITE} AND kind = 0"
    no_page, a_copy = (", ".join(f"'{rule}'" for rule in rules) for rules in (_NO_PAGE, _A_COPY))
    rows = database.connection.execute(  # first by the index on state and rule, then by the pages: few are meant
        f"SELECT url FROM url WHERE state IN ({State.DONE:d}, {State.FAILED:d}, {State.SUPPRESSED:d}) "
        f"AND rule IN ({no_page}) AND {named} AND id NOT IN (SELECT url FROM page) "
        f"UNION ALL SELECT url.url FROM page JOIN url ON url.id = page.url "
        f"WHERE json_extract(refusals, '$[0][0]') NOT IN ({a_copy}) AND {named} LIMIT ?",
        (site, site, most),
    )
    return frozenset(url for (url,) in rows)


@dataclass(frozen=True, slots=True)
class PageContent:
    """The content of a page, to be compared with pages of another site."""

    url: CanonicalUrl
    found_at: float  # seconds since the epoch
    fingerprint: bytes
    cluster: int | None
    joined: int | None  # the number that clusters of several parts share
    is_canonical: bool  # it is in the index, and stands for its cluster there


def contents_of_site(database: CrawlDatabase, site: str, most: int) -> list[PageContent]:
    """Return the contents of a site's newest pages where they are known, the newest first."""
    rows = database.connection.execute(
        "SELECT url.url, found_at, fingerprint, page.cluster, joined, "
        f"{in_index('page.url')} AND coalesce(cluster.canonical, url.id) = url.id "
        "FROM url JOIN page ON page.url = url.id LEFT JOIN cluster ON cluster.id = page.cluster "
        f"WHERE {_ITS_SITE} AND {_KNOWN_CONTENT} ORDER BY url.id DESC LIMIT ?",
        (site, most),
    )
    return [
        PageContent(CanonicalUrl(url), found_at, mark, cluster, joined, bool(is_canonical))
        for url, found_at, mark, cluster, joined, is_canonical in rows
    ]
