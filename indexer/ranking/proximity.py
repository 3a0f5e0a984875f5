"""Are the words together as in the query? Then two neighbours add to the page's score.

    part     = idf of the pair x NEAR x S(f)               S as in score.py; text and name saturate separately
    idf      = that of the rarer word
    f        = sum over fields of  weight x nearness / norm
    nearness = sum over the places of the first word of  1 / (1 + |distance - distance in the query|)
               half of 1 / distance for the reverse order; 0 from WINDOW words on

(After Metzler and Croft, "A Markov Random Field Model for Term Dependencies", 2005; there a window ends it, here it
falls with the distance.) Only the best LOOKED_AT pages by everything else are examined, so a query of common words
takes bounded time (examination.py). They are the same pages for every page of results.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from indexer.ranking.query_postings import POSITION_BITS
from indexer.ranking.score import ProximityPart, saturation
from indexer.ranking.weights import CALLED
from indexer.segments.postings import row_of
from indexer.segments.schema import IndexField

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.query.deadline import Deadline
    from indexer.ranking.matching import Mask
    from indexer.ranking.query_postings import Places
    from indexer.ranking.term_scorer import Amounts, Pages, TermScorer
    from indexer.ranking.weights import Weights
    from indexer.segments.snapshot import Snapshot

LOOKED_AT = 300  # examined pages, the best by everything else
WINDOW = 8  # words: farther apart they hardly belong together
MAX_PAIRS = 24  # neighbours in one query; a long abstract has more
MAX_GAP = 2  # words from one to the next in the query, with a stop word between them
BACKWARD = 0.5  # the words in reverse order
FAR = 1 << 62  # beyond every place
FIELDS = (IndexField.ANCHORS, IndexField.BODY, IndexField.HEADINGS, IndexField.TITLE)  # in the order of the index
KINDS = {
    called: [place for place, field in enumerate(FIELDS) if (field in CALLED) is called] for called in (False, True)
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbours of a query, and how many words the second is behind the first."""

    first: TermScorer
    second: TermScorer
    gap: int

    @property
    def words(self) -> str:
        """Both words, as they are shown."""
        return f"{self.first.term.text} {self.second.term.text}"

    @property
    def rarer(self) -> TermScorer:
        """The rarer word."""
        return max(self.first, self.second, key=lambda gain: gain.idf)

    @property
    def idf(self) -> float:
        """The idf of the rarer word."""
        return self.rarer.idf


def pairs_of(gains: Sequence[TermScorer]) -> tuple[Pair, ...]:
    """Return the neighbours of a query, each pair once, in its order."""
    order = sorted((place, number) for number, gain in enumerate(gains) for place in gain.term.positions)
    found: dict[tuple[int, int], Pair] = {}
    for (here, first), (there, second) in pairwise(order):
        if first != second and 0 < there - here <= MAX_GAP:
            found.setdefault((first, second), Pair(gains[first], gains[second], there - here))
    return tuple(found.values())[:MAX_PAIRS]


class Candidates:
    """The pages that may be examined, which ascend. Their postings are searched for once, whoever examines some.

    `factors` are what nearness counts on them: a row for each of FIELDS.
    """

    def __init__(self, pages: Pages, snapshot: Snapshot, weights: Weights) -> None:
        self.pages = pages
        self.factors: Amounts = np.empty((len(FIELDS), len(pages)))
        for place, field in enumerate(FIELDS):
            norms = snapshot.length_norms(field, weights.length_of(field))
            self.factors[place] = weights.of(field, called=field in CALLED) / norms[pages]
        self._known: dict[int, tuple[Pages, Pages, Pages]] = {}  # by the identity of a term

    def postings_of(self, gain: TermScorer) -> tuple[Pages, Pages, Pages]:
        """Return the postings of a term in FIELDS: their rows, and for each the numbers of its field and its page."""
        known = self._known.get(id(gain))
        if known is None:
            rows, pages = gain.postings.on(self.pages)
            fields = np.full(len(rows), -1)
            for place, field in enumerate(FIELDS):
                if extent := gain.postings.fields.get(field):
                    fields[slice(*rows.searchsorted((extent.start, extent.stop)))] = place
            kept = fields >= 0
            known = self._known[id(gain)] = rows[kept], fields[kept], pages[kept]
        return known


