"""Which pages does OpenSearch choose for a question? The best CANDIDATES by its own scores; ours put them in order.

Where no more pages answer than that, the result is that of an index in the data folder, to the last digit. Of more, the
first CANDIDATES by OpenSearch's scores are ranked, and the others counted.
"""

from __future__ import annotations

from base64 import b64decode
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from extensions.machines.opensearch.retrieval.asking import Asking, not_ended
from extensions.machines.opensearch.retrieval.candidate_file import READ_FIELDS, Candidate, CandidateFile
from extensions.machines.opensearch.retrieval.collection import ChangedMeanwhile, notice_of
from extensions.machines.opensearch.retrieval.counting import NEAR, folded_in, narrowings
from extensions.machines.opensearch.documents import spelt
from indexer.faults import CorruptIndex
from indexer.ranking.demotion import UNFETCHED
from indexer.ranking.matching import ENOUGH
from indexer.segments.link_ranks import LinkRanks
from indexer.segments.snapshot import Answering, CollectionStatistics, SegmentView, Snapshot, home_page_depth

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from extensions.machines.opensearch.retrieval.asking import Clause
    from extensions.machines.opensearch.retrieval.collection import Collection
    from indexer.query.parser import Query
    from indexer.ranking.weights import Weights

CANDIDATES = 300  # as many as are looked at for words that stand together
RECORDS = 20  # that are fetched at a time
NEVER_FETCHED = {"term": {"not_fetched": True}}
DOCUMENTS = {"_source": False, "docvalue_fields": list(READ_FIELDS), "version": True}


@dataclass
class PageRecords:
    """What the chosen pages are shown from, fetched some at a time. `order` has their places, the best first."""

    collection: Collection
    candidates: Sequence[Candidate]
    lenient: bool = False  # a page that was written anew meanwhile is shown as it is now
    order: list[int] = field(default_factory=list)
    _known: dict[int, bytes] = field(default_factory=dict)

    def of(self, number: int) -> bytes:
        """Return the record of a candidate. Raises ChangedMeanwhile."""
        if number not in self._known:
            at = self.order.index(number) if number in self.order else -1
            following = self.order[at : at + RECORDS] if at >= 0 else [number]
            self._fetch([one for one in following if one not in self._known])
        return self._known[number]

    def _fetch(self, numbers: list[int]) -> None:
        docs = [{"_id": self.candidates[number].name, "stored_fields": ["record"]} for number in numbers]
        collection = self.collection
        for number, found in zip(numbers, collection.documents(docs), strict=True):
            if not found.get("found") or not (self.lenient or found["_version"] == self.candidates[number].version):
                raise ChangedMeanwhile(f"{collection.cluster.address}: pages change faster than they can be read")
            self._known[number] = b64decode(found["fields"]["record"][0])


@dataclass(frozen=True)
class ChosenPages:
    """The pages that were chosen, as a snapshot, and the records behind them."""

    snapshot: Snapshot
    records: PageRecords
    added: bool = False  # a page that was asked for is there though OpenSearch did not choose it


