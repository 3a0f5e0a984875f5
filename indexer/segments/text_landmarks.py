"""Where in the main texts of a segment's pages are landmarks? Noted before positions are known, while texts are cut.

A position is the sum of what the tokens before it take up, and these are known when all tokens of a slice are cut.
Until then a landmark is a character and the number of the token that follows it.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np

from indexer.analysis.offsets import pack_checkpoints

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


class TextLandmarks:
    """The landmarks of some pages, in the order of the pages."""

    def __init__(self) -> None:
        self._characters = array("I")
        self._tokens = array("Q")
        self._counts = array("I")  # of each page
        self._positions = array("Q")  # of those that are settled
        self._reached = 0  # the position after the tokens that are settled

    def begin_page(self) -> None:
        """Go on with the next page."""
        self._counts.append(0)

    def add(self, character: int, token: int) -> None:
        """Note a landmark of the page: a character of its text, and the number of the token after it in its slice."""
        self._characters.append(character)
        self._tokens.append(token)
        self._counts[-1] += 1

    def settle(self, widths: NDArray[np.uint32]) -> None:
        """End a slice; `widths` are the positions that each of its tokens takes up."""
        reached = np.full(len(widths) + 1, self._reached, np.int64)
        reached[1:] += np.cumsum(widths, dtype=np.int64)
        self._positions.extend(reached[np.frombuffer(self._tokens, np.uint64).astype(np.int64)].tolist())
        self._tokens, self._reached = array("Q"), int(reached[-1])

    def of_pages(self) -> Iterator[tuple[int, ...]]:
        """Yield the landmarks of each page, packed, when all slices are settled."""
        positions, start = self._positions, 0
        for count in self._counts:
            rows = slice(start, start + count)
            first = positions[start] if count else 0  # a text begins with one, at position 0
            yield pack_checkpoints(
                (character, position - first)
                for character, position in zip(self._characters[rows], positions[rows], strict=True)
            )
            start += count
