"""What is asked? Words to rank by, phrases that stand first, and conditions that must hold; never an error.

Words may stand anywhere, and none of them must: the pages with more and rarer ones come first. A phrase (`"borrow
checker"`) brings the pages that have it before all others; where fewer than a page of results have it, the others
follow, so that quotes in a long question hide nothing. Any other operator (indexer/query/syntax.py) is a condition.

A question is bounded before it is read, and so is what it asks for: every question ends in bounded time, and what is
not looked for is told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Unpack

from indexer.analysis.readings import MARK, MAX_READINGS, query_readings
from indexer.analysis.tokenizer import analyze_token, is_unspaced, raw_tokens
from indexer.query.conditions import (
    NAMED,
    RANKED,
    Condition,
    ConditionBuilder,
    OneOf,
    Phrase,
    describe_conditions,
    lists,
)
from indexer.query.lexicon import NO_LEXICON
from indexer.query.syntax import MAX_QUERY_CHARS, Clause, ClauseKind, clean_query, filter_clauses, parse_clauses
from indexer.query.terms import Term, Variants, query_terms
from indexer.segments.schema import ADDED_FIELDS, URL
from urls.canonical import UnusableUrl, canonicalize
from urls.counted import counted, enumerated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from indexer.query.lexicon import Lexicon
    from indexer.query.syntax import SearchFilters
    from indexer.query.terms import Term


def describe_query(query: Query) -> str:
    """Return the sentences; "" for plain words."""
    return " ".join(_sentences(query))


def _sentences(query: Query) -> Iterator[str]:
    if query.addresses:
        yield f"The question is the address of a page, {' or '.join(query.addresses)}: that page is asked for."
        return
    if query.phrases:
        yield f"Pages with {enumerated(list(map(str, query.phrases)))} in a row come first."
    if query.conditions:
        yield f"Only pages {describe_conditions(query.conditions)}."
    for term in query.terms:
        if term.is_prefix:
            yield _beginning(term.word, term.variants.exact)
    for word in dict.fromkeys(term.compound for term in query.terms if term.compound):
        parts = [f"“{term.word}”" for term in query.terms if term.compound == word]
        yield f"No page has “{word}”: its parts {enumerated(parts)} are looked for as well."
    if readings := list(dict.fromkeys(_spoken(term) for term in query.terms if term.read_from)):
        more = counted(len(readings) - NAMED, "other word") if len(readings) > NAMED else ""
        yield f"Looked for by their readings, too: {enumerated([*readings[:NAMED], *filter(None, [more])])}."
    for option in query.options:
        word = option.removeprefix("-")
        yield f'“{option}” is looked for, since pages name it as an option; -"{word}" leaves “{word}” out.'


def _spoken(term: Term) -> str:
    reading = term.word.removeprefix(MARK)
    return reading if reading == term.read_from else f"{term.read_from} ({reading})"


def _beginning(word: str, words: tuple[str, ...]) -> str:
    if not words:
        return f"No word begins like “{word}”."
    more = len(words) - NAMED
    named = ", ".join(words[:NAMED])
    return f"“{word}” stands for {named}" + (f" and {counted(more, 'other word')}." if more > 0 else ".")


MAX_ADDRESS = 2_000  # characters: what is longer is text
_WHOLE = re.compile(r"https?://[^\s\"]+\Z", re.IGNORECASE)
_PART = re.compile(r"(?:[\w-]+\.)+[\w-]+(?::\d+)?(?:/[^\s\"]*)?\Z|localhost(?::\d+)?/[^\s\"]*\Z", re.IGNORECASE)
_SCHEME = re.compile(r"https?://", re.IGNORECASE)


def pasted_urls(text: str, lexicon: Lexicon) -> tuple[str, ...]:
    """Return the pages that a question is the address of, or how that address is written; () where it is none."""
    given = text.strip()
    if len(given) > MAX_ADDRESS or not (_WHOLE.match(given) or _PART.match(given)):
        return ()
    candidates = tuple(_candidates(given))
    return lexicon.addresses(candidates) or (candidates[:1] if _WHOLE.match(given) else ())


def _candidates(given: str) -> dict[str, None]:
    """Return the canonical URLs that can be meant: with either scheme, with and without a slash at the end."""
    scheme = given[: len(given) - len(_SCHEME.sub("", given))]
    rest = given[len(scheme) :]
    found: dict[str, None] = {}
    for begin in dict.fromkeys((scheme.lower() or "https://", "https://", "http://")):
        for end in (rest, rest.removesuffix("/") if rest.endswith("/") else f"{rest}/"):
            try:
                found[canonicalize(begin + end)] = None
            except UnusableUrl:
                continue
    return found


MAX_QUERY_TERMS = 64  # distinct terms that are ranked by; each costs the reading of its postings
MAX_PHRASES = 8  # quoted phrases
MAX_PHRASE_WORDS = 16
SHORT_QUESTION = 4  # words: so few are meant to the last one ("for loop", "try except finally")
_WORDED = {*RANKED, ClauseKind.TITLE, ClauseKind.ADDRESS, *(ClauseKind(field.value) for field in ADDED_FIELDS)}


@dataclass(frozen=True, slots=True)
class Query:
    """A query as it is understood."""

    text: str
    terms: tuple[Term, ...] = ()
    phrases: tuple[Phrase, ...] = ()  # pages with all of them come first
    conditions: tuple[Condition, ...] = ()  # all must hold
    sites: frozenset[str] = frozenset()  # as they were asked for, which the index may not have
    addresses: tuple[str, ...] = ()  # the question is the address of a page, which can be these
    options: tuple[str, ...] = ()  # words with a dash that exclude nothing: pages name options so
    unread: tuple[str, ...] = ()  # what is beyond a bound, and so not asked for

    @property
    def telling(self) -> tuple[Term, ...]:
        """The terms to rank by: without stop words, unless the question is short or there is nothing else.

        Ranking by stop words too, at a tenth of the weight, changed the figures of no collection by more than .005 and
        took three times as long: their postings are the longest of all.
        """
        return self.terms if len(self._places) <= SHORT_QUESTION else self.answering

    @property
    def words(self) -> float:
        """How long it is, in words; where words have no blanks between them, two characters stand for one."""
        return sum(0.5 if unspaced else 1.0 for unspaced in self._places.values())

    @property
    def _places(self) -> dict[int, bool]:
        """Where the question has a word, each with whether it is of a writing without blanks."""
        return {place: is_unspaced(term.word) for term in self.terms for place in term.places}

    @property
    def answering(self) -> tuple[Term, ...]:
        """The terms of which a page must have one: a stop word by itself brings up no page."""
        return tuple(term for term in self.terms if not term.stop) or self.terms

    @property
    def only_filters(self) -> bool:
        """Whether it asks for every page of which something holds, without any word."""
        return not self.terms and any(map(lists, self.conditions))

    @property
    def understood(self) -> str:
        """What more than plain words was read, in sentences; empty where there was nothing more."""
        return describe_query(self)


def parse_query(
    text: str, spoken: frozenset[str], *, lexicon: Lexicon = NO_LEXICON, **narrowing: Unpack[SearchFilters]
) -> Query:
    """Understand a query against an index whose pages are in the languages `spoken`."""
    read = clean_query(text)
    if addresses := pasted_urls(read, lexicon):
        return Query(read, conditions=(OneOf(URL, addresses),), addresses=addresses)
    clauses = tuple(_each_top(parse_clauses(read, lexicon.knows_option)))
    words = [leaf for clause in clauses for leaf in _wanted(clause)]
    quoted = [clause.text for clause in clauses if clause.kind is ClauseKind.PHRASE and not clause.minus]
    readings, heard = query_readings(words, spoken, lexicon)
    terms = query_terms(words, spoken, lexicon, heard)
    phrases = tuple(phrase for each in quoted if (phrase := phrase_of(each, spoken)).steps)
    demands = ConditionBuilder(partial(phrase_of, spoken=spoken), lexicon)
    narrowed = filter_clauses(narrowing)
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
        conditions=tuple(dict.fromkeys((*demands.of(clauses), *demands.of(narrowed)))),
        sites=frozenset(each.text.lower() for each in (*clauses, *narrowed) if _names_site(each)),
        options=tuple(leaf.text for leaf in words if leaf.option),
        unread=tuple(what for what, holds in (beyond | demands.beyond).items() if holds),
    )


def phrase_of(text: str, spoken: frozenset[str]) -> Phrase:
    """Return the words of a text in a row."""
    steps: list[tuple[int, Variants]] = []
    place = 0
    for raw in raw_tokens(text):
        taken = analyze_token(raw)
        steps += [(place + piece.offset, Variants.of(piece.text, spoken)) for piece in taken.row]
        place += taken.width
    return Phrase(text, tuple(steps[:MAX_PHRASE_WORDS]))


def _is_long(text: str) -> bool:
    return sum(len(analyze_token(raw).row) for raw in raw_tokens(text)) > MAX_PHRASE_WORDS


def _each_top(clauses: Iterable[Clause]) -> Iterator[Clause]:
    """Yield the clauses that stand by themselves: a group of them changes nothing, unless it has a minus."""
    for clause in clauses:
        if clause.kind is ClauseKind.ALL and not clause.minus:
            yield from _each_top(clause.parts)
        else:
            yield clause


def _wanted(clause: Clause) -> Iterator[Clause]:
    """Yield the words and phrases that pages are ranked by: those that no minus takes back."""
    if clause.minus:
        return
    for part in clause.parts:
        yield from _wanted(part)
    if clause.kind in _WORDED:
        yield clause


def _names_site(clause: Clause) -> bool:
    return clause.kind is ClauseKind.SITE and not clause.minus
