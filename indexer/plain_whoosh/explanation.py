"""What is a score of Whoosh's made of? One part for each term or phrase of the query, from Whoosh's own scorer.

Whoosh adds up what the branches of AND and OR give; NOT gives nothing. So the leaves of a query are asked one by one,
by the same matchers that the search used, and what they say adds up to the score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whoosh.query.compound import And, AndMaybe, AndNot, Or, Require
from whoosh.query.positional import Phrase
from whoosh.query.terms import Term
from whoosh.query.wrappers import Not
from whoosh.searching import SearchContext

from indexer.ranking.score import Score, WhooshPart, rounded_score

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whoosh.query.qcore import Query

    Searcher = Any  # Whoosh's, half of whose methods have no types

_ROUNDING = 1e-6  # two sums of the same floats differ by less


def explain(query: Query, searcher: Searcher, document: int, score: float) -> Score:
    """Return what the score that Whoosh gave a document is made of, rounded so that the parts add up."""
    leaf, first = next(
        (leaf, first) for leaf, first in reversed(searcher.leaf_searchers()) if first <= document
    )  # a segment, and the number of its first document
    context, local = SearchContext(weighting=searcher.weighting), document - first  # type: ignore[no-untyped-call]  # Whoosh's
    parts = []
    for one in scored_leaves(query):
        matcher = one.matcher(leaf, context)
        if matcher.is_active():
            matcher.skip_to(local)
        if matcher.is_active() and matcher.id() == local:
            told = _told(one, searcher, leaf, local, matcher.weight())
            parts.append(WhooshPart(*_named(one, searcher), matcher.score(), told))
    rest = score - sum(part.value for part in parts)
    if abs(rest) > _ROUNDING:
        parts.append(WhooshPart("NOT", "page", rest, "Whoosh gives each page without the excluded words as much"))
    return rounded_score(parts)


def scored_leaves(query: Query) -> Iterator[Query]:
    """Yield the terms and phrases of a query that add to a score."""
    if isinstance(query, Not):
        return
    if isinstance(query, (AndNot, Require)):
        yield from scored_leaves(query.a)
    elif isinstance(query, AndMaybe):
        yield from scored_leaves(query.a)
        yield from scored_leaves(query.b)
    elif isinstance(query, (And, Or)):
        for each in query.subqueries:
            yield from scored_leaves(each)
    else:
        yield query


def query_words(query: Query, searcher: Searcher) -> dict[str, set[str]]:
    """Return the terms by which pages are found, by field."""
    found: dict[str, set[str]] = {}
    for one in scored_leaves(query):
        words = one.words if isinstance(one, Phrase) else [_text(one, searcher)] if isinstance(one, Term) else []
        found.setdefault(one.field() or "", set()).update(words)
    return found


def _named(one: Query, searcher: Searcher) -> tuple[str, str]:
    if isinstance(one, Phrase):
        return f'"{" ".join(one.words)}"', one.fieldname
    return _text(one, searcher) if isinstance(one, Term) else str(one), one.field() or "page"


def _text(term: Term, searcher: Searcher) -> str:
    text = term.text
    return searcher.schema[term.fieldname].from_bytes(text) if isinstance(text, bytes) else str(text)


def _told(one: Query, searcher: Searcher, leaf: Searcher, local: int, weight: float) -> str:
    """Return the factors of the formula."""
    if isinstance(one, Phrase):
        return "its words stand in a row; what they give in the field is added up"
    field = one.field()
    if not isinstance(one, Term) or not searcher.schema[field].scorable:
        return "it has it"
    length, mean = leaf.doc_field_length(local, field), searcher.avg_field_length(field)
    return f"w {weight:g}, idf {searcher.idf(field, one.text):.3f}; length {length:g}, mean length {mean:.1f}"
