"""Which results does another ranking move, and how far? And is it better, by judged queries?

It compares two rankings on one open index; the results of other users do not change.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING

import numpy as np

from extensions.tune.significance import p_value, times_in_words
from indexer.evaluation import SHOWN, first_urls, ndcg

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.evaluation import JudgedQuery
    from indexer.query.deadline import Deadline
    from indexer.retrieval.results import Hit
    from indexer.retrieval.searcher import Searcher

LOOKED_AT = 50  # results of the other list in which a result is searched
SAME = 5e-5  # less is no change of an nDCG that is shown with four digits


@dataclass(frozen=True, slots=True)
class MovedHit:
    """A result, its rank in this list, and its rank in the other; None: not among its first LOOKED_AT."""

    hit: Hit
    place: int
    other: int | None

    @property
    def up(self) -> int | None:
        """By how many ranks it is higher here than there; None if unknown."""
        return None if self.other is None else self.other - self.place


def moved_hits(hits: Sequence[Hit], others: Sequence[Hit]) -> list[MovedHit]:
    """Return the first results of a list, each with its rank in another list."""
    places = {hit.url: place for place, hit in enumerate(others, 1)}
    return [MovedHit(hit, place, places.get(hit.url)) for place, hit in enumerate(hits[:SHOWN], 1)]


@dataclass(frozen=True, slots=True)
class QueryComparison:
    """The nDCG@10 of one query by two rankings."""

    query: str
    before: float
    after: float

    @property
    def gain(self) -> float:
        """By how much it is better; negative if worse."""
        return self.after - self.before

    @property
    def is_same(self) -> bool:
        """Whether four digits show no difference."""
        return abs(self.gain) < SAME


@dataclass(frozen=True, slots=True)
class RankingComparison:
    """The nDCG@10 of judged queries by two rankings; for `left_out` queries there was no time."""

    queries: tuple[QueryComparison, ...]  # the greatest change first
    left_out: int

    @property
    def before(self) -> float:
        """The mean nDCG@10 by the first ranking."""
        return mean(each.before for each in self.queries)

    @property
    def after(self) -> float:
        """The mean nDCG@10 by the second ranking."""
        return mean(each.after for each in self.queries)

    @property
    def chance(self) -> float:
        """The p value: how often chance makes two rankings differ as much, from 0 to 1 (significance.py)."""
        return p_value(np.array([each.gain for each in self.queries]))

    @property
    def chance_in_words(self) -> str:
        """`chance` as a count: "31 of 100 times"."""
        return times_in_words(self.chance)


def compare_rankings(
    saved: Searcher, turned: Searcher, judged: Sequence[JudgedQuery], deadline: Deadline
) -> RankingComparison:
    """Run judged queries by two rankings, as many as there is time for, and at least one."""
    done: list[QueryComparison] = []
    for query in judged:
        if done and deadline.passed("some of the judged queries"):
            break
        before, after = (ndcg(first_urls(searcher, query.text), query.grades) for searcher in (saved, turned))
        done.append(QueryComparison(query.text, before, after))
    done.sort(key=lambda each: -abs(each.gain))
    return RankingComparison(tuple(done), len(judged) - len(done))
