"""How may a question go on? With the words that titles, headings and links have, after the words that stand there.

The last word is taken for the beginning of one. Where another stands before it, the words that follow on that one in a
title, a heading or a link come first: "create ta" goes on as "create table", though "tag" stands on more pages. Then
come the words that begin so, those on most pages first.

Which word follows on which is a table of pairs with how often each was seen, in the order of the words: the pairs of
one word are neighbours in it, and among them those whose second word begins alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from indexer.segments.schema import IndexField
from indexer.spelling.word_list import WordList

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from indexer.segments.postings import Postings
    from indexer.segments.segment import SegmentFile

NAME_FIELDS = (IndexField.TITLE, IndexField.HEADINGS, IndexField.ANCHORS)  # what a page, or a part of it, is called
MAX_COMPLETIONS = 8  # that are shown
MAX_PAIRED = 50_000  # words of a segment, those on most pages, of which it is known what follows on them
MAX_PAIRED_PLACES = 4_000_000  # places of words that are looked at for it
MAX_CHARS = 200  # of a question that is still being typed
_BEGUN = re.compile(r"""[^\s"()]*\Z""")


class NameWords:
    """The words that the names in a segment have, and which follows on which."""

    def __init__(self, words: Iterable[tuple[str, int]], file: SegmentFile) -> None:
        self.words = WordList(words)
        self._pairs, self._times = _pairs_in(self.words, file)

    def following(self, word: str, begun: str, most: int) -> list[tuple[str, int]]:
        """Return the words that begin so and follow on a word, each with how often, the most frequent first."""
        here, places = self.words.place_of(word), self.words.beginning_with(begun)
        if here is None or not places:
            return []
        keys = _pair_keys(here, np.array([places.start, places.stop - 1], np.uint64))
        first, last = np.searchsorted(self._pairs, keys[:1]), np.searchsorted(self._pairs, keys[1:], side="right")
        times = self._times[int(first[0]) : int(last[0])]
        best = np.argsort(-times, kind="stable")[:most]
        seconds = (self._pairs[int(first[0]) + best] & np.uint64(0xFFFFFFFF)).tolist()
        return [(self.words[second], count) for second, count in zip(seconds, times[best].tolist(), strict=True)]


def completions(question: str, names: Sequence[NameWords], most: int = MAX_COMPLETIONS) -> tuple[str, ...]:
    """Return how a question may go on: whole questions, the likeliest first."""
    start = _BEGUN.search(question := question[:MAX_CHARS]).start()  # type: ignore[union-attr]  # it finds "" at least
    begun, before = _normal(question[start:]), question[:start].split()
    following: Counter[str] = Counter()
    commonest: Counter[str] = Counter()
    for each in names:
        if before:
            following.update(dict(each.following(_normal(before[-1]), begun, most)))
        if begun:
            commonest.update(dict(each.words.commonest(each.words.beginning_with(begun), most + 1)))
    found = [word for counted in (following, commonest) for word, _ in counted.most_common(most + 1) if word != begun]
    return tuple(question[:start] + word for word in dict.fromkeys(found))[:most]


def _normal(word: str) -> str:
    return unicodedata.normalize("NFKC", word).lower()


def _pairs_in(known: WordList, file: SegmentFile) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return which word follows on which in the names of a segment, as sorted keys, and how often."""
    rows: list[NDArray[np.uint64]] = []
    frequent = known.most_frequent(MAX_PAIRED)
    for field in NAME_FIELDS:
        numbers: list[NDArray[np.uint64]] = []
        owners: list[NDArray[np.uint64]] = []
        left = MAX_PAIRED_PLACES
        for place in frequent:
            found = file.postings(field, known[place])
            if found is None or len(found.positions) > left:
                continue
            left -= len(found.positions)
            numbers.append(_numbered(found))
            owners.append(np.full(len(found.positions), place, np.uint64))
        if numbers:
            rows.append(_neighbours(np.concatenate(numbers), np.concatenate(owners)))
    if not rows:
        return np.zeros(0, np.uint64), np.zeros(0, np.int64)
    keys, times = np.unique(np.concatenate(rows), return_counts=True)
    return keys, times


def _numbered(found: Postings) -> NDArray[np.uint64]:
    """Return each place of a word as one number: its document, then its position."""
    documents = np.repeat(found.documents.astype(np.uint64), found.frequencies)
    return documents << np.uint64(32) | found.positions.astype(np.uint64)


def _neighbours(numbers: NDArray[np.uint64], owners: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the pairs of words whose places follow on each other; a whole name has the place of its first part."""
    order = np.argsort(numbers, kind="stable")
    numbers, owners = numbers[order], owners[order]
    ends = np.searchsorted(numbers, numbers + np.uint64(1), side="left")
    lasts = np.searchsorted(numbers, numbers + np.uint64(1), side="right")
    found = [
        _pair_keys(owners[kept], owners[ends[kept] + step])
        for step in range(int((lasts - ends).max(initial=0)))
        if len(kept := np.flatnonzero(lasts - ends > step))
    ]
    return np.concatenate(found) if found else np.zeros(0, np.uint64)


def _pair_keys(first: NDArray[np.uint64] | int, second: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return np.asarray(first, np.uint64) << np.uint64(32) | second
