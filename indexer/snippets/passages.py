"""Where on a page are the terms of a query close together? Found from their positions, without reading the page.

A passage has as many positions as a snippet has words; its weight is the sum of the weights of its distinct terms.
Checkpoints lead from positions to characters (`indexer/segments/schema.py`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

import numpy as np

from indexer.ranking.query_postings import POSITION_BITS
from indexer.segments.schema import unpack_checkpoints

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indexer.ranking.term_scorer import TermScorer
    from indexer.segments.schema import Checkpoints, StoredFields

MAX_STARTS = 100  # where a passage may begin; of frequent terms only the first places are tried
MAX_PASSAGES = 3  # read of each page
REPEAT_WEIGHT = 0.02  # for each occurrence of a term: of equal passages the densest is read first
MAX_REPEATS = 3  # occurrences of a term that count
TextRegion = tuple[int, int, float]  # first character, exclusive end, and weight
RankedPassage = tuple[int, float]  # its first position, and its weight
# The weight of a term, and its places in numbered pages: ascending, the number of the page above POSITION_BITS, the
# position below.
TermPositions = tuple[float, "NDArray[np.int64]"]


def best_passages(
    words: Sequence[TermPositions], pages: Sequence[int], lengths: Sequence[int]
) -> list[list[RankedPassage]]:
    """Return for each page, by ascending numbers, its best passages, the best first.

    A passage has as many positions as `lengths` says for its page, and two passages do not overlap. One pass handles
    all pages: page by page, most of the time would go into starting.
    """
    starts, counts = _starts(words, pages)
    edges = np.concatenate((starts, starts + np.array(lengths, np.int64).repeat(counts)))
    rows = np.array([places.searchsorted(edges) for _, places in words], np.int64).reshape(len(words), 2, len(starts))
    times = rows[:, 1] - rows[:, 0]
    weights = np.array([[weight] for weight, _ in words])
    totals = (weights * (times > 0)).sum(axis=0)
    order = -(totals + REPEAT_WEIGHT * (weights * np.minimum(times, MAX_REPEATS)).sum(axis=0))
    begins, weights_of_starts, end = (starts & (1 << POSITION_BITS) - 1).tolist(), totals.tolist(), 0
    each: list[list[RankedPassage]] = []
    for count, length in zip(counts, lengths, strict=True):
        found: list[RankedPassage] = []
        for row in order[end : end + count].argsort(kind="stable").tolist():
            start = begins[end + row]
            if all(abs(start - other) >= length for other, _ in found):
                found.append((start, weights_of_starts[end + row]))
                if len(found) == MAX_PASSAGES:
                    break
        each.append(found)
        end += count
    return each


def _starts(words: Sequence[TermPositions], pages: Sequence[int]) -> tuple[NDArray[np.int64], list[int]]:
    """Return where passages may begin, page by page, and the number of these places for each page.

    These are all places of the rarest terms on the page, and the first ones of the others.
    """
    bounds = np.array([pages, [page + 1 for page in pages]], np.int64) << POSITION_BITS
    extents = [places.searchsorted(bounds).T.tolist() for _, places in words]
    chosen, counts = [np.zeros(0, np.int64)], []
    for page in range(len(pages)):
        room = MAX_STARTS
        for size, number in sorted((extent[page][1] - extent[page][0], at) for at, extent in enumerate(extents)):
            start = extents[number][page][0]
            chosen.append(words[number][1][start : start + min(size, room)])
            room -= len(chosen[-1])
        counts.append(MAX_STARTS - room)
    return np.sort(np.concatenate(chosen)), counts


def text_regions(
    passages: Sequence[RankedPassage], length: int, checkpoints: Checkpoints, chars: int
) -> list[TextRegion]:
    """Return the parts of a text that have these passages of `length` positions; the text has `chars` characters."""
    characters, positions = checkpoints
    regions: list[TextRegion] = []
    for start, weight in passages:
        before, after = bisect_right(positions, start), bisect_left(positions, start + length)
        first = characters[before - 1] if before else 0
        last = characters[after] if after < len(characters) else chars
        if first < chars:  # otherwise it is beyond the stored part of the text
            regions.append((first, last, weight))
    return regions


def reading_regions(page: int, stored: StoredFields, readings: Sequence[TermScorer], chars: int) -> list[TextRegion]:
    """Return the parts of a page's text, of about `chars` characters, that have readings, the best first."""
    characters, positions = unpack_checkpoints(stored.reading_checkpoints)
    if not characters:
        return []
    length = max(1, chars * positions[-1] // max(characters[-1], 1))
    places = []
    for gain in readings:
        rows = [row for _, row in gain.postings.lists_of(page)]
        places.append((gain.term.weight, gain.postings.places(_numbers(rows), _numbers([0] * len(rows)))))
    return text_regions(best_passages(places, [0], [length])[0], length, (characters, positions), len(stored.text))


def _numbers(rows: Sequence[int]) -> NDArray[np.intp]:
    return np.array(rows, np.intp)
