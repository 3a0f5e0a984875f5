"""Selects the pages that match a query in OpenSearch: the best CANDIDATES by its scores. Our ranking then orders them.

If a query finds at most CANDIDATES pages, the result equals that of an index in the data folder, to the last digit. If
it finds more, the first CANDIDATES by OpenSearch's scores are ranked; the others are only counted.

The forward records of the candidates form one segment in memory. The postings of a term are joined from those of each
document without being unpacked, and the columns follow one another. So the code that ranks, quotes and counts a segment
works here unchanged.

OpenSearch counts the facets, as indexer/retrieval/facets.py does for a data folder. Near copies of one cluster count
once; each part of a divided crawl has its own clusters. Counts of different values are exact up to EXACT_TO.
"""

from __future__ import annotations

import threading
from base64 import b64decode
from binascii import a2b_base64
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from extensions.machines.opensearch.documents import spelt
from extensions.machines.opensearch.forward import ForwardRecords
from extensions.machines.opensearch.retrieval.collection import ChangedMeanwhile, notice_of
from extensions.machines.opensearch.retrieval.requests import QueryRequests, not_ended
from indexer.faults import CorruptIndex, IndexFault
from indexer.ranking.demotion import UNFETCHED
from indexer.ranking.matching import ENOUGH
from indexer.retrieval.facets import MAX_VALUES, YEAR, Facet, most_frequent
from indexer.segments.dictionary import AFTER_EXACT, BEFORE_FIELD, WORD_FIELDS, TermEntry, term_key
from indexer.segments.link_ranks import LinkRanks
from indexer.segments.postings import pack_numbers
from indexer.segments.schema import EXACT_FIELDS, FILE_TYPE, LANGUAGE, SITE, URL, StoredFields
from indexer.segments.segment import SegmentReader
from indexer.segments.snapshot import CollectionStatistics, MatchCounts, SegmentView, Snapshot, home_page_depth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from extensions.machines.opensearch.address import IndexAddress
    from extensions.machines.opensearch.retrieval.collection import Collection
    from extensions.machines.opensearch.retrieval.requests import Clause
    from indexer.query.parser import Query
    from indexer.ranking.weights import Weights
    from indexer.segments.schema import IndexField

CANDIDATES = 300  # as many as the ranking checks for adjacent words
READ_FIELDS = "url", "site", "languages", "file_types", "part", "forward"  # of a document, without its source
RECORDS = 20  # fetched at a time
NEVER_FETCHED = {"term": {"not_fetched": True}}
DOCUMENTS = {"_source": False, "docvalue_fields": list(READ_FIELDS), "version": True}
ENOUGH_STEPS = 1_024  # candidates at most, so also the largest step between two
_STEPS = [b"", *(pack_numbers(np.array([step], np.uint32))[0] for step in range(1, ENOUGH_STEPS))]
_NAMES = {URL: "url", SITE: "site", LANGUAGE: "languages", FILE_TYPE: "file_types"}
EXACT_TO = 40_000  # different values
_KINDS = {"kinds": {"cardinality": {"field": "cluster", "precision_threshold": EXACT_TO}}}
_PARTS = {"parts": {"terms": {"field": "part", "size": 5_000, "missing": ""}, "aggs": _KINDS}}
NEAR: dict[str, Any] = {"near": {"filter": {"exists": {"field": "cluster"}}, "aggs": _PARTS}}
_FIELDS = {"site": "site", "language": "languages", "file_type": "file_types", YEAR: "year"}


@dataclass
class PageRecords:
    """The records that display the chosen pages, fetched some at a time. `order` lists their places, best first."""

    collection: Collection
    candidates: Sequence[Candidate]
    lenient: bool = False  # a page rewritten meanwhile is shown as it is now
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
    """The chosen pages as a snapshot, and the records behind them."""

    snapshot: Snapshot
    records: PageRecords
    added: bool = False  # a requested page is there though OpenSearch did not select it


