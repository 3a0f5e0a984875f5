"""Where in a text do the words of a question stand? In the forms in which the index knows them.

The text is cut as the index cut it: a search for "run" marks "running", one for "join" all of `os.path.join`, and a
Japanese pair of characters is marked inside its run. What a token stands for is found out once for each distinct one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from indexer.analysis.tokens import terms_of
from indexer.analysis.words import TOKEN_PATTERN, is_unspaced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

TextSpan = tuple[int, int]


class FoundWord(NamedTuple):
    """A place in a text, the words of the question that it stands for, and which positions of the text it takes up."""

    span: TextSpan
    words: tuple[str, ...]
    position: int
    width: int


class WordMarker:
    """Finds words of a question in texts; `meant` tells for which of them a word of the index stands, or None."""

    def __init__(self, meant: Callable[[str], str | None]) -> None:
        self._meant = meant
        self._known: dict[str, tuple[tuple[str, ...], int]] = {}  # of a token: its words, how many positions it takes

    def find(self, text: str, start: int = 0, end: int | None = None) -> Iterator[FoundWord]:
        """Yield where words of the question stand from `start` to `end`, in order; positions count from `start`."""
        position = 0
        for token in TOKEN_PATTERN.finditer(text, start, len(text) if end is None else end):
            raw = token[0]
            known = self._known.get(raw)
            if known is None:
                known = self._known[raw] = self._look_up(raw)
            words, width = known
            if words and is_unspaced(raw):
                yield from self._in_run(raw, token.start(), position)
            elif words:
                yield FoundWord(token.span(), words, position, width)
            position += width

    def _look_up(self, raw: str) -> tuple[tuple[str, ...], int]:
        if raw.isascii() and raw.isalpha() and (raw.islower() or raw.istitle()):
            word = self._meant(raw.lower())  # of a plain word; `_cut` gives the same, in five times the time
            return (() if word is None else (word,)), 1
        pieces, width = _cut(raw)
        return self._words(pieces), width

    def _in_run(self, run: str, start: int, position: int) -> Iterator[FoundWord]:
        """Yield where pairs of characters, or single ones, stand in a run of them."""
        for offset in range(len(run)):
            for size in (2, 1):
                words = self._words([run[offset : offset + size]])
                if words:
                    at = start + offset
                    yield FoundWord((at, min(at + size, start + len(run))), words, position + offset, 1)
                    break

    def _words(self, pieces: Iterable[str]) -> tuple[str, ...]:
        found = [word for piece in pieces if (word := self._meant(piece)) is not None]
        return tuple(dict.fromkeys(found)) if found else ()


@lru_cache(maxsize=1 << 15)  # distinct raw tokens; about 8 MB when full
def _cut(raw: str) -> tuple[tuple[str, ...], int]:
    pieces, width = terms_of(raw)
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
