"""Which clusters of near copies, exact copies and URL patterns has a crawl? Queries on the engine's tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from crawldb.figures.traps import OF_A_CLOSED_PROGRAM, PATTERN_OF_SITE
from crawldb.tables.urls import State

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase


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
    sql = (
        "SELECT cluster FROM indexed_page WHERE cluster IS NOT NULL GROUP BY cluster "
        "HAVING count(*) > 1 ORDER BY count(*) DESC, cluster LIMIT ? OFFSET ?"
    )
    return database.column(sql, most, skipped)


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
    sql = "SELECT url.url FROM page JOIN url ON url.id = page.url WHERE duplicate_of = ? ORDER BY url.id LIMIT ?"
    return tuple(database.column(sql, original, most))


class PatternRow(NamedTuple):
    """The pages that a pattern of a site has brought, and the decisions about it."""

    site: str
    pattern: str
    kind: int  # a PatternKind
    fresh: int  # pages that said something new
    wasted: int  # pages that did not
    held: int  # URLs of it that are held back
    closed: str  # why nothing more of it is requested; "": it is open
    exempt: int  # 1: a person released it
    authorship: int  # an Authorship
    within_closed: int  # 1: it belongs to a program that was closed as a whole


def patterns_by_waste(database: CrawlDatabase, site: str, limit: int) -> list[PatternRow]:
    """Return the patterns of a site ("": of all), those that wasted most first."""
    # +state: what is held of a pattern is looked up by the pattern, and not among all URLs that are suppressed.
    rows = database.connection.execute(
        "SELECT name, pattern, kind, fresh, wasted, (SELECT count(*) FROM trapped JOIN url ON url.id = trapped.url "
        "WHERE trapped.pattern = pattern.id AND +state = ?), coalesce(closed, ''), exempt, authorship, "
        f"{OF_A_CLOSED_PROGRAM} {PATTERN_OF_SITE} WHERE ? IN ('', name) "
        "ORDER BY wasted DESC, fresh DESC, name, pattern LIMIT ?",
        (State.SUPPRESSED, site, limit),
    )
    return [PatternRow(*row) for row in rows]


def patterns_counted(database: CrawlDatabase, site: str) -> int:
    """Return how many patterns a site has ("": all sites)."""
    return database.count(f"SELECT count(*) {PATTERN_OF_SITE} WHERE ? IN ('', name)", site)


def sites_with_patterns(database: CrawlDatabase) -> tuple[str, ...]:
    """Return the names of the sites that have patterns, sorted."""
    return tuple(database.column(f"SELECT DISTINCT name {PATTERN_OF_SITE} ORDER BY name"))
