"""Statistics and dictionary of an index in OpenSearch: what scores need to know about all its pages.

OpenSearch searches count the document frequency of a term. These counts leave out deleted documents and add up all
shards, so a score is the same on one shard and on fifty. (The statistics behind OpenSearch's own scores belong to one
shard and count deleted documents.)

The dictionary lies in the same cluster. A query looks up dozens of terms and forms in one batch, before it is parsed:
the cluster returns a hundred as fast as one. The cache lasts as long as its generation is searched.

OpenSearch weighs rare terms in its own way, so each clause gets a boost:

    boost = our idf / (its idf x (1 + k1))            a field then adds our idf x saturation, or nearly that

OpenSearch scores all forms of a word as one term, as our ranking does, but takes the idf of the most frequent form on
its own shard, deleted documents included ("created" has 600 pages, "create" 1,500, both together 3,100). Its BM25 is
multiplied by 1 + k1. (Lucene: SynonymQuery, BM25Similarity; OpenSearch: LegacyBM25Similarity.)
"""

from __future__ import annotations

import threading
from collections import Counter
from contextlib import contextmanager
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from extensions.machines.opensearch.cluster import SECONDS, SHORTEST
from extensions.machines.opensearch.documents import slot_of, spelt
from indexer.analysis.tokenizer import analyze_token, raw_tokens
from indexer.faults import IndexFault, IndexUnreachable
from indexer.query.lexicon import MAX_COMPOUND_CHARS, MAX_EXPANSIONS, MIN_COMPOUND_PART, Lexicon
from indexer.query.terms import Variants
from indexer.ranking.score import inverse_document_frequency
from indexer.segments.link_ranks import MEAN
from indexer.segments.schema import INDEX_FIELDS, IndexField, url_key
from indexer.segments.snapshot import LEAST_LINKED, MAX_ROOTLESS, MAX_SITES, TermStatistics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from extensions.machines.opensearch.cluster import Cluster
    from extensions.machines.opensearch.retrieval.requests import Clause, QueryRequests
    from extensions.machines.opensearch.state import IndexState
    from indexer.query.deadline import Deadline
    from indexer.segments.link_ranks import LinkRanks

MAX_LANGUAGES, MAX_PARTS = 1_000, 5_000
MAX_COUNTED = 100_000  # words whose counts are cached
MOST_LINKED = 10_000  # pages of all sites, the candidates for a site's main pages
SOONER = 0.9  # of the time that is left: OpenSearch then returns what it has found so far


class ChangedMeanwhile(IndexFault):
    """The index was replaced, or a page rewritten or removed, during a query."""