class Choice:
    """Selects pages of a collection for one query. `cut` notes the words that were too many for a request."""

    def __init__(self, collection: Collection, query: Query, weights: Weights, now: float) -> None:
        self.collection, self._query = collection, query
        self.cut: list[str] = []
        self.asking = QueryRequests(collection.dictionary.words_of, weights.for_question(query.length), self.cut)
        collection.count((term.variants for term in query.ranking_terms), self.asking)
        self._filters: list[Clause] = [not_ended(now), *map(self.asking.condition, query.conditions)]
        self._notices: list[str] = [collection.notice]

    def chosen(self, only: Sequence[Clause] = (), also: str = "", *, lenient: bool = False) -> ChosenPages:
        """Return the pages to rank: those that match the `only` clauses too, and always the page `also`."""
        collection, asking = self.collection, self.asking
        if sum(collection.spread(term.variants, asking).pages for term in self._query.ranking_terms) > CANDIDATES:
            collection.rarities.look_up(asking.known_by(self._query), asking.fields())  # else all are ranked
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
            answering = MatchCounts(total, folded, lambda: narrowings(collection, query))
        several = {hit["_id"]: hit for hit in [*hits, *asked_for]}.values()
        return replace(self.read(several, answering, lenient=lenient), added=added)

    def _search(self, query: Clause) -> dict[str, Any]:
        body = DOCUMENTS | {"size": CANDIDATES, "track_total_hits": True, "query": query, "aggs": NEAR}
        answer: dict[str, Any] = self.collection.ask(body)
        self._notices.append(notice_of(answer))
        return answer

    def read(
        self, hits: Iterable[dict[str, Any]], answering: MatchCounts | None = None, *, lenient: bool = False
    ) -> ChosenPages:
        """Return the documents of responses as a snapshot with the statistics of all pages."""
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
    """Return the documents of a response as a snapshot: a segment for each part, sorted by latest change."""
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
        keys = file.url_keys()
        views.append(SegmentView(file, roots, frozenset(), *ranks.of(keys), ranks.texts_of(keys)))
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


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document selected by OpenSearch; `version` is the number of its latest change."""

    name: str
    version: int
    part: str  # of a divided crawl
    url: str
    site: str
    fields: Mapping[str, Sequence[Any]]  # as OpenSearch returns them
    forward: bytes  # packed

    @classmethod
    def of(cls, hit: Mapping[str, Any]) -> Candidate:
        """Read a hit of a response. Raises ValueError and others for an invalid one."""
        fields = hit["fields"]
        for_urls = fields["forward"][0]  # as base64 without padding
        packed = a2b_base64(for_urls.replace("-", "+").replace("_", "/") + "==")
        part = str(fields["part"][0]) if "part" in fields else ""
        url, site = str(fields["url"][0]), str(fields["site"][0])
        return cls(hit["_id"], int(hit["_version"]), part, url, site, fields, packed)

    def values(self, field: str) -> Iterator[str]:
        """Yield the candidate's values of an exact field."""
        return map(str, self.fields.get(_NAMES[field], ()))


