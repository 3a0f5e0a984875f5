"""How does a Whoosh searcher search our index? It hides pages, adds up many terms at once, and can rank by our formula.

    index.searcher(weighting=Breadcrumb()).search(QueryParser("content", index.schema).parse("two words"))

**Hidden pages.** A page that is blocked, gone or expired is in no result, although the index still has it. Each result
is checked, as in our own search.

**Many terms.** A prefix, a pattern or a fuzzy term means many terms. Their postings are added up at once. Whoosh makes
a tree of matchers for such a query and steps through it posting by posting: at 20,000 pages a prefix with 267 terms
took 10 s. The sums are the same, as arrays: each term adds its score to each of its pages.

**Our formula.** Whoosh's formulas score each term of a query on its own. Ours scores all terms together: how close they
are to each other, and whether they name the page. So the terms of the query are ranked as our own search ranks them,
and each page that the query finds has that score. A query without terms, such as a range, orders pages by links and
language alone.
"""
# mypy: disable-error-code="no-untyped-call,misc,attr-defined,no-any-return,operator,override"

from __future__ import annotations

import copy
import time
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from whoosh import query
from whoosh.collectors import TopCollector
from whoosh.matching.mcore import ListMatcher, NullMatcher
from whoosh.matching.wrappers import FilterMatcher, WrappingMatcher
from whoosh.query.spans import SpanNot, SpanQuery
from whoosh.query.terms import MultiTerm
from whoosh.scoring import Frequency
from whoosh.searching import Searcher

from extensions.whoosh.matcher import PostingsMatcher
from extensions.whoosh.reader import PagesReader
from extensions.whoosh.schema import STORED_TEXT, UNSTORED_TEXT, segment_field
from indexer.faults import IndexFault
from indexer.query.deadline import Deadline
from indexer.query.lexicon import Lexicon
from indexer.query.parser import parse_query
from indexer.ranking.ranker import rank
from indexer.ranking.score import round_parts
from indexer.ranking.weights import Formula

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from whoosh.matching.mcore import Matcher
    from whoosh.query import Query
    from whoosh.scoring import WeightScorer
    from whoosh.searching import Results, SearchContext

    from indexer.segments.snapshot import Snapshot


TEXT_FIELDS = {*STORED_TEXT, *UNSTORED_TEXT}
SCORED_BY_FIRST = (query.AndNot, query.Require, SpanNot)  # their second part adds nothing to a score


class Breadcrumb(Frequency):
    """Our formula as a weighting of Whoosh, for searchers of `indexer.open_whoosh`. Raises IndexFault for any other.

    It ignores the boosts of a query, and the fields of its terms: `formula` has its own weights.
    """

    def __init__(self, formula: Formula | None = None) -> None:
        self.formula = formula or Formula()

    def scorer(self, searcher: Any, fieldname: str, text: str, qf: int = 1) -> WeightScorer:
        """Return a scorer with which Whoosh finds pages; `BreadcrumbMatcher` then replaces its scores."""
        if not isinstance(searcher.reader(), PagesReader):
            raise IndexFault(
                "Breadcrumb() ranks the pages of our own index: give it to indexer.open_whoosh(folder).searcher(). "
                "An index of Whoosh's own has its BM25F, TF_IDF and PL2"
            )
        return super().scorer(searcher, fieldname, text, qf)

    def scores(self, parsed: Query, snapshot: Snapshot) -> NDArray[Any]:
        """Return the score of each page of a snapshot for the terms of a query."""
        lexicon = Lexicon([view.file for view in snapshot.views])
        ours = parse_query(" ".join(searched_terms(parsed)), snapshot.languages, lexicon=lexicon)
        return rank(ours, snapshot, self.formula, time.time(), Deadline()).scores


def searched_terms(parsed: Query) -> list[str]:
    """Return the distinct terms of a query, in its order; a prefix has its star.

    A word that a `MultifieldParser` searches in several fields is one term.
    """
    return [*dict.fromkeys(_terms(parsed))]


def _terms(parsed: Query) -> Iterator[str]:
    if isinstance(parsed, query.Not):
        return
    if isinstance(parsed, SCORED_BY_FIRST):
        yield from _terms(parsed.a)
    elif isinstance(parsed, query.Phrase):
        yield from parsed.words
    elif isinstance(parsed, (query.Term, query.Prefix)):
        if segment_field(parsed.field()) in TEXT_FIELDS:
            text = parsed.text.decode() if isinstance(parsed.text, bytes) else parsed.text
            yield text if isinstance(parsed, query.Term) else f"{text}*"
    elif isinstance(parsed, SpanQuery) and hasattr(parsed, "q"):
        yield from _terms(parsed.q)
    elif not parsed.is_leaf():
        for part in parsed.children():
            yield from _terms(part)


class BreadcrumbMatcher(WrappingMatcher):
    """Whoosh's matcher of a query, with our score of each page."""

    def __init__(self, child: Matcher, scores: NDArray[Any]) -> None:
        super().__init__(child)
        self._scores = scores

    def copy(self) -> BreadcrumbMatcher:
        """Return another matcher at the same place."""
        return BreadcrumbMatcher(self.child.copy(), self._scores)

    def _replacement(self, newchild: Matcher) -> BreadcrumbMatcher:
        return BreadcrumbMatcher(newchild, self._scores)

    def supports_block_quality(self) -> bool:
        """Return False: the best scores of the child are not ours."""
        return False

    def score(self) -> float:
        """Return our score of this page."""
        return float(self._scores[self.child.id()])


