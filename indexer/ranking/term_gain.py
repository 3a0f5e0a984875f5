"""What does one term give to every page? Its postings in all fields and forms are read once, as arrays, and added up.

A word in a template (menus, footer) makes no page an answer: it says what the site has, and would bring up all of it.
There it adds a little to a page that has the word elsewhere, too. Only a word that no page has elsewhere is looked for
in templates alone.

What is added up for all pages at once can be asked for one page by the same functions: so an explanation is what was
ranked by.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.ranking.score import ScorePart, inverse_document_frequency, length_norm, saturation
from indexer.segments.postings import row_of
from indexer.segments.schema import INDEX_FIELDS, IndexField

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indexer.question.terms import Term
    from indexer.ranking.weights import Weights
    from indexer.retrieval.snapshot import SegmentView, Snapshot
    from indexer.segments.postings import Postings

    Documents = NDArray[np.intp]
    Amounts = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FormPostings:
    """The postings of one form of a term in one field of a segment, as arrays."""

    field: IndexField
    exact: bool  # it is the word that was asked for
    closeness: float  # what one occurrence counts beside the exact word
    documents: Documents  # ascending
    frequencies: Amounts
    postings: Postings

    def places_in(self, rows: Documents) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return how many positions the form has in each of these rows, and all of them, row after row."""
        return self.frequencies[rows].astype(np.int64), self.postings.positions_of(rows).astype(np.int64)

    def row_of(self, document: int) -> int | None:
        """Return the row of a document, if it has the form in the field."""
        return row_of(self.documents, document)


@dataclass(frozen=True, slots=True)
class _Rows:
    """The pages of a segment with the term, ascending, and how much each says it and is called so."""

    documents: Documents
    said: Amounts
    called: Amounts


class TermGain:
    """One term in one snapshot: which pages have it, and what it gives to each."""

    def __init__(self, term: Term, snapshot: Snapshot, weights: Weights) -> None:
        self.term = term
        self.forms = tuple(tuple(_forms(term, view, weights)) for view in snapshot.views)
        self._snapshot, self._weights = snapshot, weights
        sums = [self._sums(segment) for segment in range(len(snapshot.views))]
        outside = [
            (said + called > 0) & view.live for view, (said, called, _) in zip(snapshot.views, sums, strict=True)
        ]
        anywhere = any(mask.any() for mask in outside)
        self._rows: list[_Rows] = []
        for view, mask, (said, called, around) in zip(snapshot.views, outside, sums, strict=True):
            documents = np.flatnonzero(mask if anywhere else (around > 0) & view.live)
            self._rows.append(_Rows(documents, (said + around)[documents], called[documents]))
        self.pages = sum(len(rows.documents) for rows in self._rows)
        self.idf = inverse_document_frequency(snapshot.pages, self.pages)

    def documents(self, segment: int) -> Documents:
        """Return the live pages that have the term: outside their template, unless none does."""
        return self._rows[segment].documents

    def has(self, segment: int, document: int) -> bool:
        """Return whether a page has the term."""
        return self._row_of(segment, document) is not None

    def amounts(self, segment: int) -> Amounts:
        """Return what the term gives to each of its pages."""
        rows, weights = self._rows[segment], self._weights
        worth = saturation(rows.said, weights.said) + weights.name * saturation(rows.called, weights.called)
        return self.term.weight * self.idf * worth

    def parts(self, segment: int, document: int) -> Iterator[ScorePart]:
        """Yield what the term gives to one page in each of its fields, not rounded."""
        row = self._row_of(segment, document)
        if row is None:
            return
        rows, weights, view = self._rows[segment], self._weights, self._snapshot.views[segment]
        for field, forms in self._in_fields(segment, document).items():
            counts = [(form.exact, int(form.frequencies[at])) for form, at in forms]
            for called, kind, half, most in (
                (False, rows.said, weights.said, 1.0),
                (True, rows.called, weights.called, weights.name),
            ):
                weight = weights.of(field, called=called)
                weighed = sum(float(self._weighed(form, segment, at, weight)) for form, at in forms)
                if not weighed:
                    continue
                filled, share = float(saturation(kind[row], half)), weighed / float(kind[row])
                yield ScorePart(
                    term=self.term.word,
                    field=field.value,
                    called=called,
                    value=self.term.weight * self.idf * most * filled * share,
                    frequency=sum(count for _, count in counts),
                    other_forms=sum(count for exact, count in counts if not exact),
                    field_weight=weight,
                    field_length=int(view.file.lengths(field)[document]),
                    mean_length=self._snapshot.mean_lengths[field],
                    term_weight=self.term.weight,
                    idf=self.idf,
                    most=most,
                    saturation=filled,
                    share=share,
                )

    def _row_of(self, segment: int, document: int) -> int | None:
        return row_of(self._rows[segment].documents, document)

    def _in_fields(self, segment: int, document: int) -> dict[IndexField, list[tuple[FormPostings, int]]]:
        found: dict[IndexField, list[tuple[FormPostings, int]]] = {}
        for form in self.forms[segment]:
            row = form.row_of(document)
            if row is not None:
                found.setdefault(form.field, []).append((form, row))
        return found

    def _sums(self, segment: int) -> tuple[Amounts, Amounts, Amounts]:
        """Return how much each page says the term, is called so, and has it around its text."""
        said, called, around = (np.zeros(self._snapshot.views[segment].file.count) for _ in range(3))
        for form in self.forms[segment]:
            kinds = ((around if form.field is IndexField.TEMPLATE else said), False), (called, True)
            for total, is_called in kinds:
                if weight := self._weights.of(form.field, called=is_called):
                    total[form.documents] += self._weighed(form, segment, slice(None), weight)
        return said, called, around

    def _weighed(self, form: FormPostings, segment: int, rows: slice | int, weight: float) -> Any:
        """Return the weighted frequencies of a form, by the length of its field on each page."""
        lengths = self._snapshot.views[segment].lengths(form.field)[form.documents[rows]]
        share, mean = self._weights.length_of(form.field), self._snapshot.mean_lengths[form.field]
        norm: Any = length_norm(lengths, mean, share)
        return weight * form.closeness * form.frequencies[rows] / norm


def _forms(term: Term, view: SegmentView, weights: Weights) -> Iterator[FormPostings]:
    words = term.variants.words_in(view.file)
    for field in INDEX_FIELDS:
        if weights.of(field, called=False) or weights.of(field, called=True):
            for word, exact in words:
                found = view.file.postings(field, word)
                if found is not None:
                    documents, counts = found.documents.astype(np.intp), found.frequencies.astype(np.float64)
                    yield FormPostings(field, exact, 1.0 if exact else weights.other_form, documents, counts, found)