class _Buffer:
    """Lists one after the other, as in a file."""

    def __init__(self) -> None:
        self._content = bytearray()

    def add(self, pieces: Sequence[bytes]) -> tuple[int, int]:
        """Add a list; return its start and its length in bytes."""
        start = len(self._content)
        self._content += b"".join(pieces)
        return start, len(self._content) - start

    def read(self, start: int, length: int) -> bytes:
        """Return `length` bytes from `start` on."""
        return bytes(self._content[start : start + length])

    def read_each(self, extents: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return several pieces, each by its start and its length."""
        return [self.read(start, length) for start, length in extents]


class CandidateTerms:
    """The dictionary of some candidates: the lists of a word are joined at its first use."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self._candidates, self.records = candidates, ForwardRecords([one.forward for one in candidates])
        self.postings, self.positions = _Buffer(), _Buffer()
        self._exact: dict[str, dict[bytes, list[int]]] = {}
        self._joining = threading.Lock()
        self._known: dict[bytes, list[tuple[IndexField, TermEntry]]] = {}

    def entries(self, word: str) -> list[tuple[IndexField, TermEntry]]:
        """Return the fields that have a word, each with the entry of its lists, in the order of fields."""
        return self._entries(word.encode("utf-8", "backslashreplace"))

    def entry(self, key: bytes) -> TermEntry | None:
        """Return the entry of a term's list, by its key in a dictionary."""
        if key >= AFTER_EXACT:
            word, field = key[: -len(BEFORE_FIELD) - 1], WORD_FIELDS[key[-1:]]
            return next((entry for name, entry in self._entries(word) if name is field), None)
        numbers = self._keys(EXACT_FIELDS[key[0]]).get(key, [])
        return self._written(numbers, [b"\1"] * len(numbers), []) if numbers else None

    def exact_terms(self, field: str, prefix: str = "", endings: Sequence[str] = ("",)) -> list[str]:
        """Return the terms of an exact field that begin with a prefix and end with one of `endings`, ascending."""
        start, ends = term_key(field, prefix), tuple(map(str.encode, endings))
        return [key[1:].decode() for key in sorted(self._keys(field)) if key.startswith(start) and key.endswith(ends)]

    def _entries(self, word: bytes) -> list[tuple[IndexField, TermEntry]]:
        with self._joining:
            if word not in self._known:
                self._known[word] = self._joined(word)
            return self._known[word]

    def _joined(self, word: bytes) -> list[tuple[IndexField, TermEntry]]:
        return [(field, self._written(*lists)) for field, lists in self.records.lists_of(word)]

    def _keys(self, field: str) -> dict[bytes, list[int]]:
        """Return the keys of an exact field, each with the candidates that have it."""
        if field not in self._exact:
            found: dict[bytes, list[int]] = {}
            for number, one in enumerate(self._candidates):
                for value in one.values(field):
                    found.setdefault(term_key(field, value), []).append(number)
            self._exact[field] = found
        return self._exact[field]

    def _written(self, numbers: Sequence[int], frequencies: Sequence[bytes], positions: Sequence[bytes]) -> TermEntry:
        steps = [_STEPS[there - here] for here, there in pairwise(numbers)]
        pieces = [frequencies[0], *(piece for pair in zip(steps, frequencies[1:], strict=True) for piece in pair)]
        return TermEntry(
            len(numbers), numbers[0], numbers[-1], self.postings.add(pieces), self.positions.add(positions)
        )


class CandidateFile(SegmentReader):
    """Candidates as a segment, in their order. `forms` returns the words of a form, `record` a packed record.

    Raises CorruptIndex for a record that is not as it was written.
    """

    def __init__(
        self,
        address: IndexAddress,
        candidates: Sequence[Candidate],
        forms: Callable[[str], tuple[str, ...]],
        record: Callable[[int], bytes],
    ) -> None:
        self._address, self._words_of, self._record_of = address, forms, record
        self.name, self.count, self.is_damaged = str(address), len(candidates), False
        self.index_folder = Path(candidates[0].part) if candidates else Path()  # clusters belong to a part
        with self._checked():
            words = CandidateTerms(candidates)
        parts = words, words.postings, words.positions
        self._dictionary, self._postings, self._positions = parts  # type: ignore[assignment]  # other classes, same methods
        self._columns = {}
        self._rows = words.records.columns
        self.section_places = words.records.section_places

    def _damage(self, error: Exception) -> CorruptIndex:
        return CorruptIndex(self._address, f"a record of a page: {type(error).__name__}: {error}")

    def forms(self, key: str) -> tuple[str, ...]:
        """Return the words of the whole index that have a form."""
        return self._words_of(key)

    def column(self, name: str) -> NDArray[Any]:
        """Return a column: a number for each document."""
        if name not in self._columns:
            self._columns[name] = np.ascontiguousarray(self._rows[name])
        return self._columns[name]

    def record(self, number: int) -> bytes:
        """Return the packed record of a document."""
        return self._record_of(number)

    def stored(self, number: int) -> StoredFields:
        """Return the record of a document."""
        packed = self._record_of(number)
        with self._checked():
            return StoredFields.unpack(packed)


def folded_in(aggregations: dict[str, Any]) -> int:
    """Return how many pages are folded under another one, from the counts of NEAR."""
    near = aggregations["near"]
    return int(near["doc_count"]) - sum(int(part["kinds"]["value"]) for part in near["parts"]["buckets"])


def narrowings(collection: Collection, query: Clause) -> tuple[Facet, ...]:
    """Return the facets of the pages that match a query; () if the index has gone meanwhile."""
    aggs: dict[str, Any] = {}
    for name, column in _FIELDS.items():
        aggs[name] = {"terms": {"field": column, "size": 2 * MAX_VALUES}, "aggs": NEAR}
        aggs[f"{name}s"] = {"cardinality": {"field": column, "precision_threshold": EXACT_TO}}
    body = {"size": 0, "query": {"bool": {"filter": [query]}}, "aggs": aggs, "track_total_hits": False}
    try:
        aggregations = collection.ask(body)["aggregations"]
    except IndexFault:
        return ()
    return tuple(
        _facet(name, aggregations[name]["buckets"], int(aggregations[f"{name}s"]["value"])) for name in _FIELDS
    )


def _facet(name: str, buckets: list[dict[str, Any]], values: int) -> Facet:
    found = [(str(one["key"]), int(one["doc_count"]) - folded_in(one)) for one in buckets if one["key"] != ""]
    facet, unknown = most_frequent(name, found), len(buckets) - len(found)
    return replace(facet, others=max(values - unknown - len(facet.values), 0))