class Collection:
    """One generation of an index; threads may share it. `ranks` has the link ranks of each part.

    `notice` is a sentence about shards that did not respond: the statistics are then those of the others.
    """

    def __init__(self, cluster: Cluster, state: IndexState, ranks: dict[str, LinkRanks]) -> None:
        self.cluster, self.state, self.ranks = cluster, state, ranks
        self._asking = threading.local()
        self.dictionary = WordIndex(lambda body: self.ask(body, index=state.words))
        self.lexicon = CollectionLexicon(self)
        self.rarities = Rarities(self._term_vectors)
        found = self.ask({"size": 0, "track_total_hits": True, "aggs": _COUNTED})
        self.notice = notice_of(found)
        self.pages = int(found["hits"]["total"]["value"])
        aggregations = found["aggregations"]
        self.mean_lengths = {field: _mean(aggregations[f"{field}_length"]) for field in INDEX_FIELDS}
        self.languages = frozenset(_counts(aggregations["languages"]))
        self._sites = _counts(aggregations["sites"])
        self.sites = sorted(self._sites)
        self.pages_of_part = _counts(aggregations["parts"])
        self._rooted = _counts(aggregations["roots"]["sites"]).keys()
        self.has_links = any((one.ranks != MEAN).any() for one in ranks.values())
        self.linking_sites = max((one.state.linking_sites or 0 for one in ranks.values()), default=0)
        self._spreads: dict[tuple[Variants, tuple[str, ...]], TermStatistics] = {}
        self._homes: dict[str, str] | None = None

    @contextmanager
    def until(self, deadline: Deadline) -> Iterator[None]:
        """Let this thread wait for no response beyond the query's deadline."""
        self._asking.deadline = deadline
        try:
            yield
        finally:
            self._asking.deadline = None

    def _limits(self) -> dict[str, float]:
        """Return the time limit of a request, if less than SECONDS is left."""
        deadline: Deadline | None = getattr(self._asking, "deadline", None)
        return {"seconds": max(deadline.left, SHORTEST)} if deadline and deadline.left < SECONDS else {}

    def ask(self, body: dict[str, Any], index: str = "") -> Any:
        """Return the response to a search. Raises ChangedMeanwhile, and the cluster's faults."""
        limits = self._limits()
        timeout = {"timeout": f"{int(SOONER * 1_000 * limits['seconds'])}ms"} if limits else {}
        with self._there():
            return self.cluster.ask("POST", f"/{index or self.state.index}/_search", body | timeout, **limits)

    def ask_all(self, bodies: Sequence[dict[str, Any]]) -> list[Any]:
        """Return the responses to several searches, sent in one request."""
        if not bodies:
            return []
        with self._there():
            answers = self.cluster.ask_all([({}, body) for body in bodies], self.state.index, **self._limits())
            if any(one.get("status") == _GONE for one in answers):
                raise KeyError(self.state.index)
            for one in answers:
                if "error" in one:
                    raise IndexUnreachable(self.cluster.address, str(one["error"].get("reason", one["error"]))[:300])
        return answers

    def _term_vectors(self, body: dict[str, Any]) -> Any:
        with self._there():
            return self.cluster.ask("POST", f"/{self.state.index}/_termvectors", body, **self._limits())

    def documents(self, docs: Sequence[dict[str, Any]]) -> list[Any]:
        """Return documents by their ids, as searches see them."""
        path = f"/{self.state.index}/_mget"
        with self._there():
            found: list[Any] = self.cluster.ask("POST", path, {"docs": docs}, realtime=False, **self._limits())["docs"]
        return found

    @contextmanager
    def _there(self) -> Iterator[None]:
        """Raise ChangedMeanwhile if the index is gone."""
        try:
            yield
        except KeyError:
            raise self._replaced() from None
        except IndexUnreachable:  # a shard being deleted fails like a lost one
            if self.cluster.has(self.state.index, self.state.words):
                raise
            raise self._replaced() from None

    def _replaced(self) -> ChangedMeanwhile:
        return ChangedMeanwhile(f"{self.cluster.address}: the index is being replaced; ask once more")

    def count(self, several: Iterable[Variants], asking: QueryRequests) -> None:
        """Count the pages with each of these words, if not known yet."""
        if len(self._spreads) > MAX_COUNTED:
            self._spreads = {}
        counts = asking.counts
        new = [one for one in dict.fromkeys(several) if (one, counts) not in self._spreads]
        outside = self._counted([asking.standing(one) for one in new])
        nowhere = [one for one, pages in zip(new, outside, strict=True) if not pages]
        around = self._counted([asking.standing(one, in_template=True) for one in nowhere])
        self._spreads |= {(one, counts): TermStatistics(pages) for one, pages in zip(new, outside, strict=True)}
        self._spreads |= {
            (one, counts): TermStatistics(pages, True) for one, pages in zip(nowhere, around, strict=True)
        }

    def spread(self, variants: Variants, asking: QueryRequests) -> TermStatistics:
        """Return how many pages have a word."""
        key = variants, asking.counts
        if key not in self._spreads:
            self.count([variants], asking)
        return self._spreads[key]

    def idf(self, variants: Variants, asking: QueryRequests) -> float:
        """Return the idf of a word."""
        return inverse_document_frequency(self.pages, self.spread(variants, asking).pages)

    def _counted(self, clauses: Sequence[Clause]) -> list[int]:
        bodies = [{"size": 0, "track_total_hits": True, "query": clause} for clause in clauses]
        return [int(answer["hits"]["total"]["value"]) for answer in self.ask_all(bodies)]

    def pages_with(self, words: Sequence[str], fields: Sequence[str] = ("said", "called")) -> list[int]:
        """Return how many pages have each word, exactly as written, in one of these fields."""
        each = [[{"term": {field: spelt(word)}} for field in fields] for word in words]
        return self._counted([{"bool": {"should": some, "minimum_should_match": 1}} for some in each])

    def has_value(self, field: str, value: str) -> bool:
        """Return whether a page has this site or URL."""
        return value in self._sites or self._counted([{"term": {field: spelt(value)}}]) != [0]

    @property
    def homes(self) -> dict[str, str]:
        """The URL of the home page of each large site without a page at the root."""
        if self._homes is None:
            rootless = [site for site in self._sites if site not in self._rooted][:MAX_ROOTLESS]
            self._homes = self._homes_of(rootless)
        return self._homes

    def _homes_of(self, sites: Sequence[str]) -> dict[str, str]:
        """Return the home pages of sites where links lead to one (indexer/segments/snapshot.py)."""
        linked = self.most_linked
        bodies: list[dict[str, Any]] = []
        for site in sites:
            on_site = {"term": {"site": site}}
            homes = [on_site, {"exists": {"field": "home"}}]
            some = {"size": 100, "_source": False, "docvalue_fields": ["url", "home", "part"]}
            bodies.append(some | {"query": {"bool": {"filter": homes}}, "sort": ["home"]})
            bodies.append(some | {"query": {"bool": {"filter": [on_site, {"terms": {"url_key": linked}}]}}})
        answers = [[hit["fields"] for hit in answer["hits"]["hits"]] for answer in self.ask_all(bodies)]
        found = {}
        for site, homes_of, others in zip(sites, answers[::2], answers[1::2], strict=True):
            most = max(map(self._inlinks, [*others, *homes_of]), default=0)
            each = [(row["home"][0], -self._inlinks(row), row["url"][0]) for row in homes_of]
            _, linked_from, url = min(each, default=(0, 0, ""))
            if url and -linked_from >= LEAST_LINKED * most:
                found[site] = url
        return found

    def _inlinks(self, row: dict[str, list[str]]) -> int:
        part, url = next(iter(row.get("part", ())), ""), row["url"][0]
        keys = np.array([url_key(url)], np.uint64)
        return int(self.ranks[part].of(keys)[1][0]) if part in self.ranks else 0

    @cached_property
    def most_linked(self) -> list[str]:
        """The keys of the pages with links from most pages."""
        each = list(self.ranks.values())
        keys = np.concatenate([np.zeros(0, np.uint64), *(one.keys for one in each)])
        inlinks = np.concatenate([np.zeros(0, np.uint32), *(one.inlinks for one in each)])
        best = np.argsort(-inlinks.astype(np.int64), kind="stable")[:MOST_LINKED]
        return [f"{key:016x}" for key in keys[best[inlinks[best] > 1]].tolist()]


