"""What does a change of the ranking do? The same question by two formulas: which results moved, and how far.

With judged questions it is told whether that is better: of each question the nDCG@10 before and after, and their mean.
Both formulas are asked of the same open index, and neither changes how others are answered.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING

from indexer.evaluation.judgements import DEPTH, ndcg

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.evaluation.judgements import JudgedQuestion
    from indexer.query.deadline import Deadline
    from indexer.retrieval.results import Hit
    from indexer.retrieval.searcher import Searcher

SHOWN = 10  # results of each list
LOOKED_AT = 50  # results of the other list among which a result is looked for
SAME = 5e-5  # nDCG that is told with four digits: less is no change


@dataclass(frozen=True, slots=True)
class MovedHit:
    """A result with its place in this list, and that in the other one; None: not among those looked at."""

    hit: Hit
    place: int
    other: int | None

    @property
    def up(self) -> int | None:
        """By how many places it stands higher here than there; None where that is not known."""
        return None if self.other is None else self.other - self.place


def moved_hits(hits: Sequence[Hit], others: Sequence[Hit]) -> list[MovedHit]:
    """Return the first results of a list, each with its place in another list."""
    places = {hit.url: place for place, hit in enumerate(others, 1)}
    return [MovedHit(hit, place, places.get(hit.url)) for place, hit in enumerate(hits[:SHOWN], 1)]


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """The nDCG@10 of one question before and after."""

    question: str
    before: float
    after: float

    @property
    def gain(self) -> float:
        """How much better it is; below 0: worse."""
        return self.after - self.before

    @property
    def is_same(self) -> bool:
        """Whether no difference would be seen."""
        return abs(self.gain) < SAME


@dataclass(frozen=True, slots=True)
class JudgedRanking:
    """What judged questions say to a change; `left_out` questions there was no time for, in either ranking."""

    turns: tuple[JudgedTurn, ...]  # the greatest change first
    left_out: int

    @property
    def before(self) -> float:
        """The mean nDCG@10 of all that were asked; at least one was."""
        return mean(turn.before for turn in self.turns)

    @property
    def after(self) -> float:
        """The same after the change."""
        return mean(turn.after for turn in self.turns)


def judge_turn(
    saved: Searcher, turned: Searcher, questions: Sequence[JudgedQuestion], deadline: Deadline
) -> JudgedRanking:
    """Ask judged questions by two rankings, as many as there is time for; at least one is asked."""
    turns: list[JudgedTurn] = []
    for question in questions:
        if turns and deadline.passed("some of the judged questions"):
            break
        before, after = (ndcg(_urls(searcher, question.text), question.grades) for searcher in (saved, turned))
        turns.append(JudgedTurn(question.text, before, after))
    ordered = sorted(turns, key=lambda turn: -abs(turn.gain))
    return JudgedRanking(tuple(ordered), len(questions) - len(turns))


def _urls(searcher: Searcher, text: str) -> list[str]:
    return [hit.url for hit in searcher.search(text, DEPTH).hits]
