"""Which words of a segment may a correction or a completion suggest? Looked up in its dictionary, or in lists of them.

A correction tries some thousand spellings and the words with one prefix. The dictionary has both in a few hundred
blocks, so a query with a rare word needs no list of all words. A completion needs, at each letter that is typed, the
words on most pages with a short prefix. For these the lists are made once; then corrections use them, too.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from indexer.segments.schema import IndexField
from indexer.spelling.spellchecker import can_be_misspelt
from indexer.spelling.suggester import NAME_FIELDS, NameTerms
from indexer.spelling.term_list import TermList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from indexer.segments.segment import SegmentReader
    from indexer.spelling.term_list import KnownTerms

SPELLING_FIELDS = (IndexField.BODY, IndexField.TITLE)  # whose words are corrections


class SegmentTerms:
    """The words of a segment that people spell, each looked up in its dictionary."""

    def __init__(self, file: SegmentReader) -> None:
        self._file = file

    def pages_with(self, words: Sequence[str]) -> dict[str, int]:
        """Return those of some words, ascending, that the segment has, each with its number of pages."""
        found = {word: self._pages(word) for word in self._file.known_words(words) if can_be_misspelt(word)}
        return {word: pages for word, pages in found.items() if pages}

    def _pages(self, word: str) -> int:
        return max((entry.count for field, entry in self._file.entries(word) if field in SPELLING_FIELDS), default=0)

    def of_size(self, prefix: str, sizes: range, most: int) -> list[str]:
        """Return at most `most` of the words with a prefix and so many bytes, those on most pages first."""
        rows = self._file.words(SPELLING_FIELDS, prefix)
        found = [row for row in rows if len(row[0].encode()) in sizes and can_be_misspelt(row[0])]
        return [word for word, _ in sorted(found, key=lambda row: -row[1])[:most]]


def spelt_words(file: SegmentReader) -> Iterator[tuple[str, int]]:
    """Yield the words of a segment that people spell, ascending, each with its number of pages."""
    return (row for row in file.words(SPELLING_FIELDS) if can_be_misspelt(row[0]))


class TermLists:
    """A cache of the terms of segments, which threads share.

    A segment never changes, so its terms are read once. Terms of deleted pages stay until their segment is merged.
    """

    def __init__(self) -> None:
        self._spelling_lock, self._names_lock = threading.Lock(), threading.Lock()
        self._spelling: WeakKeyDictionary[SegmentReader, TermList] = WeakKeyDictionary()
        self._names: WeakKeyDictionary[SegmentReader, NameTerms] = WeakKeyDictionary()

    def known(self, files: Sequence[SegmentReader], is_late: Callable[[], bool]) -> list[KnownTerms]:
        """Return the words that people spell, by segment, as lists if there are any; none if it is late."""
        return [] if is_late() else [self._spelling.get(file) or SegmentTerms(file) for file in files]

    def spelling_terms(self, files: Sequence[SegmentReader]) -> list[TermList]:
        """Return the lists of the words that people spell, by segment."""
        with self._spelling_lock:
            for file in files:
                if file not in self._spelling:
                    self._spelling[file] = TermList(spelt_words(file))
            return [self._spelling[file] for file in files]

    def names(self, files: Sequence[SegmentReader]) -> list[NameTerms]:
        """Return the words of titles, headings and links, by segment."""
        with self._names_lock:
            for file in files:
                if file not in self._names:
                    self._names[file] = NameTerms(file.words(NAME_FIELDS), file)
            return [self._names[file] for file in files]