_GONE = 404
_SITES = {"sites": {"terms": {"field": "site", "size": MAX_SITES}}}
_COUNTED: dict[str, Any] = {
    **_SITES,
    "languages": {"terms": {"field": "languages", "size": MAX_LANGUAGES}},
    "parts": {"terms": {"field": "part", "size": MAX_PARTS}},
    "roots": {"filter": {"term": {"entrance": True}}, "aggs": _SITES},
    **{f"{field}_length": {"stats": {"field": f"{field}_length"}} for field in INDEX_FIELDS},
}


def _counts(buckets: dict[str, Any]) -> dict[str, int]:
    return {str(one["key"]): int(one["doc_count"]) for one in buckets["buckets"]}


def _mean(stats: dict[str, Any]) -> float:
    return int(stats["sum"]) / int(stats["count"]) if stats["count"] else 0.0


def notice_of(answer: dict[str, Any]) -> str:
    """Return a sentence about shards that did not respond, or not in time; "" if all did."""
    shards = answer.get("_shards", {})
    if shards.get("failed"):
        of = f"{shards['failed']:,} of {shards['total']:,} shards of the index"
        return f"{of} did not answer: their pages are not among the results, and count nowhere."
    if answer.get("timed_out"):
        return "OpenSearch has not looked at all pages in time: some may be missing."
    return ""


