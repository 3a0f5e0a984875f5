"""When does a page expire? The dates of `unavailable_after`: ISO 8601, RFC 822, RFC 850, with or without a time.

A date without a time is the start of that day, and a time without a zone is UTC: of two readings the one that takes
the page out sooner, as elsewhere in page controls.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from robots.freshness import http_date

MAX_DATE: Final = 64  # characters; the longest form in use has 40


def date_of(text: str) -> datetime | None:
    """Read a date, in UTC; None for what is no date."""
    text = text.strip()
    if not text or len(text) > MAX_DATE or not any(letter.isdigit() for letter in text):
        return None
    try:
        date = datetime.fromisoformat(text)
        return date.replace(tzinfo=date.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return http_date(text) or http_date(f"{text} 00:00:00")
