"""Which pages match? A searcher searches the current generation, and returns one page of results.

A query with a word that no page has is searched again with the nearest word of the index. The result counts only if its
first hit has more words of the query. It then says what was changed, and the user can search for the exact words. If
the index does not have a site, the searcher suggests one on the same host, or one with a similar name.
"""

from __future__ import annotations

import time
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from indexer.analysis.readings import missing_readings
from indexer.faults import CorruptIndex
from indexer.query.deadline import Deadline
from indexer.query.lexicon import Lexicon
from indexer.query.parser import parse_query
from indexer.ranking.ranker import rank
from indexer.retrieval.absence import reason_absent
from indexer.retrieval.collector import Folding, HitCollector, only_similar
from indexer.retrieval.corpus import corpus_in
from indexer.retrieval.facets import FacetTables
from indexer.retrieval.page_terms import LinkStanding, link_standing, page_terms
from indexer.retrieval.results import Results
from indexer.segments.schema import URL
from indexer.spelling.segment_terms import TermLists
from indexer.spelling.spellchecker import suggest_sites, suggest_spellings, whole_words
from indexer.spelling.suggester import complete
from indexer.spelling.usage import WordUsage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from indexer.query.syntax import SearchFilters
    from indexer.ranking.ranker import Ranking
    from indexer.ranking.weights import Formula
    from indexer.retrieval.absence import Absence
    from indexer.retrieval.corpus import Visibility
    from indexer.retrieval.facets import Facet
    from indexer.retrieval.page_terms import PageTerm
    from indexer.retrieval.results import Hit, PartState
    from indexer.segments.schema import StoredFields
    from indexer.segments.segment import SegmentReader
    from indexer.segments.snapshot import Snapshot
    from indexer.spelling.term_list import KnownTerms

MAX_LIMIT = 100  # results on one page
MAX_PAGE = 1_000


