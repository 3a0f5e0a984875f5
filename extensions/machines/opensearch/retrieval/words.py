"""How are words put right and questions gone on with, where the words lie in OpenSearch? It looks up, and counts.

The rules are those of indexer/spelling: these are its lists of words, each question to which becomes a search.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from extensions.machines.opensearch.documents import spelt
from indexer.spelling.suggester import SPELLING_FIELDS, NameTerms
from indexer.spelling.term_list import TermList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from extensions.machines.opensearch.retrieval.collection import Collection

MAX_LETTERS = 2_000  # different ones of all words
MAX_SPELLINGS = 10_000  # that are looked up at once
MAX_COUNTED = 100  # words that are counted for one that is misspelt
SAMPLED = 10_000  # pages of a shard, among which a question's going on is looked for


class SpeltWords(TermList):
    """The words that people spell in an index."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        body = {"size": 0, "aggs": {"letters": {"terms": {"field": "letters", "size": MAX_LETTERS}}}}
        told = collection.ask(body, index=collection.state.words)["aggregations"]["letters"]["buckets"]
        self.letters = frozenset(str(one["key"]) for one in told)

    def pages_with(self, spellings: Sequence[str]) -> NDArray[np.uint32]:
        """Return on how many pages each of some words stands, 0: it is none of them."""
        filters = [{"term": {"spelt": True}}, {"terms": {"word": [spelt(word) for word in spellings[:MAX_SPELLINGS]]}}]
        body = {"size": MAX_SPELLINGS, "query": {"bool": {"filter": filters}}, "_source": False}
        answer = self._collection.ask(body | {"docvalue_fields": ["word"]}, index=self._collection.state.words)
        known = list(dict.fromkeys(hit["fields"]["word"][0] for hit in answer["hits"]["hits"]))[:MAX_COUNTED]
        each = [self._collection.pages_with(known, [field]) for field in SPELLING_FIELDS]
        pages = dict(zip(known, map(max, *each), strict=True)) if known else {}
        return np.array([pages.get(spelt(word), 0) for word in spellings], np.uint32)

    def with_prefix(self, letters: str) -> Any:
        """Return what `of_size` takes for the words that begin so."""
        return letters

    def of_size(self, places: Any, sizes: range, most: int) -> list[str]:
        """Return words that begin so and have so many bytes."""
        dictionary = self._collection.dictionary
        return dictionary.beginning_with(places, most, "spelt", sizes)


class WordsOfNames(NameTerms):
    """The words of titles, headings and links in an index, and which follows on which."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self.words = _CommonNames(self)

    def following(self, word: str, prefix: str, most: int) -> list[tuple[str, int]]:
        """Return the words that begin so and follow on a word, each with how often, the most frequent first."""
        found = self.counted("pairs", f"{spelt(word)} {spelt(prefix)}", most)
        return [(pair.partition(" ")[2], count) for pair, count in found]

    def counted(self, field: str, beginning: str, most: int) -> list[tuple[str, int]]:
        """Return the values of a field that begin so, those of most pages first."""
        begins = re.sub(r"(\W)", r"\\\1", beginning) + ".*"
        terms = {"terms": {"field": field, "size": most, "include": begins, "execution_hint": "map"}}
        sampled = {"sampler": {"shard_size": SAMPLED}, "aggs": {"kinds": terms}}
        body = {"size": 0, "query": {"prefix": {field: beginning}}, "aggs": {"some": sampled}}
        buckets = self._collection.ask(body)["aggregations"]["some"]["kinds"]["buckets"]
        return [(str(one["key"]), int(one["doc_count"])) for one in buckets]


class _CommonNames(TermList):
    """The same words, by how common they are."""

    def __init__(self, names: WordsOfNames) -> None:
        self._names = names

    def with_prefix(self, letters: str) -> Any:
        return letters

    def top_terms(self, places: Any, most: int) -> list[tuple[str, int]]:
        return self._names.counted("names", spelt(places), most)
