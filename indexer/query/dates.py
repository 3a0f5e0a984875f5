"""Which days does a date name? Written as ISO 8601 has it: a year, a month or a day."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_DATE = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2}))?)?\Z", re.ASCII)


def days_of(text: str) -> tuple[datetime, datetime] | None:
    """Return the first moment of what a date names and the first one after it, in UTC; None for what is no date."""
    found = _DATE.match(text)
    if not found:
        return None
    year, month, day = (int(found[name] or 0) for name in ("year", "month", "day"))
    try:
        begin = datetime(year, month or 1, day or 1, tzinfo=UTC)
        if day:
            return begin, begin + timedelta(days=1)
        if month:
            return begin, datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
        return begin, datetime(year + 1, 1, 1, tzinfo=UTC)
    except (ValueError, OverflowError):
        return None  # the 31st of February, and the year after 9999
