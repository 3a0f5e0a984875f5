"""The searcher of an index in OpenSearch: OpenSearch selects candidates, and our code ranks, explains and quotes them.

Two things differ from an index in the data folder. Extensions add nothing to scores. If a query finds more than
CANDIDATES pages, the rest are counted and not ranked.

One small document names the current generation, and each query reads it. Statistics are counted once a generation. If
the index disappears or a page is rewritten during a query, the query runs once more.

Spelling and completion follow the rules of indexer/spelling. Its term lists are here searches of the cluster.
"""

from __future__ import annotations

import re
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from extensions.machines.opensearch.cluster import Cluster
from extensions.machines.opensearch.documents import spelt
from extensions.machines.opensearch.retrieval.choosing import CANDIDATES, DOCUMENTS, Choice, read_candidates
from extensions.machines.opensearch.retrieval.collection import ChangedMeanwhile, Collection
from extensions.machines.opensearch.state import is_current, read_part_ranks, read_state
from indexer.faults import CorruptIndex, IndexFault
from indexer.query.deadline import Deadline
from indexer.query.parser import parse_query
from indexer.query.terms import Variants
from indexer.ranking.contribution import Contribution
from indexer.ranking.ranker import rank
from indexer.retrieval.absence import Absence, ResultStep, reason_absent
from indexer.retrieval.collector import LOOKED_AT, only_similar, sitelinks
from indexer.retrieval.corpus import Corpus
from indexer.retrieval.facets import FacetTables
from indexer.retrieval.page_terms import LinkStanding, link_standing_among, looked_at, page_terms
from indexer.retrieval.results import PartState
from indexer.retrieval.searcher import LATE, Searcher
from indexer.spelling.segment_terms import SPELLING_FIELDS
from indexer.spelling.suggester import NameTerms, complete
from indexer.spelling.term_list import TermList
from indexer.spelling.usage import READ_FIELDS, WordUsage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from extensions.machines.opensearch.address import IndexAddress
    from extensions.machines.opensearch.retrieval.choosing import ChosenPages
    from extensions.machines.opensearch.retrieval.requests import Clause
    from extensions.machines.opensearch.state import IndexState
    from indexer.query.syntax import SearchFilters
    from indexer.ranking.ranker import Ranking
    from indexer.ranking.weights import Formula
    from indexer.retrieval.collector import Sitelink
    from indexer.retrieval.corpus import Visibility
    from indexer.retrieval.page_terms import PageTerm
    from indexer.retrieval.results import Results
    from indexer.segments.link_ranks import LinkRanks
    from indexer.segments.schema import StoredFields
    from indexer.segments.snapshot import SegmentView, Snapshot

ELSEWHERE = (
    "The index is kept at {}. Its postings and segments are OpenSearch's own: they are not shown here. Scores are "
    "explained as ever, at each result and under Why?."
)


