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
ENDING_SHARE = 0.5  # of the pages of a segment: so many must smaller ones have, to be merged with it at the end
LARGEST = 16_384  # pages
LARGEST_BYTES = 1 << 26  # a segment with as many pages and bytes is not merged with others: about 20 s of work
MAX_BYTES = 1 << 30  # of a merged segment: a column of it holds 2 GiB at most
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
    def is_large(self) -> bool:
        """Whether it is merged no more; pages of a few words are many before they are much work."""
        return self.live >= LARGEST and self.size >= LARGEST_BYTES

    @property
    def tier(self) -> int:
        """The size class: 0 up to SMALLEST pages, then one more for each factor of MERGE_FACTOR."""
        tier, bound = 0, SMALLEST
        while self.live > bound:
            tier, bound = tier + 1, bound * MERGE_FACTOR
        return tier


def choose_merge(weights: Sequence[Weight], *, ending: bool = False) -> list[int]:
    """Return the places of the segments to write into one, in ascending order; empty: nothing to do.

    When a writer is `ending`, small segments are merged before they are as many as a size class holds.
    """
    for place, weight in enumerate(weights):
        if weight.deleted > MAX_DELETED * weight.pages:
            return [place]
    mergeable = [place for place, weight in enumerate(weights) if not weight.is_large]
    for tier in sorted({weights[place].tier for place in mergeable}):
        group = [place for place in mergeable if weights[place].tier == tier]
        if len(group) >= MERGE_FACTOR:
            return _within_bounds(weights, group)
    return _small_ones(weights, mergeable) if ending else []


def _small_ones(weights: Sequence[Weight], mergeable: Sequence[int]) -> list[int]:
    """Return the smallest segments, up to the largest one that the smaller ones together have a share of the pages of.

    So a page is rewritten when its segment grows by that share at least, and an update of few pages rewrites few.
    """
    ascending = sorted(mergeable, key=lambda place: weights[place].live)
    smaller = size = last = 0
    for number, place in enumerate(ascending):
        live, size = weights[place].live, size + weights[place].size
        if _is_too_large(smaller + live, size):
            break
        if number and smaller >= ENDING_SHARE * live:
            last = number + 1
        smaller += live
    return sorted(ascending[:last])


def _within_bounds(weights: Sequence[Weight], group: list[int]) -> list[int]:
    chosen: list[int] = []
    pages = size = 0
    for place in group[:MERGE_FACTOR]:
        pages += weights[place].live
        size += weights[place].size
        if chosen and _is_too_large(pages, size):
            break
        chosen.append(place)
    return chosen if len(chosen) > 1 else []


def _is_too_large(pages: int, size: int) -> bool:
    return (pages > 2 * LARGEST and size > 2 * LARGEST_BYTES) or size > MAX_BYTES
