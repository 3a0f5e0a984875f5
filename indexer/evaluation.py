"""How good is a ranking? Relevance judgements decide, by nDCG@10.

A file of judgements has a line for each relevant page of a query: the query, a tab, and the page's URL. A second tab
and a grade from 0 to 3 may follow (default 1). Lines that begin with # are comments. TREC's qrels have the same three
columns.

    # query            relevant page                   grade
    rye bread          http://bakery.example/rye       3

The gain of a page falls with its grade and its rank. The gain of a list is divided by that of the best possible list:

    DCG = sum over the first ten of  (2^grade - 1) / log2(rank + 1)          nDCG = DCG / best possible DCG

(Järvelin and Kekäläinen, "Cumulated Gain-Based Evaluation of IR Techniques", 2002; the exponent: Burges et al., 2005.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from urls.canonical import UnusableUrl, canonicalize

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from indexer.retrieval.searcher import Searcher

DEPTH = 10  # results that count for nDCG
SHOWN = 10  # results that each list of a comparison shows
MAX_GRADE = 3
MAX_QUERIES = 1_000
MAX_FILE_BYTES = 4_000_000
MAX_QUERY_CHARS = 1_000
HEADING = "# query\trelevant page\tgrade\n"


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A query, and the grade of each page that was judged for it."""

    text: str
    grades: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """One line of a file of judgements; lines count from 1. `url` is canonical."""

    line: int
    query: str
    url: str
    grade: int = 1


def read_judgements(content: bytes) -> tuple[JudgedQuery, ...]:
    """Parse a file of judgements. Raises ValueError, which names the line and says what would work."""
    return judged_queries(read_judged_pages(content))


def judged_queries(judgements: Iterable[JudgedPage]) -> tuple[JudgedQuery, ...]:
    """Return the queries of judgements, in the order of their first lines. A later grade of a page replaces another."""
    found: dict[str, dict[str, int]] = {}
    for each in judgements:
        found.setdefault(each.query, {})[each.url] = each.grade
    return tuple(JudgedQuery(text, grades) for text, grades in found.items())


def written(judgements: Iterable[JudgedPage]) -> str:
    """Return judgements as the text of a file that `read_judged_pages` reads."""
    lines = (f"{each.query}\t{each.url}\t{each.grade}\n" for each in judgements)
    return HEADING + "".join(f" {line}" if line.startswith("#") else line for line in lines)


def read_judged_pages(content: bytes) -> tuple[JudgedPage, ...]:
    """Parse the lines of a file of judgements. Raises ValueError as `read_judgements` does."""
    if len(content) > MAX_FILE_BYTES:
        raise ValueError(f"it has {len(content):,} bytes; at most {MAX_FILE_BYTES:,} are allowed")
    try:
        lines = content.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 from byte {error.start} on") from None
    found = tuple(
        _row(number, line) for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")
    )
    if not found:
        raise ValueError("it has no judgement: write lines with a query, a tab and a URL")
    if (queries := len({each.query for each in found})) > MAX_QUERIES:
        raise ValueError(f"it has {queries:,} queries; at most {MAX_QUERIES:,} are allowed")
    return found


def _row(number: int, line: str) -> JudgedPage:
    query, *others = (cell.strip() for cell in line.rstrip("\r").split("\t"))
    if not query or len(query) > MAX_QUERY_CHARS or len(others) not in {1, 2}:
        raise ValueError(f"line {number}: write a query, a tab, a URL, and optionally another tab and a grade")
    grade = others[1] if len(others) > 1 else "1"
    if grade not in {str(value) for value in range(MAX_GRADE + 1)}:
        raise ValueError(f"line {number}: {grade[:20]!r} is not a grade from 0 to {MAX_GRADE}")
    try:
        return JudgedPage(number, " ".join(query.split()), canonicalize(others[0]), int(grade))
    except UnusableUrl:
        example = "http://bakery.example/rye"
        raise ValueError(f"line {number}: {others[0][:60]!r} is not a URL such as {example}") from None


def ndcg(found: Sequence[str], grades: Mapping[str, int]) -> float:
    """Return the nDCG@10 of a list of URLs, from 0 (nothing relevant) to 1."""
    best = _gain(sorted(grades.values(), reverse=True))
    return _gain([grades.get(each, 0) for each in found]) / best if best else 0.0


def reciprocal_rank(found: Sequence[str], grades: Mapping[str, int]) -> float:
    """Return one over the rank of the first right page among the first ten, or 0."""
    return next((1 / place for place, url in enumerate(found[:DEPTH], 1) if grades.get(url, 0) > 0), 0.0)


def _gain(grades: Sequence[int]) -> float:
    return float(sum((2**grade - 1) / math.log2(place + 1) for place, grade in enumerate(grades[:DEPTH], 1)))


def first_urls(searcher: Searcher, text: str) -> list[str]:
    """Return the URLs of the results of a query that count, the best first."""
    return [hit.url for hit in searcher.search(text, DEPTH).hits]