class ClusterSearcher(Searcher):
    """Searches the index at a URL. Any number of threads may share one.

    Raises NoIndex, IndexUnreachable and the other faults of a cluster, here and in every search.
    """

    corpus: ClusterCorpus

    def __init__(self, address: IndexAddress, visibility: Visibility, formula: Formula) -> None:
        self._formula, self._facets = formula, FacetTables()
        self.corpus = ClusterCorpus(address, visibility)
        self.corpus.collection()
        self.elsewhere = ELSEWHERE.format(address)
        self._words_of: tuple[Collection, ClusterTerms] | None = None

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
        """Parse a query against the current pages, and rank those that OpenSearch selects."""
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
        """Return the step at which a page drops out of a query's results."""
        ranking, chosen = self.corpus.asked(
            lambda collection, _: self._ranked_in(collection, query, narrowing, Deadline(), also=url)
        )
        absence = reason_absent(url, ranking)
        if absence.step is not ResultStep.RANK or not chosen.added:
            return absence
        behind = f"it is not among the {CANDIDATES} pages of {ranking.total:,} that OpenSearch brings up to be ranked"
        return Absence(ResultStep.RANK, behind)

    def complete(self, question: str) -> tuple[str, ...]:
        """Return completions of a query that is being typed, the likeliest first."""
        terms = self._spelt_words(Deadline())()
        return self.corpus.asked(
            lambda collection, _: complete(question, [ClusterNameTerms(collection)], terms, self.usage)
        )

    def gather_words(self) -> None:
        """Read nothing in advance: words are looked up one by one."""

    @property
    def usage(self) -> WordUsage:
        """How the pages that may be shown now use words."""
        return WordUsage(self._views_with, self.corpus.is_withheld)

    def _views_with(self, words: Sequence[str]) -> Sequence[SegmentView]:
        """Return some pages that have all these words in their title or text."""

        def ask(collection: Collection, lenient: bool) -> Sequence[SegmentView]:
            each = [[{"term": {field.value: spelt(word)}} for field in READ_FIELDS] for word in words]
            filters = [{"bool": {"should": either, "minimum_should_match": 1}} for either in each]
            body = DOCUMENTS | {"size": USED_PAGES, "query": {"bool": {"filter": filters}}}
            choice = Choice(collection, parse_query("", frozenset()), self._formula.weights, 0.0)
            return choice.read(collection.ask(body)["hits"]["hits"], lenient=lenient).snapshot.views

        return self.corpus.asked(ask)

    def _spelt_words(self, deadline: Deadline) -> Callable[[], list[TermList]]:
        def lists() -> list[TermList]:
            collection = self.corpus.collection()
            if deadline.passed(LATE):
                return []
            if self._words_of is None or self._words_of[0] is not collection:
                self._words_of = collection, ClusterTerms(collection)
            return [self._words_of[1]]

        return lists

    def _page(self, url: str) -> tuple[Choice, ChosenPages]:
        """Return a page as a snapshot of its own; an empty one if the index does not have it."""

        def ask(collection: Collection, lenient: bool) -> tuple[Choice, ChosenPages]:
            choice = Choice(collection, parse_query("", frozenset()), self._formula.weights, 0.0)
            hits = collection.ask(DOCUMENTS | {"query": {"term": {"url": spelt(url)}}})["hits"]["hits"]
            chosen = choice.read(hits, lenient=lenient)
            for number in range(chosen.snapshot.size):
                chosen.records.of(number)
            return choice, chosen

        return self.corpus.asked(ask)

    def page_terms(self, url: str) -> tuple[PageTerm, ...]:
        """Return the words of a page, highest weight first; () if it is not in the index."""
        choice, chosen = self._page(url)
        for view in chosen.snapshot.views:  # all words are counted at once
            words = [Variants((word,)) for word in looked_at(view.file.stored(0))]
            choice.collection.count(words, choice.asking)
        return page_terms(chosen.snapshot, url)

    def standing(self, url: str) -> LinkStanding | None:
        """Return a page's rank by links; None if it is unknown, or the page is not in the index."""
        choice, chosen = self._page(url)
        page = chosen.snapshot.page_of(url)
        if page is None:
            return None
        ranks = (part.ranks for part in choice.collection.ranks.values())
        return link_standing_among(chosen.snapshot, page, ranks, choice.collection.pages)

    def stored(self, url: str) -> StoredFields | None:
        """Return the stored record of a page, or None if the index does not have it."""
        _, chosen = self._page(url)
        page = chosen.snapshot.page_of(url)
        if page is None:
            return None
        view, document = chosen.snapshot.place_of(page)
        return view.file.stored(document)

    @property
    def generation(self) -> int:
        """The number of the generation that the next search sees."""
        return self.corpus.collection().state.generation

    @property
    def areas_apart(self) -> frozenset[str]:
        """The areas that are kept apart: none."""
        return frozenset()

    @property
    def documents(self) -> int:
        """Pages in the index."""
        return self.corpus.collection().pages

    @property
    def position(self) -> int:
        """The last row of the change feed in the index."""
        return self.corpus.collection().state.position

    @property
    def as_of(self) -> float:
        """When the index was last committed, in seconds since the epoch; the oldest such time of several parts."""
        return self.corpus.collection().state.committed_at


