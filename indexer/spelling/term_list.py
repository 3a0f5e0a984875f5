"""Which terms does a segment have, and on how many pages? Sorted, a million of them in 30 MB.

All terms are one string of bytes, with the start of each. UTF-8 keeps the order of the characters, so terms with one
prefix are neighbours. Each term also has a hash: a thousand spellings are looked up in one step.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import islice
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

MAX_TERMS = 1_000_000  # of one segment; the rest, in order, is left out
MAX_WORD_CHARS = 40  # of a word that people spell: a longer one is a blob
_CHUNK = 1 << 16  # terms that are read at a time
_LAST = b"\xff"  # sorts after all of UTF-8


class KnownTerms(Protocol):
    """The terms that a correction may suggest."""

    def pages_with(self, words: Sequence[str], /) -> dict[str, int]:
        """Return those of some words, ascending, that are terms, each with its number of pages."""

    def of_size(self, prefix: str, sizes: range, most: int, /) -> list[str]:
        """Return at most `most` of the terms with a prefix and so many bytes, those on most pages first."""


class TermList:
    """Distinct terms, sorted, each with its number of pages."""

    def __init__(self, words: Iterable[tuple[str, int]]) -> None:
        letters: list[bytes] = []
        sizes: list[NDArray[np.uint32]] = []
        pages: list[NDArray[np.uint32]] = []
        hashes: list[NDArray[np.int64]] = []
        left = islice(words, MAX_TERMS)
        while chunk := list(islice(left, _CHUNK)):
            spelt = [word.encode() for word, _ in chunk]
            letters.append(b"".join(spelt))
            sizes.append(np.fromiter(map(len, spelt), np.uint32, len(spelt)))
            pages.append(np.fromiter((count for _, count in chunk), np.uint32, len(spelt)))
            hashes.append(_hashes([word for word, _ in chunk]))
        self._spelt = b"".join(letters)
        self._ends = np.cumsum(np.concatenate([np.zeros(1, np.uint32), *sizes]), dtype=np.uint32)
        self._pages = np.concatenate([np.zeros(0, np.uint32), *pages])
        found = np.concatenate([np.zeros(0, np.int64), *hashes])
        order = np.argsort(found)
        self._hashes, self._hashed_pages = found[order], self._pages[order]

    def __len__(self) -> int:
        return len(self._pages)

    def __getitem__(self, place: int) -> str:
        return self._word(place).decode()

    def _word(self, place: int) -> bytes:
        return self._spelt[self._ends[place] : self._ends[place + 1]]

    def pages_with(self, words: Sequence[str]) -> dict[str, int]:
        """Return those of some words that are in the list, each with its number of pages."""
        wanted = _hashes(words)
        places = np.searchsorted(self._hashes[:-1], wanted)
        known = np.flatnonzero(self._hashes[places] == wanted) if len(self) else places[:0]
        pages = self._hashed_pages[places[known]].tolist()
        return {words[at]: count for at, count in zip(known.tolist(), pages, strict=True)}

    def with_prefix(self, prefix: str) -> range:
        """Return the places of the terms with a prefix."""
        start = prefix.encode("utf-8", "replace")
        first = bisect_left(range(len(self)), start, key=self._word)
        return range(first, bisect_left(range(len(self)), start + _LAST, lo=first, key=self._word))

    def place_of(self, word: str) -> int | None:
        """Return the place of a word; None if it is not in the list."""
        spelt = word.encode("utf-8", "replace")
        place = bisect_left(range(len(self)), spelt, key=self._word)
        return place if place < len(self) and self._word(place) == spelt else None

    def most_frequent(self, most: int) -> list[int]:
        """Return the places of at most `most` terms, those on most pages first."""
        found: list[int] = np.argsort(-self._pages.astype(np.int64), kind="stable")[:most].tolist()
        return found

    def top_terms(self, places: range, most: int) -> list[tuple[str, int]]:
        """Return at most `most` of the terms at these places with their pages, those on most pages first."""
        pages = self._pages[places.start : places.stop]
        best = np.argsort(-pages.astype(np.int64), kind="stable")[:most]
        return [(self[places.start + place], int(pages[place])) for place in best.tolist()]

    def of_size(self, prefix: str, sizes: range, most: int) -> list[str]:
        """Return at most `most` of the terms with a prefix and so many bytes, those on most pages first."""
        places = self.with_prefix(prefix)
        found = np.diff(self._ends[places.start : places.stop + 1])
        kept = np.flatnonzero((found >= sizes.start) & (found < sizes.stop)) + places.start
        if len(kept) > most:
            kept = kept[np.argpartition(self._pages[kept], len(kept) - most)[-most:]]
        best = kept[np.argsort(-self._pages[kept].astype(np.int64), kind="stable")]
        return [self[place] for place in best.tolist()]


def _hashes(words: Sequence[str]) -> NDArray[np.int64]:
    """Return Python's own hashes, which no attacker can predict."""
    return np.fromiter(map(hash, words), np.int64, len(words))
