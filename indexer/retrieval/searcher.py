"""Which pages answer? A searcher asks the generation that is current, and returns one page of results."""

from __future__ import annotations

import time
from copy import copy
from functools import cache, partial
from typing import TYPE_CHECKING, Unpack

from indexer.faults import CorruptIndex
from indexer.question.deadline import Deadline
from indexer.question.lexicon import Lexicon
from indexer.question.query import Query, parse_query
from indexer.ranking.candidates import Ranking, rank
from indexer.retrieval.absence import reason_absent
from indexer.retrieval.corpus import corpus_in
from indexer.retrieval.facets import FacetTables
from indexer.retrieval.folding import Folding, only_similar, place_in_index
from indexer.retrieval.link_standing import LinkStanding, link_standing
from indexer.retrieval.respelling import LATE, better_spelt
from indexer.retrieval.results import Hit, Results
from indexer.retrieval.sitelinks import sitelinks
from indexer.retrieval.suggestion import suggested_sites
from indexer.segments.schema import URL
from indexer.snippets.quoting import Quotation
from indexer.spelling.completion import completions
from indexer.spelling.gathered_words import GatheredWords

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.question.narrowing import Narrowing
    from indexer.ranking.meaning import MeaningSearch
    from indexer.ranking.score import Score
    from indexer.ranking.weights import Formula
    from indexer.retrieval.absence import Absence
    from indexer.retrieval.corpus import Visibility
    from indexer.retrieval.results import PartState
    from indexer.retrieval.sitelinks import Sitelink
    from indexer.retrieval.snapshot import Snapshot
    from indexer.segments.schema import StoredFields
    from indexer.spelling.word_list import WordList

MAX_LIMIT = 100  # results on one page
MAX_PAGE = 1_000


