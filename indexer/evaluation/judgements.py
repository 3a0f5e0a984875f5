"""How good is a list of results? Questions with the pages that answer them, and the gain of what is found: nDCG@10.

A file of judgements has a line for each page that answers a question: the question, a tab, the page's address, and
where some answers are better than others another tab and a grade from 0 to 3 (1 unless given). A line that begins with
# says nothing. TREC's qrels have the same three columns.

    # what people ask for              where they should land          how good that is
    rye bread                          http://bakery.example/rye       3

The gain of a page falls with its grade and its place, and a list is compared with the best that there could be:

    DCG = sum over the first ten of  (2^grade - 1) / log2(place + 1)          nDCG = DCG / best possible DCG

(Järvelin and Kekäläinen, "Cumulated Gain-Based Evaluation of IR Techniques", 2002; the exponent: Burges et al., 2005.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from urls.canonical import UnusableUrl, canonicalize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DEPTH = 10  # results that count
MAX_GRADE = 3
MAX_QUESTIONS = 1_000
MAX_FILE_BYTES = 4_000_000
MAX_QUESTION_CHARS = 1_000  # as of any question


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """A question, and the grade of each page that was judged for it."""

    text: str
    grades: Mapping[str, int]


def read_judgements(content: bytes) -> tuple[JudgedQuestion, ...]:
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
    return tuple(JudgedQuestion(text, grades) for text, grades in found.items())


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
