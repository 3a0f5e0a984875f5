"""How often is something counted that takes a second or two? At most every few seconds, by one request at a time."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Told = TypeVar("Told")


class Remembered(Generic[Told]):
    """What was last counted, and when; for all threads."""

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._seconds = seconds
        self._clock = clock
        self._counting = threading.Lock()
        self._known: tuple[float, Told] | None = None

    def forget(self) -> None:
        """Let the next request count anew: what was counted has changed."""
        self._known = None

    def get(self, count: Callable[[], Told]) -> Told:
        """Return what was counted less than `seconds` ago, else count; while one request does, others get the last."""
        known = self._known
        if not self._counting.acquire(blocking=known is None) and known is not None:
            return known[1]
        try:
            known = self._known
            if known is None or self._clock() - known[0] >= self._seconds:
                known = self._known = (self._clock(), count())
            return known[1]
        finally:
            self._counting.release()