def _near(collection: Collection, url: str) -> list[Clause]:
    """Return the clause for a page and its near copies."""
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


SECONDS = 10.0  # to read the state, and the statistics of all pages
Answer = TypeVar("Answer")
TRIES = 3  # of one query, if pages change under it; the last takes them as they are


class ClusterCorpus(Corpus):
    """The index at a URL; threads may share it."""

    def __init__(self, address: IndexAddress, visibility: Visibility) -> None:
        super().__init__({}, visibility)
        self.cluster = Cluster(address, SECONDS)
        self._counting = threading.Lock()
        self._known: Collection | None = None
        self._ranks: dict[str, LinkRanks] = {}
        self._ranks_name: str | None = None

    def collection(self) -> Collection:
        """Return the current generation. Raises NoIndex, IndexUnreachable and others."""
        return self.asked(lambda collection, _: collection)

    def _current(self) -> Collection:
        known = self._known
        if known is not None and is_current(self.cluster, known.state):
            return known
        state = read_state(self.cluster)
        with self._counting:
            if self._known is None or self._known.state != state:
                found = Collection(self.cluster, state, self._ranks_of(state))
                if found.notice:
                    return found  # it covers only the shards that responded
                self._known = found
            return self._known

    def _ranks_of(self, state: IndexState) -> dict[str, LinkRanks]:
        if self._ranks_name != state.ranks_name:
            self._ranks = {one.part: read_part_ranks(self.cluster, state.build, one) for one in state.parts}
            self._ranks_name = state.ranks_name
        return self._ranks

    def asked(self, ask: Callable[[Collection, bool], Answer]) -> Answer:
        """Call `ask(collection, is_last_try)` with the current generation, again if that changes meanwhile."""
        for tried in range(1, TRIES + 1):
            try:
                return ask(self._current(), tried == TRIES)
            except (ChangedMeanwhile, CorruptIndex) as found:  # a part of the index may just have been deleted
                fault = found
        raise fault

    def is_hidden(self, view: SegmentView, stored: StoredFields) -> bool:  # noqa: ARG002 - any part has the same databases
        """Return whether a page may not be shown."""
        return self._visibility.hides(stored)

    def parts_of(self, collection: Collection) -> tuple[PartState, ...]:
        """Return the state of each part of a divided crawl; () if nothing is divided."""
        parts = [one for one in collection.state.parts if one.part]
        pages = collection.pages_of_part
        return tuple(PartState(one.part, one.generation, one.committed_at, pages.get(one.part, 0)) for one in parts)

    @property
    def parts(self) -> tuple[PartState, ...]:
        """The parts as of now."""
        return self.parts_of(self.collection())

    def sitelinks(self, snapshot: Snapshot, first: int) -> tuple[Sitelink, ...]:
        """Return the main pages of the site whose home page is `first`; () for another page."""
        collection, site = self._known, snapshot.home_pages.sites.get(first)
        if collection is None or site is None or snapshot.whole is None:
            return ()
        view, document = snapshot.place_of(first)
        url = view.file.stored(document).url
        on_site = {"bool": {"filter": [{"term": {"site": site}}, {"terms": {"url_key": collection.most_linked}}]}}
        queries = (1, {"term": {"url": url}}), (LOOKED_AT, on_site)
        try:
            answers = [collection.ask(DOCUMENTS | {"size": most, "query": query}) for most, query in queries]
            hits = {hit["_id"]: hit for answer in answers for hit in answer["hits"]["hits"]}
            some = read_candidates(collection, hits.values(), snapshot.whole, lenient=True).snapshot
            page = some.page_of(url)
            return () if page is None else sitelinks(some, page, self.is_hidden)
        except IndexFault:
            return ()  # the index is just changing: the result has no sitelinks


