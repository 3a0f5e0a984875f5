"""When did a page change, as its sitemap says? A W3C date, as exact as it is, or a date of a mail in a feed.

`2026`, `2026-11`, `2026-11-21` and `2026-11-21T08:00+01:00` are all dates. A day is a span and not a moment: the page
may have changed at its very end, so the end counts, as far as it has come. What lies in the future is no change yet.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, datetime, timedelta

from robots.freshness import http_date

MAX_CHARS = 64  # the longest form in use has 35
_MIDNIGHT = 24
_W3C = re.compile(
    r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,][0-9]*)?)?\s?"
    r"(Z|[+-][0-9]{2}:?[0-9]{2})?)?)?)?",
    re.IGNORECASE,
)


def moment_of(text: str, now: float) -> float | None:
    """Return the latest moment that a date may mean, in seconds since the epoch; None for no date, or a future one."""
    text = text.strip()
    if not text or len(text) > MAX_CHARS:
        return None
    try:
        span = _w3c(text)
    except (ValueError, OverflowError):
        return None
    if span is None:
        mailed = http_date(text)
        if mailed is None:
            return None
        span = mailed, mailed
    start, end = span[0].timestamp(), span[1].timestamp()
    return None if start > now else min(end, now)


def _w3c(text: str) -> tuple[datetime, datetime] | None:
    """Return the first and the last second that a W3C date covers; raise ValueError for the 31st of February."""
    match = _W3C.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, zone = match.groups()
    start = datetime(
        int(year), int(month or 1), int(day or 1), int(hour or 0) % _MIDNIGHT, int(minute or 0), int(second or 0),
        tzinfo=UTC,
    ) - _offset(zone)  # fmt: skip
    if hour:
        return start, start + timedelta(seconds=0 if second else 59)
    days = 1 if day else monthrange(int(year), int(month))[1] if month else 365
    return start, start + timedelta(days=days, seconds=-1)


def _offset(zone: str | None) -> timedelta:
    if not zone or zone in "Zz":
        return timedelta()
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return timedelta(minutes=-minutes if zone[0] == "-" else minutes)
