"""How is a figure told that nobody knows exactly? As a lower and an upper one; as one where they are the same."""

from __future__ import annotations

import math
from dataclasses import dataclass

from reports.wording import between, duration, size


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
    return between(f"{span.lower:,.0f}", f"{span.upper:,.0f}")


def amount_range(span: Span, noun: str) -> str:
    """Return a span of counts with its noun."""
    return f"{count_range(span)} {noun}{'' if span.upper == 1 else 's'}"


def size_range(span: Span) -> str:
    """Return a span of bytes."""
    return between(size(span.lower), size(span.upper))


def duration_range(span: Span) -> str:
    """Return a span of seconds."""
    return between(duration(span.lower), duration(span.upper))
