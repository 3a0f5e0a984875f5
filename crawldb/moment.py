"""When was it? A time as everything that speaks to a person writes it: to the minute, in universal time.

A crawl, its index and its reader may be on three clocks; a time without a zone would be somebody's own.
"""

from __future__ import annotations

import time


def moment(seconds: float | None) -> str:
    """Return a time, in seconds since the epoch, as "2026-11-21 05:30 UTC"."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds)) if seconds is not None else "at a time not noted"
