"""When does a page expire? The dates of `unavailable_after`: ISO 8601, RFC 822, RFC 850, with or without a time.

A date without a time is the start of that day, and a time without a zone is UTC: of two readings the one that takes
the page out sooner, as elsewhere in page controls.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from types import MappingProxyType
from typing import Final

from robots.freshness import http_date

MAX_DATE: Final = 64  # characters; the longest form in use has 40


_ZONES: Final = MappingProxyType(  # RFC 822, 5.1: hours from universal time
    {
        "UT": 0,
        "UTC": 0,
        "GMT": 0,
        "EST": -5,
        "EDT": -4,
        "CST": -6,
        "CDT": -5,
        "MST": -7,
        "MDT": -6,
        "PST": -8,
        "PDT": -7,
    }
)
_DASHED: Final = re.compile(r"(\d)-([A-Za-z]{3})-(\d)")  # 25-Jun-10, as RFC 850 writes the day


def date_of(text: str) -> datetime | None:
    """Read a date, in UTC; None for what is no date."""
    text = text.strip()
    if not text or len(text) > MAX_DATE or not any(letter.isdigit() for letter in text):
        return None
    return _iso_date(text.upper()) or http_date(text) or http_date(_DASHED.sub(r"\1 \2 \3", text) + " 00:00:00")


def _iso_date(text: str) -> datetime | None:
    """Read `2010-06-25T15:00:00Z` and its kin; `2010-06-25 15:00:00 EST`, which databases print, is one of them."""
    before, _, zone = text.rpartition(" ")
    named = timezone(timedelta(hours=_ZONES[zone])) if zone in _ZONES else None
    try:
        date = datetime.fromisoformat(before if named else text)
        return date.replace(tzinfo=date.tzinfo or named or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
