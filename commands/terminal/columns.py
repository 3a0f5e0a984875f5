"""How does a text fit into 80 columns, or into fewer? By its width on the screen: letters of East Asia take two."""

from __future__ import annotations

import re
import shutil
import sys
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

COLUMNS = 80
LEAST = 30  # columns; in a terminal that is narrower, lines are broken by itself
_WIDE = frozenset("WF")  # Unicode's East Asian Width: wide and full
_WORD_OR_BLANK = re.compile(r" +|[^ ]+")


def width_of(text: str) -> int:
    """Return how many columns `text` takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(letter) else 1 + (unicodedata.east_asian_width(letter) in _WIDE) for letter in text
    )


def spans_of_lines(text: str, columns: int) -> list[tuple[int, int]]:
    """Return where each line of `text` begins and ends when it is broken at blanks, or between wide letters.

    A word that is too long for a line, such as a URL, is left whole, so that it can be copied.
    """
    lines: list[tuple[int, int]] = []
    begin = end = used = 0
    for start, stop in _pieces(text):
        width = width_of(text[start:stop])
        blank = text[start] == " "
        if used and not blank and used + width > columns:
            lines.append((begin, end))
            begin, used = start, 0
        if blank and not used:
            begin = stop
            continue
        used += width
        if not blank:
            end = stop
    return [*lines, (begin, end)] if end > begin else lines


def columns() -> int:
    """Return how wide a line may be: as wide as a narrow terminal is; elsewhere the same for everybody."""
    if not sys.stdout.isatty():
        return COLUMNS
    return max(LEAST, min(COLUMNS, shutil.get_terminal_size((COLUMNS, 24)).columns))


def wrapped(text: str, columns: int) -> list[str]:
    """Return `text` in lines of at most `columns`."""
    return [text[begin:end] for begin, end in spans_of_lines(text, columns)]


def hanging(label: str, text: str, indent: int) -> list[str]:
    """Return `text` wrapped beside `label`, which takes the first `indent` columns of the first line."""
    first, *others = wrapped(text, columns() - indent) or [""]
    return [f"{label:<{indent}}{first}".rstrip(), *(" " * indent + line for line in others)]


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    for match in _WORD_OR_BLANK.finditer(text):
        start, stop = match.span()
        if text[start:stop].isascii():
            yield start, stop
            continue
        at = start
        for place in range(start, stop):  # a line may end after each wide letter, and before it
            if unicodedata.east_asian_width(text[place]) in _WIDE:
                if at < place:
                    yield at, place
                yield place, place + 1
                at = place + 1
        if at < stop:
            yield at, stop
