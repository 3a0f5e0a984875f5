"""Where in a page do the words of a question stand together? Found from their positions, without reading the page.

The index knows at which position of the text each word stands. A passage is a stretch of as many positions as a
snippet has words; it is worth what the different words in it weigh. Landmarks lead from positions to characters: of
every few hundred characters of the text, one word's place in both (`indexer/analysis/landmarks.py`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indexer.analysis.landmarks import Landmarks

MAX_STARTS = 100  # places at which a passage may begin; of frequent words only the first ones are tried
PASSAGES = 3  # of a page are read
AGAIN = 0.02  # what a word adds for each time that it stands in a passage: of equal ones the denser is read first
MOST_AGAIN = 3  # times that this counts
TextRegion = tuple[int, int, float]  # first character, the one after the last, and what the words in it weigh
WordPlaces = tuple[float, "NDArray[np.int64]"]  # what a word weighs, and its positions in ascending order


def best_passages(words: Sequence[WordPlaces], reach: int) -> list[tuple[int, float]]:
    """Return the stretches of `reach` positions whose words weigh most, the best first, apart by `reach`.

    Each is the position at which it begins, and what its words weigh.
    """
    starts = _starts(words)
    edges = np.concatenate((starts, starts + reach))
    rows = np.array([places.searchsorted(edges) for _, places in words], np.int64).reshape(len(words), 2, len(starts))
    times = rows[:, 1] - rows[:, 0]
    weights = np.array([[weight] for weight, _ in words])
    worth = (weights * (times > 0)).sum(axis=0)
    density = (weights * np.minimum(times, MOST_AGAIN)).sum(axis=0)
    found: list[tuple[int, float]] = []
    for row in np.argsort(-(worth + AGAIN * density), kind="stable").tolist():
        start = int(starts[row])
        if all(abs(start - other) >= reach for other, _ in found):
            found.append((start, float(worth[row])))
            if len(found) == PASSAGES:
                break
    return found


def _starts(words: Sequence[WordPlaces]) -> NDArray[np.int64]:
    """Return positions of words at which a passage may begin: all of the rarest words, the first of the others."""
    chosen, room = [np.zeros(0, np.int64)], MAX_STARTS
    for _, places in sorted(words, key=lambda word: len(word[1])):
        chosen.append(places[:room])
        room -= len(chosen[-1])
    return np.sort(np.concatenate(chosen))


def text_regions(
    passages: Sequence[tuple[int, float]], reach: int, landmarks: Landmarks, length: int
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
