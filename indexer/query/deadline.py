"""How long may a question take? Until its deadline; what is due past it is left out, and named.

A question is bounded by its words and phrases already (`query.py`), but not by the pages that have them. So each step
that grows with the index (a term is read, some pages are looked through for a phrase, a snippet is cut) asks first
whether there is time left. What answers late has no reader any more, and holds up everybody else's questions.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

NO_LIMIT = math.inf


class Deadline:
    """The end of the time for one question, `seconds` after it was made; `clock` counts seconds from anywhere."""

    def __init__(self, seconds: float = NO_LIMIT, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self._clock = clock
        self._end = clock() + seconds
        self._left_out: dict[str, None] = {}  # in order, each once

    def passed(self, next_step: str) -> bool:
        """Return whether there is no time for the next step; it is noted as left out then."""
        if self._clock() < self._end:
            return False
        self._left_out[next_step] = None
        return True

    @property
    def left(self) -> float:
        """Seconds that are left; 0 or less: none."""
        return self._end - self._clock()

    @property
    def left_out(self) -> tuple[str, ...]:
        """What there was no time for."""
        return tuple(self._left_out)
