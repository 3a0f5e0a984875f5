"""What is OpenSearch asked for? The pages that answer a question, as far as its terms, places and values tell.

Words are looked for as slots (documents.py): all that may stand for a word are one term to OpenSearch, which counts
them together, as the ranking here does. What a page says and what it is called are a field each. All conditions of a
question are asked of all pages; the ranking looks at them once more, page by page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indexer.opensearch.documents import EMPTY, slot_of, spelt
from indexer.opensearch.mapping import CALLS, SAID
from indexer.question.conditions import AllOf, AnyOf, Condition, Contains, DatedIn, Not, OneOf
from indexer.ranking.score import inverse_document_frequency
from indexer.ranking.weights import CALLED
from indexer.segments.schema import FILE_TYPE, INDEX_FIELDS, LANGUAGE, IndexField

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from indexer.question.conditions import Phrase
    from indexer.question.query import Query
    from indexer.question.terms import Term
    from indexer.question.variants import Variants
    from indexer.ranking.weights import Weights
    from indexer.retrieval.whole import Spread

    Clause = dict[str, Any]

MAX_WORDS = 1_000  # of one request: OpenSearch refuses more than 1,024
_FIELDS = {LANGUAGE: "languages", FILE_TYPE: "file_types"}
NOTHING: Clause = {"match_none": {}}


@dataclass(frozen=True)
class Asking:
    """Makes requests of questions. `words_of` tells which words of the index may stand for one, the exact ones first.

    `cut` notes that a request would have had more words than OpenSearch takes.
    """

    words_of: Callable[[Variants], Sequence[str]]
    weights: Weights
    cut: list[str]

    def standing(self, variants: Variants, *, in_template: bool = False) -> Clause:
        """Return what finds the pages with a word: outside their template, in fields that count, or in it."""
        words = self._few(variants, 2)
        if in_template:
            return _word(IndexField.TEMPLATE, words) if self.weights.template else NOTHING
        return _either(_word(field, words) for field in self.fields())

    @property
    def counts(self) -> tuple[str, ...]:
        """What counts as a word's standing on a page: the fields, and whether other forms of it do."""
        return (*self.fields(), *(["other forms"] if self.weights.other_form else []))

    def fields(self) -> list[str]:
        """Return the fields outside the template in which a word counts."""
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
            self.cut.append(f"the words beside “{words[0]}” that may stand for it after the first {most}")
        return words[:most]

    def answering(self, query: Query, spread: Callable[[Variants], Spread]) -> Clause:
        """Return what finds the pages with a word of a question, and scores them about as the ranking does."""
        if query.only_filters:
            return {"match_all": {}}
        share = 2 * max(1, len(query.telling))
        telling = {term: self._gain(term, spread(term.variants), share) for term in query.telling}
        must = [telling.pop(term) for term in query.answering if term in telling]
        if not must:
            return NOTHING
        return {"bool": {"must": [_either(must)], "should": list(telling.values())}}

    def _gain(self, term: Term, spread: Spread, share: int) -> Clause:
        words = self._few(term.variants, share)
        if spread.in_template:
            return _word(IndexField.TEMPLATE, words, term.weight)
        if (fields := self.fields()) == [SAID, CALLS]:
            weights = {SAID: 1.0, CALLS: self.weights.name}
        else:
            weights = {name: self.weights.name if name in CALLED else 1.0 for name in fields}
        return _either(_word(name, words, term.weight * weight) for name, weight in weights.items())

    def condition(self, condition: Condition) -> Clause:
        """Return what finds the pages of which a condition holds."""
        match condition:
            case Contains(phrase, field, in_template):
                return self.phrase(phrase, field, in_template=in_template)
            case OneOf(field, values):
                return {"terms": {_FIELDS.get(field, field): [spelt(value) for value in values]}}
            case DatedIn(since, until):
                return _dated(since, until)
            case Not(part):
                return {"bool": {"must_not": [self.condition(part)]}}
            case AnyOf(parts):
                return _either(map(self.condition, parts))
            case AllOf(parts):
                return {"bool": {"filter": [self.condition(part) for part in parts]}}

    def phrase(self, phrase: Phrase, field: IndexField | None = None, *, in_template: bool = True) -> Clause:
        """Return what finds the pages with words in a row in a field, or in any."""
        steps = {offset: self._few(words, 3 * len(phrase.steps)) for offset, words in phrase.steps}
        if not steps or not all(steps.values()):
            return NOTHING
        places = [field.value] if field else [SAID, CALLS, *([IndexField.TEMPLATE.value] if in_template else [])]
        if len(steps) == 1:
            return _either(_word(place, words) for place in places for words in steps.values())
        slots = [slot_of(steps.get(offset, ())) or EMPTY for offset in range(min(steps), max(steps) + 1)]
        return _either({"match_phrase": {place: {"query": " ".join(slots)}}} for place in places)


def named_entrances(query: Query, weights: Weights, pages: int, spread: Callable[[Variants], Spread]) -> list[Clause]:
    """Return what brings up the first pages of sites whose names have a word of the question."""
    found = []
    for term in query.telling:
        idf = term.weight * inverse_document_frequency(pages, spread(term.variants).pages)
        label = {"term": {"labels": spelt(term.word)}}
        found.append({"constant_score": {"filter": label, "boost": max(weights.entrance * idf, 0.0)}})
    return found


def not_ended(now: float) -> Clause:
    """Return what leaves out pages that named a date until which they may be results, which has passed."""
    return {"bool": {"must_not": [{"range": {"expires": {"gt": 0, "lte": now}}}]}}


def _dated(since: float | None, until: float | None) -> Clause:
    limits = ({"gte": since} if since is not None else {}) | ({"lt": until} if until is not None else {})
    clauses: list[Clause] = [{"range": {"dated": limits}}]
    if (since is None or since <= 0) and (until is None or until > 0):  # a page without a date has 0
        clauses.append({"bool": {"must_not": [{"exists": {"field": "dated"}}]}})
    return _either(clauses)


def _word(field: str, words: Sequence[str], boost: float = 1.0) -> Clause:
    return {"match": {str(field): {"query": slot_of(words), "boost": boost}}} if words else NOTHING


def _either(clauses: Iterable[Clause]) -> Clause:
    some = list(clauses)
    return some[0] if len(some) == 1 else {"bool": {"should": some, "minimum_should_match": 1}}
