"""What does a change of the ranking do? The same question by two formulas: which results moved, and how far.

With judged questions it is told whether that is better: of each question the nDCG@10 before and after, and their mean.
Both formulas are asked of the same open index, and neither changes how others are answered.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING

from urls.canonical import UnusableUrl, canonicalize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.query.deadline import Deadline
    from indexer.retrieval.results import Hit
    from indexer.retrieval.searcher import Searcher

DEPTH = 10  # results that count
MAX_GRADE = 3
MAX_QUESTIONS = 1_000
MAX_FILE_BYTES = 4_000_000
MAX_QUESTION_CHARS = 1_000  # as of any question


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A question, and the grade of each page that was judged for it."""

    text: str
    grades: Mapping[str, int]


def read_judgements(content: bytes) -> tuple[JudgedQuery, ...]:
    """Read a file of judgements. Raises ValueError, which names the line and what would work."""
    if len(content) > MAX_FILE_BYTES:
        raise ValueError(f"it has {len(content):,} bytes, and at most {MAX_FILE_BYTES:,} are read")
    try:
        lines = content.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is no UTF-8 from byte {error.start} on") from None
    found: dict[str, dict[str, int]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        question, url, grade = _row(number, line)
        found.setdefault(question, {})[url] = grade
    if not found:
        raise ValueError("it has no judgement: give lines of question, tab, address")
    if len(found) > MAX_QUESTIONS:
        raise ValueError(f"it has {len(found):,} questions, and at most {MAX_QUESTIONS:,} are asked")
    return tuple(JudgedQuery(text, grades) for text, grades in found.items())


def _row(number: int, line: str) -> tuple[str, str, int]:
    question, *others = (cell.strip() for cell in line.rstrip("\r").split("\t"))
    if not question or len(question) > MAX_QUESTION_CHARS or len(others) not in {1, 2}:
        raise ValueError(f"line {number}: give question, tab, address, and perhaps another tab and a grade")
    grade = others[1] if len(others) > 1 else "1"
    if grade not in {str(value) for value in range(MAX_GRADE + 1)}:
        raise ValueError(f"line {number}: {grade[:20]!r} is no grade from 0 to {MAX_GRADE}")
    try:
        return " ".join(question.split()), canonicalize(others[0]), int(grade)
    except UnusableUrl:
        example = "http://bakery.example/rye"
        raise ValueError(f"line {number}: {others[0][:60]!r} is no address, such as {example}") from None


def ndcg(found: Sequence[str], grades: Mapping[str, int]) -> float:
    """Return the gain of the ten first of a list, as a share of the best possible gain; 0 where nothing is right."""
    best = _gain(sorted(grades.values(), reverse=True))
    return _gain([grades.get(each, 0) for each in found]) / best if best else 0.0


def _gain(grades: Sequence[int]) -> float:
    return float(sum((2**grade - 1) / math.log2(place + 1) for place, grade in enumerate(grades[:DEPTH], 1)))


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
class QueryComparison:
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
class RankingComparison:
    """What judged questions say to a change; `left_out` questions there was no time for, in either ranking."""

    turns: tuple[QueryComparison, ...]  # the greatest change first
    left_out: int

    @property
    def before(self) -> float:
        """The mean nDCG@10 of all that were asked; at least one was."""
        return mean(turn.before for turn in self.turns)

    @property
    def after(self) -> float:
        """The same after the change."""
        return mean(turn.after for turn in self.turns)


def compare_rankings(
    saved: Searcher, turned: Searcher, questions: Sequence[JudgedQuery], deadline: Deadline
) -> RankingComparison:
    """Ask judged questions by two rankings, as many as there is time for; at least one is asked."""
    turns: list[QueryComparison] = []
    for question in questions:
        if turns and deadline.passed("some of the judged questions"):
            break
        before, after = (ndcg(_urls(searcher, question.text), question.grades) for searcher in (saved, turned))
        turns.append(QueryComparison(question.text, before, after))
    ordered = sorted(turns, key=lambda turn: -abs(turn.gain))
    return RankingComparison(tuple(ordered), len(questions) - len(turns))


def _urls(searcher: Searcher, text: str) -> list[str]:
    return [hit.url for hit in searcher.search(text, DEPTH).hits]