class Choice:
    """Chooses pages of a collection, for one question. `cut` names what was too much for a request."""

    def __init__(self, collection: Collection, query: Query, weights: Weights, now: float) -> None:
        self.collection, self._query = collection, query
        self.cut: list[str] = []
        self.asking = Asking(collection.dictionary.words_of, weights.for_question(query.length), self.cut)
        collection.count((term.variants for term in query.ranking_terms), self.asking)
        self._filters: list[Clause] = [not_ended(now), *map(self.asking.condition, query.conditions)]
        self._notices: list[str] = [collection.notice]

    def chosen(self, only: Sequence[Clause] = (), also: str = "", *, lenient: bool = False) -> ChosenPages:
        """Return the pages to rank: of those that `only` finds, and whatever else holds, the page `also`."""
        collection, asking = self.collection, self.asking
        if sum(collection.spread(term.variants, asking).pages for term in self._query.ranking_terms) > CANDIDATES:
            collection.rarities.look_up(asking.known_by(self._query), asking.fields())  # else all are ranked anyway
        scored = asking.answering(self._query, collection)
        filters = [*self._filters, *only]
        scored = {"boosting": {"positive": scored, "negative": NEVER_FETCHED, "negative_boost": 1 - UNFETCHED}}
        query: Clause = {"bool": {"must": [scored], "filter": filters}}
        hits: list[dict[str, Any]] = []
        answer: dict[str, Any] = {}
        if phrases := [asking.phrase(phrase) for phrase in self._query.phrases]:
            with_all: Clause = {"bool": query["bool"] | {"filter": [*filters, *phrases]}}
            answer = self._search(with_all)
            hits = answer["hits"]["hits"]
            query = with_all if answer["hits"]["total"]["value"] >= ENOUGH else query
        if len(hits) < ENOUGH or not phrases:
            answer = self._search(query)
            hits = hits + answer["hits"]["hits"]
        asked_for = self._search({"term": {"url": spelt(also)}})["hits"]["hits"] if also else []
        added = not {hit["_id"] for hit in asked_for} <= {hit["_id"] for hit in hits}
        total = int(answer["hits"]["total"]["value"])
        answering = None
        if total > CANDIDATES:
            folded = folded_in(answer["aggregations"])
            answering = Answering(total, folded, lambda: narrowings(collection, query))
        several = {hit["_id"]: hit for hit in [*hits, *asked_for]}.values()
        return replace(self.read(several, answering, lenient=lenient), added=added)

    def _search(self, query: Clause) -> dict[str, Any]:
        body = DOCUMENTS | {"size": CANDIDATES, "track_total_hits": True, "query": query, "aggs": NEAR}
        answer: dict[str, Any] = self.collection.ask(body)
        self._notices.append(notice_of(answer))
        return answer

    def read(
        self, hits: Iterable[dict[str, Any]], answering: Answering | None = None, *, lenient: bool = False
    ) -> ChosenPages:
        """Return the documents of answers as a snapshot that knows what is true of all pages."""
        collection = self.collection
        whole = CollectionStatistics(
            collection.pages,
            collection.mean_lengths,
            collection.has_links,
            collection.sites,
            lambda variants: collection.spread(variants, self.asking),
            answering,
            " ".join(dict.fromkeys(filter(None, self._notices))),
        )
        return read_candidates(collection, hits, whole, lenient=lenient)


def read_candidates(
    collection: Collection, hits: Iterable[dict[str, Any]], whole: CollectionStatistics, *, lenient: bool = False
) -> ChosenPages:
    """Return the documents of an answer as a snapshot, a segment for each part, in the order of their latest change."""
    address = collection.cluster.address
    try:
        candidates = [Candidate.of(hit) for hit in hits]
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise CorruptIndex(address, f"a record of a page: {type(error).__name__}: {error}") from error
    candidates.sort(key=lambda one: (one.part, one.version, one.url))
    records, views, start = PageRecords(collection, candidates, lenient), [], 0
    for part, some in groupby(candidates, key=lambda one: one.part):
        of_part = list(some)
        file = CandidateFile(address, of_part, collection.dictionary.forms, _records_from(records, start))
        homes = collection.homes
        roots = {
            number: one.site
            for number, one in enumerate(of_part)
            if home_page_depth(one.url, one.site) == 0 or homes.get(one.site) == one.url
        }
        ranks = collection.ranks.get(part, LinkRanks())
        views.append(SegmentView(file, roots, frozenset(), *ranks.of(file.url_keys())))
        start += len(of_part)
    state = collection.state
    snapshot = Snapshot(
        state.generation,
        state.position,
        state.committed_at,
        tuple(views),
        collection.languages,
        whole,
        collection.linking_sites,
    )
    return ChosenPages(snapshot, records)


def _records_from(records: PageRecords, start: int) -> Any:
    return lambda number: records.of(start + number)
