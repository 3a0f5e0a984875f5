"""Is a word misspelt, and which word was meant? One that is spelt nearly so, and is on many more pages.

Only words that people spell are checked. Numbers, identifiers, options, filters and quoted text are not. Pairs of
Chinese or Japanese characters are not either: they are near to hundreds of others by accident.

It corrects a word that no page has, and the results say so. It does so only if the corrected query finds pages with
more of its words. A word that some pages have stays. The results then ask "Did you mean …?" if another word is on many
times as many pages.

**Candidates.** One edit is a missing letter, an extra letter, a wrong letter, or two neighbours swapped. Four of five
misspellings are one edit (Damerau, "A technique for computer detection and correction of spelling errors", 1964). All
spellings one edit away are made and looked up at once (Norvig, "How to write a spelling corrector", 2007). For long
words, candidates two edits away come from the words with the same prefix, where few people make mistakes.

**Ranking.** The likelier word by the likelier edit wins (Kernighan, Church and Gale, "A spelling correction program
based on a noisy channel model", 1990). There are 25 wrong letters for each right one. So a missing or moved letter says
more about the intended word than a wrong one.
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

MIN_LETTERS = 4  # of a corrected word: shorter words are near to too many others
MIN_LETTERS_FOR_TWO = 7  # of a word that may have two edits
SAME_PREFIX = 2  # first letters that a word with two edits has right
MAX_ALPHABET = 128  # letters of one script that are tried at each place
MAX_COMPARED = 4_000  # words of a segment that are compared for two edits, those on most pages
PRIOR = 0.6  # the weight of being common: at 1, no rare word would ever be meant
# Natural logarithms of the likelihood of an edit, relative to a missing or moved letter.
WRONG_LETTER = -math.log(25)  # 25 others could stand there as well
DOUBLED = -0.5  # "datta", "runing": a letter twice or once
FIRST_LETTER = -0.7  # it is rarely wrong
ON_ONE_PAGE = -1.0  # a word on one page only may be misspelt itself
SECOND_EDIT = -4.0


def can_be_misspelt(word: str) -> bool:
    """Return whether people spell this word: alphabetic, of a script with blanks between words."""
    if not (MIN_LETTERS <= len(word) <= MAX_WORD_CHARS and word.isalpha()):
        return False
    return word.isascii() or script_of(word) not in {Script.UNSPACED, Script.OTHER}


def suggest_similar(word: str, lists: Sequence[TermList]) -> list[tuple[str, int]]:
    """Return the words that a lower-case word may mean, each with its pages, the likeliest first."""
    edits = edits1(word, _alphabet(word, lists))
    spellings = list(edits)
    pages = sum((known.pages_with(spellings).astype(np.int64) for known in lists), np.zeros(len(edits), np.int64))
    found = {spellings[place]: int(pages[place]) for place in np.flatnonzero(pages).tolist()}
    if not found and len(word) >= MIN_LETTERS_FOR_TWO:
        edits, found = _two_edits(word, lists)
    likely = {other: edits[other] + _word_likelihood(count) for other, count in found.items()}
    return [(other, found[other]) for other in sorted(found, key=lambda other: (-likely[other], other))]


def _word_likelihood(pages: int) -> float:
    """Return the log-likelihood that a word on so many pages was meant."""
    return PRIOR * math.log(pages) if pages > 1 else ON_ONE_PAGE


def edits1(word: str, alphabet: str) -> dict[str, float]:
    """Return every spelling that is one edit away, with the log-likelihood of that edit."""
    found: dict[str, float] = {}
    for other, likelihood in _edits(word, alphabet):
        if other != word and likelihood > found.get(other, -math.inf):
            found[other] = likelihood
    return found


def _edits(word: str, alphabet: str) -> Iterator[tuple[str, float]]:
    for place in range(len(word) + 1):
        before, after = word[:place], word[place:]
        first = 0.0 if place else FIRST_LETTER
        for letter in alphabet:
            yield before + letter + after, first  # a missing letter
            yield before + letter + after[1:], first + WRONG_LETTER
        if after:
            doubled = after[:1] == before[-1:]
            yield before + after[1:], first + (DOUBLED if doubled else WRONG_LETTER)  # an extra letter
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:], first


def _alphabet(word: str, lists: Sequence[TermList]) -> str:
    """Return the alphabet of the index in the script of a word."""
    script = script_of(word)
    letters = sorted({letter for known in lists for letter in known.letters if script_of(letter) is script})
    return "".join(letters[:MAX_ALPHABET])


def _two_edits(word: str, lists: Sequence[TermList]) -> tuple[dict[str, float], dict[str, int]]:
    """Return the words with the same prefix that are two edits away: their log-likelihoods and their pages."""
    likelihoods: dict[str, float] = {}
    pages: dict[str, int] = defaultdict(int)
    size = len(word.encode())
    for known in lists:
        places = known.with_prefix(word[:SAME_PREFIX])
        others = known.of_size(places, range(size - 2, size + 3), MAX_COMPARED)
        near = [other for other, _, _ in extract(word, others, scorer=OSA.distance, score_cutoff=2, limit=None)]
        for other, count in zip(near, known.pages_with(near).tolist(), strict=True):
            likelihoods[other] = SECOND_EDIT
            pages[other] += count
    return likelihoods, pages


MAX_CHECKED = 8  # words of one query
RARE_PAGES = 3  # a word on more pages is spelt right
FAR_COMMONER = 20  # the suggested word is on so many times as many pages
# Words as people write them: between blanks or brackets, with punctuation around them.
_WRITTEN = re.compile(r"""(?<!\S)[("'“‘¿¡]*(?P<word>[^\W\d_]+)[)"'”’,.;:!?…]*(?!\S)""")  # noqa: RUF001
_QUOTED = re.compile(r'"[^"]*"?')


@dataclass(frozen=True, slots=True)
class Correction:
    """A word of a query, and the word of the index that may have been meant."""

    typed: str
    meant: str


@dataclass(frozen=True, slots=True)
class SpellingSuggestion:
    """A query with corrected words. `applied`: the results are those of this query, not of the typed one."""

    query: str
    changes: tuple[Correction, ...]
    applied: bool

    def __str__(self) -> str:
        typed, meant = (
            ", ".join(f"“{word}”" for word in words)
            for words in zip(*((one.typed, one.meant) for one in self.changes), strict=True)
        )
        if self.applied:
            return f"No page has {typed}: read as {meant}."
        return f"Did you mean {self.query}?"


def suggest_spellings(
    query: str, lists: Callable[[], Sequence[TermList]], pages_with: Callable[[str], int]
) -> Iterator[SpellingSuggestion]:
    """Yield the queries that may have been meant, the best first.

    `pages_with` returns the number of pages with any form of a word; `lists` is called only if a word is rare.
    """
    rare = [(found, pages) for found in _written_words(query) if (pages := pages_with(_normal(found))) <= RARE_PAGES]
    if not rare:
        return
    known = lists()
    missing: list[tuple[re.Match[str], str]] = []
    doubtful: list[tuple[re.Match[str], str]] = []
    for found, pages in rare[:MAX_CHECKED]:
        meant = next(iter(suggest_similar(_normal(found), known)), None)
        if meant is not None and not pages:
            missing.append((found, meant[0]))
        elif meant is not None and meant[1] >= FAR_COMMONER * pages:
            doubtful.append((found, meant[0]))
    if missing:
        yield _changed(query, missing, applied=True)
    if missing or doubtful:
        yield _changed(query, [*missing, *doubtful], applied=False)


def _written_words(query: str) -> Iterator[re.Match[str]]:
    """Yield the matches of words in a query that may be misspelt."""
    quoted = [found.span() for found in _QUOTED.finditer(query)]
    for found in _WRITTEN.finditer(query):
        inside = any(start <= found.start("word") < end for start, end in quoted)
        if not inside and not _is_acronym(found["word"], query) and can_be_misspelt(_normal(found)):
            yield found


def _is_acronym(word: str, query: str) -> bool:
    return word.isupper() and not query.isupper()


def _normal(found: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", found["word"]).lower()


def _changed(query: str, changes: list[tuple[re.Match[str], str]], *, applied: bool) -> SpellingSuggestion:
    pieces, end = [], 0
    ordered = sorted(changes, key=lambda change: change[0].start("word"))
    for found, meant in ordered:
        pieces += [query[end : found.start("word")], meant]
        end = found.end("word")
    corrections = tuple(Correction(found["word"], meant) for found, meant in ordered)
    return SpellingSuggestion("".join([*pieces, query[end:]]), corrections, applied)
