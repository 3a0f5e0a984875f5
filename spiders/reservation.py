"""How much may be under way at once? Small answers as they come; large ones only while there is memory for them.

Sixty-four answers of ten megabytes would be 640. So whoever turns out to be large reserves what it may yet become, and
waits, unread, while others hold too much. Nobody waits for a share: a reservation is granted whole or not at all, so
that those who have one always come to their end, by their last byte or by their time limit.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable

LARGE_ANSWER = 512 * 1024  # bytes: nineteen of twenty pages have less, and these never wait

Who = TypeVar("Who", bound="Hashable")


class Reservations(Generic[Who]):
    """Grants bytes of memory, first come, first served, up to `total`; a single one beyond it is granted alone."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._granted: dict[Who, int] = {}
        self._waiting: OrderedDict[Who, int] = OrderedDict()

    @property
    def held(self) -> int:
        """Bytes that are granted."""
        return sum(self._granted.values())

    def ask(self, who: Who, size: int) -> bool:
        """Return whether `who` may go on now; otherwise it is named by a later `leave`."""
        if self._waiting or not self._fits(size):
            self._waiting[who] = size
            return False
        self._granted[who] = size
        return True

    def leave(self, who: Who) -> list[Who]:
        """End what `who` held or waited for, and return those who may go on because of it."""
        self._waiting.pop(who, None)
        self._granted.pop(who, None)
        called = []
        while self._waiting:
            first, size = next(iter(self._waiting.items()))
            if not self._fits(size):
                break
            del self._waiting[first]
            self._granted[first] = size
            called.append(first)
        return called

    def _fits(self, size: int) -> bool:
        return not self._granted or self.held + size <= self._total
