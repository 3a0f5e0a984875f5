"""How is a number told? With its noun in the right number: "1 page", "2 pages". And several things? "a, b and c".

It stands in the lowest room that has anything to count, because each reason that a journal keeps is a sentence, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun; `plural` where that is not the noun with an s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def enumerated(things: Sequence[str], between: str = "and") -> str:
    """Return one thing or several as a part of a sentence; `between` stands before the last one."""
    *before, last = things or ("",)
    return f"{', '.join(before)} {between} {last}" if before else last
