"""Was another word meant? Where no page has a word, or hardly any, and a word that is spelt nearly so has many.

Only words that people spell are looked at: not numbers, identifiers, options, filters or what stands in quotes, and no
pairs of Chinese or Japanese characters, which are near to hundreds of others by accident.

A word that no page has is put right, and the answer says so; but only where the question then finds pages that have
more of its words. A word that some pages have stays as it was typed: the answer then asks whether another one was
meant, if that stands on many times as many pages.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from indexer.analysis.scripts import Script, script_of
from indexer.spelling.term_list import MAX_WORD_CHARS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from indexer.spelling.term_list import TermList

LEAST_LETTERS = 4  # of a word that is corrected: of shorter ones, too many others are near
LEAST_FOR_TWO = 7  # letters of a word in which two slips are looked for
SAME_BEGINNING = 2  # letters that a word with two slips has right
MAX_ALPHABET = 128  # letters of one writing system that are tried at each place
MAX_COMPARED = 4_000  # words of a segment that are compared for two slips, those on most pages
PRIOR = 0.6  # how much it counts that a word is common: at 1, no rare word would ever be meant
# Natural logarithms of how likely a slip is, beside one letter that is missing or has moved.
WRONG_LETTER = -math.log(25)  # 25 others could stand there as well
DOUBLED = -0.5  # "datta", "runing": a letter twice or once
FIRST_LETTER = -0.7  # it is seldom wrong
ON_ONE_PAGE = -1.0  # a word that one page alone has may be a slip of its own
SECOND_SLIP = -4.0


def can_be_misspelt(word: str) -> bool:
    """Return whether a word is one that people spell: letters alone, of a writing system with blanks between words."""
    if not (LEAST_LETTERS <= len(word) <= MAX_WORD_CHARS and word.isalpha()):
        return False
    return word.isascii() or script_of(word) not in {Script.UNSPACED, Script.OTHER}


def suggest_similar(word: str, lists: Sequence[TermList]) -> list[tuple[str, int]]:
    """Return what a word in lower case may have been meant as, each with its pages, the likeliest first."""
    slips = edits1(word, _alphabet(word, lists))
    spellings = list(slips)
    pages = sum((known.pages_with(spellings).astype(np.int64) for known in lists), np.zeros(len(slips), np.int64))
    found = {spellings[place]: int(pages[place]) for place in np.flatnonzero(pages).tolist()}
    if not found and len(word) >= LEAST_FOR_TWO:
        slips, found = _two_slips(word, lists)
    likely = {other: slips[other] + _word_likelihood(count) for other, count in found.items()}
    return [(other, found[other]) for other in sorted(found, key=lambda other: (-likely[other], other))]


def _word_likelihood(pages: int) -> float:
    """Return how likely a word on so many pages was meant, as a logarithm beside a word on one."""
    return PRIOR * math.log(pages) if pages > 1 else ON_ONE_PAGE


def edits1(word: str, alphabet: str) -> dict[str, float]:
    """Return every spelling that is one slip away, with the logarithm of how likely that slip is."""
    found: dict[str, float] = {}
    for other, likelihood in _slips(word, alphabet):
        if other != word and likelihood > found.get(other, -math.inf):
            found[other] = likelihood
    return found


def _slips(word: str, alphabet: str) -> Iterator[tuple[str, float]]:
    for place in range(len(word) + 1):
        before, after = word[:place], word[place:]
        first = 0.0 if place else FIRST_LETTER
        for letter in alphabet:
            yield before + letter + after, first  # it was left out
            yield before + letter + after[1:], first + WRONG_LETTER
        if after:
            doubled = after[:1] == before[-1:]
            yield before + after[1:], first + (DOUBLED if doubled else WRONG_LETTER)  # it is too many
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:], first


def _alphabet(word: str, lists: Sequence[TermList]) -> str:
    """Return the letters that words of the same writing system have in the index."""
    script = script_of(word)
    letters = sorted({letter for known in lists for letter in known.letters if script_of(letter) is script})
    return "".join(letters[:MAX_ALPHABET])


def _two_slips(word: str, lists: Sequence[TermList]) -> tuple[dict[str, float], dict[str, int]]:
    """Return the words with the same beginning that are two slips away: how likely, and on how many pages."""
    likelihoods: dict[str, float] = {}
    pages: dict[str, int] = defaultdict(int)
    size = len(word.encode())
    for known in lists:
        places = known.beginning_with(word[:SAME_BEGINNING])
        others = known.of_size(places, range(size - 2, size + 3), MAX_COMPARED)
        near = [other for other, _, _ in extract(word, others, scorer=OSA.distance, score_cutoff=2, limit=None)]
        for other, count in zip(near, known.pages_with(near).tolist(), strict=True):
            likelihoods[other] = SECOND_SLIP
            pages[other] += count
    return likelihoods, pages


MAX_CORRECTED = 8  # words of one question that are looked at
RARE_PAGES = 3  # a word on more pages is no slip
FAR_COMMONER = 20  # times as many pages has what is asked for instead
# What people write: words between blanks or brackets, with the signs of a sentence around them.
_WRITTEN = re.compile(r"""(?<!\S)[("'“‘¿¡]*(?P<word>[^\W\d_]+)[)"'”’,.;:!?…]*(?!\S)""")  # noqa: RUF001
_QUOTED = re.compile(r'"[^"]*"?')


@dataclass(frozen=True, slots=True)
class Correction:
    """A word of a question, and the word of the index that may have been meant."""

    typed: str
    meant: str


@dataclass(frozen=True, slots=True)
class SpellingSuggestion:
    """A question with other words. `applied`: the results are those of this question, and not of the typed one."""

    question: str
    changes: tuple[Correction, ...]
    applied: bool

    def __str__(self) -> str:
        typed, meant = (
            ", ".join(f"“{word}”" for word in words)
            for words in zip(*((one.typed, one.meant) for one in self.changes), strict=True)
        )
        if self.applied:
            return f"No page has {typed}: read as {meant}."
        return f"Did you mean {self.question}?"


def suggest_spellings(
    question: str, lists: Callable[[], Sequence[TermList]], pages_with: Callable[[str], int]
) -> Iterator[SpellingSuggestion]:
    """Yield the questions that may have been meant, the best first.

    `pages_with` tells on how many pages a word stands in any of its forms; `lists` is asked where one is rare.
    """
    rare = [(found, pages) for found in _written_words(question) if (pages := pages_with(_normal(found))) <= RARE_PAGES]
    if not rare:
        return
    known = lists()
    missing: list[tuple[re.Match[str], str]] = []
    doubtful: list[tuple[re.Match[str], str]] = []
    for found, pages in rare[:MAX_CORRECTED]:
        meant = next(iter(suggest_similar(_normal(found), known)), None)
        if meant is not None and not pages:
            missing.append((found, meant[0]))
        elif meant is not None and meant[1] >= FAR_COMMONER * pages:
            doubtful.append((found, meant[0]))
    if missing:
        yield _changed(question, missing, applied=True)
    if missing or doubtful:
        yield _changed(question, [*missing, *doubtful], applied=False)


def _written_words(question: str) -> Iterator[re.Match[str]]:
    """Yield the words of a question that may be misspelt, where they stand."""
    quoted = [found.span() for found in _QUOTED.finditer(question)]
    for found in _WRITTEN.finditer(question):
        inside = any(start <= found.start("word") < end for start, end in quoted)
        if not inside and not _is_acronym(found["word"], question) and can_be_misspelt(_normal(found)):
            yield found


def _is_acronym(word: str, question: str) -> bool:
    return word.isupper() and not question.isupper()


def _normal(found: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", found["word"]).lower()


def _changed(question: str, changes: list[tuple[re.Match[str], str]], *, applied: bool) -> SpellingSuggestion:
    pieces, end = [], 0
    ordered = sorted(changes, key=lambda change: change[0].start("word"))
    for found, meant in ordered:
        pieces += [question[end : found.start("word")], meant]
        end = found.end("word")
    told = tuple(Correction(found["word"], meant) for found, meant in ordered)
    return SpellingSuggestion("".join([*pieces, question[end:]]), told, applied)
