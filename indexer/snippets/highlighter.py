"""Where in a text are the terms of a query? In all forms in which the index finds them.

It tokenizes a text as the index does: a query for "run" marks "running", one for "join" all of `os.path.join`, and a
pair of Japanese characters is marked inside its run. Each distinct token is looked up once.

Most of a text has none of the terms. Where these are known beforehand, it tokenizes only some pieces between two
blanks: those with the characters of a term, with a hyphen, or with a character beyond ASCII. That suffices, since the
tokenizer makes words of an ASCII token by removing characters at its ends, splitting it, or leaving out its hyphens.

The index has only the reading of a word, not where 東京 is in the text. A reader finds that by reading again the few
passages that are candidates for a snippet, never a whole page.
"""

from __future__ import annotations

import re
from functools import lru_cache
from heapq import merge
from typing import TYPE_CHECKING, NamedTuple

from indexer.analysis.readings import READING_MARK
from indexer.analysis.tokenizer import cached_terms
from indexer.analysis.words import TOKEN_PATTERN, is_unspaced
from indexer.query.parser import parse_query

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from indexer.analysis.readings import WordReader

TextSpan = tuple[int, int]
SHORT_TEXT = 80  # characters; up to here, searching for letters takes longer than tokenizing
MAX_SEARCHED_TERMS = 60  # with more, as for compil*, searching for letters takes longer too
NON_ASCII_SHARE = 25  # a text with more than one such letter in so many is tokenized as a whole
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_WORD_START = re.compile(r"[ \n][A-Za-z0-9]")  # what begins so takes up a position


class TermMatch(NamedTuple):
    """A match in a text: its span, the query terms that it matches, its position and its width in positions."""

    span: TextSpan
    words: tuple[str, ...]
    position: int
    width: int


class Highlighter:
    """Finds query terms in texts; `lookup` returns the query term that a word of the index matches, or None.

    `words` are all words that match, if they are known; without them `skim` reads everything.
    """

    def __init__(self, lookup: Callable[[str], str | None], words: Collection[str] = ()) -> None:
        self._lookup = lookup
        self._known: dict[str, tuple[tuple[str, ...], int]] = {}  # of a token: its query terms and its width
        self._letters: tuple[str, ...] = ()  # a piece without any of these has no match
        if 0 < len(words) <= MAX_SEARCHED_TERMS and min(map(len, words)) > 1:  # a single letter is everywhere
            self._letters = (*filter(str.isascii, words), "-")

    def find(self, text: str, start: int = 0, end: int | None = None) -> Iterator[TermMatch]:
        """Yield the matches from `start` to `end`, in text order; positions count from `start`."""
        return self._find_in(text, [(start, len(text) if end is None else end)])

    def skim(self, text: str, start: int = 0, end: int | None = None) -> Iterator[TermMatch]:
        """Yield the same matches, faster; their positions only show which words are neighbours."""
        return self._find_in(text, self._pieces(text, start, len(text) if end is None else end))

    def _pieces(self, text: str, start: int, end: int) -> list[TextSpan]:
        """Return the pieces between two blanks that may have a match, in text order."""
        lower = text[start:end].lower() if self._letters and end - start > SHORT_TEXT else ""
        if len(lower) != end - start:  # a letter may become two
            return [(start, end)]
        beyond = [] if lower.isascii() else [found.start() for found in _NON_ASCII.finditer(lower)]
        if len(beyond) * NON_ASCII_SHARE > len(lower):
            return [(start, end)]
        lower = lower.replace("\n", " ") + " "
        pieces = {(lower.rfind(" ", 0, at) + 1, lower.find(" ", at)) for at in beyond}
        for letters in self._letters:
            at = lower.find(letters)
            while at >= 0:
                stop = lower.find(" ", at)
                pieces.add((lower.rfind(" ", 0, at) + 1, stop))
                at = lower.find(letters, stop)
        return [(start + begin, start + stop) for begin, stop in sorted(pieces)]

    def _find_in(self, text: str, pieces: Iterable[TextSpan]) -> Iterator[TermMatch]:
        position, read = 0, -1
        known = self._known
        for begin, stop in pieces:
            if 0 <= read < begin - 1:
                position += self._has_position(text, read, begin)
            for token in TOKEN_PATTERN.finditer(text, begin, stop):
                raw = token[0]
                words, width = known.get(raw) or self._look_up(raw)
                if words and is_unspaced(raw):
                    yield from self._in_run(raw, token.start(), position)
                elif words:
                    yield TermMatch(token.span(), words, position, width)
                position += width
            read = stop

    def _has_position(self, text: str, start: int, end: int) -> bool:
        """Return whether a part of a text, which begins with a blank, has a word with a position."""
        if _WORD_START.search(text, start, end):
            return True
        for token in TOKEN_PATTERN.finditer(text, start, end):
            if (self._known.get(token[0]) or self._look_up(token[0]))[1]:
                return True
        return False

    def _look_up(self, raw: str) -> tuple[tuple[str, ...], int]:
        if raw.isascii() and raw.isalpha() and (raw.islower() or raw.istitle()):
            word = self._lookup(raw.lower())  # a plain word; `_split` gives the same, in five times the time
            known: tuple[tuple[str, ...], int] = () if word is None else (word,), 1
        else:
            pieces, width = _split(raw)
            known = self._words(pieces), width
        self._known[raw] = known
        return known

    def _in_run(self, run: str, start: int, position: int) -> Iterator[TermMatch]:
        """Yield the matches of pairs of characters, or of single ones, in a run."""
        for offset in range(len(run)):
            for size in (2, 1):
                words = self._words([run[offset : offset + size]])
                if words:
                    at = start + offset
                    yield TermMatch((at, min(at + size, start + len(run))), words, position + offset, 1)
                    break

    def _words(self, pieces: Iterable[str]) -> tuple[str, ...]:
        found = [word for piece in pieces if (word := self._lookup(piece)) is not None]
        return tuple(dict.fromkeys(found)) if found else ()