class Searcher:
    """Searches the indexed pages of a data folder. Any number of threads may share one.

    Raises NoIndex, CorruptIndex.
    """

    not_done = ""  # sentences on what this engine does not do
    elsewhere = ""  # a sentence if the files of the index are not on this machine

    def __init__(self, data_dir: Path, visibility: Visibility, formula: Formula) -> None:
        self._formula = formula
        self.corpus = corpus_in(data_dir, visibility)
        self.corpus.current()
        self._words, self._facets = TermLists(), FacetTables()

    def search(
        self,
        query: str,
        limit: int = 10,
        page: int = 1,
        *,
        similar: str = "",
        exact: bool = False,
        deadline: Deadline | None = None,
        **narrowing: Unpack[SearchFilters],
    ) -> Results:
        """Return the results of a query, whatever its text, as far as there is time.

        `limit` is at most MAX_LIMIT, and `page` counts from 1. With `similar`, a URL, only pages of its cluster match,
        each by itself. Unless `exact`, a word that no page has is replaced by the nearest word of the index if that
        finds more.
        """
        limit, page = min(max(limit, 1), MAX_LIMIT), min(max(page, 1), MAX_PAGE)
        end = deadline or Deadline()

        def ask(text: str) -> Results:
            return self._ask(text, narrowing, limit=limit, page=page, deadline=end, similar=similar)

        typed = ask(query)
        if exact or similar:
            return typed
        return self._better_spelt(typed, ask, end)

    def ranked_by(self, formula: Formula) -> Searcher:
        """Return a searcher of the same open index with another formula."""
        other = copy(self)
        other._formula = formula  # noqa: SLF001 - its own kind
        return other

    @property
    def areas_apart(self) -> frozenset[str]:
        """The areas that the index keeps apart."""
        return frozenset(area for view in self.corpus.current().views if (area := view.file.area))

    def limited_to(self, is_shown: Callable[[SegmentReader], bool]) -> Searcher:
        """Return a searcher of the same open index that knows only the segments that are shown."""
        other = copy(self)
        other.corpus = self.corpus.limited_to(is_shown)
        other._facets = FacetTables()  # noqa: SLF001 - its own kind
        return other

    def complete(self, question: str) -> tuple[str, ...]:
        """Return completions of a query, the likeliest first."""
        files = [view.file for view in self.snapshot.views]
        terms = self._words.spelling_terms(files)
        return complete(question, self._words.names(files), terms, self.usage)

    def gather_words(self) -> None:
        """Read which words there are: a completion needs these lists, and would make them."""
        files = [view.file for view in self.snapshot.views]
        self._words.spelling_terms(files)
        self._words.names(files)

    @property
    def usage(self) -> WordUsage:
        """How the pages that may be shown now use words."""
        views = self.snapshot.views
        return WordUsage(lambda _words: views, self.corpus.is_withheld)

    def _better_spelt(self, typed: Results, ask: Callable[[str], Results], deadline: Deadline) -> Results:
        """Return the results of a query, or of a better spelling of it, with what was changed."""
        pages, lists = typed.word_pages, self._spelt_words(deadline)
        for spelling in suggest_spellings(typed.query, lists, lambda word: pages.get(word, MANY), lambda: self.usage):
            other = ask(spelling.query)
            if spelling.applied and _words_met(other) > _words_met(typed):
                return replace(other, query=typed.query, spelling=spelling)
            if not spelling.applied and other.total > typed.total:
                return replace(typed, spelling=spelling)
        return typed

    def _spelt_words(self, deadline: Deadline) -> Callable[[], Sequence[KnownTerms]]:  # overridden, too
        return lambda: self._words.known([view.file for view in self.snapshot.views], lambda: deadline.passed(LATE))

    @property
    def snapshot(self) -> Snapshot:
        """The snapshot that the next search sees."""
        return self.corpus.current()

    def find_hit(
        self, url: str, query: str, most: int, *, deadline: Deadline | None = None, **narrowing: Unpack[SearchFilters]
    ) -> tuple[int, Hit | None]:
        """Return how many results a query has, and the one of `url`; None: it is not among the first `most`."""
        results = self._ask(query, narrowing, limit=most, page=1, deadline=deadline, only=url)
        return results.total, next(iter(results.hits), None)

    def reason_absent(self, url: str, query: str, **narrowing: Unpack[SearchFilters]) -> Absence:
        """Return the step that a page fails which is not among the compared results of a query."""
        return reason_absent(url, self._ranked(query, self.corpus.current(), narrowing, Deadline()))

    def copies(self, url: str) -> tuple[str, ...]:
        """Return the pages of other parts with the same content as a page; of matching ones, the best is shown."""
        return self.corpus.copies(url)

    def _ask(
        self,
        query: str,
        narrowing: SearchFilters,
        *,
        limit: int,
        page: int,
        deadline: Deadline | None,
        only: str = "",
        similar: str = "",
    ) -> Results:
        end = deadline or Deadline()

        def show(ranking: Ranking) -> Results:
            folding, asked = Folding(ranking, unfolded=bool(similar)), ranking.matching.query
            snapshot, window = ranking.snapshot, slice((page - 1) * limit, page * limit)
            looked_through = HitCollector(ranking, folding, self.corpus, end, only)
            hits, hidden = looked_through.within(window)

            def facets() -> tuple[Facet, ...]:
                if snapshot.whole and snapshot.whole.answering:
                    return snapshot.whole.answering.facets()
                answers = ranking.answers.copy()
                answers[looked_through.hidden] = False  # not shown, so not counted
                return self._facets.of(snapshot).facets(answers, folded=not similar)

            return Results(
                query=asked.text,
                total=ranking.total - folding.folded - hidden,
                folded=folding.folded,
                hits=tuple(hits),
                page=page,
                limit=limit,
                generation=snapshot.generation,
                as_of=snapshot.committed_at,
                suggested_sites=() if ranking.total else suggest_sites(asked.sites, snapshot.sites(), end),
                unread=asked.unread,
                understood=asked.understood,
                address=next(iter(asked.urls), ""),
                word_pages={gain.term.text: gain.pages for gain in ranking.terms if gain.term.is_literal},
                not_searched=snapshot.whole.notice if snapshot.whole else "",
                not_read=missing_readings(snapshot),
                not_added=ranking.formula.notices_of(ranking.added),
                _deadline=end,
                _facets=facets,
            )

        return self._answered(query, narrowing, end, similar, show)

    def _answered(  # overridden where the index is in a cluster
        self, query: str, narrowing: SearchFilters, deadline: Deadline, similar: str, show: Callable[[Ranking], Results]
    ) -> Results:
        """Rank the pages for a query, and show them; again if the index has changed meanwhile."""
        return self.corpus.answer(
            lambda snapshot: show(only_similar(self._ranked(query, snapshot, narrowing, deadline), similar))
        )

    def _ranked(self, text: str, snapshot: Snapshot, narrowing: SearchFilters, deadline: Deadline) -> Ranking:
        """Parse a query against the pages that are searched, and rank them."""
        lexicon = Lexicon([view.file for view in snapshot.views])
        asked = parse_query(text, snapshot.languages, lexicon=lexicon, **narrowing)
        formula = self._formula
        added = [
            each.ask(asked, snapshot, getattr(formula.weights, each.name), deadline) for each in formula.contributors
        ]
        return rank(asked, snapshot, formula, time.time(), deadline, tuple(added))

    def page_terms(self, url: str) -> tuple[PageTerm, ...]:
        """Return the words of a page, the most distinctive first; none if the index does not have the page."""
        return page_terms(self.corpus.current(), url)

    def standing(self, url: str) -> LinkStanding | None:
        """Return the rank of a page by links; None if it is unknown, or the page is not in the index."""
        snapshot = self.corpus.current()
        page = snapshot.page_of(url)
        return None if page is None else link_standing(snapshot, page)

    def stored(self, url: str) -> StoredFields | None:
        """Return the record of a page, or None if the index does not have it."""
        damage: CorruptIndex | None = None
        for view in self.corpus.current().views:
            try:
                for document in view.file.documents(URL, url):
                    if document not in view.deleted:
                        return view.file.stored(document)
            except CorruptIndex as found:
                damage = found  # perhaps in one segment, and the page is in another
        if damage is not None:
            raise damage
        return None

    @property
    def generation(self) -> int:
        """The number of the generation that the next search sees."""
        return self.corpus.current().generation

    @property
    def documents(self) -> int:
        """The number of pages in the index."""
        return self.corpus.current().pages

    @property
    def position(self) -> int:
        """The last row of the change feed that is in the index."""
        return self.corpus.current().position

    @property
    def as_of(self) -> float:
        """When the index was last committed, in seconds since the epoch; of several parts the oldest."""
        return self.corpus.current().committed_at

    @property
    def parts(self) -> tuple[PartState, ...]:
        """The parts of a divided crawl, each with the state of its index; empty for an undivided one."""
        return self.corpus.parts


LATE = "words that no page has, but others that are spelt nearly so"  # named if time runs out
MANY = 1_000_000  # pages: a word that is not ranked, such as a stop word, is never missing


def _words_met(results: Results) -> int:
    """Return how many words of the query the first result has, without parts of names and compounds."""
    met = {part.term for part in results.hits[0].explain().words} if results.hits else set()
    return len(met & whole_words(results.query) & results.word_pages.keys())