MAX_FORM_WORDS = 1_000  # of one form, as in a segment
MAX_FOUND = 10_000  # rows of one response
MAX_KEPT = 100_000  # words and forms
ANY_SIZE = range(1, 1_000)
LOOKED_THROUGH = 400  # words with one prefix, the shortest ones


class WordIndex:
    """The words of one generation; threads may share it. `ask` returns the response to a search in the dictionary."""

    def __init__(self, ask: Callable[[dict[str, Any]], Any]) -> None:
        self._ask = ask
        self._words: dict[str, bool | None] = {}  # whether it occurs outside menus and footers; None: nowhere
        self._forms: dict[str, tuple[str, ...]] = {}

    def look_up(self, words: Iterable[str], forms: Iterable[str] = ()) -> None:
        """Look up the words and forms that are not known yet."""
        if len(self._words) + len(self._forms) > MAX_KEPT:
            self._words, self._forms = {}, {}
        new_words = [word for word in dict.fromkeys(words) if word not in self._words]
        new_forms = [form for form in dict.fromkeys(forms) if form not in self._forms]
        if not new_words and not new_forms:
            return
        rows = self._rows(new_words, new_forms)
        said: dict[str, bool] = {}
        having: dict[str, set[str]] = {form: set() for form in new_forms}
        for row in rows:
            word = row["word"][0]
            said[word] = said.get(word, False) or bool(row.get("said", [False])[0])
            for form in row.get("forms", ()):
                if form in having:
                    having[form].add(word)
        self._forms |= {form: tuple(sorted(some)[:MAX_FORM_WORDS]) for form, some in having.items()}
        self._words |= {word: said.get(spelt(word)) for word in new_words}

    def _rows(self, words: list[str], forms: list[str]) -> list[dict[str, Any]]:
        either = [{"terms": {"word": [spelt(word) for word in words]}}, {"terms": {"forms": forms}}]
        body = {
            "size": MAX_FOUND,
            "query": {"bool": {"filter": [{"bool": {"should": either, "minimum_should_match": 1}}]}},
        }
        fields = ["word", "forms", "said"]
        answer = self._ask(body | {"_source": False, "docvalue_fields": fields, "track_total_hits": False})
        return [hit["fields"] for hit in answer["hits"]["hits"]]

    def is_said(self, word: str) -> bool | None:
        """Return whether a page has a word outside menus and footers; None: no page has it."""
        if word not in self._words:
            self.look_up([word])
        return self._words.get(word)

    def forms(self, form: str) -> tuple[str, ...]:
        """Return the words that have a form."""
        if form not in self._forms:
            self.look_up([], [form])
        return self._forms.get(form, ())

    def words_of(self, variants: Variants) -> tuple[str, ...]:
        """Return the words of the index for `variants`, exact ones first, as `Variants.words_in` does."""
        return tuple(word for word, _ in variants.words_in(self))

    def prepare(self, text: str, languages: frozenset[str]) -> None:
        """Look up the words that a query may need, and the parts of those that no page has."""
        cut = [piece.text for raw in raw_tokens(text) for piece in analyze_token(raw).parts]
        joined = [first + second for first, second in pairwise(cut)]
        words = dict.fromkeys([*cut, *(f"-{word}" for word in cut), *joined])
        self.look_up(words, (form for word in words for form in Variants.of(word, languages).forms))
        missing = [word for word in cut if self._words.get(word) is None and word.isalpha()]
        self.look_up(part for word in missing if len(word) <= MAX_COMPOUND_CHARS for part in _parts(word))

    def beginning_with(self, letters: str, most: int, kind: str, sizes: range = ANY_SIZE) -> list[str]:
        """Return words of a kind with this prefix and a size in this range (bytes), the shortest first."""
        size = {"range": {"size": {"gte": sizes.start, "lt": sizes.stop}}}
        filters = [{"prefix": {"word": spelt(letters)}}, {"term": {kind: True}}, size]
        rows = min(2 * most, MAX_FOUND)
        body = {"size": rows, "query": {"bool": {"filter": filters}}, "sort": ["size", "word"], "_source": False}
        hits = self._ask(body | {"docvalue_fields": ["word"], "track_total_hits": False})["hits"]["hits"]
        return list(dict.fromkeys(hit["fields"]["word"][0] for hit in hits))[:most]


