"""Which pages may answer? Those of which every condition holds, and that have not ended; those with the phrases first.

Each condition is looked up for all pages at once, as an array of a truth for each. A page of which it
could not be found out in time is left out: it may not be what was asked for. Where fewer than a page of results have
all phrases, the pages without follow them, and each is told to be without.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.query.conditions import AllOf, AnyOf, Condition, Contains, DateRange, Not, OneOf
from indexer.ranking.phrases import PhraseFinder, Truth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.query.deadline import Deadline
    from indexer.query.parser import Query
    from indexer.ranking.asked_postings import AskedPostings
    from indexer.ranking.phrases import Mask
    from indexer.snapshot.snapshot import Snapshot

ENOUGH = 10  # pages with the phrases: a page of results


@dataclass(frozen=True, slots=True)
class Matching:
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

    def __init__(self, asked: AskedPostings, deadline: Deadline) -> None:
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


def match(query: Query, asked: AskedPostings, scored: Mask, now: float, deadline: Deadline) -> Matching:
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
    return Matching(allowed | behind, behind, tuple(one.yes for one in each), query, scored, ended)


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