@lru_cache(maxsize=1 << 15)  # distinct raw tokens; about 8 MB when full
def _split(raw: str) -> tuple[tuple[str, ...], int]:
    pieces, width = cached_terms(raw)
    return tuple(word for word, _ in pieces), width


def joined_spans(spans: Iterable[TextSpan]) -> list[TextSpan]:
    """Join spans that touch or overlap, as the pairs of a run do."""
    joined: list[TextSpan] = []
    for start, end in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


MAX_READ_CHARS = 4_000  # of one part of a text: some ten milliseconds
_NO_POSITION = -2  # which is next to no other


class ReadingHighlighter(Highlighter):
    """Finds query terms as they are written, and words whose reading is a query term."""

    def __init__(self, words: Mapping[str, str], reader: WordReader) -> None:
        super().__init__(words.get, words)
        self._readings, self._reader = words, reader

    def find(self, text: str, start: int = 0, end: int | None = None) -> Iterator[TermMatch]:
        """Yield the matches from `start` to `end`, in text order."""
        return merge(super().find(text, start, end), self._find_readings(text, start, end))

    def skim(self, text: str, start: int = 0, end: int | None = None) -> Iterator[TermMatch]:
        """Yield the same matches."""
        return merge(super().skim(text, start, end), self._find_readings(text, start, end))

    def _find_readings(self, text: str, start: int, end: int | None) -> Iterator[TermMatch]:
        stop = min(len(text) if end is None else end, start + MAX_READ_CHARS)
        for word in self._reader.words(text, start, stop):
            if term := self._readings.get(f"{READING_MARK}{word.reading}"):
                yield TermMatch((word.start, word.end), (term,), _NO_POSITION, 1)


def highlighter_for(words: Mapping[str, str], reader: WordReader | None) -> Highlighter:
    """Return a highlighter of these words, and with `reader` of their readings too."""
    return ReadingHighlighter(words, reader) if reader else Highlighter(words.get, words)


class QueryHighlighter:
    """Finds the terms of a query in the pieces of one page; `text` has all of them."""

    def __init__(self, query: str, language: str, text: str) -> None:
        languages = frozenset({language} if language else ())
        terms = parse_query(query, languages).ranking_terms

        def lookup(word: str) -> str | None:
            return next((term.text for term in terms if term.variants.matches_term(word, (language,))), None)

        self._highlighter = Highlighter(lookup)
        self.finds_any = bool(terms) and next(self._highlighter.find(text), None) is not None

    def spans(self, piece: str) -> list[TextSpan]:
        """Return the start and end of each match in a piece of the page, in text order."""
        return joined_spans(found.span for found in self._highlighter.find(piece)) if self.finds_any else []
