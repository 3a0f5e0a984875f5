"""How facts become text: report rows, counts with nouns, sizes, durations and times.

Sizes use steps of 1000, as networks and disks do. Uncertain figures are a range, or one figure if both ends are equal.
Times are in UTC, to the minute: a crawl, its index and its reader may be in three time zones.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.tables.runs import KILLED
from urls.rules import Rule
from urls.wording import counted as counted  # noqa: PLC0414 - for all who put something into words
from urls.wording import plain as plain  # noqa: PLC0414 - as above

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def moment(seconds: float | None) -> str:
    """Return a time, in seconds since the epoch, as "2026-11-21 05:30 UTC"."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds)) if seconds is not None else "at an unknown time"


def until(seconds: float) -> str:
    """Return " until 2026-11-21 05:30 UTC", or nothing for a time that is past."""
    return f" until {moment(seconds)}" if seconds > time.time() else ""


# In any locale.
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def calendar_day(seconds: float) -> str:
    """Return the day of a time, in seconds since the epoch, as "21 Nov 2026"."""
    at = time.gmtime(seconds)
    return f"{at.tm_mday} {MONTHS[at.tm_mon - 1]} {at.tm_year}"


def ending_in_words(ending: str | None) -> str:
    """Return how a run ended, as text. After a second Ctrl-C a run writes nothing of its end, as after a kill."""
    return "killed, stopped twice, or its disk failed" if ending in {None, KILLED} else str(ending)


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


def sentence(text: str) -> str:
    """Return a text with a full stop, unless it ends with a mark of its own."""
    return text if text.endswith((".", "?", "!", "…")) else f"{text}."


def _between(lower: str, upper: str) -> str:
    """Join a lower and an upper figure, or return one if they are equal."""
    return lower if lower == upper else f"{lower} to {upper}"


LABEL_WIDTH = 10  # columns of the label, where an account is printed


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a report: what it is about, and a sentence."""

    label: str
    text: str

    def __str__(self) -> str:
        return f"{self.label:<{LABEL_WIDTH}}{self.text}"


def rows_under(label: str, sentences: Iterable[str], shown: int | None = None) -> Iterator[Row]:
    """Yield a row for each sentence, the first with the label; of more than `shown`, only so many and a count."""
    lines = list(sentences)
    for place, each in enumerate(lines[:shown]):
        yield Row("" if place else label, each)
    if shown is not None and len(lines) > shown:
        yield Row("", f"and {len(lines) - shown:,} more; --json lists all")


@dataclass(frozen=True, slots=True)
class Span:
    """A lower and an upper figure."""

    lower: float
    upper: float

    def times(self, factor: float) -> Span:
        """Return both ends multiplied."""
        return Span(self.lower * factor, self.upper * factor)

    def plus(self, other: Span) -> Span:
        """Return the sum of both ends."""
        return Span(self.lower + other.lower, self.upper + other.upper)

    def from_lower(self, factor: float) -> Span:
        """Return the span with its lower end multiplied."""
        return Span(self.lower * factor, self.upper)

    def rounded_up(self) -> Span:
        """Return both ends as whole numbers, rounded up: half a page is a page."""
        return Span(math.ceil(round(self.lower, 6)), math.ceil(round(self.upper, 6)))


def count_range(span: Span) -> str:
    """Return a span of counts."""
    return _between(f"{span.lower:,.0f}", f"{span.upper:,.0f}")


def amount_range(span: Span, noun: str) -> str:
    """Return a span of counts with its noun."""
    return f"{count_range(span)} {noun}{'' if span.upper == 1 else 's'}"


def size_range(span: Span) -> str:
    """Return a span of bytes."""
    return _between(size(span.lower), size(span.upper))


def duration_range(span: Span) -> str:
    """Return a span of seconds."""
    return _between(duration(span.lower), duration(span.upper))


def meaning_of_rule(name: str, otherwise: str = "") -> str:
    """Return what a rule says, by its name as it is stored; of a name that no rule has, `otherwise`."""
    return Rule(name).meaning if name in set(Rule) else otherwise
