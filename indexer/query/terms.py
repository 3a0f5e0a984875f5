"""Which words is a question ranked by? Each once, with its weight and where it stands there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from indexer.analysis.stemming import FOLDED, forms_of, letters_of
from indexer.analysis.stopwords import is_stop_word
from indexer.analysis.tokenizer import analyze_token, is_unspaced, raw_tokens
from indexer.query.syntax import ClauseKind

if TYPE_CHECKING:
    from collections.abc import Collection

    class HasForms(Protocol):
        """A segment, or whatever else knows the words of a form."""

        def forms(self, form: str, /) -> tuple[str, ...]:
            """Return the words that have a form."""

    from collections.abc import Iterable, Iterator

    from indexer.query.lexicon import Lexicon
    from indexer.query.syntax import Clause


@dataclass(frozen=True, slots=True)
class Variants:
    """A word of a question as the index may have it: `exact` as it was typed, or what begins so; and its forms."""

    exact: tuple[str, ...]
    forms: tuple[str, ...] = ()

    @classmethod
    def of(cls, word: str, languages: Collection[str]) -> Variants:
        """Return the variants of a lower-case word, asked of pages in `languages`, or in a language not known."""
        return cls((word,), forms_of(word, {*languages, ""}))

    @property
    def wanted(self) -> tuple[str, ...]:
        """What a word of a page and its forms are compared with, to be marked."""
        return (*self.exact, *self.forms)

    def words_in(self, file: HasForms) -> tuple[tuple[str, bool], ...]:
        """Return the words of a segment that may stand for it, each with whether it is exact; the exact ones first."""
        found = dict.fromkeys(self.exact, True)
        for form in self.forms:
            for word in (letters_of(form), *file.forms(form)):
                found.setdefault(word, False)
        return tuple(found.items())

    def matches_term(self, word: str, languages: Collection[str]) -> bool:
        """Return whether a word of a page in `languages` may stand for it."""
        return word in self.exact or not set(self.forms).isdisjoint(forms_of(word, languages))


PHONETIC_WEIGHT = 0.1  # of a pair of kana that were understood by their sound; with .3 questions in kana alone lose .08
PART_WEIGHT = 0.5  # of a part of an identifier, and of two neighbours as one word; what was typed counts 1
MAX_COMPOUNDS = 16  # terms of a question that are looked at as compounds


@dataclass(frozen=True, slots=True)
class Term:
    """A word of a question, and how the index may have it."""

    word: str
    variants: Variants
    weight: float = 1.0  # 1 each time it is a word of the question, else PHONETIC_WEIGHT or PART_WEIGHT; added up
    stop: bool = False
    places: tuple[int, ...] = ()  # where in the question, in positions; none for what shares the place of a part
    is_prefix: bool = False  # the words that begin so are asked for
    compound: str = ""  # which no page has, and of which this is a part
    is_phonetic: bool = False  # it was understood by its sound: as it is written it hardly counts
    joined_from: tuple[str, ...] = ()  # it is these two neighbours, written as one word
    read_from: str = ""  # it is a reading, of this word as it was typed

    @property
    def is_literal(self) -> bool:
        """Whether it was asked for as it is: neither part of a compound nor a reading."""
        return not self.compound and not self.read_from


def query_terms(
    clauses: Iterable[Clause], spoken: frozenset[str], lexicon: Lexicon, heard: frozenset[str] = frozenset()
) -> tuple[Term, ...]:
    """Return the terms of clauses without parts; words that have one stem in all languages `spoken` are one term.

    The texts `heard` were understood by their sound: as they are written they hardly count.
    """
    found: dict[tuple[str, ...], Term] = {}
    for term in _with_compounds(_each(clauses, spoken, lexicon, heard), spoken, lexicon):
        stems = tuple(form for form in term.variants.forms if not form.startswith(FOLDED))
        key = stems or (term.word,)
        found[key] = _joined(found[key], term) if key in found else term
    return tuple(found.values())


def _each(clauses: Iterable[Clause], spoken: frozenset[str], lexicon: Lexicon, heard: frozenset[str]) -> Iterator[Term]:
    place = 0
    for clause in clauses:
        if clause.kind is ClauseKind.BEGINNING:
            words = Variants(lexicon.beginning(clause.text))
            yield Term(f"{clause.text}*", words, places=(place,), is_prefix=True)
            place += 1
            continue
        for raw in raw_tokens(clause.text):
            taken = analyze_token(raw)
            longest = max((len(piece.text) for piece in taken.pieces), default=0)
            for piece in taken.pieces:
                if piece.over and is_unspaced(piece.text):
                    continue  # the single characters of a run stand in the index for questions of one character
                is_part = len(piece.text) < longest and not is_unspaced(piece.text)
                stop = is_stop_word(piece.text, spoken)
                is_phonetic = clause.text in heard
                places = () if piece.over or is_phonetic else (place + piece.offset,)
                weight = PHONETIC_WEIGHT if is_phonetic else PART_WEIGHT if is_part else 1.0
                yield Term(piece.text, Variants.of(piece.text, spoken), weight, stop, places, is_phonetic=is_phonetic)
            place += taken.width


def _with_compounds(terms: Iterable[Term], spoken: frozenset[str], lexicon: Lexicon) -> Iterator[Term]:
    """Yield terms; of a compound that no page has its parts too, of two neighbours the word that pages write as one."""
    before: Term | None = None
    for number, term in enumerate(terms):
        yield term
        if number >= MAX_COMPOUNDS or not term.places or term.is_prefix or is_unspaced(term.word):
            continue
        for part in lexicon.compound_parts(term.variants):
            yield Term(part, Variants.of(part, spoken), stop=False, compound=term.word)
        follows = before is not None and before.places[0] + 1 == term.places[0]
        joined = before.word + term.word if before and follows else ""
        if before and joined.isalpha() and not before.stop and not term.stop and lexicon.has(joined):
            yield Term(joined, Variants.of(joined, spoken), PART_WEIGHT, joined_from=(before.word, term.word))
        before = term


def _joined(first: Term, other: Term) -> Term:
    exact = tuple(dict.fromkeys((*first.variants.exact, *other.variants.exact)))
    return replace(
        first,
        variants=replace(first.variants, exact=exact),
        weight=first.weight + other.weight,
        places=(*first.places, *other.places),
    )
