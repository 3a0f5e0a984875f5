"""Which pages come into question, and in which order? Those with a word of the query, scored and filtered, best first.

Term at a time: for each term all its postings are read once and summed over fields and forms, then the next term's.
Nothing is joined by AND: a page with the rare word alone may be what was asked for, and to a long query hardly any page
has all the words. A term that there is no time for counts nowhere, so that pages are compared by the same terms; a page
that was not looked through for a phrase is left out, since it may not be what was asked for.

A word in a template (menus, footer) makes no page an answer: it says what the site has, and would bring up all of it.
There it adds a little to a page that has the word elsewhere, too. Only a word that no page has elsewhere is looked for
in templates alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from heapq import heapify, heappop
from typing import TYPE_CHECKING

import numpy as np

from indexer.retrieval.demotion import demotions, lowered
from indexer.retrieval.matching import Matching, match
from indexer.retrieval.score import Formula, Score, ScorePart, inverse_document_frequency, rounded_score, saturation
from indexer.segments.schema import INDEX_FIELDS, IndexField

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from indexer.question.terms import Term
    from indexer.retrieval.deadline import Deadline
    from indexer.retrieval.demotion import Demotion
    from indexer.retrieval.phrases import Mask
    from indexer.retrieval.query import Query
    from indexer.retrieval.snapshot import SegmentView, Snapshot
    from indexer.segments.postings import Postings

_FieldPostings = tuple[tuple[IndexField, "Postings"], ...]


@dataclass(frozen=True, slots=True)
class TermPostings:
    """One term in one snapshot: for each segment its postings by field, and the weighted frequencies by document."""

    term: Term
    by_field: tuple[_FieldPostings, ...]
    frequencies: tuple[dict[int, float], ...]

    @property
    def pages(self) -> int:
        """Live pages that have the term: outside their template, unless none does."""
        return sum(map(len, self.frequencies))

    def in_fields(self, segment: int, document: int) -> Iterator[tuple[IndexField, int]]:
        """Yield the fields of a document in which the term stands, and how often."""
        counts: dict[IndexField, int] = {}
        for field, found in self.by_field[segment]:
            if count := found.frequency_in(document):
                counts[field] = counts.get(field, 0) + count
        yield from counts.items()


@dataclass(frozen=True, slots=True)
class Ranking:
    """The pages that answer a query: a score for each document of each segment, and where it comes from."""

    snapshot: Snapshot
    formula: Formula
    terms: tuple[tuple[TermPostings, float], ...]  # each with its inverse document frequency
    scores: tuple[dict[int, float], ...]
    matching: Matching

    @property
    def total(self) -> int:
        """How many pages answer."""
        return sum(map(len, self.scores))

    def best(self) -> Iterator[tuple[int, int]]:
        """Yield (segment, document), the highest score first; equal ones in the order in which they were indexed.

        What lacks a phrase stands behind all that has it.
        """
        behind = self.matching.behind
        heap = [
            (bool(behind[segment][document]), -score, segment, document)
            for segment, scores in enumerate(self.scores)
            for document, score in scores.items()
        ]
        heapify(heap)
        while heap:
            _, _, segment, document = heappop(heap)
            yield segment, document

    def explain(self, segment: int, document: int) -> Score:
        """Take the score of a page apart."""
        view, parts = self.snapshot.views[segment], self._parts(segment, document)
        taken: list[Demotion] = []
        if packed := int(view.file.signals()[document]):
            gained, told = sum(part.value for part in parts), view.file.stored(document).signals
            taken = demotions(gained, partial(self._linked, segment, document), packed, self.formula.penalty, told)
        return rounded_score([*parts, *taken], view.lengths[document], self.snapshot.mean_length)

    def _linked(self, segment: int, document: int) -> float:
        return sum(part.value for part in self._parts(segment, document) if part.field == IndexField.ANCHORS)

    def lower_spoofed(self) -> None:
        """Lower the scores of pages that have a signal of spoofing which counts."""
        for segment, scores in enumerate(self.scores):
            signals = self.snapshot.views[segment].file.signals()
            for document in scores.keys() & set(np.flatnonzero(signals).tolist()):
                linked = partial(self._linked, segment, document)
                scores[document] = lowered(scores[document], linked, int(signals[document]), self.formula.penalty)

    def _parts(self, segment: int, document: int) -> list[ScorePart]:
        """Return what each word in each field gives a page, not rounded."""
        view, mean = self.snapshot.views[segment], self.snapshot.mean_length
        length = view.lengths[document]
        parts: list[ScorePart] = []
        for found, idf in self.terms:
            frequency = found.frequencies[segment].get(document, 0.0)
            if not frequency:
                continue
            filled = saturation(frequency, length, mean, self.formula)
            weight = found.term.weight
            for field, count in found.in_fields(segment, document):
                share = self.formula.weights[field] * count / frequency
                parts.append(
                    ScorePart(
                        term=found.term.word,
                        field=field.value,
                        value=weight * idf * filled * share,
                        frequency=count,
                        field_weight=self.formula.weights[field],
                        field_length=int(view.file.lengths(field)[document]),
                        term_weight=weight,
                        idf=idf,
                        saturation=filled,
                        share=share,
                    )
                )
        return parts


def rank(query: Query, snapshot: Snapshot, formula: Formula, now: float, deadline: Deadline) -> Ranking:
    """Score and filter every page that answers the query."""
    terms: list[tuple[TermPostings, float]] = []
    scores: list[dict[int, float]] = [{} for _ in snapshot.views]
    for term in query.telling:
        if terms and deadline.passed(f"the word “{term.word}”"):
            continue
        found = read_term_postings(term, snapshot, formula.weights)
        terms.append((found, inverse_document_frequency(snapshot.pages, found.pages)))
        for scored, view, frequencies in zip(scores, snapshot.views, found.frequencies, strict=True):
            _add_gains(scored, view, frequencies, snapshot.mean_length, formula, terms[-1][1] * term.weight)
    if query.only_filters:
        scores = [dict.fromkeys(set(range(view.file.count)) - view.deleted, 0.0) for view in snapshot.views]
    bringing = [one for one, _ in terms if one.term in query.answering]
    bring = [
        scores[place] if query.only_filters else {page for one in bringing for page in one.frequencies[place]}
        for place in range(len(snapshot.views))
    ]
    scored_pages = [_mask(pages, view) for pages, view in zip(bring, snapshot.views, strict=True)]
    matching = match(query, snapshot, scored_pages, now, deadline)
    kept = [
        {document: score for document, score in scored.items() if answers[document]}
        for scored, answers in zip(scores, matching.answers, strict=True)
    ]
    ranking = Ranking(snapshot, formula, tuple(terms), tuple(kept), matching)
    ranking.lower_spoofed()
    return ranking


def read_term_postings(term: Term, snapshot: Snapshot, weights: Mapping[IndexField, float]) -> TermPostings:
    """Read everything that the index has on a term."""
    by_field = tuple(_postings_by_field(term, view, weights) for view in snapshot.views)
    said = [tuple(pair for pair in found if pair[0] is not IndexField.TEMPLATE) for found in by_field]
    around = [tuple(pair for pair in found if pair[0] is IndexField.TEMPLATE) for found in by_field]
    frequencies = tuple(
        _weighted_frequencies(found, view, weights) for found, view in zip(said, snapshot.views, strict=True)
    )
    if not any(frequencies):
        frequencies = tuple(
            _weighted_frequencies(found, view, weights) for found, view in zip(around, snapshot.views, strict=True)
        )
    else:
        for found, total in zip(around, frequencies, strict=True):
            _add_template(found, total, weights[IndexField.TEMPLATE])
    return TermPostings(term, by_field, frequencies)


def _add_template(postings: _FieldPostings, total: dict[int, float], weight: float) -> None:
    """Add how often a term stands in the templates of pages that have it elsewhere."""
    for _, found in postings:
        for document, frequency in zip(found.documents.tolist(), found.frequencies.tolist(), strict=True):
            if document in total:
                total[document] += weight * frequency


def _postings_by_field(term: Term, view: SegmentView, weights: Mapping[IndexField, float]) -> _FieldPostings:
    return tuple(
        (field, found)
        for field in INDEX_FIELDS
        if weights[field]
        for word, _ in term.variants.words_in(view.file)
        if (found := view.file.postings(field, word)) is not None
    )


def _weighted_frequencies(
    postings: _FieldPostings, view: SegmentView, weights: Mapping[IndexField, float]
) -> dict[int, float]:
    total: dict[int, float] = {}
    # The longest list first: it is taken over whole, and only the short ones are added posting by posting.
    for field, found in sorted(postings, key=lambda pair: -len(pair[1].documents)):
        weight = weights[field]
        if not total:
            total = {
                document: weight * frequency
                for document, frequency in zip(found.documents.tolist(), found.frequencies.tolist(), strict=True)
            }
            continue
        for document, frequency in zip(found.documents.tolist(), found.frequencies.tolist(), strict=True):
            total[document] = total.get(document, 0.0) + weight * frequency
    for document in view.deleted if len(view.deleted) < len(total) else tuple(total.keys() & view.deleted):
        total.pop(document, None)
    return total


def _add_gains(
    scored: dict[int, float],
    view: SegmentView,
    frequencies: Mapping[int, float],
    mean: float,
    formula: Formula,
    factor: float,
) -> None:
    """Add what one term gives to the scores of a segment; `factor` is its idf times its weight in the query."""
    least = formula.k1 * (1 - formula.b)  # `saturation`, written out: this is the innermost loop of a search
    slope = formula.k1 * formula.b / mean if mean else 0.0
    lengths = view.lengths
    for document, frequency in frequencies.items():
        gain = factor * frequency / (frequency + least + slope * lengths[document])
        scored[document] = scored.get(document, 0.0) + gain


def _mask(documents: Iterable[int], view: SegmentView) -> Mask:
    found = np.zeros(view.file.count, np.bool_)
    found[list(documents)] = True
    return found
