"""Which pages match a query, and in which order? Those with a term of it, scored, filtered and sorted.

Term at a time: all postings of a term are read once and summed over fields and forms, then those of the next term.
Terms are not joined by AND. Hardly any page has all words of a long query, and a page with only the rare word may be
the right one. A term for which no time is left counts on no page, so all pages are compared by the same terms. A page
that was not searched for a phrase in time is left out.

Scores are an array with a number for each page of all segments, to which each summand adds. Of many matching pages only
those are scored that may be among the first (examination.py).

The explanation of a page calls the same summands for their parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from indexer.ranking.demotion import demotions, lowered
from indexer.ranking.examination import BaseScores, Examination, best_first
from indexer.ranking.matching import Matches, match
from indexer.ranking.prior import Priors
from indexer.ranking.proximity import LOOKED_AT
from indexer.ranking.query_postings import QueryPostings
from indexer.ranking.score import Score, rounded_score
from indexer.ranking.term_scorer import TermScorer
from indexer.segments.schema import IndexField

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.query.deadline import Deadline
    from indexer.query.parser import Query
    from indexer.ranking.contribution import Contributions
    from indexer.ranking.demotion import Demotion
    from indexer.ranking.matching import Mask
    from indexer.ranking.score import Part
    from indexer.ranking.term_scorer import Amounts, Pages
    from indexer.ranking.weights import Formula, Weights
    from indexer.segments.snapshot import Snapshot


SORTED_AT_ONCE = 1_000  # results; further ones are sorted when they are read


@dataclass(frozen=True, slots=True)
class Ranking:
    """The pages that match a query: a score for each page of a snapshot, and its parts."""

    snapshot: Snapshot
    formula: Formula
    terms: tuple[TermScorer, ...]
    priors: Priors
    answers: Mask
    base: BaseScores
    examination: Examination
    matching: Matches
    added: Contributions = ()  # one of each contributor of the formula

    @property
    def total(self) -> int:
        """The number of matching pages."""
        if (whole := self.snapshot.whole) and whole.answering:
            return whole.answering.pages
        return int(np.count_nonzero(self.answers))

    def best(self) -> Iterator[int]:
        """Yield the matching pages, the highest score first; equal ones in the order of indexing.

        Pages without a phrase of the query come after all others.
        """
        ahead, shown = self.matching.ahead & self.answers, 0
        for examine_all in (False, True):
            if examine_all:
                self.examination.examine_rest()
            among, certain = ahead.copy(), self.examination.certain()
            among[certain] = self.answers[certain]
            certain = np.flatnonzero(among)
            yield from certain[np.lexsort((-self.base.scores[certain], ~ahead[certain]))][shown:].tolist()
            shown = len(certain)
        others = self.answers.copy()
        others[certain] = False
        if others.any():
            for run in best_first(self.scores, np.flatnonzero(others), SORTED_AT_ONCE):
                yield from run.tolist()

    @property
    def scores(self) -> Amounts:
        """The scores of all pages, also of those that do not match."""
        self.examination.examine_rest()
        if len(pages := np.flatnonzero(self.base.left)):
            self.base.score(pages)
            self.lower_spoofed(pages)
        return self.base.scores

    def explain(self, page: int) -> Score:
        """Return the score of a page with its parts."""
        (view, document), parts = self.snapshot.place_of(page), list(self._parts(page))
        taken: list[Demotion] = []
        if packed := int(view.file.column("signals")[document]):
            gained, signals = sum(part.value for part in parts), view.file.stored(document).signals
            taken = demotions(gained, partial(self._linked, page), packed, self.formula.penalty, signals)
        return rounded_score([*parts, *taken])

    def _parts(self, page: int) -> Iterator[Part]:
        """Yield what each summand adds to a page, not rounded."""
        for gain in self.terms:
            yield from gain.parts(page)
        yield from self.examination.parts(page)
        yield from self.priors.parts(page)
        for each in self.added:
            yield from each.parts(page)

    def _linked(self, page: int) -> float:
        return sum(part.value for part in self._parts(page) if part.field == IndexField.ANCHORS)

    def lower_spoofed(self, pages: Pages) -> None:
        """Lower the scores of those of the pages that match and have a signal of spoofing that counts."""
        signals, scores = self.snapshot.column("signals"), self.base.scores
        for page in pages[(signals[pages] > 0) & self.matching.answers[pages]].tolist():
            linked, score = partial(self._linked, page), float(scores[page])
            scores[page] = lowered(score, linked, int(signals[page]), self.formula.penalty)


def rank(
    query: Query, snapshot: Snapshot, formula: Formula, now: float, deadline: Deadline, added: Contributions = ()
) -> Ranking:
    """Score and filter every page that matches the query, by its terms or by a contribution of an extension."""
    asked, weights = QueryPostings(snapshot), formula.weights.for_question(query.length)
    gains = tuple(_gains(query, asked, weights, deadline))
    _limit_stop_words(gains)
    priors = Priors(query, [gain for gain in gains if not gain.term.reading_of], snapshot, weights)
    found = snapshot.live.copy() if query.only_filters else np.zeros(snapshot.size, dtype=np.bool_)
    answering = set(query.required_terms)
    for gain in gains:
        if gain.term in answering:
            found |= gain.having
    for each in added:
        found[each.pages] = True
    if added:
        found &= snapshot.live
    matching, base = match(query, asked, found, now, deadline), BaseScores(gains, priors, snapshot.size)
    ahead, others = np.flatnonzero(matching.ahead), matching.answers & ~matching.ahead
    if added:  # extensions see complete scores
        base.score(np.arange(snapshot.size))
        scored = np.flatnonzero(others)
    else:
        base.score(ahead)
        scored = base.score_first(LOOKED_AT, others)
    best = next(best_first(base.scores, scored, LOOKED_AT))[: LOOKED_AT - len(ahead)]
    looked_at = np.sort(np.append(ahead, best))
    at_once = looked_at[(snapshot.column("signals")[looked_at] > 0) | matching.ahead[looked_at] | bool(added)]
    others_reach = float(base.scores[best].min()) if len(looked_at) == LOOKED_AT else -np.inf
    others_reach = np.inf if added else others_reach  # all are sorted by complete scores
    examination = Examination(gains, snapshot, weights, base.scores, looked_at, at_once, deadline, others_reach)
    for each in added:
        each.add_to(base.scores, matching.answers)
    ranking = Ranking(snapshot, formula, gains, priors, matching.answers, base, examination, matching, added)
    ranking.lower_spoofed(np.append(ahead, scored))
    return ranking


def _gains(query: Query, asked: QueryPostings, weights: Weights, deadline: Deadline) -> Iterator[TermScorer]:
    for number, term in enumerate(query.ranking_terms):
        if not number or not deadline.passed(f"the word “{term.text}”"):
            yield TermScorer(term, asked, weights)


def _limit_stop_words(gains: Sequence[TermScorer]) -> None:
    """Let no stop word count more than the commonest other word: “my” is rare in a manual, and says nothing there."""
    others = [gain for gain in gains if not gain.term.is_stop_word]
    if others:
        commonest = min(others, key=lambda gain: gain.idf)
        for gain in gains:
            if gain.term.is_stop_word:
                gain.limit_idf(commonest)
