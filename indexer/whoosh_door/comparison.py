"""How do Whoosh's own formulas rank the same pages? One query by BM25F, TF_IDF and PL2 over our index.

Whoosh parses the query and finds the pages; each result shows its rank in our list.
"""
# mypy: disable-error-code="no-untyped-call,attr-defined"

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from whoosh.query import NullQuery
from whoosh.scoring import BM25F, PL2, TF_IDF

from indexer.evaluation import SHOWN, ndcg
from indexer.faults import IndexFault
from indexer.plain_whoosh.searcher import parse_whoosh_query
from indexer.query.parser import MAX_QUERY_TERMS
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whoosh.query import Query

    from indexer.query.deadline import Deadline
    from indexer.whoosh_door.index import PageIndex

FORMULAS = (BM25F, TF_IDF, PL2)
SEARCHED = ("title", "content")  # for words without a field
MAX_LEAVES = MAX_QUERY_TERMS * len(SEARCHED)  # words and phrases, each in each field


@dataclass(frozen=True, slots=True)
class RankedPage:
    """A result of Whoosh; `saved` is its rank in our list, None: not among the results that were compared."""

    url: str
    title: str
    place: int
    score: float
    saved: int | None


@dataclass(frozen=True, slots=True)
class WhooshColumn:
    """The top ten by one formula; `ndcg` is None for a query without judgements."""

    formula: str
    pages: tuple[RankedPage, ...]
    ndcg: float | None


@dataclass(frozen=True, slots=True)
class WhooshColumns:
    """The columns of a query, and how Whoosh parses it. If columns are missing, `missing` says why, in a sentence."""

    columns: tuple[WhooshColumn, ...] = ()
    reading: str = ""
    missing: str = ""


def whoosh_columns(
    index: PageIndex, text: str, ours: Sequence[str], grades: Mapping[str, int] | None, deadline: Deadline
) -> WhooshColumns:
    """Return the top ten of a query by each of Whoosh's formulas.

    `ours` has the URLs of our own list, the best first, and `grades` those of a judged query.
    Raises IndexFault if the index cannot be read.
    """
    try:
        parsed = parse_whoosh_query(text, index.schema, SEARCHED)
    except IndexFault as fault:
        return WhooshColumns(missing=f"Whoosh can't parse this query: {fault}.")
    if parsed == NullQuery:
        return WhooshColumns(missing="Whoosh finds no word in this query, so its columns are missing.")
    if (words := sum(1 for _ in parsed.leaves())) > MAX_LEAVES:
        return WhooshColumns(
            missing=f"Whoosh's columns are missing: it would search {counted(words, 'word')} in "
            f"{' and '.join(SEARCHED)}, and the limit is {MAX_LEAVES}. Shorten the query."
        )
    if index.is_empty():
        return WhooshColumns(missing="The index has no page yet, so Whoosh's columns are empty.")
    places = {url: place for place, url in reversed([*enumerate(ours, 1)])}
    found = []
    for formula in FORMULAS:
        if deadline.passed(f"the column of Whoosh's {formula.__name__}"):
            break
        pages = _ranked(index, parsed, formula, places)
        judged = None if grades is None else ndcg([page.url for page in pages], grades)
        found.append(WhooshColumn(formula.__name__, pages, judged))
    return WhooshColumns(tuple(found), str(parsed))


def _ranked(index: PageIndex, parsed: Query, formula: type, places: Mapping[str, int]) -> tuple[RankedPage, ...]:
    with index.searcher(weighting=formula()) as searcher:
        return tuple(
            RankedPage(hit["url"], hit["title"], place, float(hit.score), places.get(hit["url"]))
            for place, hit in enumerate(searcher.search(parsed, limit=SHOWN), 1)
        )
