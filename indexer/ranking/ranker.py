"""Which pages match a query, and in which order? Those with a term of it, scored, filtered and sorted.

Term at a time: all postings of a term are read once and summed over fields and forms, then those of the next term.
Terms are not joined by AND. Hardly any page has all words of a long query, and a page with only the rare word may be
the right one. A term for which no time is left counts on no page, so all pages are compared by the same terms. A page
that was not searched for a phrase in time is left out.

Scores are an array with a number for each page of all segments, to which each summand adds. The explanation of a page
calls the same summands for their parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from indexer.ranking.demotion import demotions, lowered
from indexer.ranking.examination import Examination
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
SAMPLED = 16  # of so many scores one shows how high the first are: sorting a million takes longer than reading them


@dataclass(frozen=True, slots=True)
class Ranking:
    """The pages that match a query: a score for each page of a snapshot, and its parts."""

    snapshot: Snapshot
    formula: Formula
    terms: tuple[TermScorer, ...]
    priors: Priors
    answers: Mask
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
        certain = self.examination.certain()
        certain = certain[self.answers[certain]]
        yield from certain[np.argsort(-self.examination.scores[certain], kind="stable")].tolist()
        others = self.answers.copy()
        others[certain] = False
        for run in _runs(self.scores, others, self.matching):
            yield from run.tolist()

    @property
    def scores(self) -> Amounts:
        """The scores of all pages, also of those that do not match."""
        self.examination.examine_rest()
        return self.examination.scores

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

    def lower_spoofed(self) -> None:
        """Lower the scores of pages with a signal of spoofing that counts."""
        signals, scores = self.snapshot.column("signals"), self.examination.scores
        signalled = self.snapshot.rows_above_zero("signals")
        for page in signalled[self.answers[signalled]].tolist():
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
    scores = np.zeros(snapshot.size)
    found = snapshot.live.copy() if query.only_filters else np.zeros(snapshot.size, dtype=np.bool_)
    answering = set(query.required_terms)
    for gain in gains:
        scores[gain.having] += gain.amounts()
        if gain.term in answering:
            found[gain.having] = True
    for each in added:
        found[each.pages] = True
    if added:
        found &= snapshot.live
    priors.add_to(scores)
    matching = match(query, asked, found, now, deadline)
    looked_at = _first(LOOKED_AT, _runs(scores, matching.answers, matching))
    every = bool(added) or bool(matching.behind.any())  # extensions see complete scores; of few results all are needed
    at_once = looked_at if every else looked_at[snapshot.column("signals")[looked_at] > 0]
    examination = Examination(gains, snapshot, weights, scores, looked_at, at_once, deadline)
    for each in added:
        each.add_to(scores, matching.answers)
    ranking = Ranking(snapshot, formula, gains, priors, matching.answers, examination, matching, added)
    ranking.lower_spoofed()
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


def _runs(scores: Amounts, answers: Mask, matching: Matches) -> Iterator[Pages]:
    """Yield the matching pages, some at a time: the best first, and those in `behind` last."""
    for mask in (answers & ~matching.behind, answers & matching.behind):
        pages = np.flatnonzero(mask)
        values = scores[pages]
        least = _least_of_best(values, min(SORTED_AT_ONCE, len(values)))
        for is_best in (True, False):
            rows = np.flatnonzero(values >= least if is_best else values < least)
            yield pages[rows[np.argsort(-values[rows], kind="stable")]]  # equal ones by their numbers


def _least_of_best(values: Amounts, most: int) -> float:
    """Return the lowest of the `most` highest values: at least that of every SAMPLED-th one, which few reach."""
    if len(values[::SAMPLED]) > most > 0:
        values = values[values >= _least_of_best(values[::SAMPLED], most)]
    return float(np.partition(values, len(values) - most)[len(values) - most]) if most else 0.0


def _first(most: int, runs: Iterator[Pages]) -> Pages:
    """Return so many of the first pages, in the order of their numbers."""
    found = [np.zeros(0, np.intp)]
    for run in runs:
        found.append(run[:most])
        most -= len(found[-1])
        if not most:
            break
    return np.sort(np.concatenate(found))
