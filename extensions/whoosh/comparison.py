"""How do Whoosh's own formulas rank the same pages? One query by BM25F, TF_IDF and PL2 over our index.

Whoosh parses the query and finds the pages; each result shows its rank in our list.
"""
# mypy: disable-error-code="no-untyped-call,attr-defined"

from __future__ import annotations

from typing import TYPE_CHECKING

from whoosh.query import NullQuery
from whoosh.scoring import BM25F, PL2, TF_IDF

from extensions.whoosh.folders.searcher import parse_whoosh_query
from indexer.evaluation import SHOWN, ndcg
from indexer.faults import IndexFault
from indexer.libraries import FormulaColumn, FormulaColumns, RankedPage
from indexer.query.parser import MAX_QUERY_TERMS
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whoosh.query import Query

    from extensions.whoosh.index import PageIndex
    from indexer.libraries import ComparedQuery

FORMULAS = (BM25F, TF_IDF, PL2)
SEARCHED = ("title", "content")  # for words without a field
MAX_LEAVES = MAX_QUERY_TERMS * len(SEARCHED)  # words and phrases, each in each field


def whoosh_columns(index: PageIndex, compared: ComparedQuery) -> FormulaColumns:
    """Return the top ten of a query by each of Whoosh's formulas. Raises IndexFault if the index cannot be read."""
    try:
        parsed = parse_whoosh_query(compared.text, index.schema, SEARCHED)
    except IndexFault as fault:
        return FormulaColumns(missing=f"Whoosh can't parse this query: {fault}.")
    if parsed == NullQuery:
        return FormulaColumns(missing="Whoosh finds no word in this query, so its columns are missing.")
    if (words := sum(1 for _ in parsed.leaves())) > MAX_LEAVES:
        return FormulaColumns(
            missing=f"Whoosh's columns are missing: it would search {counted(words, 'word')} in "
            f"{' and '.join(SEARCHED)}, and the limit is {MAX_LEAVES}. Shorten the query."
        )
    if index.is_empty():
        return FormulaColumns(missing="The index has no page yet, so Whoosh's columns are empty.")
    places = {url: place for place, url in reversed([*enumerate(compared.ours, 1)])}
    found = []
    for formula in FORMULAS:
        if compared.deadline.passed(f"the column of Whoosh's {formula.__name__}"):
            break
        pages = _ranked(index, parsed, formula, places)
        judged = None if compared.grades is None else ndcg([page.url for page in pages], compared.grades)
        found.append(FormulaColumn(formula.__name__, pages, judged))
    return FormulaColumns(tuple(found), str(parsed))


def _ranked(index: PageIndex, parsed: Query, formula: type, places: Mapping[str, int]) -> tuple[RankedPage, ...]:
    with index.searcher(weighting=formula()) as searcher:
        return tuple(
            RankedPage(hit["url"], hit["title"], place, float(hit.score), places.get(hit["url"]))
            for place, hit in enumerate(searcher.search(parsed, limit=SHOWN), 1)
        )
