"""What would another threshold do? Which clusters would come together, how surely their pages would meet, and where.

Only pages that share a band of their signatures are compared at all, so there is a curve for each threshold: with which
probability two pages of a resemblance meet (`pages/content/similarity.py`). The centres of clusters are compared here
pair by pair, as their signatures are stored; a page that is alone is the centre of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.figures.alike import cluster_count, signed_clusters
from pages.content.similarity import ORDERS, banding, chance_to_meet, resemblance_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from crawldb.database import CrawlDatabase

    Signatures = NDArray[np.uint8]

MAX_COMPARED = 1_500  # clusters, the oldest: a million pairs take a fifth of a second
PAIRS = 10  # that are shown, the most alike
LEAST = 0.1  # resemblance below which pairs are alike by chance
CURVE_STEPS = 40


@dataclass(frozen=True, slots=True)
class AlikePair:
    """Two clusters by the pages that stand for them, how alike their centres are, and whether they would meet."""

    first: str
    second: str
    resemblance: float
    chance: float  # with which such a pair shares a band, and is compared


@dataclass(frozen=True, slots=True)
class JoiningPairs:
    """The pairs that a threshold would join, the most alike first: `pairs` of `found`, in `compared` of `clusters`."""

    pairs: tuple[AlikePair, ...]
    found: int
    compared: int
    clusters: int


def all_pairs(several: Sequence[JoiningPairs]) -> JoiningPairs:
    """Return the pairs of all parts of a crawl: clusters are pairs within one part."""
    pairs = sorted((pair for each in several for pair in each.pairs), key=lambda pair: -pair.resemblance)
    return JoiningPairs(
        tuple(pairs[:PAIRS]),
        sum(each.found for each in several),
        sum(each.compared for each in several),
        sum(each.clusters for each in several),
    )


def joining_pairs(database: CrawlDatabase, threshold: float, below: float) -> JoiningPairs:
    """Return the pairs of clusters whose centres are at least as alike as `threshold`, and less than `below`."""
    import numpy as np  # noqa: PLC0415 - 0.1 s, that only this needs

    clusters = signed_clusters(database, ORDERS, MAX_COMPARED)
    signatures = np.frombuffer(b"".join(signature for _, signature in clusters), np.uint8).reshape(-1, ORDERS)
    found = sorted(_pairs(signatures, max(threshold, LEAST), below), reverse=True)
    bands, of_bytes = banding(threshold)
    pairs = [
        AlikePair(clusters[first].canonical, clusters[second].canonical, alike, chance_to_meet(alike, bands, of_bytes))
        for alike, first, second in found[:PAIRS]
    ]
    return JoiningPairs(tuple(pairs), len(found), len(clusters), cluster_count(database))


def _pairs(signatures: Signatures, least: float, below: float) -> Iterator[tuple[float, int, int]]:
    import numpy as np  # noqa: PLC0415 - as above

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
