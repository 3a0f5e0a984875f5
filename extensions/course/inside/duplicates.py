"""Which pages are copies or near copies of others, and what would another threshold change?

A near copy is similar to the centre of its cluster: the page that started the cluster. The similarity is estimated from
two signatures (pages/content/similarity.py). The centre's signature is stored; a member's is computed from its text.

Only pages that share a band of their signatures are compared. So each threshold has a curve: the probability that two
pages of a given similarity are compared. For another threshold, the stored centres are compared pair by pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.pages.clusters import CanonicalReason
from crawldb.pages.pages import Pages
from crawldb.visited import find
from extensions.course.inside.tables import (
    cluster_centre,
    cluster_count,
    cluster_of_content,
    copies_counted,
    copies_of,
    most_copied,
    pages_of_cluster,
    shared_clusters,
    shared_clusters_counted,
    signed_clusters,
)
from pages.content.similarity import ORDERS, banding, chance_to_meet, resemblance_of, similarity
from pipelines.duplicates import signature

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from crawldb.database import CrawlDatabase

    Signatures = NDArray[np.uint8]
    from collections.abc import Mapping

    from crawldb.databases import Parts
    from extensions.course.inside.tables import TitledPage

MAX_COMPARED = 1_500  # clusters, the oldest: a million pairs take a fifth of a second
PAIRS = 10  # that are shown, the most alike
LEAST = 0.1  # resemblance below which pairs are alike by chance
CURVE_STEPS = 40


@dataclass(frozen=True, slots=True)
class SimilarPair:
    """Two clusters by their canonical pages, with the similarity of their centres."""

    first: str
    second: str
    resemblance: float
    chance: float  # with which such a pair shares a band, and is compared


@dataclass(frozen=True, slots=True)
class ClusterMerges:
    """The pairs that a threshold would join, the most alike first: `pairs` of `found`, in `compared` of `clusters`."""

    pairs: tuple[SimilarPair, ...]
    found: int
    compared: int
    clusters: int


def all_pairs(several: Sequence[ClusterMerges]) -> ClusterMerges:
    """Return the pairs of all parts of a crawl: clusters are pairs within one part."""
    pairs = sorted((pair for each in several for pair in each.pairs), key=lambda pair: -pair.resemblance)
    return ClusterMerges(
        tuple(pairs[:PAIRS]),
        sum(each.found for each in several),
        sum(each.compared for each in several),
        sum(each.clusters for each in several),
    )


def joining_pairs(database: CrawlDatabase, threshold: float, below: float) -> ClusterMerges:
    """Return the pairs of clusters whose centres are at least as alike as `threshold`, and less than `below`."""
    import numpy as np  # 0.1 s, that only this needs

    clusters = signed_clusters(database, ORDERS, MAX_COMPARED)
    signatures = np.frombuffer(b"".join(signature for _, signature in clusters), np.uint8).reshape(-1, ORDERS)
    found = sorted(_pairs(signatures, max(threshold, LEAST), below), reverse=True)
    bands, of_bytes = banding(threshold)
    pairs = [
        SimilarPair(
            clusters[first].canonical, clusters[second].canonical, alike, chance_to_meet(alike, bands, of_bytes)
        )
        for alike, first, second in found[:PAIRS]
    ]
    return ClusterMerges(tuple(pairs), len(found), len(clusters), cluster_count(database))


def _pairs(signatures: Signatures, least: float, below: float) -> Iterator[tuple[float, int, int]]:
    import numpy as np

    likeness = np.array([resemblance_of(agreeing) for agreeing in range(ORDERS + 1)])
    for first in range(len(signatures) - 1):
        alike = likeness[np.count_nonzero(signatures[first + 1 :] == signatures[first], axis=1)]
        for second in np.flatnonzero((alike >= least) & (alike < below)).tolist():
            yield float(alike[second]), first, first + 1 + second


def s_curve(threshold: float) -> list[tuple[float, float]]:
    """Return by resemblance, from 0 to 1, with which probability two pages are compared."""
    bands, of_bytes = banding(threshold)
    steps = (step / CURVE_STEPS for step in range(CURVE_STEPS + 1))
    return [(each, chance_to_meet(each, bands, of_bytes)) for each in steps]


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
class ClusterPage:
    """One page of the list of clusters, their number, and the unreadable parts with reasons."""

    shown: tuple[PageCluster, ...]
    found: int
    faults: Mapping[str, str]


def cluster_page(parts: Parts, page: int) -> ClusterPage:
    """Return one page of the clusters with several pages, in each part the largest first."""
    skipped, shown, found = (page - 1) * SHOWN, list[PageCluster](), 0

    def add(database: CrawlDatabase) -> None:
        nonlocal skipped, found
        own = shared_clusters_counted(database)
        if skipped < own and len(shown) < SHOWN:
            shown.extend(largest_clusters(database, SHOWN - len(shown), skipped))
        skipped, found = max(0, skipped - own), found + own

    _, faults = parts.ask(add)
    return ClusterPage(tuple(shown), found, faults)


def largest_clusters(database: CrawlDatabase, most: int, skipped: int = 0) -> list[PageCluster]:
    """Return the clusters with several pages in the index, the largest first, without the first `skipped`."""
    return [_cluster(database, cluster) for cluster in shared_clusters(database, most, skipped)]


def cluster_of(database: CrawlDatabase, url: str) -> PageCluster | None:
    """Return the cluster of a page, or of the page of which it is an exact copy; None where it has none."""
    cluster = cluster_of_content(database, find(database.connection, url))
    return None if cluster is None else _cluster(database, cluster, ALL_MEMBERS)


def _cluster(database: CrawlDatabase, cluster: int, most: int = MEMBERS) -> PageCluster:
    centre = cluster_centre(database, cluster)
    members = pages_of_cluster(database, cluster, most)
    return PageCluster(
        centre.canonical,
        CanonicalReason(centre.reason),
        centre.pages,
        tuple(_member(database, member, centre.signature) for member in members),
    )


def _member(database: CrawlDatabase, page: TitledPage, centre: bytes) -> ClusterMember:
    stored = Pages(database).get(page.url)
    own = signature(stored.text) if stored is not None else b""
    copies, count = _copies(database, page.id)
    return ClusterMember(page.url, page.title, similarity(own, centre) if own else None, copies, count)


def _copies(database: CrawlDatabase, original: int) -> tuple[tuple[str, ...], int]:
    count = copies_counted(database, original)
    return copies_of(database, original, COPIES) if count else (), count


def exact_copies(database: CrawlDatabase) -> list[ExactCopies]:
    """Return pages that have exact copies, those with most of them first."""
    return [ExactCopies(page.url, *_copies(database, page.id)) for page in most_copied(database, ORIGINALS)]


@dataclass(frozen=True, slots=True)
class DuplicateFigures:
    """The clusters to show, or that of one page, and the pairs that a threshold would merge."""

    shown: tuple[PageCluster, ...]
    clusters: int
    exact: tuple[ExactCopies, ...]
    joining: ClusterMerges
    faults: Mapping[str, str]  # parts that can't be asked, and why


def read_duplicates(parts: Parts, *, url: str = "", page: int = 1, threshold: float, usual: float) -> DuplicateFigures:
    """Return what is known of copies in a crawl, or ("") around one page; below `usual` a threshold joins clusters.

    Raises `DatabaseError` if no part, or not the part of the page, is readable.
    """
    pairs, faults = parts.ask(lambda database: joining_pairs(database, threshold, usual))
    joining = all_pairs(list(pairs.values()))
    if url:
        own = cluster_of(parts.home(url), url)
        return DuplicateFigures((own,) if own else (), 1 if own else 0, (), joining, faults)
    listed = cluster_page(parts, page)
    copies, unread = parts.ask(exact_copies)
    exact = sorted((one for several in copies.values() for one in several), key=lambda one: -one.pages)
    faults |= {**listed.faults, **unread}
    return DuplicateFigures(listed.shown, listed.found, tuple(exact[:ORIGINALS]), joining, faults)
