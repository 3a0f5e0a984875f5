"""Where does a word stand? Postings: documents in ascending order, how often in each, and at which positions.

They are arrays from the disk to the ranking: no posting is ever an object of its own. Positions, which most questions
don't need, are read when they are first asked for.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Numbers = NDArray[np.uint32]
    ReadPositions = Callable[[NDArray[np.int64] | None], Numbers]  # of some rows, or of all

NONE = np.empty(0, np.uint32)
FEW = 0.5  # of the postings; to unpack more takes as long as to unpack all


class Postings:
    """The postings of a word in one field of one segment.

    `documents` and `frequencies` have one number for each posting, `positions` has all positions, posting after
    posting; in the exact fields there are none. `ends` says of each posting where its positions end.
    """

    def __init__(self, documents: Numbers, frequencies: Numbers, read_positions: ReadPositions) -> None:
        self.documents = documents
        self.frequencies = frequencies
        self._read_positions = read_positions

    @cached_property
    def positions(self) -> Numbers:
        """All positions, those of one posting in ascending order. Raises CorruptIndex."""
        return self._read_positions(None)

    def positions_of(self, rows: NDArray[np.int64]) -> Numbers:
        """Return the positions of the postings in these rows, one posting after the other. Raises CorruptIndex.

        Where these are few, the others are not unpacked: most questions on positions are asked of few pages.
        """
        if "positions" not in vars(self) and len(rows) < len(self.documents) * FEW:
            return self._read_positions(rows)
        counts = self.frequencies[rows].astype(np.int64)
        starts = self.ends[rows] - np.cumsum(counts)
        return self.positions[np.repeat(starts, counts) + np.arange(counts.sum())]

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """Where in `positions` those of each posting end."""
        return np.cumsum(self.frequencies, dtype=np.int64)

    def positions_in(self, document: int) -> Numbers:
        """Return where the word stands in a document."""
        row = row_of(self.documents, document)
        return NONE if row is None else self.positions_of(np.array([row]))


def row_of(documents: NDArray[Any], document: int) -> int | None:
    """Return where a document stands among `documents`, which ascend; None where it is not among them."""
    row = int(documents.searchsorted(document))
    return row if row < len(documents) and documents[row] == document else None
