"""Which pages are good lists, and which do good lists name? Hubs and authorities, each defined by the other.

    authority = sum of the hubs that link to it        a = W' h
    hub       = sum of the authorities it links to     h = W a

(Kleinberg, "Authoritative Sources in a Hyperlinked Environment", 1999.) In turns, with each sum brought to 1, the two
come to rest at the principal eigenvectors of W'W and WW'. PageRank asks who vouches for a page; here a page may be good
for what it names, though nobody names it. The ranking does not use it: it is here to be compared (docs/labs).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.links.link_matrix import LinkMatrix

TOLERANCE = 1e-9
MAX_ROUNDS = 1_000


def hubs_and_authorities(links: LinkMatrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how good a hub and how good an authority each of p pages is; either's sum is 1, or 0 without links."""
    hubs = np.ones(links.pages)
    authorities = hubs
    forward, backward = links.product(), links.transposed_product()
    for _ in range(MAX_ROUNDS):
        before = hubs
        authorities = _shared(backward(hubs))
        hubs = _shared(forward(authorities))
        if np.abs(hubs - before).sum() < TOLERANCE:
            break
    return hubs, authorities


def _shared(values: NDArray[np.float64]) -> NDArray[np.float64]:
    total = values.sum()
    return values / total if total else values