def with_breadcrumb_scores(matcher: Matcher, scores: NDArray[Any]) -> Matcher:
    """Return a matcher with our scores, which are by Whoosh's page numbers, for the pages of another matcher."""
    if isinstance(matcher, PostingsMatcher):  # a single term: it skips all but its best pages
        matcher.scores = scores[matcher.pages]
        return matcher
    return BreadcrumbMatcher(matcher, scores)


def rounded_results(found: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
    """Return results with scores as our own search shows them: rounded to the digits of an explanation."""
    return [(round_parts([score])[0], document) for score, document in found]


SMALL_INDEX = 5_000  # pages; up to here, Whoosh makes trees of two terms only
# Queries that need only pages and scores of their parts, no positions.
WITHOUT_POSITIONS = {query.And, query.Or, query.Not, query.AndNot, query.AndMaybe, query.Require, query.DisjunctionMax}


class PageSearcher(Searcher):
    """Whoosh's searcher without hidden pages, with fast matchers for queries of many terms, and with our formula."""

    def search(self, q: Query, **options: Any) -> Results:
        """Search as Whoosh does; by our formula, scores are rounded as in our own search."""
        if _requires(q):  # whoosh3's matcher raises an AssertionError when it skips to pages that may be among the best
            options["optimize"] = False
        results = super().search(q, **options)
        if isinstance(self.weighting, Breadcrumb) and not options.get("sortedby") and options.get("scored", True):
            results.top_n = rounded_results(results.top_n)
        return results

    def search_with_collector(self, q: Query, collector: Any, context: SearchContext | None = None) -> None:
        """Search as Whoosh does."""
        fast = _with_fast_matchers(q)
        if isinstance(self.weighting, Breadcrumb):
            fast = self._by_our_formula(fast)
        reader = self.reader()
        if not reader.may_hide or type(collector) is TopCollector:  # then only the best pages are checked
            super().search_with_collector(fast, collector, context)
            if not reader.may_hide or not any(reader.is_hidden(-document) for _, document in collector.items):
                return
            collector.total = 0
        super().search_with_collector(_without_hidden(fast), collector, context)

    def _by_our_formula(self, parsed: Query) -> Query:
        """Return a query that finds the same pages, with our scores."""
        reader, inner, ranked = self.reader(), parsed.matcher, copy.copy(parsed)
        scores = self.weighting.scores(parsed, reader.snapshot)[reader.rows]
        ranked.matcher = lambda *about: with_breadcrumb_scores(inner(*about), scores)  # type: ignore[method-assign]  # as below
        return ranked

    def docs_for_query(self, q: Query, for_deletion: bool = False) -> Iterator[int]:
        """Yield the pages that a query finds, as Whoosh does; for a deletion, hidden ones too."""
        reader, found = self.reader(), super().docs_for_query(_with_fast_matchers(q), for_deletion)
        if for_deletion or not reader.may_hide:
            return found
        return (page for page in found if not reader.is_hidden(page))

    def document_number(self, **terms: Any) -> int | None:
        """Return the first page with these terms; None if there is none."""
        return next(iter(self.document_numbers(**terms)), None)


def _requires(parsed: Query) -> bool:
    """Return whether a query, or a part of it, is a `Require`."""
    return isinstance(parsed, query.Require) or any(_requires(part) for part in parsed.children())


def _without_hidden(parsed: Query) -> Query:
    """Return a query that finds the same pages, without the hidden ones."""
    inner, limited = parsed.matcher, copy.copy(parsed)

    def matcher(searcher: Any, *about: Any) -> Matcher:
        return VisibleMatcher(inner(searcher, *about), HiddenPages(searcher.reader()), exclude=True)

    limited.matcher = matcher  # type: ignore[method-assign,assignment]  # of this query only
    return limited


class VisibleMatcher(FilterMatcher):
    """Iterates over the pages of another matcher, without hidden ones."""

    def next(self) -> bool:
        """Go to the next page; return True, since its quality may differ."""
        super().next()
        return True

    def skip_to_quality(self, minquality: float) -> int:
        """Go to the next page that may score more."""
        skipped: int = self.child.skip_to_quality(minquality)
        self._find_next()
        return skipped


class HiddenPages:
    """The pages of a reader that must not be shown, as a set: Whoosh evaluates it page by page."""

    def __init__(self, reader: PagesReader) -> None:
        self._reader = reader

    def __contains__(self, page: int) -> bool:
        return self._reader.is_hidden(page)


def _with_fast_matchers(node: Query) -> Query:
    """Return a query whose parts of many terms have a fast matcher, except where positions matter."""
    if isinstance(node, MultiTerm):
        fast = copy.copy(node)
        fast.matcher = partial(_summed, node)  # type: ignore[method-assign]  # of this query only
        return fast
    return node.apply(_with_fast_matchers) if type(node) in WITHOUT_POSITIONS else node


def _summed(node: MultiTerm, searcher: Searcher, context: SearchContext | None = None) -> Matcher:
    """Return a matcher with the sums of the scores of all terms; Whoosh's own if each term has to be known."""
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
    """Return whether Whoosh would make a tree (`Or._matcher`): otherwise it adds up, and some scores are 1."""
    return 2 <= terms < query.Or.TOO_MANY_CLAUSES and (terms == 2 or pages > SMALL_INDEX)  # noqa: PLR2004 - a pair


class SummedMatcher(ListMatcher):
    """Iterates over pages with their scores."""

    def max_quality(self) -> float:
        """Return infinity: as `PostingsMatcher.max_quality`."""
        return inf

    def block_quality(self) -> float:
        """Return infinity, as above."""
        return inf

    def copy(self) -> SummedMatcher:
        """Return another matcher at the same place."""
        return copy.copy(self)
