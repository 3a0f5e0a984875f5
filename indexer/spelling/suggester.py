"""How may a question go on? With the words that titles, headings and links have, after the words that stand there.

The last word is taken for the beginning of one. Where another stands before it, the words that follow on that one in a
title, a heading or a link come first: "create ta" goes on as "create table", though "tag" stands on more pages. Then
come the words that begin so, those on most pages first.

Which word follows on which is a table of pairs with how often each was seen, in the order of the words: the pairs of
one word are neighbours in it, and among them those whose second word begins alike.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import Counter, defaultdict
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from indexer.segments.postings import PackedLists
from indexer.segments.schema import IndexField
from indexer.spelling.spellchecker import can_be_misspelt
from indexer.spelling.term_list import TermList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from indexer.segments.segment import SegmentReader

NAME_FIELDS = (IndexField.TITLE, IndexField.HEADINGS, IndexField.ANCHORS)  # what a page, or a part of it, is called
MAX_COMPLETIONS = 8  # that are shown
MAX_PAIRED = 50_000  # words of a segment, those on most pages, of which it is known what follows on them
MAX_PAIRED_BYTES = 4_000_000  # of their places in one field: each place takes one at least
MAX_CHARS = 200  # of a question that is still being typed
_BEGUN = re.compile(r"""[^\s"()]*\Z""")


class NameTerms:
    """The words that the names in a segment have, and which follows on which."""

    def __init__(self, words: Iterable[tuple[str, int]], file: SegmentReader) -> None:
        self.words = TermList(words)
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


def completions(question: str, names: Sequence[NameTerms], most: int = MAX_COMPLETIONS) -> tuple[str, ...]:
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


def _pairs_in(known: TermList, file: SegmentReader) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return which word follows on which in the names of a segment, as sorted keys, and how often."""
    ranks = np.full(len(known), MAX_PAIRED, np.int64)
    frequent = known.most_frequent(MAX_PAIRED)
    ranks[frequent] = np.arange(len(frequent))
    found: dict[bytes, list[tuple[list[int], PackedLists]]] = defaultdict(list)
    place, last = -1, b""
    for keys, lists in file.lists_of(NAME_FIELDS):
        rows: dict[bytes, dict[int, int]] = defaultdict(dict)  # of each field: the place of a word, and its row
        for row, key in enumerate(keys):
            if key[:-2] != last:
                place, last = place + 1, key[:-2]  # the words come as `known` has them
            if place < len(ranks) and ranks[place] < MAX_PAIRED:
                rows[key[-1:]][place] = row
        for field, some in rows.items():
            found[field].append((list(some), lists.taken(list(some.values()))))
    pairs = [_pairs_of(file, ranks, several) for several in found.values()]
    keys_of_pairs, times = np.unique(np.concatenate([np.zeros(0, np.uint64), *pairs]), return_counts=True)
    return keys_of_pairs, times


def _pairs_of(
    file: SegmentReader, ranks: NDArray[np.int64], several: Sequence[tuple[list[int], PackedLists]]
) -> NDArray[np.uint64]:
    """Return the pairs of words in one field, from the lists of its words."""
    places = np.concatenate([np.array(numbers, np.uint64) for numbers, _ in several])
    lists = PackedLists.joined([each for _, each in several])
    order = np.argsort(ranks[places], kind="stable")
    kept = np.sort(order[np.cumsum(lists.position_sizes[order]) <= MAX_PAIRED_BYTES])
    if len(kept) < len(lists):
        places, lists = places[kept], lists.taken(kept.tolist())
    if not len(lists):
        return np.zeros(0, np.uint64)
    documents, frequencies, positions = file.unpacked(lists)
    owners = np.repeat(np.repeat(places, lists.counts), frequencies)
    numbers = np.repeat(documents.astype(np.uint64), frequencies) << np.uint64(32) | positions.astype(np.uint64)
    return _neighbours(numbers, owners)


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


SPELT_FIELDS = (IndexField.BODY, IndexField.TITLE)  # their words are what a misspelt one may have been meant as


class TermLists:
    """The words of segments; threads share it, and a segment that is no longer open is forgotten."""

    def __init__(self) -> None:
        self._gathering, self._naming = threading.Lock(), threading.Lock()
        self._spelt: WeakKeyDictionary[SegmentReader, TermList] = WeakKeyDictionary()
        self._names: WeakKeyDictionary[SegmentReader, NameTerms] = WeakKeyDictionary()

    def spelling_terms(self, files: Sequence[SegmentReader], is_late: Callable[[], bool]) -> list[TermList]:
        """Return the words that people spell, by segment; none where there is no time to gather them."""
        with self._gathering:
            for file in files:
                if file in self._spelt:
                    continue
                if is_late():
                    return []
                self._spelt[file] = TermList(pair for pair in file.words(SPELT_FIELDS) if can_be_misspelt(pair[0]))
            return [self._spelt[file] for file in files]

    def names(self, files: Sequence[SegmentReader]) -> list[NameTerms]:
        """Return the words of titles, headings and links, by segment."""
        with self._naming:
            for file in files:
                if file not in self._names:
                    self._names[file] = NameTerms(file.words(NAME_FIELDS), file)
            return [self._names[file] for file in files]
