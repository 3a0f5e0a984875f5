"""Where in a text stand the words whose readings were asked for? It is read once more, where the index leads to.

Only the reading of a word is in the index, so 東京 is found in a text as it was when the page was indexed: by reading
the text. That is done in the few passages that are looked at for a snippet, never in a whole page.
"""

from __future__ import annotations

from heapq import merge
from typing import TYPE_CHECKING

import numpy as np

from indexer.analysis.landmarks import landmarks_in
from indexer.analysis.readings import MARK
from indexer.snippets.found_words import FoundWord, WordMarker
from indexer.snippets.passages import best_passages, text_regions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.analysis.readings import WordReader
    from indexer.ranking.term_gain import TermGain
    from indexer.segments.schema import StoredFields
    from indexer.snippets.passages import TextRegion

MAX_SPOKEN_CHARS = 4_000  # read of one part of a text: some ten milliseconds
_NOWHERE = -2  # a position that no word follows on


class SpokenMarker(WordMarker):
    """Finds words of a question in Japanese texts as they are written, and those that are spoken as one of it."""

    def __init__(self, words: Mapping[str, str], reader: WordReader) -> None:
        super().__init__(words.get, words)
        self._readings, self._reader = words, reader

    def find(self, text: str, start: int = 0, end: int | None = None) -> Iterator[FoundWord]:
        """Yield where words of the question stand from `start` to `end`, in order."""
        return merge(super().find(text, start, end), self._spoken(text, start, end))

    def skim(self, text: str, start: int = 0, end: int | None = None) -> Iterator[FoundWord]:
        """Yield the same."""
        return merge(super().skim(text, start, end), self._spoken(text, start, end))

    def _spoken(self, text: str, start: int, end: int | None) -> Iterator[FoundWord]:
        stop = min(len(text) if end is None else end, start + MAX_SPOKEN_CHARS)
        for word in self._reader.words(text, start, stop):
            if meant := self._readings.get(f"{MARK}{word.reading}"):
                yield FoundWord((word.start, word.end), (meant,), _NOWHERE, 1)


def marker_of(words: Mapping[str, str], reader: WordReader | None) -> WordMarker:
    """Return what finds words, and with `reader` those that are spoken as one of them."""
    return SpokenMarker(words, reader) if reader else WordMarker(words.get, words)


def spoken_regions(page: int, stored: StoredFields, readings: Sequence[TermGain], chars: int) -> list[TextRegion]:
    """Return the parts of a page's text, of about so many characters, in which readings are, the best first."""
    characters, positions = landmarks_in(stored.reading_marks)
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
