"""How many bytes may be under way at once? Small answers are read as they come, large ones while there is memory.

Sixty-four answers of ten megabytes would be 640. So an answer that turns out to be large reserves the bytes that it may
still bring, and waits, unread, while others hold too much. A reservation is granted whole or not at all, so an answer
that has one always comes to its end, by its last byte or by its time limit.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable

LARGE_ANSWER = 512 * 1024  # bytes: nineteen of twenty pages have fewer, and never wait

Who = TypeVar("Who", bound="Hashable")


class Reservations(Generic[Who]):
    """Grants bytes of memory, first come, first served, up to `total`. A larger request is granted when it is alone."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._granted: dict[Who, int] = {}
        self._waiting: OrderedDict[Who, int] = OrderedDict()

    @property
    def held(self) -> int:
        """Bytes that are granted."""
        return sum(self._granted.values())

    def ask(self, who: Who, size: int) -> bool:
        """Return whether `who` may go on now; else a later `leave` names it."""
        if self._waiting or not self._fits(size):
            self._waiting[who] = size
            return False
        self._granted[who] = size
        return True

    def leave(self, who: Who) -> list[Who]:
        """End what `who` held or waited for, and return who may go on because of that."""
        self._waiting.pop(who, None)
        self._granted.pop(who, None)
        granted = []
        while self._waiting:
            first, size = next(iter(self._waiting.items()))
            if not self._fits(size):
                break
            del self._waiting[first]
            self._granted[first] = size
            granted.append(first)
        return granted

    def _fits(self, size: int) -> bool:
        return not self._granted or self.held + size <= self._total
