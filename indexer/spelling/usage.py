"""How do pages use a word: how do they spell it, and which words stand next to it?

The terms of the index are in lower case, and a suggestion is spelt as on a page: `receive.denyCurrentBranch`. So a
page is read for each. It must be a page whose text may be shown. What only deleted, hidden, expired or unfetched pages
say, or pages with `nosnippet`, is never suggested.

Words that stand together are counted in the positions of the index: `log` often follows `git`, and `lgo` never does.
"""

from __future__ import annotations

import time
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from indexer.analysis.scripts import is_unspaced
from indexer.segments.schema import IndexField

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from indexer.segments.schema import StoredFields
    from indexer.segments.segment import SegmentReader
    from indexer.segments.snapshot import SegmentView

    Keys = NDArray[np.uint64]  # document << 32 | position

READ_FIELDS = (IndexField.TITLE, IndexField.BODY)  # their text is in the record of a page
MAX_READ_PAGES = 8  # for one word, until one of them may be shown
MAX_OCCURRENCES = 200  # of a word inside other words of a text, until it stands alone
ONE = np.uint64(1)
_DOCUMENT_BITS = np.uint64(32)
_NO_KEYS = np.zeros(0, np.uint64)


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

    def spelling(self, word: str) -> str | None:
        """Return a word of the index as a page spells it; None if no page that was read may show it."""
        each = chain.from_iterable(_pages_with(view, word) for view in self.views_of([word]))
        for view, document in islice(each, MAX_READ_PAGES):
            stored = self.shown(view, document)
            if stored and (found := written_in(stored.title, word) or written_in(stored.text, word)):
                return found
        return None

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
        return sum(len(phrase_ends(view.file, words, field)) for view in self.views_of(words) for field in READ_FIELDS)


def _pages_with(view: SegmentView, word: str) -> Iterator[tuple[SegmentView, int]]:
    for field in READ_FIELDS:
        for document in view.file.documents(field, word):
            yield view, document


def phrase_ends(file: SegmentReader, words: Sequence[str], field: IndexField) -> Keys:
    """Return the places of the last of several words, where each follows the one before it."""
    places = places_of(file, words[0], field)
    for word in words[1:]:
        if not len(places):
            break
        places = common(places_of(file, word, field), places + ONE)
    return places


def places_of(file: SegmentReader, word: str, field: IndexField) -> Keys:
    """Return the places of a word in a field, ascending."""
    found = file.postings(field, word)
    if found is None:
        return _NO_KEYS
    documents = found.documents.astype(np.uint64) << _DOCUMENT_BITS
    places: Keys = np.repeat(documents, found.frequencies) | found.positions
    return places


def common(places: Keys, others: Keys) -> Keys:
    """Return those of some places that are among others; both ascend."""
    if not len(others):
        return _NO_KEYS
    found: Keys = places[others[np.minimum(np.searchsorted(others, places), len(others) - 1)] == places]
    return found


def written_in(text: str, word: str) -> str:
    """Return a lower-case word as a text spells it; "" if it does not stand there by itself."""
    lowered = text.replace("\u0130", "i").lower()  # the only letter that becomes two in lower case
    start = -1
    for _ in range(MAX_OCCURRENCES):
        start = lowered.find(word, start + 1)
        if start < 0:
            return ""
        if is_unspaced(word) or _stands_alone(text, start, start + len(word)):
            return text[start : start + len(word)]
    return ""


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Return whether a word begins and ends at these characters; a capital after a small letter begins one too."""
    before, after = text[start - 1 : start], text[end : end + 1]
    begins = not before.isalnum() or (before.islower() and text[start].isupper())
    if text[start] == "-":
        begins = not before.isalnum() and before != "-"
    return begins and (not after.isalnum() or after.isupper())
