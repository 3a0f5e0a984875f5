"""What time is it for a run of the crawl? The time at which the run began, plus the seconds since then.

The clock of the machine may change while a crawl runs. So a run measures its waits by a clock that only goes forward:
the delay and the rest of a host, when a URL is due, and when a robots.txt is fetched again.

The clock may have been set back between two runs, too. Then the database has times in the future, and
`frontier/rounds.py` moves them to the clock as it is now.
"""

from __future__ import annotations

import time


def boot_clock() -> float:
    """Return the seconds since this machine was started, with those that it slept where the system counts them."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class RunClock:
    """Seconds since the epoch that only go forward, from the moment at which a run set them by the machine's clock."""

    def __init__(self) -> None:
        self.set()

    def set(self) -> float:
        """Begin at the time that the machine's clock has now, and return it."""
        now = time.time()
        self._booted_at = now - boot_clock()
        return now

    def now(self) -> float:
        """Return the time for this run."""
        return self._booted_at + boot_clock()


RUN_CLOCK = RunClock()
