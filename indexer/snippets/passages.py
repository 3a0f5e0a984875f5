"""Where in a page do the words of a question stand together? Found from their positions, without reading the page.

The index knows at which position of the text each word stands. A passage is a stretch of as many positions as a
snippet has words; it is worth what the different words in it weigh. Checkpoints lead from positions to characters: of
every few hundred characters of the text, one word's place in both (`indexer/analysis/offsets.py`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

import numpy as np

from indexer.analysis.offsets import unpack_checkpoints
from indexer.ranking.query_postings import POSITION_BITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indexer.analysis.offsets import Checkpoints
    from indexer.ranking.term_scorer import TermScorer
    from indexer.segments.schema import StoredFields

MAX_STARTS = 100  # places at which a passage may begin; of frequent words only the first ones are tried
PASSAGES = 3  # of a page are read
AGAIN = 0.02  # what a word adds for each time that it stands in a passage: of equal ones the denser is read first
MOST_AGAIN = 3  # times that this counts
TextRegion = tuple[int, int, float]  # first character, the one after the last, and what the words in it weigh
RankedPassage = tuple[int, float]  # the position at which it begins, and what its words weigh
# What a word weighs, and where it stands in pages that are numbered: ascending, the number of the page above
# POSITION_BITS, the position below.
TermPositions = tuple[float, "NDArray[np.int64]"]


def best_passages(
    words: Sequence[TermPositions], pages: Sequence[int], reaches: Sequence[int]
) -> list[list[RankedPassage]]:
    """Return for each page, by ascending numbers, the stretches whose words weigh most, the best first.

    A stretch of a page has as many positions as its `reaches` says, and two are apart by as many. All pages are looked
    through at once: for each by itself, most of the time would go into beginning.
    """
    starts, counts = _starts(words, pages)
    edges = np.concatenate((starts, starts + np.array(reaches, np.int64).repeat(counts)))
    rows = np.array([places.searchsorted(edges) for _, places in words], np.int64).reshape(len(words), 2, len(starts))
    times = rows[:, 1] - rows[:, 0]
    weights = np.array([[weight] for weight, _ in words])
    worth = (weights * (times > 0)).sum(axis=0)
    order = -(worth + AGAIN * (weights * np.minimum(times, MOST_AGAIN)).sum(axis=0))
    begins, worths, end = (starts & (1 << POSITION_BITS) - 1).tolist(), worth.tolist(), 0
    each: list[list[RankedPassage]] = []
    for count, reach in zip(counts, reaches, strict=True):
        found: list[RankedPassage] = []
        for row in order[end : end + count].argsort(kind="stable").tolist():
            start = begins[end + row]
            if all(abs(start - other) >= reach for other, _ in found):
                found.append((start, worths[end + row]))
                if len(found) == PASSAGES:
                    break
        each.append(found)
        end += count
    return each


def _starts(words: Sequence[TermPositions], pages: Sequence[int]) -> tuple[NDArray[np.int64], list[int]]:
    """Return where a passage may begin, page by page, and in how many places of each page.

    Those are all places of the rarest words on the page, and the first of the others.
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
    passages: Sequence[RankedPassage], reach: int, landmarks: Checkpoints, length: int
) -> list[TextRegion]:
    """Return the parts of a text of `length` characters that have these passages, in the same order."""
    characters, positions = landmarks
    regions: list[TextRegion] = []
    for start, worth in passages:
        before, after = bisect_right(positions, start), bisect_left(positions, start + reach)
        first = characters[before - 1] if before else 0
        last = characters[after] if after < len(characters) else length
        if first < length:  # else it is beyond the part of the text that is kept
            regions.append((first, last, worth))
    return regions


def reading_regions(page: int, stored: StoredFields, readings: Sequence[TermScorer], chars: int) -> list[TextRegion]:
    """Return the parts of a page's text, of about so many characters, in which readings are, the best first."""
    characters, positions = unpack_checkpoints(stored.reading_marks)
    if not characters:
        return []
    reach = max(1, chars * positions[-1] // max(characters[-1], 1))
    places = []
    for gain in readings:
        rows = [row for _, row in gain.postings.lists_of(page)]
        places.append((gain.term.weight, gain.postings.places(_numbers(rows), _numbers([0] * len(rows)))))
    return text_regions(best_passages(places, [0], [reach])[0], reach, (characters, positions), len(stored.text))


def _numbers(rows: Sequence[int]) -> NDArray[np.intp]:
    return np.array(rows, np.intp)
