"""Which pages come into question, and in which order? Those with a word of the query, scored and filtered, best first.

Term at a time: for each term all its postings are read once and summed over fields and forms, then the next term's.
Nothing is joined by AND: a page with the rare word alone may be what was asked for, and to a long query hardly any page
has all the words. A term that there is no time for counts nowhere, so that pages are compared by the same terms; a page
that was not looked through for a phrase is left out, since it may not be what was asked for.

Scores are arrays, one number a page of a segment, to which each summand adds; the explanation of one page asks the same
summands for their parts of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from indexer.ranking.demotion import demotions, lowered
from indexer.ranking.matching import Matching, match
from indexer.ranking.prior import Priors
from indexer.ranking.proximity import LOOKED_AT, Proximity
from indexer.ranking.score import Score, rounded_score
from indexer.ranking.term_gain import TermGain
from indexer.segments.schema import IndexField

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.question.deadline import Deadline
    from indexer.question.query import Query
    from indexer.ranking.demotion import Demotion
    from indexer.ranking.meaning import Meaning
    from indexer.ranking.phrases import Mask
    from indexer.ranking.score import Part
    from indexer.ranking.term_gain import Amounts, Documents
    from indexer.ranking.weights import Formula
    from indexer.retrieval.snapshot import Snapshot


SORTED_AT_ONCE = 1_000  # results; who reads on has the others sorted


@dataclass(frozen=True, slots=True)
class Ranking:
    """The pages that answer a query: a score for each document of each segment, and where it comes from."""

    snapshot: Snapshot
    formula: Formula
    terms: tuple[TermGain, ...]
    priors: Priors
    scores: tuple[Amounts, ...]  # by document, also of those that do not answer
    answers: tuple[Mask, ...]  # by document
    proximity: Proximity
    matching: Matching
    meaning: Meaning | None = None

    @property
    def total(self) -> int:
        """How many pages answer."""
        return sum(int(mask.sum()) for mask in self.answers)

    def best(self) -> Iterator[tuple[int, int]]:
        """Yield (segment, document), the highest score first; equal ones in the order in which they were indexed.

        What lacks a phrase stands behind all that has it.
        """
        yield from best_of(self.scores, self.answers, self.matching)

    def explain(self, segment: int, document: int) -> Score:
        """Take the score of a page apart."""
        view, parts = self.snapshot.views[segment], list(self._parts(segment, document))
        taken: list[Demotion] = []
        if packed := int(view.file.signals()[document]):
            gained, told = sum(part.value for part in parts), view.file.stored(document).signals
            taken = demotions(gained, partial(self._linked, segment, document), packed, self.formula.penalty, told)
        return rounded_score([*parts, *taken])

    def _parts(self, segment: int, document: int) -> Iterator[Part]:
        """Yield what each summand gives a page, not rounded."""
        for gain in self.terms:
            yield from gain.parts(segment, document)
        yield from self.proximity.parts(segment, document)
        yield from self.priors.parts(segment, document)
        if self.meaning is not None:
            yield from self.meaning.parts(segment, document)

    def _linked(self, segment: int, document: int) -> float:
        return sum(part.value for part in self._parts(segment, document) if part.field == IndexField.ANCHORS)

    def lower_spoofed(self) -> None:
        """Lower the scores of pages that have a signal of spoofing which counts."""
        for segment, (scores, answers) in enumerate(zip(self.scores, self.answers, strict=True)):
            signals = self.snapshot.views[segment].file.signals()
            for document in np.flatnonzero(answers & (signals > 0)).tolist():
                linked = partial(self._linked, segment, document)
                score, packed = float(scores[document]), int(signals[document])
                scores[document] = lowered(score, linked, packed, self.formula.penalty)


def rank(
    query: Query, snapshot: Snapshot, formula: Formula, now: float, deadline: Deadline, meaning: Meaning | None = None
) -> Ranking:
    """Score and filter every page that answers the query, by its words or by what is near to it in meaning."""
    gains = tuple(_gains(query, snapshot, formula, deadline))
    priors = Priors(query, gains, snapshot, formula.weights)
    scores, bringing = [], []
    for segment, view in enumerate(snapshot.views):
        values = np.zeros(view.file.count)
        found = view.live.copy() if query.only_filters else np.zeros(view.file.count, dtype=np.bool_)
        for gain in gains:
            values[gain.documents(segment)] += gain.amounts(segment)
            found[gain.documents(segment)] |= gain.term in query.answering
        if meaning is not None:
            found[meaning.documents(segment)] = True
            found &= view.live
        priors.add_to(segment, values)
        scores.append(values)
        bringing.append(found)
    matching = match(query, snapshot, bringing, now, deadline)
    looked_at = _first(LOOKED_AT, scores, matching)
    proximity = Proximity(gains, snapshot, formula.weights, looked_at)
    proximity.add_to(scores, deadline)
    if meaning is not None:
        meaning.add_to(scores, matching.answers)
    ranking = Ranking(snapshot, formula, gains, priors, tuple(scores), matching.answers, proximity, matching, meaning)
    ranking.lower_spoofed()
    return ranking


def _gains(query: Query, snapshot: Snapshot, formula: Formula, deadline: Deadline) -> Iterator[TermGain]:
    for number, term in enumerate(query.telling):
        if not number or not deadline.passed(f"the word “{term.word}”"):
            yield TermGain(term, snapshot, formula.weights)


def best_of(scores: Sequence[Amounts], answers: Sequence[Mask], matching: Matching) -> Iterator[tuple[int, int]]:
    """Yield (segment, document) of what answers: what stands behind the others last, and else the best first."""
    for masks in (
        [mask & ~behind for mask, behind in zip(answers, matching.behind, strict=True)],
        [mask & behind for mask, behind in zip(answers, matching.behind, strict=True)],
    ):
        yield from _sorted(scores, masks)


def _sorted(scores: Sequence[Amounts], masks: Sequence[Mask]) -> Iterator[tuple[int, int]]:
    """Yield (segment, document) of the masks, the highest score first; equal ones in the order of their numbers."""
    places = [np.flatnonzero(mask) for mask in masks]
    segments = np.repeat(np.arange(len(places)), [len(found) for found in places])
    documents = np.concatenate([np.empty(0, dtype=np.intp), *places])
    values = np.concatenate([np.empty(0), *(found[rows] for found, rows in zip(scores, places, strict=True))])
    most = min(SORTED_AT_ONCE, len(values))
    least = np.partition(values, len(values) - most)[len(values) - most] if most else 0.0
    for rows in (np.flatnonzero(values >= least), np.flatnonzero(values < least)):
        order = rows[np.argsort(-values[rows], kind="stable")]
        yield from zip(segments[order].tolist(), documents[order].tolist(), strict=True)


def _first(most: int, scores: Sequence[Amounts], matching: Matching) -> tuple[Documents, ...]:
    """Return the documents of each segment, ascending, that are among the best so many of all."""
    found: list[list[int]] = [[] for _ in scores]
    for segment, document in islice(best_of(scores, matching.answers, matching), most):
        found[segment].append(document)
    return tuple(np.sort(np.array(documents, dtype=np.intp)) for documents in found)
