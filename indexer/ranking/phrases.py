"""Which pages have these words in a row? Those where the positions of each word follow on the positions of another one.

Most pages are sorted out by whole lists: only those with all words of the phrase in one field come into question. Of
these each place of a word is one number, page and position, less the word's offset in the phrase: so the words stand in
a row where their numbers are the same. The rarest word goes first, and each next one is looked up in sorted arrays:
a phrase of words that stand everywhere costs little where they don't meet. All fields are looked through at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.ranking.asked_postings import POSITION_BITS
from indexer.segments.schema import INDEX_FIELDS, IndexField

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indexer.query.conditions import Phrase
    from indexer.query.deadline import Deadline
    from indexer.ranking.asked_postings import AskedPostings, Places, WordPostings

    Mask = NDArray[np.bool_]  # one for each page of a snapshot

_BIAS = 1 << 16  # more than the offset of any word in a phrase: what is left of a position stays positive


@dataclass(frozen=True, slots=True)
class Truth:
    """Of which pages something holds, and of which not; of the others there was no time to find out."""

    yes: Mask
    no: Mask


class PhraseFinder:
    """Finds the phrases of one question."""

    def __init__(self, asked: AskedPostings, deadline: Deadline) -> None:
        self._asked = asked
        self._deadline = deadline

    def find(self, phrase: Phrase, among: Mask, *, field: IndexField | None = None, in_template: bool = True) -> Truth:
        """Tell which pages of `among` have the phrase, in `field` or in one of their fields.

        Without `in_template`, what stands around the main text is left out: who excludes a word that is in every footer
        means what pages say.
        """
        nothing = np.zeros_like(among)
        if self._deadline.passed(f"pages that were not looked through for “{phrase.text}” yet"):
            return Truth(nothing, nothing)
        steps = [(offset, self._asked.of(variants)) for offset, variants in phrase.steps]
        fields = [field] if field else [one for one in INDEX_FIELDS if in_template or one is not IndexField.TEMPLATE]
        left = np.zeros((len(INDEX_FIELDS), len(among)), np.bool_)
        left[[INDEX_FIELDS.index(one) for one in fields]] = among
        yes: Mask = np.logical_or.reduce(_with_phrase(steps, left.ravel()).reshape(left.shape))
        return Truth(yes, ~yes)


def _with_phrase(steps: list[tuple[int, WordPostings]], left: Mask) -> Mask:
    """Return of the fields of pages in `left` those that have all words in a row, each at its offset."""
    steps.sort(key=lambda step: len(step[1]))
    for _, found in steps:
        having = np.zeros_like(left)
        having[found.in_fields] = True
        left = left & having
        if not left.any():
            return left
    return left if len(steps) == 1 else _in_a_row(steps, left)


def _in_a_row(steps: Sequence[tuple[int, WordPostings]], left: Mask) -> Mask:
    row: Places | None = None
    for offset, found in steps:
        rows = np.flatnonzero(left[found.in_fields])
        places = found.places(rows, found.in_fields[rows]) + (_BIAS - offset)
        row = places if row is None else common_places(row, places)
        left = np.zeros_like(left)
        left[np.minimum(row >> POSITION_BITS, len(left) - 1)] = True  # a damaged position may be as large as any
    return left


def common_places(few: Places, many: Places) -> Places:
    """Return what of the first sorted array the second has as well."""
    at = many.searchsorted(few)
    at[at == len(many)] = 0
    return few[many[at] == few] if len(many) else few[:0]
