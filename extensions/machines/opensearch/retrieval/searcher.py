"""Which pages of an index in OpenSearch answer? It chooses candidates; they are ranked, explained and quoted here.

Everything that is shown of a result is made by the same code as of one from the data folder. Two things are not:
extensions add nothing to scores, and of a question that finds more than CANDIDATES pages, those beyond are counted, not
ranked.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from extensions.machines.opensearch.retrieval.choosing import CANDIDATES, DOCUMENTS, Choice
from extensions.machines.opensearch.retrieval.corpus import ClusterCorpus
from extensions.machines.opensearch.retrieval.words import SpeltWords, WordsOfNames
from extensions.machines.opensearch.documents import spelt
from indexer.query.deadline import Deadline
from indexer.query.parser import parse_query
from indexer.query.terms import Variants
from indexer.ranking.contribution import Contribution
from indexer.ranking.ranker import rank
from indexer.retrieval.absence import Absence, ResultStep, reason_absent
from indexer.retrieval.collector import only_similar, place_in_index
from indexer.retrieval.facets import FacetTables
from indexer.retrieval.page_terms import LinkStanding, looked_at, page_terms
from indexer.retrieval.searcher import LATE, Searcher
from indexer.segments.link_ranks import MEAN
from indexer.spelling.suggester import complete

if TYPE_CHECKING:
    from collections.abc import Callable

    from extensions.machines.opensearch.address import IndexAddress
    from extensions.machines.opensearch.retrieval.asking import Clause
    from extensions.machines.opensearch.retrieval.choosing import ChosenPages
    from extensions.machines.opensearch.retrieval.collection import Collection
    from indexer.query.syntax import SearchFilters
    from indexer.ranking.ranker import Ranking
    from indexer.ranking.weights import Formula
    from indexer.retrieval.corpus import Visibility
    from indexer.retrieval.page_terms import PageTerm
    from indexer.retrieval.results import Results
    from indexer.segments.schema import StoredFields
    from indexer.spelling.term_list import TermList

ELSEWHERE = (
    "The index is kept at {}. Its postings and segments are OpenSearch's own: they are not shown here. Scores are "
    "explained as ever, at each result and under Why?."
)


class ClusterSearcher(Searcher):
    """Searches the index at an address. Any number of threads may share one.

    Raises NoIndex, IndexUnreachable and the other faults of a cluster, here and wherever it is asked.
    """

    corpus: ClusterCorpus

    def __init__(self, address: IndexAddress, visibility: Visibility, formula: Formula) -> None:
        self._formula, self._facets = formula, FacetTables()
        self.corpus = ClusterCorpus(address, visibility)
        self.corpus.collection()
        self.elsewhere = ELSEWHERE.format(address)
        self._words_of: tuple[Collection, SpeltWords] | None = None

    def _answered(
        self, query: str, narrowing: SearchFilters, deadline: Deadline, similar: str, show: Callable[[Ranking], Results]
    ) -> Results:
        def ask(collection: Collection, lenient: bool) -> Results:
            with collection.until(deadline):
                ranking, _ = self._ranked_in(collection, query, narrowing, deadline, similar=similar, lenient=lenient)
                results = replace(show(only_similar(ranking, similar)), parts=self.corpus.parts_of(collection))
            if results.page * results.limit > CANDIDATES and ranking.total > CANDIDATES:
                beyond = (
                    f"Only the first {CANDIDATES} pages that OpenSearch brings up are ranked, and none behind them."
                )
                return replace(results, not_searched=" ".join(filter(None, (results.not_searched, beyond))))
            return results

        return self.corpus.asked(ask)

    def _ranked_in(
        self,
        collection: Collection,
        text: str,
        narrowing: SearchFilters,
        deadline: Deadline,
        *,
        similar: str = "",
        also: str = "",
        lenient: bool = False,
    ) -> tuple[Ranking, ChosenPages]:
        """Understand a question against the pages that are searched, and rank those that OpenSearch chooses."""
        now, weights = time.time(), self._formula.weights
        collection.dictionary.prepare(text, collection.languages)
        asked = parse_query(text, collection.languages, lexicon=collection.lexicon, **narrowing)
        choice = Choice(collection, asked, weights, now)
        chosen = choice.chosen(_near(collection, similar) if similar else (), also, lenient=lenient)
        if choice.cut:
            asked = replace(asked, unread=(*asked.unread, *dict.fromkeys(choice.cut)))
        added = tuple(Contribution(each.elsewhere) for each in self._formula.contributors)
        ranking = rank(asked, chosen.snapshot, self._formula, now, deadline, added)
        chosen.records.order = list(ranking.best())
        return ranking, chosen

    def reason_absent(self, url: str, query: str, **narrowing: Unpack[SearchFilters]) -> Absence:
        """Return at which step a page falls that is not among the results of a query that were looked through."""
        ranking, chosen = self.corpus.asked(
            lambda collection, _: self._ranked_in(collection, query, narrowing, Deadline(), also=url)
        )
        absence = reason_absent(url, ranking)
        if absence.step is not ResultStep.RANK or not chosen.added:
            return absence
        behind = f"it is not among the {CANDIDATES} pages of {ranking.total:,} that OpenSearch brings up to be ranked"
        return Absence(ResultStep.RANK, behind)

    def complete(self, question: str) -> tuple[str, ...]:
        """Return how a question that is being typed may go on, the likeliest first."""
        return self.corpus.asked(lambda collection, _: complete(question, [WordsOfNames(collection)]))

    def gather_words(self) -> None:
        """Nothing is read beforehand: words are looked up one by one."""

    def _spelt_words(self, deadline: Deadline) -> Callable[[], list[TermList]]:
        def lists() -> list[TermList]:
            collection = self.corpus.collection()
            if deadline.passed(LATE):
                return []
            if self._words_of is None or self._words_of[0] is not collection:
                self._words_of = collection, SpeltWords(collection)
            return [self._words_of[1]]

        return lists

    def _page(self, url: str) -> tuple[Choice, ChosenPages]:
        """Return a page as a snapshot of itself, which is empty where the index does not have it."""

        def ask(collection: Collection, lenient: bool) -> tuple[Choice, ChosenPages]:
            choice = Choice(collection, parse_query("", frozenset()), self._formula.weights, 0.0)
            hits = collection.ask(DOCUMENTS | {"query": {"term": {"url": spelt(url)}}})["hits"]["hits"]
            chosen = choice.read(hits, lenient=lenient)
            for number in range(chosen.snapshot.size):
                chosen.records.of(number)
            return choice, chosen

        return self.corpus.asked(ask)

    def page_terms(self, url: str) -> tuple[PageTerm, ...]:
        """Return the words of a page, those first that tell most; none where it is not in the index."""
        choice, chosen = self._page(url)
        for view in chosen.snapshot.views:  # all words are counted at once
            words = [Variants((word,)) for word in looked_at(view.file.stored(0))]
            choice.collection.count(words, choice.asking)
        return page_terms(chosen.snapshot, url)

    def standing(self, url: str) -> LinkStanding | None:
        """Return where a page stands by the links to it; None where that is not known, or it is not in the index."""
        choice, chosen = self._page(url)
        place = place_in_index(chosen.snapshot, url)
        if place is None:
            return None
        view, document = chosen.snapshot.views[place[0]], place[1]
        rank, inlinks = float(view.pagerank[document]), int(view.inlinks[document])
        if rank == MEAN and not inlinks:
            return None
        before = sum(int((one.ranks > rank).sum()) for one in choice.collection.ranks.values())
        return LinkStanding(round(rank, 4), inlinks, before + 1, max(choice.collection.pages, before + 1))

    def stored(self, url: str) -> StoredFields | None:
        """Return what the index keeps of a page, or None where it does not have it."""
        _, chosen = self._page(url)
        place = place_in_index(chosen.snapshot, url)
        return chosen.snapshot.views[place[0]].file.stored(place[1]) if place else None

    @property
    def generation(self) -> int:
        """The number of the generation that the next search sees."""
        return self.corpus.collection().state.generation

    @property
    def documents(self) -> int:
        """Pages in the index."""
        return self.corpus.collection().pages

    @property
    def position(self) -> int:
        """The last row of the change feed that is in the index."""
        return self.corpus.collection().state.position

    @property
    def as_of(self) -> float:
        """When the index was last committed to, in seconds since the epoch; of several parts the oldest such time."""
        return self.corpus.collection().state.committed_at


def _near(collection: Collection, url: str) -> list[Clause]:
    """Return what finds a page and those that say nearly the same."""
    page: Clause = {"term": {"url": spelt(url)}}
    answer = collection.ask({"_source": False, "docvalue_fields": ["cluster", "part"], "query": page})
    either = [page]
    for hit in answer["hits"]["hits"]:
        fields = hit.get("fields", {})
        if "cluster" in fields:
            cluster = [
                {"term": {"cluster": fields["cluster"][0]}},
                *({"term": {"part": one}} for one in fields.get("part", ())),
            ]
            either.append({"bool": {"filter": cluster}})
    return [{"bool": {"should": either, "minimum_should_match": 1}}]
