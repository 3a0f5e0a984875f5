"""Which pages are in one cluster, how near is each to its centre, and which are exact copies of them?

A page says nearly the same as the centre of its cluster: the page that it began with. How nearly is estimated from two
signatures (pages/content/similarity.py). The centre's is stored; a member's is made again of its stored text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.figures.alike import (
    cluster_centre,
    cluster_of_content,
    copies_counted,
    copies_of,
    most_copied,
    pages_of_cluster,
    shared_clusters,
    shared_clusters_counted,
)
from crawldb.pages.clusters import CanonicalReason
from crawldb.pages.pages import Pages
from crawldb.visited import find
from pages.content.similarity import similarity
from reports.duplicates.threshold import all_pairs, joining_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawldb.database import CrawlDatabase
    from crawldb.databases import Parts
    from crawldb.figures.alike import TitledPage
    from reports.duplicates.threshold import JoiningPairs

    Sign = Callable[[str], bytes]  # makes the signature of a text (pipelines/duplicates.py)

SHOWN = 5  # clusters at a time
MEMBERS = 8  # of each that are shown, the oldest
ALL_MEMBERS = 50  # of one that was asked for
COPIES = 5  # exact copies of one page that are named
ORIGINALS = 10  # pages with exact copies that are shown, those with most of them


@dataclass(frozen=True, slots=True)
class ClusterMember:
    """A page of a cluster, in the index; `resemblance` to the centre is None where it has no signature."""

    url: str
    title: str
    resemblance: float | None
    copies: tuple[str, ...]  # exact ones, which are other names of it; a few
    all_copies: int


@dataclass(frozen=True, slots=True)
class PageCluster:
    """Pages that say nearly the same; `pages` are in the index, of which `members` are shown."""

    canonical: str
    reason: CanonicalReason
    pages: int
    members: tuple[ClusterMember, ...]


@dataclass(frozen=True, slots=True)
class ExactCopies:
    """A page, and pages that say exactly what it says: other names of it."""

    url: str
    copies: tuple[str, ...]  # a few
    pages: int


@dataclass(frozen=True, slots=True)
class ClustersTold:
    """One page of the clusters with several pages, how many there are, and which parts can't be asked, and why."""

    shown: tuple[PageCluster, ...]
    found: int
    faults: Mapping[str, str]


def clusters_told(parts: Parts, sign: Sign, page: int) -> ClustersTold:
    """Return one page of the clusters with several pages, in each part the largest first."""
    skipped, shown, found = (page - 1) * SHOWN, list[PageCluster](), 0

    def add(database: CrawlDatabase) -> None:
        nonlocal skipped, found
        own = shared_clusters_counted(database)
        if skipped < own and len(shown) < SHOWN:
            shown.extend(largest_clusters(database, sign, SHOWN - len(shown), skipped))
        skipped, found = max(0, skipped - own), found + own

    _, faults = parts.ask(add)
    return ClustersTold(tuple(shown), found, faults)


def largest_clusters(database: CrawlDatabase, sign: Sign, most: int, skipped: int = 0) -> list[PageCluster]:
    """Return the clusters with several pages in the index, the largest first, without the first `skipped`."""
    return [_cluster(database, cluster, sign) for cluster in shared_clusters(database, most, skipped)]


def cluster_of(database: CrawlDatabase, url: str, sign: Sign) -> PageCluster | None:
    """Return the cluster of a page, or of the page of which it is an exact copy; None where it has none."""
    cluster = cluster_of_content(database, find(database.connection, url))
    return None if cluster is None else _cluster(database, cluster, sign, ALL_MEMBERS)


def _cluster(database: CrawlDatabase, cluster: int, sign: Sign, most: int = MEMBERS) -> PageCluster:
    centre = cluster_centre(database, cluster)
    members = pages_of_cluster(database, cluster, most)
    return PageCluster(
        centre.canonical,
        CanonicalReason(centre.reason),
        centre.pages,
        tuple(_member(database, member, centre.signature, sign) for member in members),
    )


def _member(database: CrawlDatabase, page: TitledPage, centre: bytes, sign: Sign) -> ClusterMember:
    stored = Pages(database).get(page.url)
    own = sign(stored.text) if stored is not None else b""
    copies, count = _copies(database, page.id)
    return ClusterMember(page.url, page.title, similarity(own, centre) if own else None, copies, count)


def _copies(database: CrawlDatabase, original: int) -> tuple[tuple[str, ...], int]:
    count = copies_counted(database, original)
    return copies_of(database, original, COPIES) if count else (), count


def exact_copies(database: CrawlDatabase) -> list[ExactCopies]:
    """Return pages that have exact copies, those with most of them first."""
    return [ExactCopies(page.url, *_copies(database, page.id)) for page in most_copied(database, ORIGINALS)]


@dataclass(frozen=True, slots=True)
class DuplicatesTold:
    """What is shown of copies: some of so many clusters, or that of one page; pairs that a threshold would join."""

    shown: tuple[PageCluster, ...]
    clusters: int
    exact: tuple[ExactCopies, ...]
    joining: JoiningPairs
    faults: Mapping[str, str]  # parts that can't be asked, and why


def duplicates_told(
    parts: Parts, sign: Sign, *, url: str = "", page: int = 1, threshold: float, usual: float
) -> DuplicatesTold:
    """Return what is known of copies in a crawl, or ("") around one page; below `usual` a threshold joins clusters.

    Raises `DatabaseError` where no part can be asked, or that of the page can't.
    """
    pairs, faults = parts.ask(lambda database: joining_pairs(database, threshold, usual))
    joining = all_pairs(list(pairs.values()))
    if url:
        own = cluster_of(parts.home(url), url, sign)
        return DuplicatesTold((own,) if own else (), 1 if own else 0, (), joining, faults)
    told = clusters_told(parts, sign, page)
    copies, unread = parts.ask(exact_copies)
    exact = sorted((one for several in copies.values() for one in several), key=lambda one: -one.pages)
    faults |= {**told.faults, **unread}
    return DuplicatesTold(told.shown, told.found, tuple(exact[:ORIGINALS]), joining, faults)
