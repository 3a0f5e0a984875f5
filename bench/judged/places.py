"""Where does the first right page stand? Questions with their answers, and what the places add up to.

Everyday questions stand in `everyday.toml`. Known items are questions with one right page (a task of TREC's web track):
here terms of a manual's own index, each with the page to which it leads. Only the documents that the collection lists
are judged: the index pages themselves hold the words of every question.

The places: how often a right page is first, or among the first three; MRR@10, one over its place or 0 behind the tenth
(Voorhees, TREC-8, 1999); success@10, the share of the questions with one among the first ten.
"""

from __future__ import annotations

import gzip
import json
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Ask = Callable[[str], Sequence[str]]  # returns the URLs that answer a question, the best first

EVERYDAY = Path(__file__).parent / "everyday.toml"
DEPTH = 10
TOP = 3  # what is seen without looking further down
MISSPELT = "misspelt"  # the kind that is counted apart
KNOWN_ITEMS = "ki_"  # a collection's folder is named after its site: ki_python
ENTRANCE = "index.html"  # of a folder: the same page as the folder


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and the URLs of the pages that answer it. `half` is "development" or "test"."""

    text: str
    kind: str
    answers: frozenset[str]
    half: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """A question with the place of its first right page (from 1; 0: not among the first ten), and what came first."""

    question: Question
    place: int
    found: tuple[str, ...]  # the first ten URLs that were judged


@dataclass(frozen=True, slots=True)
class Figures:
    """What the places of some questions add up to; the last two are from 0 to 1."""

    questions: int
    first: int
    top_three: int
    mrr: float
    success: float


def one_form(url: str) -> str:
    """Return a URL without the name of an entrance page, which an alias of it lacks."""
    return url.removesuffix(ENTRANCE) if url.endswith(f"/{ENTRANCE}") else url


def everyday_questions(sites: Mapping[str, str], file: Path = EVERYDAY) -> list[Question]:
    """Return the everyday questions, with the answers as URLs; `sites` leads from a site's name to its root URL.

    Raises SystemExit where a site that the file names is not among them.
    """
    halves = tomllib.loads(file.read_text("utf-8"))
    named = {
        answer.partition("/")[0]
        for kinds in halves.values()
        for rows in kinds.values()
        for row in rows.values()
        for answer in row
    }
    if missing := sorted(named - sites.keys()):
        raise SystemExit(f"{file.name} asks about {', '.join(missing)}: give --site {missing[0]}=URL")
    return [
        Question(text, kind, frozenset(_address(sites, answer) for answer in row), half)
        for half, kinds in halves.items()
        for kind, rows in kinds.items()
        for text, row in rows.items()
    ]


def _address(sites: Mapping[str, str], answer: str) -> str:
    name, _, path = answer.partition("/")
    return one_form(sites[name] + path)


def known_items(folder: Path, root: str) -> tuple[list[Question], frozenset[str]]:
    """Return the questions of a collection of known items, and the URLs that it lists, below the site's root URL."""
    answers: dict[str, set[str]] = defaultdict(set)
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines():
        query, document, grade = line.split("\t")
        if int(grade) > 0:
            answers[query].add(one_form(root + document))
    with gzip.open(folder / "docs.jsonl.gz", "rt", encoding="utf-8") as rows:
        listed = frozenset(one_form(root + json.loads(row)["id"]) for row in rows)
    lines = (folder / "queries.jsonl").read_text("utf-8").splitlines()
    return [
        Question(row["text"], row.get("kind", "all"), frozenset(answers[row["id"]])) for row in map(json.loads, lines)
    ], listed


def place_all(
    questions: Iterable[Question],
    ask: Ask,
    is_judged: Callable[[str], bool] = lambda _url: True,
) -> list[Placed]:
    """Ask each question. Results that are not judged are passed over."""
    placed = []
    for question in questions:
        found = [one_form(url) for url in ask(question.text)]
        judged = [url for url in found if is_judged(url)][:DEPTH]
        place = next((place for place, url in enumerate(judged, 1) if url in question.answers), 0)
        placed.append(Placed(question, place, tuple(judged)))
    return placed


def figures(placed: Sequence[Placed]) -> Figures:
    """Count the places; there is at least one."""
    places = [each.place for each in placed if each.place]
    return Figures(
        questions=len(placed),
        first=places.count(1),
        top_three=sum(place <= TOP for place in places),
        mrr=sum(1 / place for place in places) / len(placed),
        success=len(places) / len(placed),
    )


def by_kind(placed: Iterable[Placed]) -> dict[str, Figures]:
    """Return the figures of each kind of question, in the order of their first appearance."""
    kinds: dict[str, list[Placed]] = {}
    for each in placed:
        kinds.setdefault(each.question.kind, []).append(each)
    return {kind: figures(rows) for kind, rows in kinds.items()}
