"""Which header lines are not as their server meant them? Too many of them, and dates that are none.

What is not understood is left aside, and told: its author meant something by it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from robots import X_ROBOTS_TAG
from robots.page.dates import date_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_LINES = 1000  # of one answer, told beyond; servers send 10 to 40. All are looked through, a few are kept.
_UNAVAILABLE_AFTER = re.compile(r"unavailable_after[ \t]*:[ \t]*(.{0,100})", re.IGNORECASE)
_MAX_DATE_PARTS = 3  # "Friday, June 25, 2010": no date has more than two commas
_MAX_TOLD = 3  # dates of one answer


def misunderstood(headers: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return a sentence for each thing in `headers`, (name, value) in the order they came, that is left aside."""
    told = [f"{len(headers)} header lines came: all but those that a search engine reads were left aside"]
    values = [value for name, value in headers if name.lower() == X_ROBOTS_TAG]
    lost = [date for value in values[:MAX_LINES] for date in _no_dates(value)]
    dates = [
        f"X-Robots-Tag: unavailable_after says {date!r}, which is no date: left aside" for date in lost[:_MAX_TOLD]
    ]
    return (*(told if len(headers) > MAX_LINES else ()), *dates)


def _no_dates(value: str) -> Iterator[str]:
    for match in _UNAVAILABLE_AFTER.finditer(value):
        parts = match[1].split(",")[:_MAX_DATE_PARTS]
        if not any(date_of(",".join(parts[:count])) for count in range(1, len(parts) + 1)):
            yield parts[0].strip()
