"""Is a word misspelt, and which word was meant? One that is spelt nearly so, and is on many more pages.

Words, names (`select_related`, `os.path.join`) and options (`--amend`) are checked. Numbers, filters and quoted text
are not. Pairs of Chinese or Japanese characters are not either: they are near to hundreds of others by accident.

It corrects a word that no page has, and the results say so. It does so only if the corrected query finds pages with
more of its words. A word that some pages have stays. The results then ask "Did you mean …?" if another word with the
same first letter is on many times as many pages. A name that a page has is right.

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
from collections import Counter
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from indexer.analysis.tokenizer import MAX_JOINED, analyze_token, raw_tokens
from indexer.analysis.words import HYPHENS, Script, alphabet_of, is_stop_word, is_unspaced, script_of
from indexer.spelling.term_list import MAX_WORD_CHARS
from urls.canonical import host_of_site

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from indexer.query.deadline import Deadline
    from indexer.spelling.term_list import KnownTerms
    from indexer.spelling.usage import WordUsage

SHORTEST = 2  # letters of a word that is ever suggested
MIN_LETTERS = 4  # of a word that is likely by itself; a shorter one is near to too many others
MIN_LETTERS_FOR_TWO = 7  # of a word that may have two edits
SAME_PREFIX = 2  # first letters that a word with two edits has right
MAX_COMPARED = 4_000  # words of a segment that are compared for two edits, those on most pages
PRIOR = 0.6  # the weight of being common: at 1, no rare word would ever be meant
# Natural logarithms of the likelihood of an edit, relative to a missing or moved letter.
WRONG_LETTER = -math.log(25)  # 25 others could stand there as well
DOUBLED = -0.5  # "datta", "runing": a letter twice or once
FIRST_LETTER = -0.7  # it is rarely wrong
ON_ONE_PAGE = -1.0  # a word on one page only may be misspelt itself
SECOND_EDIT = -4.0
_SIGNS = "._-"  # inside names and options
_NAME = re.compile(rf"(?:--)?[a-z][a-z0-9]*(?:[{_SIGNS}][a-z0-9]+)*\Z")


def can_be_misspelt(word: str) -> bool:
    """Return whether people spell this lower-case word: letters of a script with blanks between words, or a name."""
    if not SHORTEST <= len(word) <= MAX_WORD_CHARS:
        return False
    if word.isalpha():
        return word.isascii() or script_of(word) not in {Script.UNSPACED, Script.OTHER}
    return not word.isalnum() and _NAME.match(word) is not None


class SimilarWord(NamedTuple):
    """A word of the index that may have been meant: how likely (a logarithm), and on how many pages it is."""

    likelihood: float
    word: str
    pages: int


def suggest_similar(word: str, lists: Sequence[KnownTerms]) -> list[SimilarWord]:
    """Return the words that a lower-case word may mean, the likeliest first. Numbers in a name stay as they are."""
    edits = edits1(word, alphabet_of(script_of(word)) + ("" if word.isalpha() else _SIGNS))
    spellings = sorted(edits)
    found: Counter[str] = Counter()
    for known in lists:
        found.update(known.pages_with(spellings))
    if not found and len(word) >= MIN_LETTERS_FOR_TWO:
        edits, found = _two_edits(word, lists)
    numbers = _digits(word)
    each = [
        SimilarWord(edits[other] + _word_likelihood(count), other, count)
        for other, count in found.items()
        if _digits(other) == numbers
    ]
    return sorted(each, key=lambda one: (-one.likelihood, one.word))


def _digits(word: str) -> str:
    return "" if word.isalpha() else "".join(filter(str.isdigit, word))


def _word_likelihood(pages: int) -> float:
    """Return the log-likelihood that a word on so many pages was meant."""
    return PRIOR * math.log(pages) if pages > 1 else ON_ONE_PAGE


def edits1(word: str, alphabet: str) -> dict[str, float]:
    """Return every spelling that is one edit away, with the log-likelihood of that edit."""
    found: dict[str, float] = {}  # where several edits make a spelling, the last one is the likeliest
    for place in range(len(word) + 1):
        before, after = word[:place], word[place:]
        first = 0.0 if place else FIRST_LETTER
        if after:
            found |= dict.fromkeys([before + letter + after[1:] for letter in alphabet], first + WRONG_LETTER)
            found[before + after[1:]] = first + (DOUBLED if after[0] == before[-1:] else WRONG_LETTER)  # an extra one
        if len(after) > 1:
            found[before + after[1] + after[0] + after[2:]] = first
        found |= dict.fromkeys([before + letter + after for letter in alphabet], first)  # a missing letter
    found.pop(word, None)
    return found


def _two_edits(word: str, lists: Sequence[KnownTerms]) -> tuple[dict[str, float], Counter[str]]:
    """Return the words with the same prefix that are two edits away: their log-likelihoods and their pages."""
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - few queries need it, and every search would import it
    from rapidfuzz.process import extract  # noqa: PLC0415 - the same

    pages: Counter[str] = Counter()
    size = len(word.encode())
    for known in lists:
        others = known.of_size(word[:SAME_PREFIX], range(size - 2, size + 3), MAX_COMPARED)
        near = extract(word, others, scorer=OSA.distance, score_cutoff=2, limit=None)
        pages.update(known.pages_with(sorted(other for other, _, _ in near)))
    return dict.fromkeys(pages, SECOND_EDIT), pages


MAX_CHECKED = 8  # words of one query
RARE_PAGES = 3  # a word on more pages is spelt right
FAR_COMMONER = 20  # the suggested word is on so many times as many pages
MAX_CANDIDATES = 8  # of a word, the likeliest
LEAST_TOGETHER = 2  # times that a short word must stand next to a neighbour
# Words as people write them: between blanks or brackets, with punctuation around them.
_LEFT, _RIGHT = r"""(?<!\S)[("'“‘¿¡]*""", r"""[()"'”’,.;:!?…]*(?!\S)"""  # noqa: RUF001
_WRITTEN = re.compile(rf"{_LEFT}(?P<word>(?:--)?[^\W\d_](?:[\w.{HYPHENS}]*\w)?){_RIGHT}")
_QUOTED = re.compile(r'"[^"]*"?')
_HYPHENATED = re.compile(rf"[^\W\d_]+(?:[{HYPHENS}][^\W\d_]+)+\Z")
_LETTERS, _ALL = re.compile(r"[^\W\d_]+"), re.compile(r".+")


@dataclass(frozen=True, slots=True)
class Correction:
    """A word of a query, and the word of the index that may have been meant, as pages spell it."""

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


class _Written(NamedTuple):
    """A word of a query that may be misspelt, from `start` to `end`, and the name of which it is a part, or itself."""

    start: int
    end: int
    term: str
    name: str


def suggest_spellings(
    query: str,
    lists: Callable[[], Sequence[KnownTerms]],
    pages_with: Callable[[str], int],
    usage: Callable[[], WordUsage],
) -> Iterator[SpellingSuggestion]:
    """Yield the queries that may have been meant, the best first.

    `pages_with` returns the number of pages with any form of a word. Only if a word is rare, `lists` and `usage` are
    called.
    """
    each = ((written, max(map(pages_with, {written.term, written.name}))) for written in _written_words(query))
    rare = [(written, pages) for written, pages in each if pages <= RARE_PAGES]
    if not rare:
        return
    known, used = lists(), usage()
    missing: list[tuple[_Written, str]] = []
    doubtful: list[tuple[_Written, str]] = []
    for written, pages in rare[:MAX_CHECKED]:
        around = _neighbours(query, written)
        meant = _meant(written.term, pages, around, known, used)
        if meant:
            (doubtful if pages else missing).append((written, meant))
    if missing:
        yield _changed(query, missing, applied=True)
    if missing or doubtful:
        yield _changed(query, [*missing, *doubtful], applied=False)


def _meant(
    typed: str, pages: int, around: tuple[str, str], known: Sequence[KnownTerms], usage: WordUsage
) -> str | None:
    """Return the likeliest word, spelt as on a page; None if there is none that pages may show."""
    likely: list[tuple[float, str]] = []
    for likelihood, word, count in suggest_similar(typed, known)[: 1 if pages else MAX_CANDIDATES]:
        if pages and not ((typed + word).isalpha() and word[0] == typed[0] and count >= FAR_COMMONER * pages):
            continue
        together = _together(word, around, usage)
        if min(len(typed), len(word)) >= MIN_LETTERS or together >= LEAST_TOGETHER:
            likely.append((-likelihood - math.log1p(together), word))
    spelt = ((word, usage.spelling(word)) for _, word in sorted(likely))
    return next((as_typed(word, spelling) for word, spelling in spelt if spelling), None)


def _together(word: str, around: tuple[str, str], usage: WordUsage) -> int:
    """Return how often a word stands behind or before its neighbours in a query; "": it has none there."""
    before, after = around
    return (usage.together([before, word]) if before else 0) + (usage.together([word, after]) if after else 0)


def as_typed(word: str, spelling: str) -> str:
    """Return the spelling of a name; a plain word stays in lower case, as a capital may only begin a sentence."""
    plain = spelling.isalpha() and (spelling.istitle() or spelling.isupper())
    return word if plain else spelling


def _neighbours(query: str, written: _Written) -> tuple[str, str]:
    """Return the terms directly before and after a word of a query; "": none, or a stop word."""
    before = [part.text for raw in raw_tokens(query[: written.start])[-1:] for part in analyze_token(raw).sequence]
    after = [part.text for raw in raw_tokens(query[written.end :])[:1] for part in analyze_token(raw).sequence]
    each = next(reversed(before), ""), next(iter(after), "")
    first, last = ("" if is_stop_word(word, frozenset()) else word for word in each)
    return first, last


def whole_words(query: str) -> set[str]:
    """Return the terms for the words of a query, each name as a whole."""
    tokens = [analyze_token(raw).parts for raw in raw_tokens(query)]
    longest = [max(map(len, (part.text for part in parts)), default=0) for parts in tokens]
    return {
        part.text
        for parts, most in zip(tokens, longest, strict=True)
        for part in parts
        if len(part.text) == most or is_unspaced(part.text)
    }


def _written_words(query: str) -> Iterator[_Written]:
    """Yield the words of a query that may be misspelt; those of a hyphenated one are words by themselves."""
    quoted = [found.span() for found in _QUOTED.finditer(query)]
    for found in _WRITTEN.finditer(query):
        text, first = found["word"], found.start("word")
        if any(start <= first < end for start, end in quoted) or _is_acronym(text, query):
            continue
        pieces = _LETTERS if _HYPHENATED.match(text) else _ALL
        terms = [normal(piece[0]) for piece in pieces.finditer(text)]
        name = "".join(terms) if len(terms) <= MAX_JOINED else terms[0]
        for term, piece in zip(terms, pieces.finditer(text), strict=True):
            if len(term) > SHORTEST and can_be_misspelt(term):
                yield _Written(first + piece.start(), first + piece.end(), term, name)


def _is_acronym(word: str, query: str) -> bool:
    return word.isalpha() and word.isupper() and not query.isupper()


def normal(word: str) -> str:
    """Return a word as the index has it: in lower case, with one form for each character."""
    return unicodedata.normalize("NFKC", word).lower()


def _changed(query: str, changes: list[tuple[_Written, str]], *, applied: bool) -> SpellingSuggestion:
    pieces, end = [], 0
    ordered = sorted(changes)
    for written, meant in ordered:
        pieces += [query[end : written.start], meant]
        end = written.end
    corrections = tuple(Correction(query[written.start : written.end], meant) for written, meant in ordered)
    return SpellingSuggestion("".join([*pieces, query[end:]]), corrections, applied)


MAX_SITES = 3  # sites for an unknown one
MAX_COMPARED_SITES = 10_000  # sites whose spelling is compared; of further ones only the hosts


def suggest_sites(asked: Collection[str], known: Sequence[str], deadline: Deadline) -> tuple[str, ...]:
    """Return those of the `known` sites that are similar to those of `asked` that are not known."""
    found: list[str] = []
    for name in sorted(asked)[:MAX_SITES]:
        if deadline.passed("sites that may be meant"):
            break
        site = (name.partition("://")[2] or name).partition("/")[0]
        if name in known:
            continue
        near = [site] if site in known else [other for other in known if host_of_site(other) == host_of_site(site)]
        found += (near or get_close_matches(site, known[:MAX_COMPARED_SITES], MAX_SITES))[:MAX_SITES]
    return tuple(dict.fromkeys(found))
