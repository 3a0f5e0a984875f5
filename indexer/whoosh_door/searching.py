"""How is a query of many terms answered? A prefix, a pattern or a near spelling: all its postings are added up at once.

Whoosh makes a tree of matchers of such a query and steps through it posting by posting: at 20,000 pages a prefix with
267 terms took 10 s. The sums are the same, as arrays: each term gives its score to each of its pages.
"""
# mypy: disable-error-code="no-untyped-call,misc,attr-defined,no-any-return,operator"

from __future__ import annotations

import copy
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from whoosh import query
from whoosh.matching.mcore import ListMatcher, NullMatcher
from whoosh.query.terms import MultiTerm
from whoosh.searching import Searcher

from indexer.whoosh_door.matcher import PostingsMatcher

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whoosh.matching.mcore import Matcher
    from whoosh.query import Query
    from whoosh.searching import SearchContext


SMALL_INDEX = 5_000  # pages; Whoosh makes no trees up to there, but of two terms
# Queries that ask their parts for pages and scores alone.
WITHOUT_PLACES = {query.And, query.Or, query.Not, query.AndNot, query.AndMaybe, query.Require, query.DisjunctionMax}


class PageSearcher(Searcher):
    """Whoosh's searcher, with quick matchers for queries that stand for many terms."""

    def search_with_collector(self, q: Query, collector: Any, context: SearchContext | None = None) -> None:
        """Search as Whoosh does."""
        super().search_with_collector(_at_once(q), collector, context)

    def docs_for_query(self, q: Query, for_deletion: bool = False) -> Iterator[int]:
        """Yield the pages that a query finds, as Whoosh does."""
        return super().docs_for_query(_at_once(q), for_deletion)


def _at_once(node: Query) -> Query:
    """Return a query whose parts that stand for many terms have a quick matcher; where terms have places, as it is."""
    if isinstance(node, MultiTerm):
        quick = copy.copy(node)
        quick.matcher = partial(_summed, node)  # type: ignore[method-assign]  # of this query alone
        return quick
    return node.apply(_at_once) if type(node) in WITHOUT_PLACES else node


def _summed(node: MultiTerm, searcher: Searcher, context: SearchContext | None = None) -> Matcher:
    """Return a matcher with the sums of the scores of all terms; Whoosh's own where each term has to be known."""
    if context is None or context.needs_current:
        return node.matcher(searcher, context)
    reader, field = searcher.reader(), node.field()
    if field not in reader.schema:
        return NullMatcher()
    terms = [term for term in node._btexts(reader) if term]  # noqa: SLF001 - what each query of many terms defines
    if not _makes_a_tree(len(terms), reader.doc_count_all()):
        return node.matcher(searcher, context)
    scores, found = np.zeros(reader.doc_count_all()), np.zeros(reader.doc_count_all(), np.bool_)
    for term in terms:
        matcher = searcher.postings(field, term, weighting=context.weighting)
        if not isinstance(matcher, PostingsMatcher) or matcher.scores is None:
            return node.matcher(searcher, context)
        scores[matcher.pages] += matcher.scores * node.boost
        found[matcher.pages] = True
    pages = np.flatnonzero(found)
    return SummedMatcher(pages.tolist(), scores[pages].tolist()) if len(pages) else NullMatcher()


def _makes_a_tree(terms: int, pages: int) -> bool:
    """Return whether Whoosh would make a tree (`Or._matcher`): otherwise it adds up, and some scores are 1 then."""
    return 2 <= terms < query.Or.TOO_MANY_CLAUSES and (terms == 2 or pages > SMALL_INDEX)  # noqa: PLR2004 - a pair


class SummedMatcher(ListMatcher):
    """Steps through pages with their scores."""

    def max_quality(self) -> float:
        """Return infinity: as `PostingsMatcher.max_quality`."""
        return inf

    def block_quality(self) -> float:
        """Return infinity, as above."""
        return inf

    def copy(self) -> SummedMatcher:
        """Return another matcher at the same place."""
        return copy.copy(self)
