"""Which words is a question ranked by? Each once, with how often it was asked for and where it stands there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from indexer.analysis.forms import FOLDED
from indexer.analysis.stopwords import is_stop_word
from indexer.analysis.tokens import Piece, cut_token, raw_tokens
from indexer.analysis.words import is_unspaced
from indexer.question.clauses import ClauseKind
from indexer.question.variants import Variants

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from indexer.question.clauses import Clause
    from indexer.question.vocabulary import Vocabulary

PART_WEIGHT = 0.5  # of a part of an identifier; the whole, which is what was asked for, counts 1


@dataclass(frozen=True, slots=True)
class Term:
    """A word of a question, and how the index may have it."""

    word: str
    variants: Variants
    weight: float = 1.0  # how often it was asked for
    stop: bool = False
    places: tuple[int, ...] = ()  # where in the question, in positions; none for what shares the place of a part
    is_beginning: bool = False  # the words that begin so are asked for


def asked_terms(clauses: Iterable[Clause], spoken: frozenset[str], vocabulary: Vocabulary) -> tuple[Term, ...]:
    """Return the terms of clauses without parts; words that have one stem in all languages `spoken` are one term."""
    found: dict[tuple[str, ...], Term] = {}
    for term in _each(clauses, spoken, vocabulary):
        stems = tuple(form for form in term.variants.forms if not form.startswith(FOLDED))
        key = stems or (term.word,)
        found[key] = _joined(found[key], term) if key in found else term
    return tuple(found.values())


def _each(clauses: Iterable[Clause], spoken: frozenset[str], vocabulary: Vocabulary) -> Iterator[Term]:
    place = 0
    for clause in clauses:
        if clause.kind is ClauseKind.BEGINNING:
            words = Variants(vocabulary.beginning(clause.text))
            yield Term(f"{clause.text}*", words, places=(place,), is_beginning=True)
            place += 1
            continue
        for raw in raw_tokens(clause.text):
            taken = cut_token(raw)
            for piece in taken.pieces:
                if piece.over and is_unspaced(piece.text):
                    continue  # the single characters of a run stand in the index for questions of one character
                weight = PART_WEIGHT if _is_part(piece, taken.pieces) else 1.0
                stop = is_stop_word(piece.text, spoken)
                places = () if piece.over else (place + piece.offset,)
                yield Term(piece.text, Variants.of(piece.text, spoken), weight, stop, places)
            place += taken.width


def _is_part(piece: Piece, pieces: tuple[Piece, ...]) -> bool:
    longest = max(len(other.text) for other in pieces)
    return not is_unspaced(piece.text) and len(piece.text) < longest


def _joined(first: Term, other: Term) -> Term:
    exact = tuple(dict.fromkeys((*first.variants.exact, *other.variants.exact)))
    return replace(
        first,
        variants=replace(first.variants, exact=exact),
        weight=first.weight + other.weight,
        places=(*first.places, *other.places),
    )
