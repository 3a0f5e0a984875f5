"""How does one term score a page? Its postings in all fields and forms are read once, as arrays, and summed.

A word in a template (menus, footer) makes no page a result, because every page of the site would match. It adds a
little to a page that has the word elsewhere, too. Only if no page has it elsewhere do templates match.

The explanation of a page calls the same functions as the sums over many pages, so it shows what ranked the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indexer.ranking.score import ScorePart, inverse_document_frequency, saturation
from indexer.segments.schema import IndexField
from indexer.segments.snapshot import TermStatistics

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

    from indexer.query.terms import Term
    from indexer.ranking.matching import Mask
    from indexer.ranking.query_postings import PostingsList, QueryPostings
    from indexer.ranking.weights import Weights

    Pages = NDArray[np.intp]  # numbers of pages in a snapshot
    Amounts = NDArray[np.float64]


class TermScorer:
    """One term in one snapshot: which pages have it (`having`), and what it adds to each."""

    def __init__(self, term: Term, asked: QueryPostings, weights: Weights) -> None:
        self.term, self.postings = term, asked.of(term.variants)
        self._snapshot, self._weights = asked.snapshot, weights
        self._counts_alike = weights.other_form == 1 or bool(self.postings.is_exact.all())
        self._scored: list[tuple[Pages, Amounts]] = []
        self._said, self._called = (
            {field: weight for field in self.postings.fields if (weight := weights.of(field, called=called))}
            for called in (False, True)
        )
        fields = self._said | self._called
        template, whole = fields.keys() & {IndexField.TEMPLATE}, asked.snapshot.whole
        outside = self._having(fields.keys() - template)
        spread = whole.spread(term.variants) if whole else TermStatistics(0, not outside.any())
        # Live pages with the term: outside their template, unless no page has it there.
        self.having = self._having(template) if spread.in_template else outside
        self.pages = spread.pages if whole else int(np.count_nonzero(self.having))
        self.idf = inverse_document_frequency(self._snapshot.pages, self.pages)
        self.idf_of = ""  # the word of the query that lowered it

    def limit_idf(self, other: TermScorer) -> None:
        """Lower the idf to that of another word."""
        if other.idf < self.idf:
            self.idf, self.idf_of = other.idf, other.term.text

    def add_to(self, amounts: Amounts, pages: Pages) -> None:
        """Add to the scores of these pages, which ascend."""
        rows = np.flatnonzero(self.having[pages])
        sums = self._sums(pages[rows])
        text, names = self._saturated(*sums)
        amounts[rows] += self.term.weight * self.idf * (text + names)
        self._scored.append((pages[rows], sums))

    def caps(self) -> tuple[tuple[Mask, float], ...]:
        """Return the most that the text of a page adds, and the most that its names add, each with the pages."""
        most, weights = self.term.weight * self.idf, self._weights
        return (self.having, most * self._most), (self._having(self._called), most * weights.name)

    def shares(self, pages: Pages) -> tuple[Amounts, Amounts]:
        """Return what the term adds to scored pages, as a share of weight x idf: by their texts, and by their names."""
        sums = np.zeros((2, len(pages)))
        for scored, known in self._scored:
            at = scored.searchsorted(pages)
            has = np.append(scored, -1)[at] == pages  # beyond the last one is no page
            sums[:, has] = known[:, at[has]]
        return self._saturated(*sums)

    def _saturated(self, said: Amounts, called: Amounts) -> tuple[Amounts, Amounts]:
        weights = self._weights
        return self._most * saturation(said, weights.said), weights.name * saturation(called, weights.called)

    def parts(self, page: int) -> Iterator[ScorePart]:
        """Yield what the term adds to one page in each field, not rounded."""
        if not self.having[page]:
            return
        weights = self._weights
        said, called_so = (float(total[0]) for total in self._sums(np.array([page])))
        for field, forms in self._in_fields(page).items():
            counts = [(form.exact, int(self.postings.frequencies[at])) for form, at in forms]
            rows = np.array([at for _, at in forms])
            found = sum((self._counted(rows) / self._norms(field)[page]).tolist())
            for called, total, half, most in (
                (False, said, weights.said, self._most),
                (True, called_so, weights.called, weights.name),
            ):
                weight = weights.of(field, called=called)
                weighed = weight * found
                if not weighed:
                    continue
                filled, share = float(saturation(total, half)), weighed / total
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

    def _having(self, fields: Collection[IndexField]) -> Mask:
        """Return the live pages with the term in one of these fields."""
        marked, postings = np.zeros(self._snapshot.size, np.bool_), self.postings
        for rows in map(postings.fields.__getitem__, fields):
            marked[postings.pages[rows] if self._weights.other_form else postings.exact_pages(rows)] = True
        return marked & self._snapshot.live

    def _sums(self, pages: Pages) -> Amounts:
        """Return the weighted frequencies in the texts of pages that have the term, and in their names."""
        rows, at = self.postings.on(pages)
        text, names, templates = sums = np.zeros((3, len(pages)))
        fields = self.postings.fields
        ends = rows.searchsorted([0, *(extent.stop for extent in fields.values())]).tolist()
        counted, on = self._counted(rows), pages[at]
        for field, here in zip(fields, map(slice, ends, ends[1:]), strict=False):
            weighed = counted[here] / self._norms(field)[on[here]]
            said = templates if field is IndexField.TEMPLATE else text
            for total, weights in ((said, self._said), (names, self._called)):
                if weight := weights.get(field):
                    np.add.at(total, at[here], weighed if weight == 1 else weight * weighed)
        text += templates
        return sums[:2]

    def _counted(self, rows: Pages) -> Amounts:
        """Return the frequencies of postings, whose rows ascend: an occurrence of another form counts less."""
        found = self.postings.frequencies[rows].astype(np.float64)
        if not self._counts_alike:
            found *= self.postings.by_list(np.where(self.postings.is_exact, 1.0, self._weights.other_form), rows)
        return found

    def _norms(self, field: IndexField) -> Amounts:
        return self._snapshot.length_norms(field, self._weights.length_of(field))
