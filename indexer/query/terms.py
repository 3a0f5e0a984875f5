"""Which terms does a query rank by, and under which words does the index have each?

Each term comes once, with its weight and the reasons for it, and with its positions in the query. A search looks for
the term as typed, and for the words that share a form with it (words.py). The word
that two neighbours make together is another form of both: "filename" for "file name".
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Protocol

from indexer.analysis.tokenizer import analyze_token, raw_tokens
from indexer.analysis.words import FOLDED, forms_of, is_stop_word, is_unspaced, letters_of
from indexer.query.syntax import ClauseKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from indexer.query.lexicon import Lexicon
    from indexer.query.syntax import Clause

PHONETIC_WEIGHT = 0.1  # of a pair of kana that is matched by its sound; with .3, queries in kana alone lose .08 nDCG
PART_WEIGHT = 0.5  # of a part of an identifier; a typed term counts 1
MAX_COMPOUNDS = 16  # terms of a query that are checked for being compounds


class HasForms(Protocol):
    """A segment, or anything else that knows the words of a form."""

    def forms(self, form: str, /) -> tuple[str, ...]:
        """Return the words that have a form."""


@dataclass(frozen=True, slots=True)
class Variants:
    """The words under which the index may have a term: `exact` as typed, or with the typed prefix; and its forms."""

    exact: tuple[str, ...]
    forms: tuple[str, ...] = ()

    @classmethod
    def of(cls, word: str, languages: Collection[str]) -> Variants:
        """Return the variants of a lower-case word on pages in `languages`, or of unknown language."""
        return cls((word,), forms_of(word, {*languages, ""}))

    @property
    def keys(self) -> tuple[str, ...]:
        """The exact words and the forms: a word of a page matches if it or one of its forms is among them."""
        return (*self.exact, *self.forms)

    def words_in(self, file: HasForms) -> tuple[tuple[str, bool], ...]:
        """Return the matching words of a segment, the exact ones first, each with whether it is exact."""
        found = dict.fromkeys(self.exact, True)
        for form in self.forms:
            for word in (letters_of(form), *file.forms(form)):
                found.setdefault(word, False)
        return tuple(found.items())

    def matches_term(self, word: str, languages: Collection[str]) -> bool:
        """Return whether a word of a page in `languages` matches."""
        return word in self.exact or not set(self.forms).isdisjoint(forms_of(word, languages))


class SourceKind(Enum):
    """Why a query has a term; the value says it in words."""

    WORD = "for “{}”"  # a typed word or name, or two characters of a script without blanks
    PART = "for a part of “{}”"
    SPLIT = "for a part of “{}”, which no page has"
    SOUND = "for the sound of “{}”"
    READING = "for a reading of “{}”"


class TermSource(NamedTuple):
    """One reason why a query has a term: what it adds to the weight of the term, and where it was typed."""

    kind: SourceKind
    typed: str
    weight: float

    def __str__(self) -> str:
        return self.kind.value.format(self.typed)


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a query, and the words under which the index may have it."""

    text: str
    variants: Variants
    weight: float = 1.0  # the sum over its places in the query: 1 as typed, else PHONETIC_WEIGHT or PART_WEIGHT
    is_stop_word: bool = False
    positions: tuple[int, ...] = ()  # in the query; none for a term that shares the position of a part
    is_prefix: bool = False  # it matches all words that start so
    compound: str = ""  # the compound of which it is a part, and which no page has
    is_phonetic: bool = False  # it is matched by its sound; its written form hardly counts
    reading_of: str = ""  # the typed word of which it is a reading
    sources: tuple[TermSource, ...] = ()  # their weights add up to its weight

    @property
    def is_literal(self) -> bool:
        """Whether it was typed as it is: neither part of a compound nor a reading."""
        return not self.compound and not self.reading_of

    @property
    def weight_reason(self) -> str:
        """How its weight comes about, in words; "" for a word that was typed once."""
        if len(self.sources) == 1 and self.sources[0].kind is SourceKind.WORD:
            return ""
        counts = Counter(self.sources)
        return ", ".join(f"{f'{n} x ' if n > 1 else ''}{each.weight:g} {each}" for each, n in counts.items())


