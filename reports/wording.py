"""How is a fact put into words? A row with its label, an amount with a unit that fits, a moment in universal time.

An amount has its noun in the right number; bytes go up by thousands, as networks and disks count. A moment is written
to the minute and in universal time, as everything that speaks to a person writes it: a crawl, its index and its reader
may be on three clocks, and a time without a zone would be somebody's own.
"""

from __future__ import annotations

import time
from dataclasses import dataclass


def moment(seconds: float | None) -> str:
    """Return a time, in seconds since the epoch, as "2026-11-21 05:30 UTC"."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds)) if seconds is not None else "at a time not noted"


_UNITS = ("bytes", "kB", "MB", "GB", "TB")
_STEP = 1000  # from one unit to the next, as networks and disks count


def size(number: float) -> str:
    """Return a number of bytes: "1.5 MB"."""
    unit = 0
    while number >= _STEP and unit < len(_UNITS) - 1:
        number /= _STEP
        unit += 1
    return f"{number:,.1f} {_UNITS[unit]}" if unit else counted(int(number), "byte")


def duration(seconds: float) -> str:
    """Return a number of seconds: "1 h 05 min"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{seconds:.1f} s"


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 page", "2 pages", "3 copies"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def between(lower: str, upper: str) -> str:
    """Return a lower and an upper figure, as one where they are the same."""
    return lower if lower == upper else f"{lower} to {upper}"


LABEL_WIDTH = 10  # columns before the sentences


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the account: what it is about, and a sentence."""

    label: str
    text: str

    def __str__(self) -> str:
        return f"{self.label:<{LABEL_WIDTH}}{self.text}"
