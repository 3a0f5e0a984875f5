"""Which pages have these words in a row? Those where the positions of each word follow on the positions of another one.

Most pages are sorted out by whole lists: only those with all words of the phrase in one field come into question. Of
these each place of a word is one number, page and position, less the word's offset in the phrase: so the words stand in
a row where their numbers are the same. The rarest word goes first, and each next one is looked up in sorted arrays:
a phrase of words that stand everywhere costs little where they don't meet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.segments.schema import INDEX_FIELDS, IndexField

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indexer.question.conditions import Phrase
    from indexer.question.deadline import Deadline
    from indexer.question.variants import Variants
    from indexer.segments.postings import Postings
    from indexer.segments.segment import SegmentFile

    Mask = NDArray[np.bool_]  # one for each document of a segment
    Places = NDArray[np.int64]

_PAGE = 32  # bits of a position: the page's number is above them
_BIAS = 1 << 16  # more than the offset of any word in a phrase: what is left of a position stays positive


@dataclass(frozen=True, slots=True)
class Truth:
    """Of which documents something holds, and of which not; of the others there was no time to find out."""

    yes: Mask
    no: Mask


class PhraseFinder:
    """Finds the phrases of one question in one segment; a word that several of them have is read once."""

    def __init__(self, file: SegmentFile, deadline: Deadline) -> None:
        self._file = file
        self._deadline = deadline
        self._words: dict[Variants, tuple[str, ...]] = {}
        self._read: dict[tuple[IndexField, str], Postings | None] = {}

    def find(self, phrase: Phrase, among: Mask, *, field: IndexField | None = None, in_template: bool = True) -> Truth:
        """Tell which documents of `among` have the phrase, in `field` or in one of their fields.

        Without `in_template`, what stands around the main text is left out: who excludes a word that is in every footer
        means what pages say.
        """
        fields = [field] if field else [one for one in INDEX_FIELDS if in_template or one is not IndexField.TEMPLATE]
        yes = np.zeros_like(among)
        for one in fields:
            if self._deadline.passed(f"pages that were not looked through for “{phrase.text}” yet"):
                return Truth(yes, np.zeros_like(among))
            left = among & ~yes
            if left.any():
                yes |= self._in_field(phrase, one, left)
        return Truth(yes, ~yes)

    def _in_field(self, phrase: Phrase, field: IndexField, among: Mask) -> Mask:
        steps: list[tuple[int, list[Postings]]] = []
        for offset, variants in phrase.steps:
            steps.append((offset, self._postings(field, variants)))
            if not steps[-1][1]:
                return np.zeros_like(among)  # the field has no such word: the others need not be read
        steps.sort(key=lambda step: sum(len(found.documents) for found in step[1]))
        left = among
        for _, lists in steps:
            having = np.zeros_like(among)
            for found in lists:
                having[found.documents] = True
            left = left & having
            if not left.any():
                return left
        return left if len(steps) == 1 else _in_a_row(steps, left)

    def _postings(self, field: IndexField, variants: Variants) -> list[Postings]:
        if variants not in self._words:
            self._words[variants] = tuple(word for word, _ in variants.words_in(self._file))
        for word in self._words[variants]:
            if (field, word) not in self._read:
                self._read[field, word] = self._file.postings(field, word)
        return [found for word in self._words[variants] if (found := self._read[field, word]) is not None]


def _in_a_row(steps: Sequence[tuple[int, list[Postings]]], left: Mask) -> Mask:
    """Return the documents of `left` in which all words stand at their offsets from one place."""
    row: Places | None = None
    for offset, lists in steps:
        places = np.concatenate([_places(found, left, offset) for found in lists])
        if len(lists) > 1:
            places.sort()
        row = places if row is None else _common(row, places)
        left = np.zeros_like(left)
        left[(row >> _PAGE).astype(np.intp)] = True
    return left


def _places(found: Postings, among: Mask, offset: int) -> Places:
    """Return where a word stands in these documents, less its offset: page << 32 | position, ascending."""
    rows = np.flatnonzero(among[found.documents])
    pages = np.repeat(found.documents[rows].astype(np.int64), found.frequencies[rows]) << _PAGE
    placed: Places = pages + found.positions_of(rows).astype(np.int64) + (_BIAS - offset)
    return placed


def _common(few: Places, many: Places) -> Places:
    """Return what of the first sorted array the second has as well."""
    at = np.searchsorted(many, few)
    at[at == len(many)] = 0
    return few[many[at] == few] if len(many) else few[:0]
