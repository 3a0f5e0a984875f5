"""How do numbers, lists, commands and stored words read in a sentence?

It is in the lowest room that counts anything, because each reason in the journal is a sentence.
"""

from __future__ import annotations

import math
import re
import shlex
from enum import StrEnum
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Sequence

IS_INSTALLED = "/breadcrumb/engine-" in __file__  # as a package of pip (package/backend.py), and not in a clone
PROGRAM = "breadcrumb" if IS_INSTALLED else "./breadcrumb"  # what a person types before a command


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun; `plural` where that is not the noun with an s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


_HALF = re.compile("[\ud800-\udfff]")  # of a character, such as a cut emoji; JSON can escape it


def whole_characters(text: str) -> str:
    """Return a text that has octets: as in browsers, U+FFFD stands for each half of a character."""
    return text if text.isascii() else _HALF.sub("\ufffd", text)


DIGITS = 6  # that count, of a number that is not whole
MOST_PLACES = 15  # after the point
WHOLE_BELOW = 1e15  # above it a float is no count


def plain(number: float, digits: int = DIGITS) -> str:
    """Return a number as a person writes it, never with an exponent: "1,200", "0.25", "0.00001"."""
    if not math.isfinite(number) or abs(number) >= WHOLE_BELOW:
        return f"{number:g}"
    places = 0 if number == int(number) else digits - 1 - math.floor(math.log10(abs(number)))
    written = f"{number:,.{min(max(places, 0), MOST_PLACES)}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


MINUTE = 60.0  # seconds
HOUR = 3600.0
_IN_SECONDS_BELOW = 100.0  # up to there one thinks in seconds


def rounded_time(seconds: float, digits: int = 3) -> str:
    """Return a number of seconds in the unit one thinks in, with so many digits that count: "90 s", "2.5 min"."""
    if seconds < _IN_SECONDS_BELOW:
        return f"{plain(seconds, digits)} s"
    if seconds < 100 * MINUTE and seconds % HOUR:
        return f"{plain(seconds / MINUTE, digits)} min"
    return f"{plain(seconds / HOUR, digits)} h"


def enumerated(things: Sequence[str], between: str = "and") -> str:
    """Return one thing or several as a part of a sentence; `between` is the word before the last one."""
    *before, last = things or ("",)
    return f"{', '.join(before)} {between} {last}" if before else last


_PUNCTUATION = (".", ",", ":")  # a shell needs no quotes around them; at the end they would be the sentence's


def shell_word(text: str) -> str:
    """Quote a text for a shell where it needs that, or where a reader could not tell its end."""
    return f"'{text}'" if text.endswith(_PUNCTUATION) and shlex.quote(text) == text else shlex.quote(text)


class ExplainedWord(StrEnum):
    """A word that a column or a setting holds, and what it means: a clause or a sentence."""

    explanation: str

    def __new__(cls, word: str, explanation: str = "") -> Self:
        """Make a member whose value is its word."""
        member = str.__new__(cls, word)
        member._value_ = word
        member.explanation = explanation
        return member
