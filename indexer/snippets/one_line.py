"""How are several lines shown as one? Put apart by a dot in the middle, so that a reader sees where a heading ends.

A line that ends with a mark of its own, as a sentence does, needs no other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.snippets.found_words import TextSpan

BETWEEN_LINES = " · "
MOST_MARKS = 4  # characters at the end of a line: its mark, quotes, a bracket
LINE_END = re.compile(r"[^\S\n]*\n\s*")
_QUOTES = r"""["'”\u2019»)\]]*\Z"""
FULL_STOP = re.compile(rf"[.!?…।؟\u06d4。｡\uff01\uff1f]{_QUOTES}")
_MARK = re.compile(rf"[.!?…।؟\u06d4。｡\uff01\uff1f:;,\u2013\u2014·]{_QUOTES}")


def ends_with(mark: re.Pattern[str], text: str, start: int, end: int) -> bool:
    """Return whether a part of a text ends with such a mark."""
    return mark.search(text, max(start, end - MOST_MARKS), end) is not None


def reach(text: str, start: int, room: int) -> int:
    """Return up to where a text from `start` on is shown in at most so many characters."""
    end = min(len(text), start + room)
    if text.find("\n", start, end) < 0:
        return end
    added = sum(max(0, len(between) - (b - a)) for a, b, between in _line_ends(text, start, end))
    return min(end, start + room - added)


def on_one_line(text: str, start: int, end: int, spans: Sequence[TextSpan]) -> tuple[str, tuple[TextSpan, ...]]:
    """Return a part of a text as one line, and where its spans, which lie within lines and ascend, are there."""
    if text.find("\n", start, end) < 0:
        spans = tuple((first - start, last - start) for first, last in spans if start <= first < end)
        return text[start:end].replace("\t", " ").replace("\r", " "), spans
    pieces: list[str] = []
    kept: list[TextSpan] = []
    place, moved = start, -start
    for a, b, between in (*_line_ends(text, start, end), (end, end, "")):
        kept += [(first + moved, last + moved) for first, last in spans if place <= first < a]
        pieces += [text[place:a], between]
        place, moved = b, moved + len(between) - (b - a)
    return "".join(pieces).replace("\t", " ").replace("\r", " "), tuple(kept)


def _line_ends(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Yield where lines end and the next ones begin, and what is shown between them."""
    for found in LINE_END.finditer(text, start, end):
        a, b = found.span()
        if start < a and b < end:
            yield a, b, " " if ends_with(_MARK, text, start, a) else BETWEEN_LINES
        else:
            yield a, b, ""
