"""Which words has the index that is searched? Those of its segments, gathered when they are first needed.

A segment never changes, so that its words are gathered once: after a commit only the new segments' are. A question all
of whose words are known needs none of it, and never waits. A deleted page's words stay until its segment is merged; the
question that is answered tells whether a word finds anything.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from indexer.segments.schema import IndexField
from indexer.spelling.completion import NAME_FIELDS, NameWords
from indexer.spelling.nearest import can_be_misspelt
from indexer.spelling.word_list import WordList

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indexer.segments.segment import SegmentFile

SPELT_FIELDS = (IndexField.BODY, IndexField.TITLE)  # their words are what a misspelt one may have been meant as


class GatheredWords:
    """The words of segments; threads share it, and a segment that is no longer open is forgotten."""

    def __init__(self) -> None:
        self._gathering, self._naming = threading.Lock(), threading.Lock()
        self._spelt: WeakKeyDictionary[SegmentFile, WordList] = WeakKeyDictionary()
        self._names: WeakKeyDictionary[SegmentFile, NameWords] = WeakKeyDictionary()

    def spelt_words(self, files: Sequence[SegmentFile], is_late: Callable[[], bool]) -> list[WordList]:
        """Return the words that people spell, by segment; none where there is no time to gather them."""
        with self._gathering:
            for file in files:
                if file in self._spelt:
                    continue
                if is_late():
                    return []
                self._spelt[file] = WordList(pair for pair in file.words(SPELT_FIELDS) if can_be_misspelt(pair[0]))
            return [self._spelt[file] for file in files]

    def names(self, files: Sequence[SegmentFile]) -> list[NameWords]:
        """Return the words of titles, headings and links, by segment."""
        with self._naming:
            for file in files:
                if file not in self._names:
                    self._names[file] = NameWords(file.words(NAME_FIELDS), file)
            return [self._names[file] for file in files]
