"""When must a query end? At its deadline: what is due later is left out, and named.

The terms and phrases of a query are bounded (parser.py), but not the pages that have them. So each step whose work
grows with the index first checks the time: reading a term, checking pages for a phrase, cutting a snippet. A late
answer has no reader any more, and holds up the queries of others.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

NO_LIMIT = math.inf


class Deadline:
    """The end of the time for one query, `seconds` after now; `clock` counts seconds from anywhere."""

    def __init__(self, seconds: float = NO_LIMIT, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self._clock = clock
        self._end = clock() + seconds
        self._left_out: dict[str, None] = {}  # in order, each once

    def passed(self, next_step: str) -> bool:
        """Return whether no time is left for the next step; if so, note it as left out."""
        if self._clock() < self._end:
            return False
        self._left_out[next_step] = None
        return True

    @property
    def left(self) -> float:
        """Seconds that are left; 0 or less if none."""
        return self._end - self._clock()

    @property
    def left_out(self) -> tuple[str, ...]:
        """The steps for which no time was left."""
        return tuple(self._left_out)
