"""How likely is a reader who follows links at random to be on a page? PageRank, started anew from the root set.

    x = d (x W + x(dangling) v) + (1 - d) v

(Brin and Page, "The Anatomy of a Large-Scale Hypertextual Web Search Engine", 1998; Page and others, "The PageRank
Citation Ranking", 1999, section 6 for `v`.) W has the weights of the links, each row divided by its sum. With
probability d, the damping, the reader follows a link; else, and where a page has none (it dangles), he begins anew at a
page of the root set, `v`: what a person chose to crawl is what he trusts. Power iteration: each round multiplies the
error by d at most, so that 1e-9 is reached after 130 rounds with d = .85.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indexer.links.link_matrix import LinkMatrix

DAMPING = 0.85  # of the first paper
TOLERANCE = 1e-9  # sum of what all pages change by in a round
MAX_ROUNDS = 1_000  # more are needed for a damping above .98 alone


def pagerank(
    links: LinkMatrix, roots: NDArray[np.bool_] | None = None, damping: float = DAMPING
) -> NDArray[np.float64]:
    """Return the PageRank of p pages; its sum is 1. `links` has the weight of each link in its source's row.

    Without `roots`, or where no page is one, the reader begins anew at any page.
    """
    for rank in pagerank_rounds(links, roots, damping):
        last = rank
    return np.asarray(last / max(last.sum(), np.finfo(float).tiny))


def pagerank_rounds(
    links: LinkMatrix, roots: NDArray[np.bool_] | None = None, damping: float = DAMPING
) -> Iterator[NDArray[np.float64]]:
    """Yield where the reader is before the first round, and after each, until a round changes next to nothing."""
    start = np.ones(links.pages) if roots is None or not roots.any() else roots.astype(np.float64)
    start /= max(start.sum(), 1.0)
    given = links.given
    dangling = given == 0
    onward = replace(links, weights=links.weights / given[links.sources]).transposed_product()
    rank = start
    yield rank
    for _ in range(MAX_ROUNDS):
        following = damping * (onward(rank) + rank[dangling].sum() * start) + (1 - damping) * start
        change = np.abs(following - rank).sum()
        rank = following
        yield rank
        if change < TOLERANCE:
            break
