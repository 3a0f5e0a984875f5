"""Which robots.txt files answer? `/search?in=robots&q=agent:GPTBot+disallow:/`: the other tab of the search page.

- `q`, `page`, `n`: as for pages; what `q` may say is told by indexer/robots_files/question.py
- `all`: 1: older versions of a file answer too
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from flask import render_template

from gateway.searching.question import DEFAULT_RESULTS, MAX_ASKED_PAGE, BadQuestion, paging, read_question
from gateway.served_crawl import served_crawl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.robots_files.results import RobotsResults

ROBOTS = "robots"  # the value of `in`
EXAMPLES = (
    ("agent:GPTBot disallow:/", "GPTBot shut out: a group that names it, with this rule"),
    ("agent:* disallow:/", "everybody shut out who is not named"),
    ("disallow:/wp*", "rules whose path begins so"),
    ('disallow:"/*.pdf$"', "in quotes a star is a star"),
    ("crawl-delay:>10", "more than ten seconds asked between two visits; also 5..20"),
    ("sitemap:* -agent:*", "a sitemap, and no group for everybody"),
    ("lint:misspelt", "what a lint finds"),
    ("comment:seo", "words of a comment; without a key, of any line"),
    ("site:bakery.example", "the files of a site"),
    ("date:2026-11", "seen in that month, older versions too; also before: and after:"),
    ("size:>=100000", "bytes"),
    ("agent:Googlebot OR agent:Bingbot", "either; a minus before anything: without it"),
)


@dataclass(frozen=True, slots=True)
class RobotsQuestion:
    """A search for robots.txt files as a person means it. An empty `query` is the empty form."""

    query: str = ""
    page: int = 1
    results_a_page: int = DEFAULT_RESULTS
    all_versions: bool = False

    @property
    def example(self) -> str:
        """What stands in the empty box."""
        return EXAMPLES[0][0]

    @property
    def kept(self) -> tuple[tuple[str, str | int], ...]:
        """What a form keeps beside its words."""
        return replace(self, query="", page=1)._fields()

    def parameters(self, **changed: str | int | bool) -> str:
        """Return the question as the query of a URL, with some fields changed."""
        return urlencode(replace(self, **changed)._fields())  # type: ignore[arg-type]  # of several types

    def _fields(self) -> tuple[tuple[str, str | int], ...]:
        given: dict[str, str | int] = {
            "in": ROBOTS,
            "q": self.query,
            "page": self.page if self.page > 1 else 0,
            "n": self.results_a_page if self.results_a_page != DEFAULT_RESULTS else 0,
            "all": int(self.all_versions),
        }
        return tuple((name, value) for name, value in given.items() if value)


def is_for_robots(parameters: Mapping[str, str]) -> bool:
    """Return which tab is asked: whether that of robots.txt files. Raises BadQuestion for one that is not there."""
    asked = parameters.get("in", "").strip()
    if asked not in {"", "pages", ROBOTS}:
        raise BadQuestion(f"in={asked[:20]!r} can't be searched in: give pages or robots")
    return asked == ROBOTS


def read_robots_parameters(parameters: Mapping[str, str]) -> RobotsQuestion:
    """Read the parameters of a request. Raises BadQuestion."""
    read = read_question({name: parameters.get(name, "") for name in ("q", "page", "n")})
    older = parameters.get("all", "").strip() not in {"", "0"}
    return RobotsQuestion(read.query, read.page, read.results_a_page, older)


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """The files that answer, how many versions there are, and which parts of the crawl can't be asked, and why."""

    found: RobotsResults
    versions: int
    faults: Mapping[str, str]


def found_files(question: RobotsQuestion) -> FoundFiles:
    """Ask the files."""
    with served_crawl().robots_files() as (collection, faults):
        found = collection.search(
            question.query,
            page=question.page,
            limit=question.results_a_page,
            all_versions=question.all_versions,
        )
        return FoundFiles(found, len(collection), faults)


def robots_search(question: RobotsQuestion) -> str:
    """Show the files that answer, or the form with what can be asked."""
    answer = found_files(question)
    return render_template(
        "robots_search.html",
        question=question,
        found=answer.found if question.query else None,
        versions=answer.versions,
        faults=answer.faults,
        examples=EXAMPLES,
        paging=paging(answer.found.total, question.results_a_page, question.page, MAX_ASKED_PAGE),
    )
