"""How does a text become a query? Terms to rank by, phrases to rank first, and conditions to meet.

A term may be anywhere on a page, and none is required: pages with more and rarer terms rank higher. Pages with a phrase
(`"borrow checker"`) rank before all others. The others follow where the phrase finds less than a page of results, so
quotes in a long query hide nothing. Any other operator (syntax.py) is a condition.

Parsing never fails, and it is bounded: every query ends in bounded time. `Query.unread` says what was ignored.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Unpack

from indexer.analysis.readings import MAX_READINGS, query_readings
from indexer.analysis.tokenizer import analyze_token, raw_tokens
from indexer.analysis.words import is_unspaced
from indexer.query.conditions import TERM_KINDS, Condition, ConditionBuilder, OneOf, Phrase, describe_query, lists_pages
from indexer.query.lexicon import NO_LEXICON
from indexer.query.syntax import MAX_QUERY_CHARS, Clause, ClauseKind, clean_query, filter_clauses, parse_clauses
from indexer.query.terms import Term, Variants, query_terms
from indexer.segments.schema import ADDED_FIELDS, URL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from indexer.query.lexicon import Lexicon
    from indexer.query.syntax import SearchFilters

MAX_QUERY_TERMS = 64  # distinct terms to rank by; each costs the reading of its postings
MAX_PHRASES = 8  # quoted phrases
MAX_PHRASE_WORDS = 16
SHORT_QUERY = 4  # words: in so few, stop words matter too ("for loop", "try except finally")
_PLAIN_KINDS = {ClauseKind.WORDS, ClauseKind.PHRASE}
_RANKING_KINDS = {*TERM_KINDS, ClauseKind.TITLE, ClauseKind.URL, *(ClauseKind(field.value) for field in ADDED_FIELDS)}


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query."""

    text: str
    terms: tuple[Term, ...] = ()
    phrases: tuple[Phrase, ...] = ()  # pages with all of them rank first
    conditions: tuple[Condition, ...] = ()  # a page must meet all
    sites: frozenset[str] = frozenset()  # as typed after site:, whether or not the index has them
    urls: tuple[str, ...] = ()  # the query is a URL: the forms in which the index may have it
    options: tuple[str, ...] = ()  # terms that begin with a dash, since pages have such options
    unread: tuple[str, ...] = ()  # what was ignored because it is beyond a bound
    plain: str = ""  # its words and phrases, without conditions; "" for a query with alternatives or beginnings

    @property
    def ranking_terms(self) -> tuple[Term, ...]:
        """The terms to rank by: without stop words, unless the query is short or has nothing else.

        Ranking by stop words too, at a tenth of the weight, changed the figures of no collection by more than .005 and
        took three times as long: their postings are the longest of all.
        """
        return self.terms if len(self._is_unspaced_at) <= SHORT_QUERY else self.required_terms

    @property
    def length(self) -> float:
        """Its length in words; in scripts without blanks, two characters count as a word."""
        return sum(0.5 if unspaced else 1.0 for unspaced in self._is_unspaced_at.values())

    @property
    def _is_unspaced_at(self) -> dict[int, bool]:
        """Whether the term at each position is of a script without blanks."""
        return {position: is_unspaced(term.text) for term in self.terms for position in term.positions}

    @property
    def required_terms(self) -> tuple[Term, ...]:
        """The terms of which a result must have at least one: a stop word alone finds no page."""
        return tuple(term for term in self.terms if not term.is_stop_word) or self.terms

    @property
    def only_filters(self) -> bool:
        """Whether the query has no term, and lists all pages that meet a condition."""
        return not self.terms and any(map(lists_pages, self.conditions))

    @property
    def understood(self) -> str:
        """How the query was read, in sentences; "" for plain words."""
        return describe_query(self)


def parse_query(
    text: str, languages: frozenset[str], *, lexicon: Lexicon = NO_LEXICON, **filters: Unpack[SearchFilters]
) -> Query:
    """Parse a query for an index whose pages are in these languages (ISO 639-1)."""
    read = clean_query(text)
    if urls := lexicon.pasted_urls(read):
        return Query(read, conditions=(OneOf(URL, urls),), urls=urls)
    clauses = tuple(_top_level(parse_clauses(read, lexicon.knows_option)))
    leaves = [leaf for clause in clauses for leaf in _ranking_leaves(clause)]
    quoted = [clause.text for clause in clauses if clause.kind is ClauseKind.PHRASE and not clause.excluded]
    readings, phonetic = query_readings(leaves, languages, lexicon)
    terms = query_terms(leaves, languages, lexicon, phonetic)
    phrases = tuple(phrase for each in quoted if (phrase := parse_phrase(each, languages)).steps)
    builder = ConditionBuilder(partial(parse_phrase, languages=languages), lexicon)
    chosen = filter_clauses(filters)
    beyond = {
        f"characters after the first {MAX_QUERY_CHARS:,}": len(text) > MAX_QUERY_CHARS,
        f"words after the first {MAX_QUERY_TERMS}": len(terms) > MAX_QUERY_TERMS,
        f"readings after the first {MAX_READINGS}": len(readings) > MAX_READINGS,
        f"phrases after the first {MAX_PHRASES}": len(phrases) > MAX_PHRASES,
        f"words of a phrase after its first {MAX_PHRASE_WORDS}": any(map(_is_long, quoted)),
    }
    return Query(
        text=read,
        terms=(*terms[:MAX_QUERY_TERMS], *readings[:MAX_READINGS]),
        phrases=phrases[:MAX_PHRASES],
        conditions=tuple(dict.fromkeys((*builder.build(clauses), *builder.build(chosen)))),
        sites=frozenset(
            each.text.lower() for each in (*clauses, *chosen) if each.kind is ClauseKind.SITE and not each.excluded
        ),
        options=tuple(leaf.text for leaf in leaves if leaf.is_option),
        unread=tuple(what for what, holds in (beyond | builder.beyond).items() if holds),
        plain=" ".join(leaf.text for leaf in leaves) if _is_plain(clauses) else "",
    )


def parse_phrase(text: str, languages: frozenset[str]) -> Phrase:
    """Return the terms of a text in sequence."""
    steps: list[tuple[int, Variants]] = []
    position = 0
    for raw in raw_tokens(text):
        token = analyze_token(raw)
        steps += [(position + part.offset, Variants.of(part.text, languages)) for part in token.sequence]
        position += token.width
    return Phrase(text, tuple(steps[:MAX_PHRASE_WORDS]))


def _is_long(text: str) -> bool:
    return sum(len(analyze_token(raw).sequence) for raw in raw_tokens(text)) > MAX_PHRASE_WORDS


def _top_level(clauses: Iterable[Clause]) -> Iterator[Clause]:
    """Yield the clauses at the top level: a group of them changes nothing, unless it is excluded."""
    for clause in clauses:
        if clause.kind is ClauseKind.ALL and not clause.excluded:
            yield from _top_level(clause.parts)
        else:
            yield clause


def _ranking_leaves(clause: Clause) -> Iterator[Clause]:
    """Yield the words and phrases to rank by: those that no minus excludes."""
    if clause.excluded:
        return
    for part in clause.parts:
        yield from _ranking_leaves(part)
    if clause.kind in _RANKING_KINDS:
        yield clause


def _is_plain(clauses: Iterable[Clause]) -> bool:
    """Return whether the terms to rank by follow each other as in a text."""
    return all(clause.excluded or clause.kind in _PLAIN_KINDS or not any(_ranking_leaves(clause)) for clause in clauses)
