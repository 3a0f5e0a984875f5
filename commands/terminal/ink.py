"""Who reads this? A terminal gets colours and bold words; a file, a pipe or a person who set NO_COLOR gets plain text.

What a web page or a server wrote passes `printable` before it reaches a terminal: an escape sequence in a title must
not move anybody's cursor.
"""

from __future__ import annotations

import os
import sys
import unicodedata
from dataclasses import dataclass

_DROPPED = frozenset({"Cf"})  # format marks: soft hyphens, and those that turn the direction of writing
_REPLACED = frozenset({"Cc", "Cs"})  # controls and lone surrogates
_JOINERS = frozenset("\u200c\u200d")  # format marks that some scripts and emoji need


@dataclass(frozen=True, slots=True)
class Ink:
    """Marks words for a terminal, or leaves them as they are."""

    colours: bool

    def bold(self, text: str) -> str:
        """Mark the words of a question, or a heading."""
        return self._mark("1", text)

    def dim(self, text: str) -> str:
        """Mark what is less important."""
        return self._mark("2", text)

    def good(self, text: str) -> str:
        """Mark a yes."""
        return self._mark("32", text)

    def bad(self, text: str) -> str:
        """Mark a no."""
        return self._mark("31", text)

    def link(self, text: str) -> str:
        """Mark an address."""
        return self._mark("36", text)

    def _mark(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colours and text else text


def ink() -> Ink:
    """Return the ink for standard output."""
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return Ink(colours=sys.stdout.isatty() and not plain)


def printable(text: str) -> str:
    """Return `text` with blanks for line breaks and � for controls, and without invisible marks."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_printable, text))


def _printable(letter: str) -> str:
    if letter in "\t\n\r\u2028\u2029":
        return " "
    if letter in _JOINERS:
        return letter
    category = unicodedata.category(letter)
    if category in _DROPPED:
        return ""
    return "\N{REPLACEMENT CHARACTER}" if category in _REPLACED else letter
