"""How can a question be made narrower, or wider? By facets that tell results apart, and by ways out of finding nothing.

Every offer tells how many results it has, counted and not guessed; one without any is not made.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gateway.searching.question import Question
    from indexer.query.deadline import Deadline
    from indexer.retrieval.facets import Facet
    from indexer.retrieval.results import Results
    from indexer.retrieval.searcher import Searcher

LATE = "wider questions"  # what there may be no time for
_NAMES = {"site": "the site", "language": "the language", "file_type": "the file type", "year": "the year"}


@dataclass(frozen=True, slots=True)
class WayOut:
    """Another question that has results; `parameters` is the query of its URL."""

    told: str
    parameters: str
    total: int


def choices(facets: Iterable[Facet], question: Question) -> list[Facet]:
    """Return the facets that leave something to choose, without those that the question is narrowed by."""
    return [each for each in facets if len(each.values) + each.others > 1 and each.name not in question.narrowed]


def ways_out(searcher: Searcher, question: Question, results: Results, deadline: Deadline) -> list[WayOut]:
    """Return wider questions, of one that has no result: without what narrows it, and of its words alone."""
    found = []
    for told, wider in _wider(question, results):
        if wider.is_empty or deadline.passed(LATE):
            continue
        asked = searcher.search(wider.query, 1, exact=wider.exact, deadline=deadline, **wider.narrowing)
        if asked.total:
            found.append(WayOut(told, wider.parameters(), asked.total))
    return found


def _wider(question: Question, results: Results) -> Iterator[tuple[str, Question]]:
    asked = replace(question, page=1, similar="")
    for name in question.narrowed:
        yield f"Without {_NAMES[name]}:", replace(asked, **{name: 0 if name == "year" else ""})  # type: ignore[arg-type]  # of several types
    if len(question.narrowed) > 1:
        yield "Without all of these:", replace(asked, site="", language="", file_type="", year=0)
    words = " ".join(results.word_pages)
    if results.understood and words:
        yield f"Only the words “{words}”:", replace(asked, query=words)
