"""Which passages are nearest to a question? Those whose vectors point the same way: all are looked at, in two steps.

The sign of each of the 384 numbers alone tells much: where two vectors lie on the same side, they are alike. So the
signs of all passages are compared first, 64 in one operation, and only the CANDIDATES with the fewest differences by
their numbers (Charikar, "Similarity estimation techniques from rounding algorithms", 2002). Up to that many passages
the answer is exact; at 200,000 it takes a few milliseconds, with no structure that would have to be kept up to date.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from extensions.meaning.vectors import VectorSlice

CANDIDATES = 2_000  # passages that are compared by their numbers
WORD_BITS = 64


@dataclass(frozen=True, slots=True)
class Nearest:
    """The best passage of each of some pages, the most similar first; arrays of one length.

    `segments` and `documents` say of which page, `similarities` are cosines, `spans` (pages, 2) characters.
    """

    segments: NDArray[np.uint32]
    documents: NDArray[np.uint32]
    similarities: NDArray[np.float32]
    spans: NDArray[np.uint32]

    def above(self, floor: float) -> Nearest:
        """Return those that are more similar than that."""
        return self._chosen(self.similarities > floor)

    def of(self, segment: int) -> Nearest:
        """Return those of one segment."""
        return self._chosen(self.segments == segment)

    def _chosen(self, rows: NDArray[np.bool_]) -> Nearest:
        return Nearest(self.segments[rows], self.documents[rows], self.similarities[rows], self.spans[rows])


@dataclass(frozen=True, slots=True)
class PassageVectors:
    """All passages of some segments; arrays of one length, of `vectors` one row and of `signs` one column for each."""

    segments: NDArray[np.uint32]
    documents: NDArray[np.uint32]
    vectors: NDArray[np.int8]
    factors: NDArray[np.float32]
    spans: NDArray[np.uint32]
    signs: NDArray[np.uint64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "signs", signs_of(self.vectors))

    def nearest(self, question: NDArray[np.float32], pages: int) -> Nearest:
        """Return the `pages` pages that are most similar to a question's vector; equal ones in their order."""
        rows = self._candidates(question)
        # einsum: at this size the threads of a matrix product cost more than they save
        similarities = np.einsum("ij,j->i", self.vectors[rows].astype(np.float32), question) * self.factors[rows]
        order = np.lexsort((rows, -similarities))
        rows, similarities = rows[order], similarities[order]
        keys = self.segments[rows].astype(np.uint64) << np.uint64(32) | self.documents[rows]
        _, firsts = np.unique(keys, return_index=True)  # of each page the passage that comes first
        best = np.sort(firsts)[:pages]
        rows = rows[best]
        return Nearest(self.segments[rows], self.documents[rows], similarities[best], self.spans[rows])

    def _candidates(self, question: NDArray[np.float32]) -> NDArray[np.intp]:
        if len(self.vectors) <= CANDIDATES:
            return np.arange(len(self.vectors))
        different = np.zeros(len(self.vectors), np.uint16)
        for stored, asked in zip(self.signs, signs_of(question[None])[:, 0], strict=True):
            different += np.bitwise_count(stored ^ asked)
        # Ties at the edge are broken by place, so that the next page of results has the same candidates.
        edge = np.partition(different, CANDIDATES)[CANDIDATES]
        return np.flatnonzero(different <= edge)[: 2 * CANDIDATES]


def signs_of(vectors: NDArray[np.int8] | NDArray[np.float32]) -> NDArray[np.uint64]:
    """Return which numbers are above 0, as bits in words of 64: (words, vectors)."""
    bits = np.packbits(vectors > 0, axis=1)
    padded = np.pad(bits, ((0, 0), (0, -bits.shape[1] % (WORD_BITS // 8))))
    return np.ascontiguousarray(padded.view(np.uint64).T)


def side_by_side_passages(slices: Sequence[tuple[int, int, VectorSlice]], width: int) -> PassageVectors:
    """Return the passages of slices as one, each slice with the number of its segment and that of its first page."""
    counts = [np.diff(each.ends, prepend=np.uint32(0)).astype(np.int64) for _, _, each in slices]
    pages = [
        np.repeat(first + np.arange(len(count)), count) for (_, first, _), count in zip(slices, counts, strict=True)
    ]
    return PassageVectors(
        segments=np.repeat([segment for segment, _, _ in slices], [len(found) for found in pages]).astype(np.uint32),
        documents=np.concatenate([np.zeros(0, np.int64), *pages]).astype(np.uint32),
        vectors=np.concatenate([np.zeros((0, width), np.int8), *(each.vectors for _, _, each in slices)]),
        factors=np.concatenate([np.zeros(0, np.float32), *(each.factors for _, _, each in slices)]),
        spans=np.concatenate([np.zeros((0, 2), np.uint32), *(each.spans for _, _, each in slices)]),
    )
