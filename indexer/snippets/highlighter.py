"""Where in a text do the words of a question stand? In the forms in which the index knows them.

The text is cut as the index cut it: a search for "run" marks "running", one for "join" all of `os.path.join`, and a
Japanese pair of characters is marked inside its run. What a token stands for is found out once for each distinct one.

Most of a text has none of the words. Where they are known beforehand, only what stands between two blanks and has the
letters of one of them is cut: cutting makes words of a token of ASCII by taking letters away at its ends, by cutting it
between signs, or by leaving out its hyphens. What has a hyphen, or a letter beyond ASCII, is cut as well.
"""

from __future__ import annotations

import re
from functools import lru_cache
from heapq import merge
from typing import TYPE_CHECKING, NamedTuple

from indexer.analysis.readings import READING_MARK
from indexer.analysis.scripts import TOKEN_PATTERN, is_unspaced
from indexer.analysis.tokenizer import cached_terms
from indexer.query.parser import parse_query

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from indexer.analysis.readings import WordReader

TextSpan = tuple[int, int]
SHORT_TEXT = 80  # characters up to which looking for letters takes longer than cutting
MOST_WORDS = 60  # so many, as compil* may mean, take longer as well
OFTEN_BEYOND_ASCII = 25  # a text is cut as a whole that has more than one such letter in so many
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_WORD_BEGINS = re.compile(r"[ \n][A-Za-z0-9]")  # whatever goes on so takes up a position


class TermMatch(NamedTuple):
    """A place in a text, the words of the question that it stands for, and which positions of the text it takes up."""

    span: TextSpan
    words: tuple[str, ...]
    position: int
    width: int


class Highlighter:
    """Finds words of a question in texts; `meant` tells for which of them a word of the index stands, or None.

    `words` are all for which it does, where they are known; without them `skim` reads everything.
    """

    def __init__(self, meant: Callable[[str], str | None], words: Collection[str] = ()) -> None:
        self._meant = meant
        self._known: dict[str, tuple[tuple[str, ...], int]] = {}  # of a token: its words, how many positions it takes
        self._letters: tuple[str, ...] = ()  # what has none of these has no word
        if 0 < len(words) <= MOST_WORDS and min(map(len, words)) > 1:  # a single letter is everywhere
            self._letters = (*filter(str.isascii, words), "-")

    def find(self, text: str, start: int = 0, end: int | None = None) -> Iterator[TermMatch]:
        """Yield where words of the question stand from `start` to `end`, in order; positions count from `start`."""
        return self._cut_pieces(text, [(start, len(text) if end is None else end)])

    def skim(self, text: str, start: int = 0, end: int | None = None) -> Iterator[TermMatch]:
        """Yield the same; positions only tell which words stand side by side."""
        return self._cut_pieces(text, self._pieces(text, start, len(text) if end is None else end))

    def _pieces(self, text: str, start: int, end: int) -> list[TextSpan]:
        """Return what stands between two blanks and may have a word, in order."""
        lower = text[start:end].lower() if self._letters and end - start > SHORT_TEXT else ""
        if len(lower) != end - start:  # a letter may become two
            return [(start, end)]
        beyond = [] if lower.isascii() else [found.start() for found in _BEYOND_ASCII.finditer(lower)]
        if len(beyond) * OFTEN_BEYOND_ASCII > len(lower):
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

    def _cut_pieces(self, text: str, pieces: Iterable[TextSpan]) -> Iterator[TermMatch]:
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
        """Return whether something stands in a part of a text that takes up a position; it begins with a blank."""
        if _WORD_BEGINS.search(text, start, end):
            return True
        for token in TOKEN_PATTERN.finditer(text, start, end):
            if (self._known.get(token[0]) or self._look_up(token[0]))[1]:
                return True
        return False

    def _look_up(self, raw: str) -> tuple[tuple[str, ...], int]:
        if raw.isascii() and raw.isalpha() and (raw.islower() or raw.istitle()):
            word = self._meant(raw.lower())  # a plain word; `_cut` gives the same, in five times the time
            known: tuple[tuple[str, ...], int] = () if word is None else (word,), 1
        else:
            pieces, width = _cut(raw)
            known = self._words(pieces), width
        self._known[raw] = known
        return known

    def _in_run(self, run: str, start: int, position: int) -> Iterator[TermMatch]:
        """Yield where pairs of characters, or single ones, stand in a run of them."""
        for offset in range(len(run)):
            for size in (2, 1):
                words = self._words([run[offset : offset + size]])
                if words:
                    at = start + offset
                    yield TermMatch((at, min(at + size, start + len(run))), words, position + offset, 1)
                    break

    def _words(self, pieces: Iterable[str]) -> tuple[str, ...]:
        found = [word for piece in pieces if (word := self._meant(piece)) is not None]
        return tuple(dict.fromkeys(found)) if found else ()


@lru_cache(maxsize=1 << 15)  # distinct raw tokens; about 8 MB when full
def _cut(raw: str) -> tuple[tuple[str, ...], int]:
    pieces, width = cached_terms(raw)
    return tuple(word for word, _ in pieces), width


def joined_spans(spans: Iterable[TextSpan]) -> list[TextSpan]:
    """Make one span of those that touch or overlap, as the pairs of a run do."""
    joined: list[TextSpan] = []
    for start, end in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


MAX_SPOKEN_CHARS = 4_000  # read of one part of a text: some ten milliseconds
_NOWHERE = -2  # a position that no word follows on


class ReadingHighlighter(Highlighter):
    """Finds words of a question in Japanese texts as they are written, and those that are spoken as one of it."""

    def __init__(self, words: Mapping[str, str], reader: WordReader) -> None:
        super().__init__(words.get, words)
        self._readings, self._reader = words, reader

    def find(self, text: str, start: int = 0, end: int | None = None) -> Iterator[TermMatch]:
        """Yield where words of the question stand from `start` to `end`, in order."""
        return merge(super().find(text, start, end), self._spoken(text, start, end))

    def skim(self, text: str, start: int = 0, end: int | None = None) -> Iterator[TermMatch]:
        """Yield the same."""
        return merge(super().skim(text, start, end), self._spoken(text, start, end))

    def _spoken(self, text: str, start: int, end: int | None) -> Iterator[TermMatch]:
        stop = min(len(text) if end is None else end, start + MAX_SPOKEN_CHARS)
        for word in self._reader.words(text, start, stop):
            if meant := self._readings.get(f"{READING_MARK}{word.reading}"):
                yield TermMatch((word.start, word.end), (meant,), _NOWHERE, 1)


def highlighter_for(words: Mapping[str, str], reader: WordReader | None) -> Highlighter:
    """Return what finds words, and with `reader` those that are spoken as one of them."""
    return ReadingHighlighter(words, reader) if reader else Highlighter(words.get, words)


class QueryHighlighter:
    """Finds the words of a question in the pieces of one page; `text` has all of them."""

    def __init__(self, question: str, language: str, text: str) -> None:
        spoken = frozenset({language} if language else ())
        asked = parse_query(question, spoken).ranking_terms

        def meant(word: str) -> str | None:
            return next((term.text for term in asked if term.variants.matches_term(word, (language,))), None)

        self._marker = Highlighter(meant)
        self.finds_any = bool(asked) and next(self._marker.find(text), None) is not None

    def spans(self, piece: str) -> list[TextSpan]:
        """Return where words of the question stand in a piece of the page, start and end of each, in order."""
        return joined_spans(found.span for found in self._marker.find(piece)) if self.finds_any else []