class Searcher:
    """Searches the pages that are indexed in a data folder.

    Any number of threads may share one. Raises NoIndex, CorruptIndex.
    """

    def __init__(
        self, data_dir: Path, visibility: Visibility, formula: Formula, meaning: MeaningSearch | None = None
    ) -> None:
        self._formula, self._meaning = formula, meaning
        self.corpus = corpus_in(data_dir, visibility)
        self.corpus.current()
        self._words, self._facets = GatheredWords(), FacetTables()

    def search(
        self,
        query: str,
        limit: int = 10,
        page: int = 1,
        *,
        similar: str = "",
        exact: bool = False,
        deadline: Deadline | None = None,
        **narrowing: Unpack[Narrowing],
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

    def _spelt_words(self, deadline: Deadline) -> Callable[[], list[WordList]]:
        files = [view.file for view in self.snapshot.views]
        return lambda: self._words.spelt_words(files, lambda: deadline.passed(LATE))

    @property
    def snapshot(self) -> Snapshot:
        """What the next search looks at."""
        return self.corpus.current()

    def find_hit(
        self, url: str, query: str, most: int, *, deadline: Deadline | None = None, **narrowing: Unpack[Narrowing]
    ) -> tuple[int, Hit | None]:
        """Return how many results a query has, and the one that `url` is or is under; None: not in the first `most`."""
        results = self._ask(query, narrowing, limit=most, page=1, deadline=deadline, only=url)
        return results.total, next(iter(results.hits), None)

    def reason_absent(self, url: str, query: str, **narrowing: Unpack[Narrowing]) -> Absence:
        """Return at which step a page falls that is not among the results of a query that were looked through."""
        snapshot = self.corpus.current()
        asked = _understood(query, snapshot, narrowing)
        return reason_absent(url, asked, snapshot, self._formula, time.time())

    def copies(self, url: str) -> tuple[str, ...]:
        """Return the pages of other parts that say the same as a page: of those that answer, the best is shown."""
        return self.corpus.copies(url)

    def _ask(
        self,
        query: str,
        narrowing: Narrowing,
        *,
        limit: int,
        page: int,
        deadline: Deadline | None,
        only: str = "",
        similar: str = "",
    ) -> Results:
        end = deadline or Deadline()

        def ask(snapshot: Snapshot) -> Results:
            asked = _understood(query, snapshot, narrowing)
            weight = self._formula.weights.meaning
            meaning = self._meaning.ask(asked, snapshot, weight, end) if self._meaning else None
            ranking = rank(asked, snapshot, self._formula, time.time(), end, meaning)
            ranking = only_similar(ranking, similar) if similar else ranking
            folding = Folding(ranking, unfolded=bool(similar))
            window = slice((page - 1) * limit, page * limit)
            hits, hidden = self._hits(ranking, folding, end, window, only)
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
                address=next(iter(asked.addresses), ""),
                word_pages={gain.term.word: gain.pages for gain in ranking.terms if not gain.term.compound},
                not_meant=meaning.notice if meaning else "",
                _deadline=end,
                _facets=lambda: self._facets.of(snapshot).facets(ranking.answers, folded=not similar),
            )

        return self.corpus.answer(ask)

    def _hits(
        self, ranking: Ranking, folding: Folding, deadline: Deadline, window: slice, only: str
    ) -> tuple[list[Hit], int]:
        """Return one page of results, and how many that would stand up to its end are hidden: blocked ones, copies.

        With `only`, just the result with that URL, or the one under which that URL stands.
        """
        quotation = Quotation(ranking, deadline)
        hits: list[Hit] = []
        above: dict[str, int] = {}
        shown = hidden = 0
        for number in ranking.best():
            if shown >= window.stop or (only and hits) or (shown and deadline.passed("results further down")):
                break
            cluster = folding.cluster_of(number)
            head = folding.head_of(cluster)
            if head is not None and not only:
                continue
            if head is None and shown < window.start and self.corpus.shows_all:
                shown += 1
                folding.lead(cluster, shown)
                continue
            view, document = ranking.snapshot.place_of(number)
            stored = view.file.stored(document)
            lacks = ranking.matching.lacks(number)
            explain, inlinks = partial(ranking.explain, number), int(view.inlinks[document])
            hit = partial(self._hit, quotation, number, stored, explain, lacks, inlinks=inlinks)
            if head is not None:
                hits += [hit(*head)] if stored.url == only else []
                continue
            twin = next((url for url in self.corpus.copies(stored.url) if url in above), "")
            if twin:
                hidden += 1
                folding.lead(cluster, above[twin], twin)
                continue
            if self.corpus.is_hidden(view, stored):
                hidden += folding.hide(cluster)
                continue
            shown = above[stored.url] = shown + 1
            others = folding.lead(cluster, shown, stored.url)
            if shown > window.start and only in {"", stored.url}:
                main = cache(partial(sitelinks, ranking.snapshot, number, self.corpus.is_hidden))
                hits.append(hit(shown, similar=others, main=main if shown == 1 else tuple))
        return hits, hidden

    def _hit(
        self,
        quotation: Quotation,
        number: int,
        stored: StoredFields,
        explain: Callable[[], Score],
        lacks: tuple[str, ...],
        rank: int,
        under: str = "",
        *,
        similar: int = 0,
        inlinks: int = 0,
        main: Callable[[], tuple[Sitelink, ...]] = tuple,
    ) -> Hit:
        return Hit(
            url=stored.url,
            title=stored.title,
            site=stored.site,
            language=stored.language,
            fetched_at=stored.fetched_at,
            archive=stored.archive,
            rank=rank,
            _explain=cache(explain),
            _snippet=cache(partial(quotation.snippet, number, stored)),
            _marked_title=partial(quotation.title, stored),
            copies=self.corpus.copies(stored.url),
            published=stored.published or None,
            modified=stored.modified or None,
            similar=similar,
            under=under,
            lacks=lacks,
            not_fetched=stored.not_fetched,
            inlinks=inlinks,
            _sitelinks=main,
            _is_read_by_meaning=self._meaning is not None,
        )

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


def _understood(text: str, snapshot: Snapshot, narrowing: Narrowing) -> Query:
    """Understand a question against the pages that are searched."""
    lexicon = Lexicon([view.file for view in snapshot.views])
    return parse_query(text, snapshot.languages, lexicon=lexicon, **narrowing)
