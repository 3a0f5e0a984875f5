"""Which pages can be among the first results? Only those are scored, and of these the best are examined more closely.

Which terms the text of a page has, and which its names, bounds its score, since each summand has a cap. The other pages
are scored when somebody asks for them. (After MaxScore: Turtle and Flood, "Query Evaluation: Strategies and
Optimizations", 1995.) The best LOOKED_AT by terms and priors are examined for neighbours and sections, as far as it
matters. Neighbours and sections only add to a score, and the frequencies of the words bound what they can add:

    neighbours   nearness is at most the frequency of the first word, in fields that have both
    sections     all places of a word in the body would be in the shortest section that there can be

So a page whose score and bound together are below the first results can't become one of them. Such pages are examined
only when somebody turns the page or asks for their scores; then all are. Order and scores are those of examining all at
once (`tests/indexer/ranking/test_examination.py`). (Fagin, Lotem and Naor, "Optimal Aggregation Algorithms for
Middleware", 2003: a threshold on what is left ends the search.)
"""

from __future__ import annotations

import math
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from indexer.query.deadline import Deadline
from indexer.ranking.proximity import FIELDS, KINDS, Candidates, Proximity, pairs_of
from indexer.ranking.query_postings import POSITION_BITS
from indexer.ranking.score import saturation
from indexer.ranking.sections import USUAL_HEADING, USUAL_WORDS, Sections
from indexer.segments.schema import IndexField
from indexer.segments.snapshot import length_norm

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.ranking.matching import Mask
    from indexer.ranking.prior import Priors
    from indexer.ranking.query_postings import Places
    from indexer.ranking.score import ProximityPart, SectionPart
    from indexer.ranking.sections import SectionMatch
    from indexer.ranking.term_scorer import Amounts, Pages, TermScorer
    from indexer.ranking.weights import Weights
    from indexer.segments.snapshot import Snapshot

FEW = 10_000  # pages: to score them takes less time than to find the likely ones
UNITS = 60_000  # of the sum of all caps: 16 bits hold it, with a rounded one for each cap
SAMPLED = 16  # of so many scores one shows how high the first are: sorting a million takes longer than reading them
AT_FIRST = 24  # pages that are examined to learn what the first results score
FIRST = 12  # results that are certain without the rest: a page of ten, with two that may be hidden or folded
ROUNDING = 1e-9  # share of a bound: its summands are added in another order than those of a score