USED_PAGES = 100  # in which words that stand together are counted
MAX_LETTERS = 2_000  # different characters in all words
MAX_SPELLINGS = 10_000  # looked up at once
MAX_COUNTED = 100  # words counted for one misspelt word
SAMPLED = 10_000  # pages of a shard, searched for the next word of a query


class ClusterTerms(TermList):
    """The words of an index that corrections may suggest."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        body = {"size": 0, "aggs": {"letters": {"terms": {"field": "letters", "size": MAX_LETTERS}}}}
        buckets = collection.ask(body, index=collection.state.words)["aggregations"]["letters"]["buckets"]
        self._letters = frozenset(str(one["key"]) for one in buckets)

    def pages_with(self, spellings: Sequence[str]) -> dict[str, int]:
        """Return those of some words that may be suggested, each with its number of pages."""
        possible = [word for word in spellings if self._letters.issuperset(word)][:MAX_SPELLINGS]
        filters = [{"term": {"spelt": True}}, {"terms": {"word": possible}}]
        body = {"size": MAX_SPELLINGS, "query": {"bool": {"filter": filters}}, "_source": False}
        answer = self._collection.ask(body | {"docvalue_fields": ["word"]}, index=self._collection.state.words)
        known = list(dict.fromkeys(hit["fields"]["word"][0] for hit in answer["hits"]["hits"]))[:MAX_COUNTED]
        each = [self._collection.pages_with(known, [field]) for field in SPELLING_FIELDS]
        return {word: pages for word, *some in zip(known, *each, strict=True) if (pages := max(some))}

    def with_prefix(self, letters: str) -> Any:
        """Return the argument of `top_terms` for words with this prefix."""
        return letters

    def top_terms(self, places: Any, most: int) -> list[tuple[str, int]]:
        """Return at most `most` words with this prefix: of the shortest ones, those on most pages."""
        words = self._collection.dictionary.beginning_with(places, MAX_COUNTED, "spelt")
        pages = zip(words, self._collection.pages_with(words, SPELLING_FIELDS), strict=True)
        return sorted(pages, key=lambda one: (-one[1], one[0]))[:most]

    def of_size(self, prefix: str, sizes: range, most: int) -> list[str]:
        """Return words with this prefix and a size in this range (bytes)."""
        return self._collection.dictionary.beginning_with(prefix, most, "spelt", sizes)


class ClusterNameTerms(NameTerms):
    """The words of titles, headings and links in an index, and which word follows which."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self.words = _CommonNames(self)

    def following(self, word: str, prefix: str, most: int) -> list[tuple[str, int]]:
        """Return the words with a prefix that follow a word, with their counts, the most frequent first."""
        found = self.counted("pairs", f"{spelt(word)} {spelt(prefix)}", most)
        return [(pair.partition(" ")[2], count) for pair, count in found]

    def counted(self, field: str, beginning: str, most: int) -> list[tuple[str, int]]:
        """Return the values of a field with this prefix, those of most pages first."""
        begins = re.sub(r"(\W)", r"\\\1", beginning) + ".*"
        terms = {"terms": {"field": field, "size": most, "include": begins, "execution_hint": "map"}}
        sampled = {"sampler": {"shard_size": SAMPLED}, "aggs": {"kinds": terms}}
        body = {"size": 0, "query": {"prefix": {field: beginning}}, "aggs": {"some": sampled}}
        buckets = self._collection.ask(body)["aggregations"]["some"]["kinds"]["buckets"]
        return [(str(one["key"]), int(one["doc_count"])) for one in buckets]


class _CommonNames(TermList):
    """The same words, sorted by frequency."""

    def __init__(self, names: ClusterNameTerms) -> None:
        self._names = names

    def with_prefix(self, letters: str) -> Any:
        return letters

    def top_terms(self, places: Any, most: int) -> list[tuple[str, int]]:
        return self._names.counted("names", spelt(places), most)
