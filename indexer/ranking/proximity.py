"""Do the words stand together as in the question? What two neighbours of the question give to a page.

    gives    = idf of the pair x NEAR x S(f)               S as in score.py; text and name saturate apart
    idf      = that of the rarer word
    f        = sum over fields of  weight x nearness / norm
    nearness = sum over the places of the first word of  1 / (1 + |distance - distance in the question|)
               half of 1 / distance, where the words stand the other way round; 0 from WINDOW words on

(After Metzler and Croft, "A Markov Random Field Model for Term Dependencies", 2005; nearness falls with the distance,
where theirs ends at a window.) The best LOOKED_AT pages by everything else are looked at, so that a question of
common words takes bounded time: whatever page of results is asked for, these are the same pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from indexer.ranking.score import ProximityPart, length_norm, saturation
from indexer.ranking.weights import CALLED
from indexer.segments.postings import row_of
from indexer.segments.schema import IndexField

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.question.deadline import Deadline
    from indexer.ranking.term_gain import Amounts, Documents, FormPostings, TermGain
    from indexer.ranking.weights import Weights
    from indexer.retrieval.snapshot import Snapshot

LOOKED_AT = 300  # pages, the best by everything else
WINDOW = 8  # words: what stands farther apart hardly belongs together
MAX_PAIRS = 24  # neighbours in one question; a long abstract has more
MAX_GAP = 2  # words from one to the next in the question: a stop word between them may be left out
BACKWARD = 0.5  # the words the other way round
_FIELDS = (IndexField.BODY, IndexField.HEADINGS, IndexField.TITLE, IndexField.ANCHORS)
_ROW = 32  # bits of a position: rows of pages are above it


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbours of a question, and how many words the second stands behind the first."""

    first: TermGain
    second: TermGain
    gap: int

    @property
    def words(self) -> str:
        """Both words, as they are shown."""
        return f"{self.first.term.word} {self.second.term.word}"

    @property
    def idf(self) -> float:
        """How much it says that they stand together."""
        return max(self.first.idf, self.second.idf)


def pairs_of(gains: Sequence[TermGain]) -> tuple[Pair, ...]:
    """Return the neighbours of a question, each pair once, in its order."""
    order = sorted((place, number) for number, gain in enumerate(gains) for place in gain.term.places)
    found: dict[tuple[int, int], Pair] = {}
    for (here, first), (there, second) in pairwise(order):
        if first != second and 0 < there - here <= MAX_GAP:
            found.setdefault((first, second), Pair(gains[first], gains[second], there - here))
    return tuple(found.values())[:MAX_PAIRS]


class Proximity:
    """What the neighbours of a question give to the pages that are looked at."""

    def __init__(
        self, gains: Sequence[TermGain], snapshot: Snapshot, weights: Weights, looked_at: Sequence[Documents]
    ) -> None:
        self.looked_at = tuple(looked_at)  # for each segment, ascending
        self._pairs = pairs_of(gains)
        self._snapshot, self._weights = snapshot, weights

    def add_to(self, scores: Sequence[Amounts], deadline: Deadline) -> None:
        """Add what the pairs give to the pages that are looked at; a pair without time left counts on no page."""
        for number, pair in enumerate(self._pairs):
            if deadline.passed(f"how near “{pair.words}” stand together"):
                self._pairs = self._pairs[:number]
                return
            for segment, documents in enumerate(self.looked_at):
                for nearness, most in self._kinds(pair, segment, documents):
                    near = _total(nearness)
                    scores[segment][documents] += pair.idf * most * saturation(near, self._weights.near)

    def parts(self, segment: int, document: int) -> Iterator[ProximityPart]:
        """Yield what each pair gives to one page in each field, not rounded."""
        looked_at = self.looked_at[segment]
        row = row_of(looked_at, document)
        if row is None:
            return
        one = looked_at[row : row + 1]
        for pair in self._pairs:
            for nearness, most in self._kinds(pair, segment, one):
                total = float(_total(nearness)[0])
                filled = saturation(total, self._weights.near)
                for field, amounts in nearness.items():
                    share = float(amounts[0]) / total if total else 0.0
                    if share:
                        told = f"idf {pair.idf:.3f} x most {most:g} x nearness {filled:.3f} x share {share:.3f}"
                        yield ProximityPart(pair.words, field.value, pair.idf * most * filled * share, told)

    def _kinds(
        self, pair: Pair, segment: int, documents: Documents
    ) -> Iterator[tuple[dict[IndexField, Amounts], float]]:
        """Yield the nearness by field of what pages say, and of what they are called, with the most each may give."""
        found = {field: self._nearness(pair, segment, field, documents) for field in _FIELDS}
        for called, most in ((False, self._weights.near_text), (True, self._weights.near_name)):
            kind = {field: near for field, near in found.items() if near is not None and (field in CALLED) is called}
            if kind and most:
                yield kind, most

    def _nearness(self, pair: Pair, segment: int, field: IndexField, documents: Documents) -> Amounts | None:
        first = _places(pair.first.forms[segment], field, documents)
        second = _places(pair.second.forms[segment], field, documents) if len(first) else first
        if not len(second):
            return None
        lengths = self._snapshot.views[segment].lengths(field)[documents]
        norm: Amounts = length_norm(lengths, self._snapshot.mean_lengths[field], self._weights.length_of(field))
        return self._weights.of(field, called=field in CALLED) * _near(first, second, pair.gap, len(documents)) / norm


def _total(nearness: Mapping[IndexField, Amounts]) -> Amounts:
    total: Amounts = np.sum(list(nearness.values()), axis=0)
    return total


def _places(forms: Sequence[FormPostings], field: IndexField, documents: Documents) -> NDArray[np.int64]:
    """Return where a term stands in a field of these documents: row << 32 | position, ascending."""
    found: list[NDArray[np.int64]] = []
    for form in forms:
        if form.field is not field:
            continue
        rows = np.searchsorted(form.documents, documents)
        rows[rows == len(form.documents)] = 0
        having = np.flatnonzero(form.documents[rows] == documents)
        if not len(having):
            continue  # else the positions of all its pages would be unpacked for nothing
        counts, places = form.places_in(rows[having])
        found.append((np.repeat(having, counts) << _ROW) | places)
    if len(found) > 1:
        return np.sort(np.concatenate(found))
    return found[0] if found else np.empty(0, dtype=np.int64)


def _near(first: NDArray[np.int64], second: NDArray[np.int64], gap: int, rows: int) -> Amounts:
    """Return how near the words stand in each row, summed over the places of the first one."""
    next_one = np.searchsorted(second, first + 1)
    ahead = np.where(next_one < len(second), second[np.minimum(next_one, len(second) - 1)] - first, WINDOW + 1)
    last_one = np.searchsorted(second, first) - 1
    behind = np.where(last_one >= 0, first - second[np.maximum(last_one, 0)], WINDOW + 1)
    forward = np.where(ahead <= WINDOW, 1 / (1 + np.abs(ahead - gap)), 0.0)
    backward = np.where(behind <= WINDOW, BACKWARD / behind, 0.0)
    return np.bincount(first >> _ROW, np.maximum(forward, backward), rows).astype(np.float64)
