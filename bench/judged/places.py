"""Which rank does the first right page get? Queries with their right pages, and the sums of these ranks.

Everyday queries are in `everyday.toml`, also misspelt ones and beginnings of queries, which have right completions
instead of pages. More are in `further.toml`, short ones in `short.toml` and, over other manuals, in
`short_elsewhere.toml`, long ones in `topical.toml`, those that a section answers in `sections.toml`. Known items are
queries with one right page (a task of TREC's web track). Here they are terms of a manual's own index, each with the
page that it links to. Only the documents that the collection lists are judged: the index pages themselves hold the
words of every query.

The figures: how often a right page is first, or among the first three. MRR@10: one over its rank, or 0 after the tenth
(Voorhees, TREC-8, 1999). success@10: the share of the queries with one among the first ten. nDCG@10 also counts the
pages that only help (Järvelin and Kekäläinen, 2002).
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.harness.collection import read_rows
from bench.judged.graded import ALL_KINDS, ANSWER, DEPTH, RELATED, Graded, Question
from indexer.evaluation import ndcg

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    Ask = Callable[[str], Sequence[str]]  # returns the result URLs of a query, the best first

EVERYDAY = Path(__file__).parent / "everyday.toml"
FURTHER, TOPICAL, SECTIONS, SHORT, ELSEWHERE = (
    EVERYDAY.with_name(f"{name}.toml") for name in ("further", "topical", "sections", "short", "short_elsewhere")
)
FILES = {  # by the title of their figures
    "everyday": EVERYDAY,
    "further": FURTHER,
    "short": SHORT,
    "topical": TOPICAL,
    "sections": SECTIONS,
    "short, other manuals": ELSEWHERE,
}
TOP = 3  # results seen without scrolling
MISSPELT = "misspelt"  # this kind is counted separately
BEGINNING = "beginning"  # the beginnings of queries, with the right completions instead of pages
KNOWN_ITEMS = "ki_"  # a collection's folder is named after its site: ki_python
ENTRANCE = "index.html"  # of a folder: the same page as the folder


@dataclass(frozen=True, slots=True)
class Placed:
    """A query with the rank of its first right page (from 1; 0: not among the first ten), and the first results."""

    question: Question
    place: int
    found: tuple[str, ...]  # the first ten URLs that were judged


@dataclass(frozen=True, slots=True)
class Figures:
    """The sums over some queries; the last three are from 0 to 1."""

    questions: int
    first: int
    top_three: int
    mrr: float
    success: float
    ndcg: float


def one_form(url: str) -> str:
    """Return a URL without `index.html`, which an alias of it lacks."""
    return url.removesuffix(ENTRANCE) if url.endswith(f"/{ENTRANCE}") else url


def judged_questions(sites: Mapping[str, str], file: Path = EVERYDAY) -> list[Question]:
    """Return the queries of a file with their pages as URLs; `sites` maps a site's name to its root URL.

    A row is a list of right pages, or has `answers` and `related`. Raises SystemExit for a site that is not given.
    """
    found = []
    for half, kinds in _halves(file).items():
        for kind, rows in kinds.items():
            for text, row in rows.items() if kind != BEGINNING else ():
                graded = row if isinstance(row, dict) else {"answers": row}
                pages = dict.fromkeys(graded.get("related", ()), RELATED) | dict.fromkeys(graded["answers"], ANSWER)
                grades = {_address(sites, page, file): grade for page, grade in pages.items()}
                found.append(Question(text, grades, kind, half))
    return found


def files_about(sites: Collection[str]) -> dict[str, Path]:
    """Return the files that have right pages on these sites alone, by title."""
    return {title: file for title, file in FILES.items() if _sites_in(file) <= set(sites)}


def _sites_in(file: Path) -> set[str]:
    rows = (
        row for kinds in _halves(file).values() for kind in kinds.keys() - {BEGINNING} for row in kinds[kind].values()
    )
    pages = (page for row in rows for page in (row["answers"] if isinstance(row, dict) else row))
    return {page.partition("/")[0] for page in pages}


def beginnings(file: Path = EVERYDAY) -> list[Question]:
    """Return the beginnings of queries, with the right completions in lower case."""
    return [
        Question(text, dict.fromkeys(row, ANSWER), BEGINNING, half)
        for half, kinds in _halves(file).items()
        for text, row in kinds.get(BEGINNING, {}).items()
    ]


def _halves(file: Path) -> dict[str, dict[str, dict[str, Any]]]:
    return tomllib.loads(file.read_text("utf-8"))


def _address(sites: Mapping[str, str], page: str, file: Path) -> str:
    name, _, path = page.partition("/")
    if name not in sites:
        raise SystemExit(f"{file.name} asks about {name}: give --site {name}=URL")
    return one_form(sites[name] + path)


def known_items(folder: Path, root: str) -> tuple[list[Question], frozenset[str]]:
    """Return the queries of a collection of known items, and the URLs that it lists, below the site's root URL."""
    questions = [
        replace(each, grades={one_form(root + page): ANSWER for page, grade in each.grades.items() if grade > 0})
        for each in Graded(folder, None).questions()
    ]
    return questions, frozenset(one_form(root + row["id"]) for row in read_rows(folder))


def place_all(
    questions: Iterable[Question],
    ask: Ask,
    is_judged: Callable[[str], bool] = lambda _url: True,
) -> list[Placed]:
    """Run each query. Results that are not judged are skipped."""
    placed = []
    for question in questions:
        found = [one_form(url) for url in ask(question.text)]
        judged = [url for url in found if is_judged(url)][:DEPTH]
        place = next((place for place, url in enumerate(judged, 1) if url in question.answers), 0)
        placed.append(Placed(question, place, tuple(judged)))
    return placed


def figures(placed: Sequence[Placed]) -> Figures:
    """Sum the ranks of at least one query."""
    places = [each.place for each in placed if each.place]
    return Figures(
        questions=len(placed),
        first=places.count(1),
        top_three=sum(place <= TOP for place in places),
        mrr=sum(1 / place for place in places) / len(placed),
        success=len(places) / len(placed),
        ndcg=sum(ndcg(each.found, each.question.grades) for each in placed) / len(placed),
    )


def grouped(placed: Iterable[Placed], by: Callable[[Question], str]) -> dict[str, list[Placed]]:
    """Return the queries of each group, in the order of their first appearance."""
    groups: dict[str, list[Placed]] = {}
    for each in placed:
        groups.setdefault(by(each.question), []).append(each)
    return groups


def figures_of(placed: Sequence[Placed]) -> dict[str, Figures]:
    """Return the figures of all queries and of each kind; misspelt ones and beginnings are counted separately."""
    told = [each for each in placed if each.question.kind not in {MISSPELT, BEGINNING}]
    kinds = grouped(placed, lambda question: question.kind)
    return ({ALL_KINDS: figures(told)} if told else {}) | {kind: figures(rows) for kind, rows in kinds.items()}
