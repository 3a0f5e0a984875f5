"""Are Whoosh's classes quick over our index? Compared with our own searcher, and with an index of Whoosh's own.

Each query runs on both by turns, so a busy machine slows them alike; the median of the ratios counts. A broken limit
ends `bench/search --door` with exit code 1.
"""
# mypy: disable-error-code="attr-defined,no-untyped-call"

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from whoosh import query
from whoosh.index import open_dir
from whoosh.reading import IndexReader

from bench.harness.program import cpu_ms
from extensions.whoosh.searcher import Breadcrumb
from indexer import open_index, open_whoosh

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

RESULTS = 10
FREQUENT = 20  # terms of a list of the most frequent ones
LISTS = 3  # how often such a list is made


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two ways to run the same queries: CPU milliseconds of each query in both, and the limit of their ratio."""

    what: str
    beside: str
    here: Sequence[float]
    there: Sequence[float]
    limit: float  # of the median ratio

    @property
    def ratio(self) -> float:
        """The median of this way's time divided by the other's."""
        return median(here / there for here, there in zip(self.here, self.there, strict=True))

    @property
    def holds(self) -> bool:
        """Whether the limit holds."""
        return self.ratio <= self.limit

    def row(self) -> dict[str, object]:
        """Return the comparison as a row."""
        figures = {"ms p50": median(self.here), "ms largest": max(self.here), "next to": self.beside}
        theirs = {"its p50": median(self.there), "its largest": max(self.there), "times": self.ratio}
        return {"what": self.what} | figures | theirs | {"at most": self.limit, "holds": self.holds}


def compare_door(ours: Path, plain: Path, words: Sequence[str]) -> list[Comparison]:
    """Compare the door of the index in `ours`, our searcher there, and the Whoosh index in `plain`, on these words."""
    searcher, door = open_index(ours), open_whoosh(ours)
    at_door, by_us = door.searcher(), door.searcher(weighting=Breadcrumb())
    whoosh: Any = open_dir(str(plain)).searcher()
    terms = [query.Term("body", word) for word in words]
    prefixes = [query.Prefix("body", word[:3]) for word in words]
    near = [query.FuzzyTerm("body", word) for word in words]
    frequent = [query.Every()] * LISTS

    def ask(asked: Any) -> Callable[[Any], object]:
        return lambda one: [hit["url"] for hit in asked.search(one, limit=RESULTS)]

    def ask_ours(one: Any) -> object:
        return [hit.url for hit in searcher.search(one.text, RESULTS, exact=True).hits]

    def list_frequent(_: Any) -> object:
        return at_door.reader().most_frequent_terms("body", FREQUENT)

    def list_by_loops(_: Any) -> object:
        return IndexReader.most_frequent_terms(at_door.reader(), "body", FREQUENT)

    rows = (
        ("a term", "our searcher", terms, ask(at_door), ask_ours, 3.0),
        ("a term, weighting=Breadcrumb()", "our searcher", terms, ask(by_us), ask_ours, 3.0),
        ("a prefix of three letters", "whoosh3 on its own index", prefixes, ask(at_door), ask(whoosh), 2.0),
        ("a term and its near spellings", "whoosh3 on its own index", near, ask(at_door), ask(whoosh), 2.0),
        ("most_frequent_terms", "Whoosh's loops over ours", frequent, list_frequent, list_by_loops, 0.1),
    )
    return [_compared(what, beside, asked, here, there, limit) for what, beside, asked, here, there, limit in rows]


def _compared(
    what: str,
    beside: str,
    asked: Sequence[Any],
    here: Callable[[Any], object],
    there: Callable[[Any], object],
    limit: float,
) -> Comparison:
    for way in (here, there):
        way(asked[0])  # loads modules and lists that are read once
    took = [(cpu_ms(here, one), cpu_ms(there, one)) for one in asked[1:]]
    return Comparison(what, beside, [first for first, _ in took], [second for _, second in took], limit)
