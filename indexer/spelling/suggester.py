"""How can a query be completed? The suggestions are words of titles, headings and links.

The last word is a prefix. If another word precedes it, the words that follow that one in a title, a heading or a link
come first: "create ta" becomes "create table", although "tag" is on more pages. Then come all words with the prefix,
those on most pages first.

A sorted table has the pairs of successive words, each with its frequency. The pairs of one word are neighbours in it,
and among them those whose second word has one prefix.
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

NAME_FIELDS = (IndexField.TITLE, IndexField.HEADINGS, IndexField.ANCHORS)  # the names of a page and of its parts
MAX_SUGGESTIONS = 8
MAX_PAIRED = 50_000  # words of a segment that have pairs: those on most pages
MAX_PAIRED_BYTES = 4_000_000  # of their positions in one field; each takes one at least
MAX_CHARS = 200  # of an unfinished query
_PREFIX = re.compile(r"""[^\s"()]*\Z""")


class NameTerms:
    """The words of the names in a segment, and the pairs of successive ones."""

    def __init__(self, words: Iterable[tuple[str, int]], file: SegmentReader) -> None:
        self.words = TermList(words)
        self._pairs, self._times = _pairs_in(self.words, file)

    def following(self, word: str, prefix: str, most: int) -> list[tuple[str, int]]:
        """Return the words with a prefix that follow a word, each with its frequency, the most frequent first."""
        here, places = self.words.place_of(word), self.words.with_prefix(prefix)
        if here is None or not places:
            return []
        keys = _pair_keys(here, np.array([places.start, places.stop - 1], np.uint64))
        first, last = np.searchsorted(self._pairs, keys[:1]), np.searchsorted(self._pairs, keys[1:], side="right")
        times = self._times[int(first[0]) : int(last[0])]
        best = np.argsort(-times, kind="stable")[:most]
        seconds = (self._pairs[int(first[0]) + best] & np.uint64(0xFFFFFFFF)).tolist()
        return [(self.words[second], count) for second, count in zip(seconds, times[best].tolist(), strict=True)]


def complete(query: str, names: Sequence[NameTerms], most: int = MAX_SUGGESTIONS) -> tuple[str, ...]:
    """Return whole queries that continue this one, the likeliest first."""
    query = query[:MAX_CHARS]
    start = _PREFIX.search(query).start()  # type: ignore[union-attr]  # it finds "" at least
    prefix, before = _normal(query[start:]), query[:start].split()
    following: Counter[str] = Counter()
    frequent: Counter[str] = Counter()
    for each in names:
        if before:
            following.update(dict(each.following(_normal(before[-1]), prefix, most)))
        if prefix:
            frequent.update(dict(each.words.top_terms(each.words.with_prefix(prefix), most + 1)))
    found = [word for counts in (following, frequent) for word, _ in counts.most_common(most + 1) if word != prefix]
    return tuple(query[:start] + word for word in dict.fromkeys(found))[:most]


def _normal(word: str) -> str:
    return unicodedata.normalize("NFKC", word).lower()


def _pairs_in(known: TermList, file: SegmentReader) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the pairs of successive words in the names of a segment as sorted keys, and their frequencies."""
    ranks = np.full(len(known), MAX_PAIRED, np.int64)
    frequent = known.most_frequent(MAX_PAIRED)
    ranks[frequent] = np.arange(len(frequent))
    found: dict[bytes, list[tuple[list[int], PackedLists]]] = defaultdict(list)
    place, last = -1, b""
    for keys, lists in file.lists_of(NAME_FIELDS):
        rows: dict[bytes, dict[int, int]] = defaultdict(dict)  # by field: the place of each word, and its row
        for row, key in enumerate(keys):
            if key[:-2] != last:
                place, last = place + 1, key[:-2]  # the words have the order of `known`
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
    """Return the pairs of successive words in one field, from the postings of its words."""
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
    """Return the pairs of words at successive positions; a whole name has the position of its first part."""
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


SPELLING_FIELDS = (IndexField.BODY, IndexField.TITLE)  # whose words are corrections


class TermLists:
    """A cache of the terms of segments, which threads share.

    A segment never changes, so its terms are read once, and only when a query first needs them. A query whose words are
    all known needs none and never waits. Terms of deleted pages stay until their segment is merged.
    """

    def __init__(self) -> None:
        self._spelling_lock, self._names_lock = threading.Lock(), threading.Lock()
        self._spelling: WeakKeyDictionary[SegmentReader, TermList] = WeakKeyDictionary()
        self._names: WeakKeyDictionary[SegmentReader, NameTerms] = WeakKeyDictionary()

    def spelling_terms(self, files: Sequence[SegmentReader], is_late: Callable[[], bool]) -> list[TermList]:
        """Return the words that people spell, by segment; none if there is no time to read them."""
        with self._spelling_lock:
            for file in files:
                if file in self._spelling:
                    continue
                if is_late():
                    return []
                rows = (row for row in file.words(SPELLING_FIELDS) if can_be_misspelt(row[0]))
                self._spelling[file] = TermList(rows)
            return [self._spelling[file] for file in files]

    def names(self, files: Sequence[SegmentReader]) -> list[NameTerms]:
        """Return the words of titles, headings and links, by segment."""
        with self._names_lock:
            for file in files:
                if file not in self._names:
                    self._names[file] = NameTerms(file.words(NAME_FIELDS), file)
            return [self._names[file] for file in files]
