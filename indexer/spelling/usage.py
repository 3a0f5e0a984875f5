"""How do pages use a word: how do they spell it, and which words stand next to it?

The terms of the index are in lower case, and a suggestion is spelt as on a page: `receive.denyCurrentBranch`. So a
page is read for each. It must be a page whose text may be shown. What only deleted, hidden, expired or unfetched pages
say, or pages with `nosnippet`, is never suggested.

Words that stand together are counted in the positions of the index: `log` often follows `git`, and `lgo` never does.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.analysis.words import is_unspaced
from indexer.segments.postings import PackedLists
from indexer.segments.schema import IndexField
from indexer.segments.segment import DOCUMENT_BITS
from pages.text.layout import DEFINITION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from indexer.segments.schema import StoredFields
    from indexer.segments.segment import SegmentReader
    from indexer.segments.snapshot import SegmentView

    Keys = NDArray[np.uint64]  # document << 32 | position

MAX_CONTEXT_BYTES = 400_000  # of the positions of a word before others in a field of a segment; else it is not read
MAX_PLACE_BYTES = 50_000  # of the words that may follow
MAX_CONTEXT = 3  # words before a word that are looked at
IN_TITLE, IN_HEADING = 8, 3  # as much more counts a word there
MAX_NAMES = 4  # headings and titles that are noted for a word
NUMBERING = 3  # words at most before the first word of a heading: "3.1. "
READ_FIELDS = (IndexField.TITLE, IndexField.BODY)  # their text is in the record of a page
MAX_READ_PAGES = 8  # for one word, until one of them may be shown
MAX_OCCURRENCES = 200  # of a word inside other words of a text, until it stands alone
ONE = np.uint64(1)
NO_LISTS = PackedLists.joined([])
_UNDERSCORES = re.compile(r"__?(?!\w)")
_NO_KEYS = np.zeros(0, np.uint64)


@dataclass(slots=True)
class Following:
    """How much speaks for a word behind others, the pages that have it there, and titles and headings of these.

    A title or heading is a page with the number of its section; -1: the title.
    """

    score: int = 0
    pages: list[tuple[SegmentView, int]] = field(default_factory=list)
    names: list[tuple[SegmentView, int, int]] = field(default_factory=list)

    def add(self, other: Following) -> None:
        """Add what speaks for the word elsewhere."""
        self.score += other.score
        self.pages += other.pages
        self.names += other.names


class WordUsage:
    """The words of pages. `views_of` returns segments with all pages that have the given words."""

    def __init__(
        self,
        views_of: Callable[[Sequence[str]], Sequence[SegmentView]],
        is_hidden: Callable[[SegmentView, StoredFields], bool],
    ) -> None:
        self.views_of = views_of
        self._is_hidden = is_hidden
        self._now = time.time()
        self._known: dict[tuple[SegmentView, str, IndexField], Keys] = {}

    def spelling(self, word: str) -> str | None:
        """Return a word of the index as a page spells it; None if no page that was read may show it."""
        return self._spelt_on(chain.from_iterable(_pages_with(view, word) for view in self.views_of([word])), word)

    def spelling_behind(self, word: str, found: Following) -> str | None:
        """Return a word as one of the pages spells it that have it behind others; None if none of these may show it."""
        return self._spelt_on(found.pages, word)

    def _spelt_on(self, pages: Iterable[tuple[SegmentView, int]], word: str) -> str | None:
        for view, document in islice(pages, MAX_READ_PAGES):
            stored = self.shown(view, document)
            if stored and (found := written_in(stored.title, word) or written_in(stored.text, word)):
                return found
        return None

    def names(self, found: Following) -> Iterator[str]:
        """Yield the titles and headings of pages that may be shown."""
        for view, document, section in found.names:
            stored = self.shown(view, document)
            if stored and section < 0:
                yield stored.title
            elif stored and section < len(stored.sections) and stored.sections[section][2] < DEFINITION:
                start, end, _, _ = stored.sections[section]
                yield stored.text[start:end]

    def following(self, context: Sequence[str], words: Sequence[str]) -> dict[str, Following]:
        """Return how some words follow the longest end of `context` that one of them follows; without it, begin a name.

        (The simplest back-off: Brants and others, "Large Language Models in Machine Translation", 2007.)
        """
        found: defaultdict[str, Following] = defaultdict(Following)
        several = [Places(view, name) for view in self.views_of(context[-1:]) for name in READ_FIELDS]
        for start in range(max(len(context) - MAX_CONTEXT, 0), len(context) or 1):
            for one in several:
                for word, places in one.behind(context[start:], words):
                    one.note(found[word], places, len(context))
            if found:
                break
        return found

    def options_of(self, context: Sequence[str], options: Sequence[str]) -> dict[str, Following]:
        """Return how often options are on the pages that have most words of `context` in their title."""
        found: defaultdict[str, Following] = defaultdict(Following)
        titles = [(view, *_most_titled(view, set(context))) for view in self.views_of(context[-1:])]
        most = max((words for _, words, _ in titles), default=0)
        for view, words, is_named in titles:
            having, lists = (
                view.file.lists_in(IndexField.BODY, options, MAX_PLACE_BYTES) if words == most else ([], NO_LISTS)
            )
            if not (words and having):
                continue
            documents, frequencies = view.file.unpacked_postings(lists)
            owners = np.repeat(np.arange(len(having)), lists.counts)
            rows = np.flatnonzero(is_named[documents])
            for row in rows[np.argsort(-frequencies[rows].astype(np.int64), kind="stable")].tolist():
                option = found[having[owners[row]]]
                option.score += int(frequencies[row])
                option.pages.append((view, int(documents[row])))
        return found

    def shown(self, view: SegmentView, document: int) -> StoredFields | None:
        """Return the record of a page; None if its text may not be shown."""
        if document in view.deleted:
            return None
        stored = view.file.stored(document)
        is_open = stored.snippet is None and not stored.not_fetched
        has_ended = 0 < stored.expires <= self._now
        return stored if is_open and not has_ended and not self._is_hidden(view, stored) else None

    def together(self, words: Sequence[str]) -> int:
        """Return how often the words stand next to each other in this order, in titles and texts."""
        found = 0
        for view in self.views_of(words):
            for name in READ_FIELDS:
                ends, *further = (self._places(view, word, name) for word in words)
                for places in further:
                    ends = places[is_among(places, ends + ONE)]
                found += len(ends)
        return found

    def _places(self, view: SegmentView, word: str, name: IndexField) -> Keys:
        """Return the places of a word, which several candidates of a query are compared with."""
        if (view, word, name) not in self._known:
            found = word_places(view.file, [word], name, MAX_CONTEXT_BYTES)
            self._known[view, word, name] = found[0][1] if found else _NO_KEYS
        return self._known[view, word, name]


def _pages_with(view: SegmentView, word: str) -> Iterator[tuple[SegmentView, int]]:
    for name in READ_FIELDS:
        found = view.file.postings(name, word)
        if found is not None:
            yield from ((view, document) for document in _short_first(view, found.documents))


def _short_first(view: SegmentView, documents: NDArray[Any]) -> list[int]:
    """Return the first of some pages to read: the shortest ones, since reading them takes less time."""
    shortest = np.argsort(view.lengths(IndexField.BODY)[documents], kind="stable")[:MAX_READ_PAGES]
    found: list[int] = documents[shortest].tolist()
    return found


def _most_titled(view: SegmentView, words: Iterable[str]) -> tuple[int, NDArray[np.bool_]]:
    """Return the largest number of some words that a title has, and which pages have so many."""
    counts = np.zeros(view.file.count, np.int64)
    for word in words:
        counts[view.file.documents(IndexField.TITLE, word)] += 1
    most = int(counts.max(initial=0))
    return most, counts == most


class Places:
    """The places in a field of a segment, and where titles or headings begin and end among them."""

    def __init__(self, view: SegmentView, field: IndexField) -> None:
        self.view, self.field = view, field

    def behind(self, context: Sequence[str], words: Sequence[str]) -> list[tuple[str, Keys]]:
        """Return those of some words that follow others, or without these begin a name, each with its places there."""
        before = phrase_ends(self.view.file, context, self.field) + ONE if context else self._name_starts
        return word_places(self.view.file, words, self.field, MAX_PLACE_BYTES, before) if len(before) else []

    @property
    def _name_starts(self) -> Keys:
        if self.field is IndexField.TITLE:
            return np.arange(self.view.file.count, dtype=np.uint64) << DOCUMENT_BITS
        return self.view.file.heading_places[0]

    def note(self, found: Following, places: Keys, before: int) -> None:
        """Add the places of a word behind `before` others."""
        documents = _short_first(self.view, np.unique(places >> DOCUMENT_BITS))
        found.pages += [(self.view, document) for document in documents]
        if self.field is IndexField.TITLE:
            found.score += IN_TITLE * len(places)
            found.names += [(self.view, document, -1) for document in documents[:MAX_NAMES]]
        else:
            inside, begun = self._in_headings(places, before)
            found.score += len(places) + IN_HEADING * inside
            found.names += [(self.view, *each) for each in begun[:MAX_NAMES]]

    def _in_headings(self, places: Keys, before: int) -> tuple[int, list[tuple[int, int]]]:
        """Return how many places are in headings, and the headings that begin `before` words earlier.

        These are pairs of a document and the number of its section.
        """
        starts, ends, firsts = self.view.file.heading_places
        if not len(starts):
            return 0, []
        rows = np.maximum(np.searchsorted(starts, places, side="right") - 1, 0)
        inside = (starts[rows] <= places) & (places < ends[rows])
        begins = inside & (places <= starts[rows] + np.uint64(before + NUMBERING))
        documents = (places[begins] >> DOCUMENT_BITS).astype(np.int64)
        sections = rows[begins] - firsts[documents]
        return int(inside.sum()), list(zip(documents.tolist(), sections.tolist(), strict=True))


def phrase_ends(file: SegmentReader, words: Sequence[str], field: IndexField) -> Keys:
    """Return the places of the last of several words, where each follows the one before it."""
    ends = _NO_KEYS
    for number, word in enumerate(words):
        before = ends + ONE if number else None
        ends = next((places for _, places in word_places(file, [word], field, MAX_CONTEXT_BYTES, before)), _NO_KEYS)
        if not len(ends):
            break
    return ends


def word_places(
    file: SegmentReader, words: Sequence[str], field: IndexField, most: int, among: Keys | None = None
) -> list[tuple[str, Keys]]:
    """Return those of some words that are in a field, each with its places, ascending; with `among` only those there.

    The first words are read whose positions have `most` bytes together.
    """
    having, lists = file.lists_in(field, words, most)
    if not having:
        return []
    documents, frequencies, positions = file.unpacked(lists)
    places = np.repeat(documents.astype(np.uint64) << DOCUMENT_BITS, frequencies) | positions
    owners = np.repeat(np.repeat(np.arange(len(having)), lists.counts), frequencies)
    if among is not None:
        kept = np.flatnonzero(is_among(places, among))
        places, owners = places[kept], owners[kept]
    return [(having[owner], places[owners == owner]) for owner in np.unique(owners).tolist()]


def is_among(numbers: Keys, others: Keys) -> NDArray[np.bool_]:
    """Return for each number whether it is among others; both ascend."""
    if not len(others):
        return np.zeros(len(numbers), np.bool_)
    found: NDArray[np.bool_] = others[np.minimum(np.searchsorted(others, numbers), len(others) - 1)] == numbers
    return found


def written_in(text: str, word: str) -> str:
    """Return a lower-case word as a text spells it; "" if it does not stand there by itself."""
    if (start := _place_in(text, text, word)) < 0:  # to lower a long text takes as long as ten searches in it
        lowered = text.replace("\u0130", "i").lower()  # the only letter that becomes two in lower case
        start = _place_in(lowered, text, word)
    if start < 0:
        return ""
    end = start + len(word)
    underscores = _UNDERSCORES.match(text, end)  # a term has no "__" at its end
    return text[start : underscores.end() if underscores and text[start - 1 : start] != "_" else end]


def _place_in(lowered: str, text: str, word: str) -> int:
    """Return where a word stands by itself, as in `lowered`; -1: nowhere."""
    start = -1
    for _ in range(MAX_OCCURRENCES):
        start = lowered.find(word, start + 1)
        if start < 0 or is_unspaced(word) or _stands_alone(text, start, start + len(word)):
            return start
    return -1


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Return whether a word begins and ends at these characters; a capital after a small letter begins one too."""
    before, after = text[start - 1 : start], text[end : end + 1]
    begins = not before.isalnum() or (before.islower() and text[start].isupper())
    if text[start] == "-":
        begins = not before.isalnum() and before != "-"
    return begins and (not after.isalnum() or after.isupper())