def _parts(word: str) -> Iterable[str]:
    for place in range(MIN_COMPOUND_PART, len(word) - MIN_COMPOUND_PART + 1):
        yield from (word[:place], word[:place].removesuffix("s"), word[place:])


class CollectionLexicon(Lexicon):
    """The lexicon of a query's words, from an index in OpenSearch."""

    def __init__(self, collection: Collection) -> None:
        super().__init__(())
        self._collection = collection

    def has(self, word: str) -> bool:
        """Return whether a page has the word, outside menus and footers."""
        return bool(self._collection.dictionary.is_said(word))

    def _has_any(self, variants: Variants) -> bool:
        dictionary = self._collection.dictionary
        return any(dictionary.is_said(word) is not None for word in dictionary.words_of(variants))

    def reading_counts(self, readings: Iterable[str]) -> dict[str, int]:
        """Return how many pages have each of these readings; those on no page are left out."""
        several, dictionary = list(readings), self._collection.dictionary
        dictionary.look_up(several)
        known = [one for one in several if dictionary.is_said(one)]
        counts = self._collection.pages_with(known, [IndexField.READING.value])
        return {one: count for one, count in zip(known, counts, strict=True) if count}

    def expand_prefix(self, letters: str) -> tuple[str, ...]:
        """Return the words with a prefix: of the shortest ones, those on most pages."""
        words = self._collection.dictionary.beginning_with(letters, LOOKED_THROUGH, "begun")
        pages = Counter(dict(zip(words, self._collection.pages_with(words), strict=True)))
        return tuple(sorted(pages, key=lambda word: (-pages[word], word))[:MAX_EXPANSIONS])

    def _known_sites(self) -> Sequence[str]:
        return self._collection.sites

    def _is_value(self, field: str, value: str) -> bool:
        return self._collection.has_value(field, value)


MAX_KNOWN = 100_000  # pairs of field and word whose counts are cached


class Rarities:
    """OpenSearch's own counts of words. `ask` gets the term vectors of a generated document."""

    def __init__(self, ask: Callable[[dict[str, Any]], Any]) -> None:
        self._ask = ask
        self._pages: dict[str, int] = {}  # pages with the field, on the shard that responded
        self._having: dict[tuple[str, str], int] = {}  # pages by field and word

    def look_up(self, words: Iterable[str], fields: Iterable[str]) -> None:
        """Look up all words that are not known yet."""
        if len(self._having) > MAX_KNOWN:
            self._having = {}
        several = list(words)
        new = {field: [word for word in several if (field, word) not in self._having] for field in fields}
        made_up = {field: " ".join(slot_of([word]) for word in some) for field, some in new.items() if some}
        if not made_up:
            return
        wanted = {"term_statistics": True, "positions": False, "offsets": False}
        vectors = self._ask({"doc": made_up, "fields": list(made_up), **wanted})["term_vectors"]
        for field in made_up:
            found = vectors.get(field, {})
            self._pages[field] = int(found.get("field_statistics", {}).get("doc_count", 0))
            terms = found.get("terms", {})
            known = {word: int(terms.get(spelt(word), {}).get("doc_freq", 0)) for word in new[field]}
            self._having |= {(field, word): pages for word, pages in known.items()}

    def idf(self, words: Sequence[str], field: str) -> float | None:
        """Return OpenSearch's idf of these words as a single term in a field; None if one was not looked up."""
        if not words or any((field, word) not in self._having for word in words):
            return None
        most = max(self._having[field, word] for word in words)
        return inverse_document_frequency(max(self._pages[field], most), most)
