"""Which pages answer? A searcher asks the generation that is current, and returns one page of results."""

from __future__ import annotations

import time
from copy import copy
from typing import TYPE_CHECKING, Unpack

from indexer.analysis.readings import missing_readings
from indexer.faults import CorruptIndex
from indexer.query.deadline import Deadline
from indexer.query.lexicon import Lexicon
from indexer.query.parser import parse_query
from indexer.ranking.candidates import rank
from indexer.ranking.contribution import notices_of
from indexer.retrieval.absence import reason_absent
from indexer.retrieval.corpus import corpus_in
from indexer.retrieval.facets import FacetTables
from indexer.retrieval.folding import Folding, only_similar, place_in_index
from indexer.retrieval.link_standing import LinkStanding, link_standing
from indexer.retrieval.page_words import page_words
from indexer.retrieval.respelling import LATE, better_spelt
from indexer.retrieval.results import Results
from indexer.retrieval.shown_hits import ShownHits
from indexer.retrieval.suggestion import suggested_sites
from indexer.segments.schema import URL
from indexer.spelling.suggester import TermLists, completions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.query.syntax import SearchFilters
    from indexer.ranking.candidates import Ranking
    from indexer.ranking.weights import Formula
    from indexer.retrieval.absence import Absence
    from indexer.retrieval.corpus import Visibility
    from indexer.retrieval.facets import Facet
    from indexer.retrieval.page_words import PageWord
    from indexer.retrieval.results import Hit, PartState
    from indexer.segments.schema import StoredFields
    from indexer.snapshot.snapshot import Snapshot
    from indexer.spelling.term_list import TermList

MAX_LIMIT = 100  # results on one page
MAX_PAGE = 1_000


