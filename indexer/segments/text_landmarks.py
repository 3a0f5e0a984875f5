"""Where in the main texts of a segment's pages are landmarks? Noted before positions are known, while texts are cut.

A position is the sum of what the tokens before it take up, and these are known when all tokens of a segment are cut.
Until then a landmark is a character and the number of the token that follows it.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np

from indexer.analysis.landmarks import packed_landmarks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


class TextLandmarks:
    """The landmarks of some pages, in the order of the pages."""

    def __init__(self) -> None:
        self._characters = array("I")
        self._tokens = array("Q")
        self._counts = array("I")  # of each page

    def begin_page(self) -> None:
        """Go on with the next page."""
        self._counts.append(0)

    def add(self, character: int, token: int) -> None:
        """Note a landmark of the page: a character of its text, and the number of the token that follows."""
        self._characters.append(character)
        self._tokens.append(token)
        self._counts[-1] += 1

    def of_pages(self, widths: NDArray[np.uint32]) -> Iterator[tuple[int, ...]]:
        """Yield the landmarks of each page, packed; `widths` are the positions that each token takes up."""
        reached = np.zeros(len(widths) + 1, np.int64)
        np.cumsum(widths, out=reached[1:])
        positions = reached[np.frombuffer(self._tokens, np.uint64).astype(np.int64)].tolist()
        start = 0
        for count in self._counts:
            rows = slice(start, start + count)
            first = positions[start] if count else 0  # a text begins with one, at position 0
            yield packed_landmarks(
                (character, position - first)
                for character, position in zip(self._characters[rows], positions[rows], strict=True)
            )
            start += count
