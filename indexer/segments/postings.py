"""Where does a word stand? Postings: documents in ascending order, how often in each, and at which positions.

They are arrays from the disk to the ranking: no posting is ever an object of its own. Positions, which most questions
don't need, are read when they are first asked for.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Numbers = NDArray[np.uint32]

NONE = np.empty(0, np.uint32)


class Postings:
    """The postings of a word in one field of one segment.

    `documents` and `frequencies` have one number for each posting, `positions` has all positions, posting after
    posting; in the exact fields there are none. `ends` says of each posting where its positions end.
    """

    def __init__(self, documents: Numbers, frequencies: Numbers, read_positions: Callable[[], Numbers]) -> None:
        self.documents = documents
        self.frequencies = frequencies
        self._read_positions = read_positions

    @cached_property
    def positions(self) -> Numbers:
        """All positions, those of one posting in ascending order. Raises CorruptIndex."""
        return self._read_positions()

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """Where in `positions` those of each posting end."""
        return np.cumsum(self.frequencies, dtype=np.int64)

    def frequency_in(self, document: int) -> int:
        """Return how often the word stands in a document."""
        row = self._row(document)
        return 0 if row is None else int(self.frequencies[row])

    def positions_in(self, document: int) -> Numbers:
        """Return where the word stands in a document."""
        row = self._row(document)
        if row is None:
            return NONE
        return self.positions[self.ends[row - 1] if row else 0 : self.ends[row]]

    def _row(self, document: int) -> int | None:
        row = int(np.searchsorted(self.documents, document))
        return row if row < len(self.documents) and self.documents[row] == document else None
