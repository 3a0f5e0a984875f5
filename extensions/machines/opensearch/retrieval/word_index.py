"""Which words has an index in OpenSearch, and what is known of them? The dictionary beside its pages, asked in batches.

A question looks up some dozens of words and forms. They are asked for together, before it is read: a cluster answers
a hundred as soon as one. What was found is kept as long as the generation is searched.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from extensions.machines.opensearch.documents import spelt
from indexer.analysis.tokenizer import analyze_token, raw_tokens
from indexer.query.lexicon import MAX_COMPOUND_CHARS, MAX_EXPANSIONS, MIN_COMPOUND_PART, Lexicon
from indexer.query.terms import Variants
from indexer.segments.schema import IndexField

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from extensions.machines.opensearch.retrieval.collection import Collection

MAX_FORM_WORDS = 1_000  # of one form, as in a segment
MAX_FOUND = 10_000  # rows of one answer
MAX_KEPT = 100_000  # words and forms
ANY_SIZE = range(1, 1_000)
LOOKED_THROUGH = 400  # words with one beginning, the shortest ones


class WordIndex:
    """The words of one generation; threads may share it. `ask` gets the answer to a search in the dictionary."""

    def __init__(self, ask: Callable[[dict[str, Any]], Any]) -> None:
        self._ask = ask
        self._words: dict[str, bool | None] = {}  # whether it stands outside menus and footers; None: nowhere
        self._forms: dict[str, tuple[str, ...]] = {}

    def look_up(self, words: Iterable[str], forms: Iterable[str] = ()) -> None:
        """Ask for all of these that are not known yet."""
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
        """Return whether a page has a word outside menus and footers; None: no page has it at all."""
        if word not in self._words:
            self.look_up([word])
        return self._words.get(word)

    def forms(self, form: str) -> tuple[str, ...]:
        """Return the words that have a form."""
        if form not in self._forms:
            self.look_up([], [form])
        return self._forms.get(form, ())

    def words_of(self, variants: Variants) -> tuple[str, ...]:
        """Return the words that may stand for one, the exact ones first, as `Variants.words_in` does."""
        return tuple(word for word, _ in variants.words_in(self))

    def prepare(self, text: str, languages: frozenset[str]) -> None:
        """Look up what the words of a question may ask for, and the parts of those that no page has."""
        cut = [piece.text for raw in raw_tokens(text) for piece in analyze_token(raw).parts]
        joined = [first + second for first, second in pairwise(cut)]
        words = dict.fromkeys([*cut, *(f"-{word}" for word in cut), *joined])
        self.look_up(words, (form for word in words for form in Variants.of(word, languages).forms))
        missing = [word for word in cut if self._words.get(word) is None and word.isalpha()]
        self.look_up(part for word in missing if len(word) <= MAX_COMPOUND_CHARS for part in _parts(word))

    def beginning_with(self, letters: str, most: int, kind: str, sizes: range = ANY_SIZE) -> list[str]:
        """Return words of a kind that begin so and have so many bytes, the shortest first."""
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
    """What an index in OpenSearch knows of the words of a question."""

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
        """Return on how many pages these readings stand, those that none has left out."""
        several, dictionary = list(readings), self._collection.dictionary
        dictionary.look_up(several)
        known = [one for one in several if dictionary.is_said(one)]
        counts = self._collection.pages_with(known, [IndexField.READING.value])
        return {one: count for one, count in zip(known, counts, strict=True) if count}

    def expand_prefix(self, letters: str) -> tuple[str, ...]:
        """Return the words that begin so, those on most pages of the shortest ones."""
        words = self._collection.dictionary.beginning_with(letters, LOOKED_THROUGH, "begun")
        pages = Counter(dict(zip(words, self._collection.pages_with(words), strict=True)))
        return tuple(sorted(pages, key=lambda word: (-pages[word], word))[:MAX_EXPANSIONS])

    def _known_sites(self) -> Sequence[str]:
        return self._collection.sites

    def _is_value(self, field: str, value: str) -> bool:
        return self._collection.has_value(field, value)
