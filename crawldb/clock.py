"""What time is it for a run of the crawl? The time at which the run began, and the seconds that passed since.

The clock of the machine may be set back or forth while a crawl runs. Whatever a run waits for is measured by a clock
that only goes forward: the delay and the rest of a host, when a URL is due, when a robots.txt is asked for again.

Between two runs the clock may have been set back, too. Then the database has times that lie in the future, and
`frontier/rounds.py` takes them to the clock as it is now.
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
