"""How does one term score each page? Its postings in all fields and forms are read once, as arrays, and summed.

A word in a template (menus, footer) makes no page a result, because every page of the site would match. It adds a
little to a page that has the word elsewhere, too. Only if no page has it elsewhere do templates match.

The explanation of a page calls the same functions as the sums over all pages, so it shows what ranked the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.ranking.score import ScorePart, inverse_document_frequency, saturation
from indexer.segments.postings import row_of
from indexer.segments.schema import IndexField
from indexer.segments.snapshot import TermStatistics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indexer.query.terms import Term
    from indexer.ranking.query_postings import PostingsList, QueryPostings
    from indexer.ranking.weights import Weights

    Pages = NDArray[np.intp]  # numbers of pages in a snapshot
    Amounts = NDArray[np.float64]

_NO_PAGES = np.zeros(0, np.intp)


class TermScorer:
    """One term in one snapshot: which pages have it, and what it adds to each."""

    def __init__(self, term: Term, asked: QueryPostings, weights: Weights) -> None:
        self.term, self.postings = term, asked.of(term.variants)
        self._snapshot, self._weights = asked.snapshot, weights
        self._closeness = self._counted_as()
        pages, said, called, around = self._sums()
        live = self._snapshot.live[pages]
        outside = (said + called > 0) & live
        whole = asked.snapshot.whole
        spread = whole.spread(term.variants) if whole else TermStatistics(int(outside.sum()), not outside.any())
        chosen = (around > 0) & live if spread.in_template else outside
        said += around
        if not chosen.all():
            pages, said, called = pages[chosen], said[chosen], called[chosen]
        self.having, self._said, self._called = pages, said, called
        # Live pages with the term: outside their template, unless no page has it there.
        self.pages = spread.pages if whole else len(self.having)
        self.idf = inverse_document_frequency(self._snapshot.pages, self.pages)
        self.idf_of = ""  # the word of the query that lowered it

    def limit_idf(self, other: TermScorer) -> None:
        """Lower the idf to that of another word."""
        if other.idf < self.idf:
            self.idf, self.idf_of = other.idf, other.term.text

    def has(self, page: int) -> bool:
        """Return whether a page has the term."""
        return row_of(self.having, page) is not None

    def amounts(self) -> Amounts:
        """Return what the term adds to each page that has it."""
        text, names = self._shares(self._said, self._called)
        return self.term.weight * self.idf * (text + names)

    def shares(self, pages: Pages) -> tuple[Amounts, Amounts]:
        """Return what the term adds to these pages, as a share of weight x idf: by their texts, and by their names."""
        at = self.having.searchsorted(pages)
        has = np.append(self.having, -1)[at] == pages  # beyond the last one is no page
        said, called = np.zeros(len(pages)), np.zeros(len(pages))
        said[has], called[has] = self._said[at[has]], self._called[at[has]]
        return self._shares(said, called)

    def _shares(self, said: Amounts, called: Amounts) -> tuple[Amounts, Amounts]:
        weights = self._weights
        return self._most * saturation(said, weights.said), weights.name * saturation(called, weights.called)

    def parts(self, page: int) -> Iterator[ScorePart]:
        """Yield what the term adds to one page in each field, not rounded."""
        row = row_of(self.having, page)
        if row is None:
            return
        weights = self._weights
        for field, forms in self._in_fields(page).items():
            counts = [(form.exact, int(self.postings.frequencies[at])) for form, at in forms]
            for called, kind, half, most in (
                (False, self._said, weights.said, self._most),
                (True, self._called, weights.called, weights.name),
            ):
                weight = weights.of(field, called=called)
                weighed = weight * sum(float(self._weighed(field, at)) for _, at in forms)
                if not weighed:
                    continue
                filled, share = float(saturation(kind[row], half)), weighed / float(kind[row])
                yield ScorePart(
                    term=self.term.text,
                    field=field.value,
                    called=called,
                    value=self.term.weight * self.idf * most * filled * share,
                    frequency=sum(count for _, count in counts),
                    other_forms=sum(count for exact, count in counts if not exact),
                    field_weight=weight,
                    field_length=int(self._snapshot.lengths(field)[page]),
                    mean_length=self._snapshot.mean_lengths[field],
                    term_weight=self.term.weight,
                    idf=self.idf,
                    most=most,
                    saturation=filled,
                    share=share,
                    weight_reason=self.term.weight_reason,
                    idf_of=self.idf_of,
                )

    @property
    def _most(self) -> float:
        """The cap of what a term adds by the text of a page."""
        return self._weights.spoken if self.term.reading_of else 1.0

    def _in_fields(self, page: int) -> dict[IndexField, list[tuple[PostingsList, int]]]:
        found: dict[IndexField, list[tuple[PostingsList, int]]] = {}
        for form, row in self.postings.lists_of(page):
            found.setdefault(form.field, []).append((form, row))
        return found

    def _counted_as(self) -> Amounts:
        """Return what one occurrence counts in each posting: less for another form of the term."""
        each, found = np.where(self.postings.is_exact, 1.0, self._weights.other_form), self.postings.frequencies
        if (each == 1).all():
            return found.astype(np.float64)
        return each.repeat(self.postings.counts) * found

    def _sums(self) -> tuple[Pages, Amounts, Amounts, Amounts]:
        """Return the pages, with the weighted frequencies in their texts, in their names, and in their templates."""
        marked = np.zeros(self._snapshot.size, np.bool_)
        marked[self.postings.pages] = True
        pages = np.flatnonzero(marked)
        row_of_page = np.empty(self._snapshot.size, np.intp)  # read only for pages that have the term
        row_of_page[pages] = np.arange(len(pages))
        at = row_of_page[self.postings.pages]
        places: tuple[list[Pages], ...] = [_NO_PAGES], [_NO_PAGES], [_NO_PAGES]  # of texts, names, templates
        amounts: tuple[list[Amounts], ...] = [], [], []
        for field, rows in self.postings.fields.items():
            weighed = self._weighed(field, rows)
            for called in (False, True):
                if weight := self._weights.of(field, called=called):
                    kind = 2 if field is IndexField.TEMPLATE else int(called)
                    places[kind].append(at[rows])
                    amounts[kind].append(weighed if weight == 1 else weight * weighed)

        def total(kind: int) -> Amounts:
            found = np.bincount(np.concatenate(places[kind]), np.concatenate([np.zeros(0), *amounts[kind]]), len(pages))
            return found.astype(np.float64, copy=False)

        return pages, total(0), total(1), total(2)

    def _weighed(self, field: IndexField, rows: slice | int) -> Any:
        """Return the frequencies of postings of a field, divided by its length norm on each page."""
        norms = self._snapshot.length_norms(field, self._weights.length_of(field))
        return self._closeness[rows] / norms[self.postings.pages[rows]]
