"""Which requests does a query become? Clauses that find its pages by terms, positions and values.

Clauses search slots (documents.py): all variants of a word are one term to OpenSearch, which counts them together, as
our ranking does. The text of a page and its names are a field each. All conditions of a query filter all pages; our
ranking checks them again, page by page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from extensions.machines.opensearch.documents import EMPTY, slot_of, spelt
from extensions.machines.opensearch.mapping import CALLS, K1, SAID
from indexer.query.conditions import AllOf, AnyOf, Condition, Contains, DateRange, Not, OneOf
from indexer.ranking.prior import MAX_WORDS as ALL_OF
from indexer.ranking.prior import language_of_query
from indexer.ranking.weights import CALLED
from indexer.segments.schema import FILE_TYPE, INDEX_FIELDS, LANGUAGE, IndexField

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from extensions.machines.opensearch.retrieval.collection import Collection
    from indexer.query.conditions import Phrase
    from indexer.query.parser import Query
    from indexer.query.terms import Term, Variants
    from indexer.ranking.weights import Weights

    Clause = dict[str, Any]

MAX_WORDS = 1_000  # of one request: OpenSearch rejects more than 1,024
_FIELDS = {LANGUAGE: "languages", FILE_TYPE: "file_types"}
NOTHING: Clause = {"match_none": {}}


@dataclass(frozen=True)
class QueryRequests:
    """Makes requests from queries. `words_of` returns the index's words for a variant, exact ones first.

    `cut` collects notes about requests with more words than OpenSearch accepts.
    """

    words_of: Callable[[Variants], Sequence[str]]
    weights: Weights
    cut: list[str]

    def standing(self, variants: Variants, *, in_template: bool = False) -> Clause:
        """Return the clause for pages with a word: in a field that counts outside the template, or in the template."""
        words = self._few(variants, 2)
        if in_template:
            return _word(IndexField.TEMPLATE, words) if self.weights.template else NOTHING
        return _either(_word(field, words) for field in self.fields())

    @property
    def counts(self) -> tuple[str, ...]:
        """The key of a word's counts: the fields that count, and whether other forms do."""
        return (*self.fields(), *(["other forms"] if self.weights.other_form else []))

    def fields(self) -> list[str]:
        """Return the fields outside the template that count."""
        counts = {
            field: bool(self.weights.of(field, called=True) or self.weights.of(field, called=False))
            for field in INDEX_FIELDS
            if field is not IndexField.TEMPLATE
        }
        return [SAID, CALLS] if all(counts.values()) else [field.value for field, is_so in counts.items() if is_so]

    def _few(self, variants: Variants, share: int) -> list[str]:
        words = list(self.words_of(variants) if self.weights.other_form else variants.exact)
        most = max(1, MAX_WORDS // share)
        if len(words) > most:
            self.cut.append(f"the variants of “{words[0]}” after the first {most}")
        return words[:most]

    def answering(self, query: Query, collection: Collection) -> Clause:
        """Return the clause that finds the pages with a query's words, and scores them much as our ranking does."""
        if query.only_filters:
            return {"match_all": {}}
        share = 2 * max(1, len(query.ranking_terms))
        telling = {term: self._gain(term, collection, share) for term in query.ranking_terms}
        must = [telling.pop(term) for term in query.required_terms if term in telling]
        if not must:
            return NOTHING
        should = [*telling.values(), *self._priors(query, collection, share)]
        return {"bool": {"must": [_either(must)], "should": should}}

    def _gain(self, term: Term, collection: Collection, share: int) -> Clause:
        words, spread = self._few(term.variants, share), collection.spread(term.variants, self)
        fields = [IndexField.TEMPLATE.value] if spread.in_template else self.fields()
        idf, gains = term.weight * collection.idf(term.variants, self), []
        for field in fields:
            is_name = field == CALLS or field in CALLED
            theirs = collection.rarities.idf(words, field) or idf or 1.0
            boost = (self.weights.name if is_name else 1.0) * idf / (theirs * (1 + K1[field]))
            gains.append(_word(field, words, boost))
        return _either(gains)

    def _priors(self, query: Query, collection: Collection, share: int) -> Iterator[Clause]:
        """Yield the clauses of the scores that need more than one word (indexer/ranking/prior.py), without links."""
        weights, terms = self.weights, query.ranking_terms
        asked = {term: term.weight * collection.idf(term.variants, self) for term in terms}
        if weights.all_words and 1 < len(terms) <= ALL_OF and 2 * sum(map(self._size, terms)) * 2 <= MAX_WORDS:
            each = [_either(_word(field, self._few(term.variants, share)) for field in self.fields()) for term in terms]
            yield _constant({"bool": {"filter": each}}, weights.all_words * sum(asked.values()))
        spoken = collection.languages
        language = language_of_query(query, spoken) if len(spoken - {""}) > 1 else ""
        if language and weights.language:
            yield _constant({"term": {"languages": language}}, weights.language)
        for term, idf in asked.items():
            yield _constant({"term": {"labels": spelt(term.text)}}, weights.entrance * idf)

    def _size(self, term: Term) -> int:
        return len(self.words_of(term.variants))

    def known_by(self, query: Query) -> list[str]:
        """Return the words whose rarity in the cluster the score needs."""
        return [word for term in query.ranking_terms for word in self._few(term.variants, 2 * len(query.ranking_terms))]

    def condition(self, condition: Condition) -> Clause:
        """Return the clause for the pages that meet a condition."""
        match condition:
            case Contains(phrase, field, in_template):
                return self.phrase(phrase, field, in_template=in_template)
            case OneOf(field, values):
                return {"terms": {_FIELDS.get(field, field): [spelt(value) for value in values]}}
            case DateRange(since, until):
                return _dated(since, until)
            case Not(part):
                return {"bool": {"must_not": [self.condition(part)]}}
            case AnyOf(parts):
                return _either(map(self.condition, parts))
            case AllOf(parts):
                return {"bool": {"filter": [self.condition(part) for part in parts]}}

    def phrase(self, phrase: Phrase, field: IndexField | None = None, *, in_template: bool = True) -> Clause:
        """Return the clause for pages with a phrase in a field, or in any."""
        steps = {offset: self._few(words, 3 * len(phrase.steps)) for offset, words in phrase.steps}
        if not steps or not all(steps.values()):
            return NOTHING
        places = [field.value] if field else [SAID, CALLS, *([IndexField.TEMPLATE.value] if in_template else [])]
        if len(steps) == 1:
            return _either(_word(place, words) for place in places for words in steps.values())
        slots = [slot_of(steps.get(offset, ())) or EMPTY for offset in range(min(steps), max(steps) + 1)]
        return _either({"match_phrase": {place: {"query": " ".join(slots)}}} for place in places)


def not_ended(now: float) -> Clause:
    """Return the clause that leaves out pages whose own expiry date has passed."""
    return {"bool": {"must_not": [{"range": {"expires": {"gt": 0, "lte": now}}}]}}


def _dated(since: float | None, until: float | None) -> Clause:
    limits = ({"gte": since} if since is not None else {}) | ({"lt": until} if until is not None else {})
    clauses: list[Clause] = [{"range": {"dated": limits}}]
    if (since is None or since <= 0) and (until is None or until > 0):  # a page without a date has 0
        clauses.append({"bool": {"must_not": [{"exists": {"field": "dated"}}]}})
    return _either(clauses)


def _word(field: str, words: Sequence[str], boost: float = 1.0) -> Clause:
    return {"match": {str(field): {"query": slot_of(words), "boost": boost}}} if words else NOTHING


def _constant(found: Clause, boost: float) -> Clause:
    return {"constant_score": {"filter": found, "boost": boost}}


def _either(clauses: Iterable[Clause]) -> Clause:
    some = list(clauses)
    return some[0] if len(some) == 1 else {"bool": {"should": some, "minimum_should_match": 1}}