def query_terms(
    clauses: Iterable[Clause], languages: frozenset[str], lexicon: Lexicon, phonetic: frozenset[str] = frozenset()
) -> tuple[Term, ...]:
    """Return the terms of clauses without parts. Words that have one stem in all `languages` are one term.

    The texts in `phonetic` are matched by their sound: their written form hardly counts.
    """
    terms = list(_terms(clauses, languages, lexicon, phonetic))
    found: dict[tuple[str, ...], Term] = {}
    for term in _with_compounds(terms, languages, lexicon):
        stems = tuple(form for form in term.variants.forms if not form.startswith(FOLDED))
        key = stems or (term.text,)
        found[key] = _merged(found[key], term) if key in found else term
    joined = _joined_forms(terms, languages, lexicon)
    return tuple(_with_forms(term, joined) for term in found.values())


def _terms(
    clauses: Iterable[Clause], languages: frozenset[str], lexicon: Lexicon, phonetic: frozenset[str]
) -> Iterator[Term]:
    position = 0
    for clause in clauses:
        if clause.kind is ClauseKind.PREFIX:
            words = Variants(lexicon.expand_prefix(clause.text))
            word = TermSource(SourceKind.WORD, f"{clause.text}*", 1.0)
            yield Term(word.typed, words, word.weight, positions=(position,), is_prefix=True, sources=(word,))
            position += 1
            continue
        for raw in raw_tokens(clause.text):
            token = analyze_token(raw)
            longest = max((len(part.text) for part in token.parts), default=0)
            for part in token.parts:
                if part.overlaps and is_unspaced(part.text):
                    continue  # the index has single characters for queries of one character
                is_part = len(part.text) < longest and not is_unspaced(part.text)
                is_stop = is_stop_word(part.text, languages)
                is_phonetic = clause.text in phonetic
                positions = () if part.overlaps or is_phonetic else (position + part.offset,)
                weight = PHONETIC_WEIGHT if is_phonetic else PART_WEIGHT if is_part else 1.0
                is_whole = is_unspaced(part.text) or (not is_part and (part.overlaps or token.width == 1))
                kind = SourceKind.SOUND if is_phonetic else SourceKind.WORD if is_whole else SourceKind.PART
                source = TermSource(kind, raw, weight)
                variants = Variants.of(part.text, languages)
                yield Term(part.text, variants, weight, is_stop, positions, is_phonetic=is_phonetic, sources=(source,))
            position += token.width


def _with_compounds(terms: Iterable[Term], languages: frozenset[str], lexicon: Lexicon) -> Iterator[Term]:
    """Yield terms, and the parts of a compound that no page has."""
    for number, term in enumerate(terms):
        yield term
        if number >= MAX_COMPOUNDS or not term.positions or term.is_prefix or is_unspaced(term.text):
            continue
        for part in lexicon.compound_parts(term.variants):
            source = TermSource(SourceKind.SPLIT, term.text, 1.0)
            yield Term(part, Variants.of(part, languages), source.weight, compound=term.text, sources=(source,))


def _joined_forms(terms: Sequence[Term], languages: frozenset[str], lexicon: Lexicon) -> dict[str, list[str]]:
    """Return for each of two neighbours the forms of the joined word that pages write: "filename" for "file name"."""
    found: dict[str, list[str]] = {}
    placed = [term for term in terms[:MAX_COMPOUNDS] if term.positions and not term.is_prefix]
    for before, term in pairwise(placed):
        joined = before.text + term.text
        follows = before.positions[0] + 1 == term.positions[0] and not (before.is_stop_word or term.is_stop_word)
        if follows and joined.isalpha() and not is_unspaced(joined) and lexicon.has(joined):
            for part in (before, term):
                found.setdefault(part.text, []).extend(forms_of(joined, {*languages, ""}))
    return found


def _with_forms(term: Term, joined: Mapping[str, Sequence[str]]) -> Term:
    """Return a term with the forms of the joined words that have it."""
    forms = [form for word in term.variants.exact for form in joined.get(word, ())]
    return replace(term, variants=replace(term.variants, forms=(*term.variants.forms, *forms))) if forms else term


def _merged(first: Term, other: Term) -> Term:
    exact = tuple(dict.fromkeys((*first.variants.exact, *other.variants.exact)))
    return replace(
        first,
        variants=replace(first.variants, exact=exact),
        weight=first.weight + other.weight,
        positions=(*first.positions, *other.positions),
        sources=(*first.sources, *other.sources),
    )