class Proximity:
    """The scores that neighbours of a query add to examined pages: those of the candidates that are `chosen`."""

    def __init__(self, pairs: Sequence[Pair], weights: Weights, candidates: Candidates, chosen: Mask) -> None:
        self.looked_at = candidates.pages[chosen]
        self.pairs = tuple(pairs)
        self._weights, self._candidates, self._chosen = weights, candidates, chosen
        self._places: dict[int, Places] = {}  # of each term by its identity
        self._near: list[dict[bool, Amounts]] = []  # of each pair, for text and for names, by field and row

    def add_to(self, scores: Amounts, deadline: Deadline) -> None:
        """Add what the pairs give to the examined pages; a pair without time left counts on no page."""
        factors = self._candidates.factors[:, self._chosen]
        for pair in self.pairs:
            if deadline.passed(f"how near “{pair.words}” stand together"):
                break
            near = _near(self._places_of(pair.first), self._places_of(pair.second), pair.gap, self._size)
            by_field = near.reshape(len(FIELDS), -1) * factors
            found = {called: by_field[places] for called, places in KINDS.items()}
            self._near.append(found)
            for called, most in self._kinds:
                total = found[called].sum(axis=0)
                scores[self.looked_at] += pair.idf * most * saturation(total, self._weights.near)
        self.pairs = self.pairs[: len(self._near)]

    def parts(self, page: int) -> Iterator[ProximityPart]:
        """Yield what each pair adds to one page in each field, not rounded."""
        row = self.row_of(page)
        if row is None:
            return
        for pair, found in zip(self.pairs, self._near, strict=True):
            for called, most in self._kinds:
                amounts = found[called][:, row]
                total = float(amounts.sum())
                filled = saturation(total, self._weights.near)
                for place, amount in zip(KINDS[called], amounts.tolist(), strict=True):
                    share = amount / total if total else 0.0
                    if share:
                        idf = f"idf {pair.idf:.3f} (that of “{pair.rarer.term.text}”)"
                        factors = f"{idf} x cap {most:g} x nearness {filled:.3f} x share {share:.3f}"
                        yield ProximityPart(pair.words, FIELDS[place].value, pair.idf * most * filled * share, factors)

    @property
    def _kinds(self) -> tuple[tuple[bool, float], ...]:
        """Text and names, with the cap of each."""
        return (False, self._weights.near_text), (True, self._weights.near_name)

    @property
    def _size(self) -> int:
        return len(FIELDS) * len(self.looked_at)

    def row_of(self, page: int) -> int | None:
        """Return the row of a page among the examined ones; None: it is not one of them."""
        return row_of(self.looked_at, page)

    def in_field(self, gain: TermScorer, field: IndexField) -> Places:
        """Return the places of a term in a field of the examined pages, ascending: row, and position."""
        first = (FIELDS.index(field) * len(self.looked_at)) << POSITION_BITS
        places = self._places_of(gain)
        start, stop = places.searchsorted((first, first + (len(self.looked_at) << POSITION_BITS)))
        return places[start:stop] - first

    def _places_of(self, gain: TermScorer) -> Places:
        """Return the places of a term in the examined pages, ascending: field, row, position in one number."""
        known = self._places.get(id(gain))
        if known is None:
            rows, fields, pages = self._candidates.postings_of(gain)
            here = self._chosen[pages]
            numbers = (self._chosen.cumsum() - 1)[pages[here]]  # among the examined pages
            above = numbers + fields[here] * len(self.looked_at)
            known = self._places[id(gain)] = gain.postings.places(rows[here], above)
        return known


def _near(first: Places, second: Places, gap: int, rows: int) -> Amounts:
    """Return how near the words are in each row, summed over the places of the first one."""
    places = np.concatenate(([-FAR], second, [FAR]))
    ahead = places[second.searchsorted(first, "right") + 1] - first
    behind = first - places[second.searchsorted(first)]
    forward = np.where(ahead <= WINDOW, 1 / (1 + np.abs(ahead - gap)), 0.0)
    backward = np.where(behind <= WINDOW, BACKWARD / behind, 0.0)
    return np.bincount(first >> POSITION_BITS, np.maximum(forward, backward), rows).astype(np.float64)
