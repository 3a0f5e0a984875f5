"""In which state is a URL? In exactly one: discovered = queued + leased + done + failed + suppressed."""

from __future__ import annotations

from enum import IntEnum


class State(IntEnum):
    """The state of a discovered URL, as the column `url.state` has it."""

    QUEUED = 0
    LEASED = 1
    DONE = 2
    FAILED = 3
    SUPPRESSED = 4
