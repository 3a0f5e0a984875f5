"""Which pages come into question, and in which order? Scored by their terms, then filtered, the best first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from heapq import heapify, heappop
from typing import TYPE_CHECKING

from indexer.retrieval.evidence import Evidence, gather
from indexer.retrieval.phrases import pages_with
from indexer.retrieval.ranking import Formula, inverse_document_frequency, saturation
from indexer.retrieval.score import Part, Score, round_parts
from indexer.segments.schema import LANGUAGE, SITE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from indexer.retrieval.query import Query
    from indexer.retrieval.snapshot import Snapshot, View


@dataclass(frozen=True, slots=True)
class Ranking:
    """The pages that answer a query: a score for each document of each segment, and where it comes from."""

    snapshot: Snapshot
    formula: Formula
    evidence: tuple[Evidence, ...]
    idfs: tuple[float, ...]
    scores: tuple[dict[int, float], ...]

    @property
    def total(self) -> int:
        """How many pages answer."""
        return sum(map(len, self.scores))

    def best(self) -> Iterator[tuple[int, int]]:
        """Yield (segment, document), the highest score first; equal ones in the order in which they were indexed."""
        heap = [
            (-score, segment, document)
            for segment, scores in enumerate(self.scores)
            for document, score in scores.items()
        ]
        heapify(heap)
        while heap:
            _, segment, document = heappop(heap)
            yield segment, document

    def explain(self, segment: int, document: int) -> Score:
        """Take the score of a page apart."""
        view = self.snapshot.views[segment]
        length, mean = view.lengths[document], self.snapshot.mean_length
        parts: list[Part] = []
        for evidence, idf in zip(self.evidence, self.idfs, strict=True):
            frequency = evidence.frequencies[segment].get(document, 0.0)
            if not frequency:
                continue
            filled = saturation(frequency, length, mean, self.formula)
            weight = evidence.term.weight
            for field, count in evidence.in_fields(segment, document):
                share = self.formula.weights[field] * count / frequency
                parts.append(
                    Part(
                        term=evidence.term.word,
                        field=field.value,
                        value=weight * idf * filled * share,
                        frequency=count,
                        field_weight=self.formula.weights[field],
                        field_length=view.file.lengths(field)[document],
                        term_weight=weight,
                        idf=idf,
                        saturation=filled,
                        share=share,
                    )
                )
        return rounded(parts, length, mean)


def rounded(parts: list[Part], length: float, mean: float) -> Score:
    """Return a score whose rounded parts add up to its rounded total, the greatest part first."""
    total, values = round_parts([part.value for part in parts])
    shown = [replace(part, value=value) for part, value in zip(parts, values, strict=True)]
    return Score(total, tuple(sorted(shown, key=lambda part: -part.value)), length, mean)


def rank(query: Query, snapshot: Snapshot, formula: Formula, now: float) -> Ranking:
    """Score and filter every page that answers the query."""
    evidence = [gather(term, snapshot, formula.weights) for term in query.telling]
    idfs = [inverse_document_frequency(snapshot.pages, found.pages) for found in evidence]
    scores = []
    for place, view in enumerate(snapshot.views):
        if query.only_filters:
            found = dict.fromkeys(set(range(view.file.count)) - view.deleted, 0.0)
        else:
            found = _scores(place, view, snapshot.mean_length, formula, zip(evidence, idfs, strict=True))
        scores.append(_filtered(found, query, view, now))
    return Ranking(snapshot, formula, tuple(evidence), tuple(idfs), tuple(scores))


def _scores(
    segment: int, view: View, mean: float, formula: Formula, evidence: Iterable[tuple[Evidence, float]]
) -> dict[int, float]:
    total: dict[int, float] = {}
    least = formula.k1 * (1 - formula.b)  # `saturation`, written out: this is the innermost loop of a search
    slope = formula.k1 * formula.b / mean if mean else 0.0
    lengths = view.lengths
    for found, idf in evidence:
        factor = idf * found.term.weight
        for document, frequency in found.frequencies[segment].items():
            gain = factor * frequency / (frequency + least + slope * lengths[document])
            total[document] = total.get(document, 0.0) + gain
    return total


def _filtered(scores: dict[int, float], query: Query, view: View, now: float) -> dict[int, float]:
    kept = scores.keys() - {document for document, end in view.file.expiries().items() if end <= now}
    for phrase in query.required:
        kept &= pages_with(phrase, view.file)
    for phrase in query.excluded if kept else ():
        kept -= pages_with(phrase, view.file)
    for field, wanted, unwanted in (
        (SITE, query.sites, query.excluded_sites),
        (LANGUAGE, query.languages, query.excluded_languages),
    ):
        if wanted:
            kept &= _with_value(view, field, wanted)
        if unwanted:
            kept -= _with_value(view, field, unwanted)
    return scores if len(kept) == len(scores) else {document: scores[document] for document in kept}


def _with_value(view: View, field: str, values: frozenset[str]) -> set[int]:
    return {document for value in values for document in view.file.documents(field, value)}
