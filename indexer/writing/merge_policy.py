"""Which segments are merged? Eight segments of one size class become one of the next.

Each segment costs every query a look into its dictionary, and each merge writes postings again. This policy keeps both
small: a page is rewritten about log8(pages) times, and there are never more than seven segments of a size class (O'Neil
et al., "The Log-Structured Merge-Tree", 1996; Lucene's logarithmic policy). Above a limit nothing is merged any more:
no commit may take minutes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MERGE_FACTOR = 8  # segments of one size class become one
SMALLEST = 64  # pages; below, all segments count as one size
LARGEST = 16_384  # pages; such a segment is not merged with others: about 20 s of work
LARGEST_BYTES = 1 << 30  # the same by size: a column of a segment holds 2 GiB at most
MAX_DELETED = 0.5  # a segment with more deleted pages than this share is rewritten


@dataclass(frozen=True, slots=True)
class Weight:
    """What the policy knows of a segment: all its pages, those deleted, its size."""

    pages: int
    deleted: int
    size: int  # bytes

    @property
    def live(self) -> int:
        """Pages that are not deleted."""
        return self.pages - self.deleted

    @property
    def tier(self) -> int:
        """The size class: 0 up to SMALLEST pages, then one more for each factor of MERGE_FACTOR."""
        tier, bound = 0, SMALLEST
        while self.live > bound:
            tier, bound = tier + 1, bound * MERGE_FACTOR
        return tier


def choose_merge(weights: Sequence[Weight]) -> list[int]:
    """Return the places of the segments to write into one, in ascending order; empty: nothing to do."""
    for place, weight in enumerate(weights):
        if weight.deleted > MAX_DELETED * weight.pages:
            return [place]
    mergeable = [place for place, weight in enumerate(weights) if weight.live < LARGEST]
    for tier in sorted({weights[place].tier for place in mergeable}):
        group = [place for place in mergeable if weights[place].tier == tier]
        if len(group) >= MERGE_FACTOR:
            return _within_bounds(weights, group)
    return []


def _within_bounds(weights: Sequence[Weight], group: list[int]) -> list[int]:
    chosen: list[int] = []
    pages = size = 0
    for place in group[:MERGE_FACTOR]:
        pages += weights[place].live
        size += weights[place].size
        if chosen and (pages > 2 * LARGEST or size > LARGEST_BYTES):
            break
        chosen.append(place)
    return chosen if len(chosen) > 1 else []
