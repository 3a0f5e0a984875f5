"""Which pages match? Those that fulfil every condition and have not expired; those with the phrases come first.

Each condition is looked up for all pages at once, as an array of truth values. A page is left out if there was no time
for its conditions. If fewer than a page of results have all phrases, pages without them follow, and each says which it
lacks.

For a phrase, whole lists rule out most pages: only pages with all its words in one field are left. For these, each
occurrence of a word is one number: page and position, less the offset of the word in the phrase. The words are in a row
where their numbers are equal. The rarest word goes first, and each next one is looked up in sorted arrays, so a phrase
of frequent words costs little. All fields are searched at once.
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

    Mask = NDArray[np.bool_]  # a truth value for each page of a snapshot
    from indexer.query.parser import Query
    from indexer.segments.snapshot import Snapshot

_BIAS = 1 << 16  # more than the offset of any word in a phrase, so positions stay positive


@dataclass(frozen=True, slots=True)
class Truth:
    """The pages for which something holds, and those for which it does not; for the others time ran out."""

    yes: Mask
    no: Mask


class PhraseFinder:
    """Finds the phrases of one query."""

    def __init__(self, asked: QueryPostings, deadline: Deadline) -> None:
        self._asked = asked
        self._deadline = deadline

    def find(self, phrase: Phrase, among: Mask, *, field: IndexField | None = None, in_template: bool = True) -> Truth:
        """Return which pages of `among` have the phrase, in `field` or in one of their fields.

        Without `in_template`, templates are not searched: who excludes a word that is in every footer means the texts
        of pages.
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
    """Return which of the page fields in `left` have all words in a row, each at its offset."""
    steps.sort(key=lambda step: step[1].occurrences)
    for _, found in steps:
        having = np.zeros(len(left), np.bool_)
        having[found.in_fields] = True
        left = left & having
        if not left.any():
            return left
    return left if len(steps) == 1 else _in_a_row(steps, left)


def _in_a_row(steps: Sequence[tuple[int, VariantPostings]], left: Mask) -> Mask:
    row: Places | None = None
    for offset, found in steps:
        rows = np.flatnonzero(left[found.in_fields])
        places = found.places(rows, found.in_fields[rows], _BIAS - offset)
        row = places if row is None else common_places(row, places)
        left = np.zeros(len(left), np.bool_)
        left[np.minimum(row >> POSITION_BITS, len(left) - 1)] = True  # a damaged position may be too large
    return left


def common_places(few: Places, many: Places) -> Places:
    """Return the numbers of the first sorted array that the second has as well."""
    at = many.searchsorted(few)
    at[at == len(many)] = 0
    return few[many[at] == few] if len(many) else few[:0]


ENOUGH = 10  # pages with the phrases: a page of results


@dataclass(frozen=True, slots=True)
class Matches:
    """The matching pages; those of `ahead` have all phrases, and come before all others."""

    answers: Mask
    ahead: Mask  # fewer than ENOUGH; none if all matching pages have the phrases
    having: tuple[Mask, ...]  # the pages that have each phrase
    query: Query
    scored: Mask  # the pages with a word of it, those of extensions, or all pages if the query has only filters
    ended: Mask  # the pages that have expired

    def lacks(self, page: int) -> tuple[str, ...]:
        """Return the phrases that a page lacks, although pages that have them come first."""
        having = zip(self.query.phrases, self.having, strict=True)
        return tuple(phrase.text for phrase, pages in having if not pages[page])


class Matcher:
    """Looks up the conditions of a query."""

    def __init__(self, asked: QueryPostings, deadline: Deadline) -> None:
        self._snapshot = asked.snapshot
        self.phrases = PhraseFinder(asked, deadline)

    def truth(self, condition: Condition, among: Mask) -> Truth:
        """Return for which pages a condition holds; for those outside `among` the value may be wrong."""
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
    """Return which of the pages `scored` match."""
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
    ahead = allowed if behind.any() else np.zeros_like(left)
    return Matches(allowed | behind, ahead, tuple(one.yes for one in each), query, scored, ended)


def has_ended(snapshot: Snapshot, now: float) -> Mask:
    """Return the pages that have expired."""
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