class Searcher:
    """Searches the pages that are indexed in a data folder.

    Any number of threads may share one. Raises NoIndex, CorruptIndex.
    """

    not_done = ""  # sentences on what the engine of this index does not do
    elsewhere = ""  # a sentence where the files of the index are not here to be looked into

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
        """Answer a query, whatever its text, with what there is time for.

        A word that no page has is read as the nearest one of the index where that finds more; not where it is `exact`.
        `limit` is at most MAX_LIMIT, and `page` counts from 1. With `similar`, a URL, only pages of its cluster
        answer, each for itself.
        """
        limit, page = min(max(limit, 1), MAX_LIMIT), min(max(page, 1), MAX_PAGE)
        end = deadline or Deadline()

        def ask(text: str) -> Results:
            return self._ask(text, narrowing, limit=limit, page=page, deadline=end, similar=similar)

        typed = ask(query)
        return typed if exact or similar else better_spelt(typed, ask, self._spelt_words(end))

    def ranked_by(self, formula: Formula) -> Searcher:
        """Return a searcher of the same open index that ranks by another formula; this one stays as it is."""
        other = copy(self)
        other._formula = formula  # noqa: SLF001 - its own kind
        return other

    def complete(self, question: str) -> tuple[str, ...]:
        """Return how a question that is being typed may go on, the likeliest first."""
        return completions(question, self._words.names([view.file for view in self.snapshot.views]))

    def gather_words(self) -> None:
        """Read which words there are, which a second question with an unknown word, and a completion, need no more."""
        files = [view.file for view in self.snapshot.views]
        self._words.spelling_terms(files, lambda: False)
        self._words.names(files)

    def _spelt_words(self, deadline: Deadline) -> Callable[[], list[TermList]]:
        def gathered() -> list[TermList]:
            return self._words.spelling_terms(
                [view.file for view in self.snapshot.views], lambda: deadline.passed(LATE)
            )

        return gathered

    @property
    def snapshot(self) -> Snapshot:
        """What the next search looks at."""
        return self.corpus.current()

    def find_hit(
        self, url: str, query: str, most: int, *, deadline: Deadline | None = None, **narrowing: Unpack[SearchFilters]
    ) -> tuple[int, Hit | None]:
        """Return how many results a query has, and the one that `url` is or is under; None: not in the first `most`."""
        results = self._ask(query, narrowing, limit=most, page=1, deadline=deadline, only=url)
        return results.total, next(iter(results.hits), None)

    def reason_absent(self, url: str, query: str, **narrowing: Unpack[SearchFilters]) -> Absence:
        """Return at which step a page falls that is not among the results of a query that were looked through."""
        return reason_absent(url, self._ranked(query, self.corpus.current(), narrowing, Deadline()))

    def copies(self, url: str) -> tuple[str, ...]:
        """Return the pages of other parts that say the same as a page: of those that answer, the best is shown."""
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
            looked_through = ShownHits(ranking, folding, self.corpus, end, only)
            hits, hidden = looked_through.within(window)

            def facets() -> tuple[Facet, ...]:
                if snapshot.whole and snapshot.whole.answering:
                    return snapshot.whole.answering.facets()
                answers = ranking.answers.copy()
                answers[looked_through.hidden] = False  # no list has them, so no number may
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
                suggested_sites=() if ranking.total else suggested_sites(asked.sites, snapshot, end),
                unread=asked.unread,
                understood=asked.understood,
                address=next(iter(asked.urls), ""),
                word_pages={gain.term.text: gain.pages for gain in ranking.terms if gain.term.is_literal},
                not_searched=snapshot.whole.notice if snapshot.whole else "",
                not_read=missing_readings(snapshot),
                not_added=notices_of(ranking.formula, ranking.added),
                _deadline=end,
                _facets=facets,
            )

        return self._answered(query, narrowing, end, similar, show)

    def _answered(
        self, query: str, narrowing: SearchFilters, deadline: Deadline, similar: str, show: Callable[[Ranking], Results]
    ) -> Results:
        """Rank what a question finds, and show it; once more where the index turns out to have changed."""
        return self.corpus.answer(
            lambda snapshot: show(only_similar(self._ranked(query, snapshot, narrowing, deadline), similar))
        )

    def _ranked(self, text: str, snapshot: Snapshot, narrowing: SearchFilters, deadline: Deadline) -> Ranking:
        """Understand a question against the pages that are searched, and rank them."""
        lexicon = Lexicon([view.file for view in snapshot.views])
        asked = parse_query(text, snapshot.languages, lexicon=lexicon, **narrowing)
        formula = self._formula
        added = [
            each.ask(asked, snapshot, getattr(formula.weights, each.name), deadline) for each in formula.contributors
        ]
        return rank(asked, snapshot, formula, time.time(), deadline, tuple(added))

    def page_words(self, url: str) -> tuple[PageWord, ...]:
        """Return the words of a page, those first that tell most; none where it is not in the index."""
        return page_words(self.corpus.current(), url)

    def standing(self, url: str) -> LinkStanding | None:
        """Return where a page stands by the links to it; None where that is not known, or it is not in the index."""
        snapshot = self.corpus.current()
        place = place_in_index(snapshot, url)
        return link_standing(snapshot, *place) if place else None

    def stored(self, url: str) -> StoredFields | None:
        """Return what the index keeps of a page, or None where it does not have it."""
        damage: CorruptIndex | None = None
        for view in self.corpus.current().views:
            try:
                for document in view.file.documents(URL, url):
                    if document not in view.deleted:
                        return view.file.stored(document)
            except CorruptIndex as found:
                damage = found  # in one segment perhaps, and the page is in another
        if damage is not None:
            raise damage
        return None

    @property
    def generation(self) -> int:
        """The number of the generation that the next search sees."""
        return self.corpus.current().generation

    @property
    def documents(self) -> int:
        """Pages in the index."""
        return self.corpus.current().pages

    @property
    def position(self) -> int:
        """The last row of the change feed that is in the index."""
        return self.corpus.current().position

    @property
    def as_of(self) -> float:
        """When the index was last committed to, in seconds since the epoch; of several parts the oldest such time."""
        return self.corpus.current().committed_at

    @property
    def parts(self) -> tuple[PartState, ...]:
        """The parts of a divided crawl, each with how far its index is; empty where nothing is divided."""
        return self.corpus.parts
