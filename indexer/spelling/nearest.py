"""Which words of the index may a misspelt one have been meant as? Those one slip away, and of long words two.

A slip is a letter that is missing, is too many, is another one, or has changed places with its neighbour: four of five
misspellings have one (Damerau, "A technique for computer detection and correction of spelling errors", 1964). All
spellings that are one slip away are made and looked up at once (Norvig, "How to write a spelling corrector", 2007).
Two slips are looked for among the words with the same beginning, where hardly anybody slips.

Which of several was meant? The likelier word by the likelier slip (Kernighan, Church and Gale, "A spelling correction
program based on a noisy channel model", 1990). There are 25 wrong letters for each right one, so that a letter that is
missing or has moved says more about what was meant than one that is another.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from indexer.analysis.words import Script, script_of
from indexer.spelling.word_list import MAX_WORD_CHARS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.spelling.word_list import WordList

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


def nearest_words(word: str, lists: Sequence[WordList]) -> list[tuple[str, int]]:
    """Return what a word in lower case may have been meant as, each with its pages, the likeliest first."""
    slips = one_slip(word, _alphabet(word, lists))
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


def one_slip(word: str, alphabet: str) -> dict[str, float]:
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


def _alphabet(word: str, lists: Sequence[WordList]) -> str:
    """Return the letters that words of the same writing system have in the index."""
    script = script_of(word)
    letters = sorted({letter for known in lists for letter in known.letters if script_of(letter) is script})
    return "".join(letters[:MAX_ALPHABET])


def _two_slips(word: str, lists: Sequence[WordList]) -> tuple[dict[str, float], dict[str, int]]:
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
