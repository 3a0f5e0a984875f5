"""What do pages pass on along their links? The matrix of all links, times a vector with a number for each page.

Nearly all entries are 0, so that only the others are kept, those of one row side by side (compressed sparse rows; Saad,
"Iterative Methods for Sparse Linear Systems", 2003, 3.4). SciPy has the same; to import it takes longer than what is
done here for the links of a hundred thousand pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class LinkMatrix:
    """W of p x p: m entries above 0, each with its row, the source, and its column, the target."""

    sources: NDArray[np.int64]  # m
    targets: NDArray[np.int64]  # m
    weights: NDArray[np.float64]  # m
    pages: int  # p

    @property
    def given(self) -> NDArray[np.float64]:
        """What each page gives in all: the sum of its row."""
        return np.bincount(self.sources, self.weights, self.pages).astype(np.float64, copy=False)

    def product(self) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
        """Return x -> W x: each source has the sum of its targets' numbers, by weight."""
        return _sums(self.sources, self.targets, self.weights, self.pages)

    def transposed_product(self) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
        """Return x -> W' x: each target has the sum of its sources' numbers, by weight."""
        return _sums(self.targets, self.sources, self.weights, self.pages)


def _sums(
    rows: NDArray[np.int64], columns: NDArray[np.int64], weights: NDArray[np.float64], pages: int
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    order = np.argsort(rows, kind="stable")
    filled, begins = np.unique(rows[order], return_index=True)
    taken, weighed = columns[order], weights[order]

    def product(values: NDArray[np.float64]) -> NDArray[np.float64]:
        sums = np.zeros(pages)
        if len(taken):  # `reduceat` takes no empty list
            sums[filled] = np.add.reduceat(values[taken] * weighed, begins)
        return sums

    return product


def components(pairs: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return for each of `count` numbers the least one that a chain of `pairs` (n x 2) joins it with.

    Each round hangs the greater end of each pair below the lesser; then all lead to the top at once (pointer jumping).
    """
    least = np.arange(count)
    one, other = pairs.T
    while True:
        before = least.copy()
        lesser = np.minimum(before[one], before[other])
        np.minimum.at(least, before[one], lesser)
        np.minimum.at(least, before[other], lesser)
        while (least[least] != least).any():
            least = least[least]
        if (least == before).all():
            return least