class BaseScores:
    """The scores of pages by terms and priors: of those that may be among the first, until others are asked for.

    The pages that are `left` have no score yet.
    """

    def __init__(self, gains: Sequence[TermScorer], priors: Priors, size: int) -> None:
        self._summands: tuple[TermScorer | Priors, ...] = *gains, priors
        self.scores: Amounts = np.zeros(size)
        self.left: Mask = np.ones(size, np.bool_)

    def score(self, pages: Pages) -> None:
        """Score these pages, which ascend."""
        if not len(pages):  # to look for them in all postings takes as long as for many
            return
        found = np.zeros(len(pages))
        for summand in self._summands:
            summand.add_to(found, pages)
        self.scores[pages] = found
        self.left[pages] = False

    def score_first(self, most: int, answers: Mask) -> Pages:
        """Score the matching pages that may be among the `most` best, and return the pages that have a score."""
        if np.count_nonzero(answers) <= FEW:
            self.score(np.flatnonzero(answers))
        else:
            bounds, unit = self.bounds()
            sample = bounds[::SAMPLED][answers[::SAMPLED]]
            self.score(np.flatnonzero((bounds >= least_of_best(sample, 2 * most // SAMPLED)) & answers))
            least = least_of_best(self.scores[answers & ~self.left], most)
            self.score(np.flatnonzero((bounds >= int(least / unit * (1 - ROUNDING))) & answers & self.left))
        return np.flatnonzero(answers & ~self.left)

    def bounds(self) -> tuple[NDArray[np.uint16], float]:
        """Return the most that each page can score, as a multiple of a unit, and that unit."""
        caps = [cap for summand in self._summands for cap in summand.caps()]
        unit = sum(most for _, most in caps) / UNITS or 1.0
        bounds = np.zeros(len(self.scores), np.uint16)
        for pages, most in caps:
            bounds += pages * np.uint16(math.ceil(most / unit))
        return bounds, unit


def least_of_best(values: NDArray[Any], most: int) -> float:
    """Return the lowest of the `most` highest values, or 0 if there are fewer."""
    if len(values) < most or not most:
        return 0.0
    if len(values[::SAMPLED]) > most:  # at least that of every SAMPLED-th value, which few reach
        values = values[values >= least_of_best(values[::SAMPLED], most)]
    return float(np.partition(values, len(values) - most)[len(values) - most])


def best_first(scores: Amounts, pages: Pages, at_first: int) -> Iterator[Pages]:
    """Yield these pages, the best first: so many and their equals, then the others."""
    values = scores[pages]
    least = least_of_best(values, at_first)
    for is_best in (True, False):
        rows = np.flatnonzero(values >= least if is_best else values < least)
        yield pages[rows[np.argsort(-values[rows], kind="stable")]]  # equal ones by their numbers


class Examined(NamedTuple):
    """Pages that were examined together."""

    proximity: Proximity
    sections: Sections


class Examination:
    """Adds to `scores` what neighbours and sections give to the pages `looked_at`, which ascend.

    The pages `at_once` are examined in any case. `others_reach`: no other page scores more.
    """

    def __init__(
        self,
        gains: Sequence[TermScorer],
        snapshot: Snapshot,
        weights: Weights,
        scores: Amounts,
        looked_at: Pages,
        at_once: Pages,
        deadline: Deadline,
        others_reach: float,
    ) -> None:
        self._gains, self._snapshot, self._weights = gains, snapshot, weights
        self._deadline: Deadline | None = deadline
        self._looked_at, self._pairs = looked_at, pairs_of(gains)
        self._candidates = Candidates(looked_at, snapshot, weights)
        self._has_sections = bool(snapshot.sections.counts[looked_at].any())
        self._left = np.ones(len(looked_at), np.bool_)
        self._examined: list[Examined] = []
        self._gains_in_sections: Sequence[TermScorer] = ()
        self.reach = self._others_reach = others_reach  # no page that is not examined can score more
        self.scores = scores
        self._examine_likely(at_once)

    def _examine_likely(self, at_once: Pages) -> None:
        base = self.scores[self._looked_at]
        if len(base) <= AT_FIRST or len(at_once) == len(base):
            self._examine(self._left)
            return
        likely = base >= np.partition(base, -AT_FIRST)[-AT_FIRST]
        unbound = np.zeros(len(base), np.bool_)
        unbound[self._looked_at.searchsorted(at_once)] = True
        self._examine(likely | unbound)
        known = self.scores[self._looked_at[likely & ~unbound]]
        least = np.partition(known, -FIRST)[-FIRST] if len(known) >= FIRST else -np.inf
        most = (base + self._bounds()) * (1 + ROUNDING)
        self._examine(self._left & (most >= least))
        self.reach = float(most[self._left].max(initial=self._others_reach))

    def examine_rest(self) -> None:
        """Examine all pages that are left."""
        self._examine(self._left)
        self.reach = self._others_reach

    def _examine(self, chosen: Mask) -> None:
        if not chosen.any():
            return
        self._left = self._left & ~chosen
        proximity = Proximity(self._pairs, self._weights, self._candidates, chosen)
        proximity.add_to(self.scores, self._deadline or Deadline())
        if self._deadline is not None:  # what it has no time for now counts on no page
            self._pairs = proximity.pairs
            late = self._has_sections and self._deadline.passed("which section of a page answers")
            self._gains_in_sections = () if late else self._gains
            self._deadline = None
        sections = Sections(self._gains_in_sections, self._snapshot, self._weights, proximity)
        sections.add_to(self.scores)
        self._examined.append(Examined(proximity, sections))

    def _bounds(self) -> Amounts:
        """Return the most that neighbours and sections can add to each page."""
        bounds = np.zeros(len(self._looked_at))
        weights, frequencies = self._weights, {id(gain): self._frequencies(gain) for gain in self._gains}
        for pair in self._pairs:
            first, second = frequencies[id(pair.first)], frequencies[id(pair.second)]
            near = first * (second > 0) * self._candidates.factors
            for places, most in ((KINDS[False], weights.near_text), (KINDS[True], weights.near_name)):
                bounds += pair.idf * most * saturation(near[places].sum(axis=0), weights.near)
        if self._has_sections:
            in_sections = np.zeros(len(bounds))
            for gain in self._gains_in_sections:
                if not gain.term.reading_of:
                    in_sections += self._section_bound(gain, frequencies[id(gain)][FIELDS.index(IndexField.BODY)])
            bounds += weights.section * in_sections * (self._snapshot.sections.counts[self._looked_at] > 0)
        return bounds

    def _frequencies(self, gain: TermScorer) -> Amounts:
        """Return how often each field of each page has a term, by the row of each page: a row for each of FIELDS."""
        rows, fields, pages = self._candidates.postings_of(gain)
        at, often, shape = fields * len(self._looked_at) + pages, gain.postings.frequencies[rows], (len(FIELDS), -1)
        found = np.bincount(at, often, len(FIELDS) * len(self._looked_at)).reshape(shape)
        return found.astype(np.float64, copy=False)

    def _section_bound(self, gain: TermScorer, frequency: Amounts) -> Amounts:
        weights = self._weights
        shortest, shortest_heading = (
            length_norm(1, usual, weights.section_length) for usual in (USUAL_WORDS, USUAL_HEADING)
        )
        text = saturation(frequency / shortest, weights.said)
        heading = weights.section_name * saturation(frequency / shortest_heading, weights.called)
        of_page, of_names = gain.shares(self._looked_at)
        more = np.maximum(text - of_page, 0.0) + np.maximum(heading - of_names, 0.0)
        return gain.term.weight * gain.idf * more * (frequency > 0)

    def certain(self) -> Pages:
        """Return the examined pages that no other page can pass."""
        examined = self._looked_at[~self._left]
        return examined[self.scores[examined] > self.reach]

    def _examined_with(self, page: int) -> Examined | None:
        """Return the pages that were examined with a page; None: it is none of the best."""
        row = int(self._looked_at.searchsorted(page))
        if row == len(self._looked_at) or self._looked_at[row] != page:
            return None
        if self._left[row]:
            self.examine_rest()
        return next(examined for examined in self._examined if examined.proximity.row_of(page) is not None)

    def parts(self, page: int) -> Iterator[ProximityPart | SectionPart]:
        """Yield what neighbours and sections add to a page, not rounded."""
        if examined := self._examined_with(page):
            yield from examined.proximity.parts(page)
            yield from examined.sections.parts(page)

    def sections_of(self, page: int) -> list[SectionMatch]:
        """Return the sections of an examined page that have a term of the query, the best first."""
        examined = self._examined_with(page)
        return examined.sections.matches(page) if examined else []

    def numbers_of(self, pages: Sequence[int]) -> dict[int, int]:
        """Return pages by their numbers in `places_on`: an examined page by those before it and its row."""
        others = count(len(self._looked_at))
        found: dict[int, int] = {}
        for page in pages:
            examined = self._examined_with(page)
            begin = next((begin for begin, other in self._numbered() if other is examined), 0)
            found[begin + (examined.proximity.row_of(page) or 0) if examined else next(others)] = page
        return found

    def _numbered(self) -> Iterator[tuple[int, Examined]]:
        """Yield the groups of pages, each with the number of its first page."""
        begin = 0
        for examined in self._examined:
            yield begin, examined
            begin += len(examined.proximity.looked_at)

    def places_on(self, pages: Mapping[int, int], gain: TermScorer, field: IndexField) -> Places:
        """Return the places of a term in a field of pages, ascending: the page's number above the bits of the position.

        The result may also have places on other pages.
        """
        size = len(self._looked_at)
        found = [
            examined.proximity.in_field(gain, field) + (begin << POSITION_BITS) for begin, examined in self._numbered()
        ]
        for number in sorted(number for number in pages if number >= size):
            rows = [at for form, at in gain.postings.lists_of(pages[number]) if form.field is field]
            found.append(gain.postings.places(np.array(rows, np.intp), np.full(len(rows), number)))
        return np.concatenate([np.zeros(0, np.int64), *found])
