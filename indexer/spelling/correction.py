"""Was another word meant? Where no page has a word, or hardly any, and a word that is spelt nearly so has many.

Only words that people spell are looked at: not numbers, identifiers, options, filters or what stands in quotes, and no
pairs of Chinese or Japanese characters, which are near to hundreds of others by accident.

A word that no page has is put right, and the answer says so; but only where the question then finds pages that have
more of its words. A word that some pages have stays as it was typed: the answer then asks whether another one was
meant, if that stands on many times as many pages.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.spelling.nearest import can_be_misspelt, nearest_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from indexer.spelling.word_list import WordList

MAX_CORRECTED = 8  # words of one question that are looked at
RARE_PAGES = 3  # a word on more pages is no slip
FAR_COMMONER = 20  # times as many pages has what is asked for instead
# What people write: words between blanks or brackets, with the signs of a sentence around them.
_WRITTEN = re.compile(r"""(?<!\S)[("'“‘¿¡]*(?P<word>[^\W\d_]+)[)"'”’,.;:!?…]*(?!\S)""")  # noqa: RUF001
_QUOTED = re.compile(r'"[^"]*"?')


@dataclass(frozen=True, slots=True)
class ReadWord:
    """A word of a question, and the word of the index that may have been meant."""

    typed: str
    meant: str


@dataclass(frozen=True, slots=True)
class Spelling:
    """A question with other words. `applied`: the results are those of this question, and not of the typed one."""

    question: str
    changes: tuple[ReadWord, ...]
    applied: bool

    def __str__(self) -> str:
        typed, meant = (
            ", ".join(f"“{word}”" for word in words)
            for words in zip(*((one.typed, one.meant) for one in self.changes), strict=True)
        )
        if self.applied:
            return f"No page has {typed}: read as {meant}."
        return f"Did you mean {self.question}?"


def respelt(
    question: str, lists: Callable[[], Sequence[WordList]], pages_with: Callable[[str], int]
) -> Iterator[Spelling]:
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
        meant = next(iter(nearest_words(_normal(found), known)), None)
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


def _changed(question: str, changes: list[tuple[re.Match[str], str]], *, applied: bool) -> Spelling:
    pieces, end = [], 0
    ordered = sorted(changes, key=lambda change: change[0].start("word"))
    for found, meant in ordered:
        pieces += [question[end : found.start("word")], meant]
        end = found.end("word")
    told = tuple(ReadWord(found["word"], meant) for found, meant in ordered)
    return Spelling("".join([*pieces, question[end:]]), told, applied)
