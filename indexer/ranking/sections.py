"""Does one section of a page answer the query? The section that brings most adds to the score of its page.

    part    = SECTION x the most that a section of the page brings
    brings  = sum over terms t of  w(t) x idf(t) x (more by the text + more by the heading)
    more by the text      S(text of the section) - S(text of the page), at least 0         S and norms as in score.py
    more by the heading   SECTION_NAME x S(heading) - NAME x S(names of the page), at least 0

A page about a hundred things is found by the one that was meant: a method, an option, a setting. A section is a range
of the body: from its heading, or from the name that it defines, to the next one. So it needs no postings of its own.
Only what the section has beyond its page counts, so a page whose title and links already have the word gains nothing.
The pages examined are those of examination.py.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indexer.ranking.query_postings import POSITION_BITS
from indexer.ranking.score import SectionPart, saturation
from indexer.segments.schema import IndexField
from indexer.segments.snapshot import length_norm

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.ranking.proximity import Proximity
    from indexer.ranking.term_scorer import Amounts, TermScorer
    from indexer.ranking.weights import Weights
    from indexer.segments.snapshot import Snapshot


USUAL_WORDS = 130  # of a section: the mean of three manuals; a mean of each index would change with each page
USUAL_HEADING = 4  # words of a heading, the same way


class SectionMatch(NamedTuple):
    """A section of a page: its number, what it brings, and how many terms it has, in all and in its heading."""

    number: int
    brings: float
    terms: int
    named: int


class TermInSections(NamedTuple):
    """One term in all sections: its saturation in text and heading (0: it is not there), and what it adds by them.

    `whole` is for the section by itself, `by_text` and `by_heading` for what it has beyond its page.
    """

    text: Amounts
    heading: Amounts
    whole: Amounts
    by_text: Amounts
    by_heading: Amounts


class Sections:
    """What the sections of the examined pages add. Their rows follow each other, page after page."""

    def __init__(self, gains: Sequence[TermScorer], snapshot: Snapshot, weights: Weights, proximity: Proximity) -> None:
        self._gains = [gain for gain in gains if not gain.term.reading_of]
        self._weights, self._proximity = weights, proximity
        pages, table = proximity.looked_at, snapshot.sections
        self._counts = table.counts[pages]
        self._begins = self._counts.cumsum() - self._counts
        self._page_of = np.arange(len(pages)).repeat(self._counts)
        within = np.arange(len(self._page_of)) - self._begins[self._page_of]
        starts, headings = table.places[table.firsts[pages][self._page_of] + within].T
        ends = np.append(starts[1:], 0)
        having = np.flatnonzero(self._counts)
        ends[(self._begins + self._counts - 1)[having]] = snapshot.lengths(IndexField.BODY)[pages[having]]
        above = self._page_of << POSITION_BITS
        self._starts, self._headings, self._ends = above + starts, above + headings, above + ends
        self._norms = length_norm(np.maximum(ends - starts, 1), USUAL_WORDS, weights.section_length)
        self._heading_norms = length_norm(np.maximum(headings - starts, 1), USUAL_HEADING, weights.section_length)
        self._terms: list[TermInSections] = []

    def add_to(self, scores: Amounts) -> None:
        """Add what the best section of each examined page brings."""
        if not len(self._starts):
            self._gains = []
            return
        self._terms = [self._in_sections(gain) for gain in self._gains]
        pages = np.flatnonzero(self._counts)
        most = np.maximum.reduceat(self._brings, self._begins[pages])
        scores[self._proximity.looked_at[pages]] += self._weights.section * most

    def _in_sections(self, gain: TermScorer) -> TermInSections:
        weights, places = self._weights, self._proximity.in_field(gain, IndexField.BODY)
        rows = self._starts.searchsorted(places, "right") - 1
        inside = (rows >= 0) & (places < self._ends[rows])
        rows, places = rows[inside], places[inside]
        named = rows[places < self._headings[rows]]
        size = len(self._starts)
        text = saturation(np.bincount(rows, minlength=size) / self._norms, weights.said)
        heading = saturation(np.bincount(named, minlength=size) / self._heading_norms, weights.called)
        as_name = weights.section_name * heading
        of_page, of_names = (share[self._page_of] for share in gain.shares(self._proximity.looked_at))
        factor = gain.term.weight * gain.idf
        by_text, by_heading = factor * np.maximum(text - of_page, 0.0), factor * np.maximum(as_name - of_names, 0.0)
        return TermInSections(text, heading, factor * (text + as_name), by_text, by_heading)

    @cached_property
    def _brings(self) -> Amounts:
        total = np.zeros(len(self._starts))
        for each in self._terms:
            total += each.by_text + each.by_heading
        return total

    def _rows_of(self, page: int) -> range:
        row = self._proximity.row_of(page)
        if row is None or not self._terms:
            return range(0)
        begin = int(self._begins[row])
        return range(begin, begin + int(self._counts[row]))

    def matches(self, page: int) -> list[SectionMatch]:
        """Return the sections of an examined page that have a term of the query, the best first."""
        rows = self._rows_of(page)
        if not rows:
            return []
        extent = slice(rows.start, rows.stop)
        terms = np.count_nonzero([each.text[extent] for each in self._terms], axis=0)
        named = np.count_nonzero([each.heading[extent] for each in self._terms], axis=0)
        brings = self._brings[extent]
        whole = np.sum([each.whole[extent] for each in self._terms], axis=0)  # whatever its page has as well
        order = np.argsort(-whole, kind="stable").tolist()
        return [SectionMatch(at, float(brings[at]), int(terms[at]), int(named[at])) for at in order if terms[at]]

    def parts(self, page: int) -> Iterator[SectionPart]:
        """Yield what each term brings to one page by its best section, not rounded."""
        rows = self._rows_of(page)
        if not rows:
            return
        best = max(rows, key=self._brings.__getitem__)  # the first of equal ones
        section = f"section {best - rows.start + 1} of {len(rows)}"
        for gain, each in zip(self._gains, self._terms, strict=True):
            by_text, by_heading = float(each.by_text[best]), float(each.by_heading[best])
            if value := self._weights.section * (by_text + by_heading):
                factors = (
                    f"{section}; weight {self._weights.section:g} x (text {by_text:.3f} + heading {by_heading:.3f})"
                )
                yield SectionPart(gain.term.text, "section", value, factors)
