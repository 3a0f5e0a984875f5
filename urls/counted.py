"""How is a number told? With its noun in the right number: "1 page", "2 pages". And several things? "a, b and c".

It stands in the lowest room that has anything to count, because each reason that a journal keeps is a sentence, too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun; `plural` where that is not the noun with an s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


DIGITS = 6  # that count, of a number that is not whole
MOST_PLACES = 15  # after the point
WHOLE_BELOW = 1e15  # above it a float is no count


def plain(number: float, digits: int = DIGITS) -> str:
    """Return a number as a person writes it, never with an exponent: "1,200", "0.25", "0.00001"."""
    if not math.isfinite(number) or abs(number) >= WHOLE_BELOW:
        return f"{number:g}"
    places = 0 if number == int(number) else digits - 1 - math.floor(math.log10(abs(number)))
    told = f"{number:,.{min(max(places, 0), MOST_PLACES)}f}"
    return told.rstrip("0").rstrip(".") if "." in told else told


def enumerated(things: Sequence[str], between: str = "and") -> str:
    """Return one thing or several as a part of a sentence; `between` stands before the last one."""
    *before, last = things or ("",)
    return f"{', '.join(before)} {between} {last}" if before else last
