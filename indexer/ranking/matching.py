"""Which pages have these words in a row? Those where the positions of each word follow on the positions of another one.

Most pages are sorted out by whole lists: only those with all words of the phrase in one field come into question. Of
these each place of a word is one number, page and position, less the word's offset in the phrase: so the words stand in
a row where their numbers are the same. The rarest word goes first, and each next one is looked up in sorted arrays:
a phrase of words that stand everywhere costs little where they don't meet. All fields are looked through at once.

[[ Which pages may answer? Those of which every condition holds, and that have not ended; those with the phrases first.

Each condition is looked up for all pages at once, as an array of a truth for each. A page of which it
could not be found out in time is left out: it may not be what was asked for. Where fewer than a page of results have
all phrases, the pages without follow them, and each is told to be without. ]]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.query.conditions import AllOf, AnyOf, Condition, Contains, DateRange, Not, OneOf
from indexer.ranking.query_postings import POSITION_BITS
from indexer.segments.schema import INDEX_FIELDS, IndexField

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indexer.query.conditions import Phrase
    from indexer.query.deadline import Deadline
    from indexer.ranking.query_postings import Places, QueryPostings, VariantPostings

    Mask = NDArray[np.bool_]  # one for each page of a snapshot
    from indexer.query.parser import Query
    from indexer.segments.snapshot import Snapshot

_BIAS = 1 << 16  # more than the offset of any word in a phrase: what is left of a position stays positive


@dataclass(frozen=True, slots=True)
class Truth:
    """Of which pages something holds, and of which not; of the others there was no time to find out."""

    yes: Mask
    no: Mask


class PhraseFinder:
    """Finds the phrases of one question."""

    def __init__(self, asked: QueryPostings, deadline: Deadline) -> None:
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


def _with_phrase(steps: list[tuple[int, VariantPostings]], left: Mask) -> Mask:
    """Return of the fields of pages in `left` those that have all words in a row, each at its offset."""
    steps.sort(key=lambda step: len(step[1]))
    for _, found in steps:
        having = np.zeros_like(left)
        having[found.in_fields] = True
        left = left & having
        if not left.any():
            return left
    return left if len(steps) == 1 else _in_a_row(steps, left)


def _in_a_row(steps: Sequence[tuple[int, VariantPostings]], left: Mask) -> Mask:
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


ENOUGH = 10  # pages with the phrases: a page of results


@dataclass(frozen=True, slots=True)
class Matches:
    """The pages that answer; those of `behind` lack a phrase, and stand after all others."""

    answers: Mask
    behind: Mask
    having: tuple[Mask, ...]  # for each phrase the pages that have it
    query: Query
    scored: Mask  # the pages that have a word of it, are added by an extension, or are asked for without any word
    ended: Mask  # those that named a date until which they may be results, which has passed

    def lacks(self, page: int) -> tuple[str, ...]:
        """Return the phrases that a page does not have, though pages that have them come first."""
        having = zip(self.query.phrases, self.having, strict=True)
        return tuple(phrase.text for phrase, pages in having if not pages[page])


class Matcher:
    """Looks up what a question asks of pages."""

    def __init__(self, asked: QueryPostings, deadline: Deadline) -> None:
        self._snapshot = asked.snapshot
        self.phrases = PhraseFinder(asked, deadline)

    def truth(self, condition: Condition, among: Mask) -> Truth:
        """Tell of which pages a condition holds; of those outside `among` it need not be true."""
        match condition:
            case Contains(phrase, field, in_template):
                return self.phrases.find(phrase, among, field=field, in_template=in_template)
            case OneOf(field, values):
                return _known(self._with_value(field, values))
            case DateRange(since, until):
                dates = self._snapshot.column("dated")
                return _known(
                    (dates >= (-np.inf if since is None else since)) & (dates < (np.inf if until is None else until))
                )
            case Not(part):
                found = self.truth(part, among)
                return Truth(found.no, found.yes)
            case AnyOf(parts):
                each = [self.truth(part, among) for part in parts]
                return Truth(_any([one.yes for one in each]), _all([one.no for one in each]))
            case AllOf(parts):
                each = [self.truth(part, among) for part in parts]
                return Truth(_all([one.yes for one in each]), _any([one.no for one in each]))

    def _with_value(self, field: str, values: Sequence[str]) -> Mask:
        having = np.zeros(self._snapshot.size, np.bool_)
        for value in values:
            having[self._snapshot.numbers(field, value)] = True
        return having


def match(query: Query, asked: QueryPostings, scored: Mask, now: float, deadline: Deadline) -> Matches:
    """Return what may answer of the pages `scored`."""
    matcher = Matcher(asked, deadline)
    ended = has_ended(asked.snapshot, now)
    left = scored & ~ended
    for condition in sorted(query.conditions, key=lambda one: not isinstance(one, OneOf | DateRange)):
        left = left & matcher.truth(condition, left).yes
    each = [matcher.phrases.find(phrase, left) for phrase in query.phrases]
    allowed = _all([left, *(one.yes for one in each)])
    behind = _all([left & ~allowed, *(one.yes | one.no for one in each)])
    if np.count_nonzero(allowed) >= ENOUGH:
        behind = np.zeros_like(left)
    return Matches(allowed | behind, behind, tuple(one.yes for one in each), query, scored, ended)


def has_ended(snapshot: Snapshot, now: float) -> Mask:
    """Return the pages that named a date until which they may be results, which has passed."""
    ended, ending = np.zeros(snapshot.size, np.bool_), snapshot.rows_above_zero("expires")
    ended[ending] = snapshot.column("expires")[ending] <= now
    return ended


def _known(yes: Mask) -> Truth:
    return Truth(yes, ~yes)


def _any(masks: Sequence[Mask]) -> Mask:
    found: Mask = np.logical_or.reduce(list(masks))
    return found


def _all(masks: Sequence[Mask]) -> Mask:
    found: Mask = np.logical_and.reduce(list(masks))
    return found
