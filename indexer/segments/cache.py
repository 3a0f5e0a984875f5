"""Keeps the values that were used last, up to a number of bytes. Threads may share it.

For values that never change and take longer to make than to keep: records, unpacked, and the postings of terms.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Key = TypeVar("Key")
Value = TypeVar("Value")


class LeastRecentlyUsed(Generic[Key, Value]):
    """Values by their keys. `most` bounds the sum of their sizes; those not used for the longest time go first."""

    def __init__(self, most: int, size_of: Callable[[Value], int]) -> None:
        self._most, self._size_of = most, size_of
        self._kept: OrderedDict[Key, tuple[Value, int]] = OrderedDict()  # each with its size, the last used one last
        self._size = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Key) -> Value | None:
        """Return the value of a key, if it is kept."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
            return found[0]

    def put(self, key: Key, value: Value) -> None:
        """Keep a value unless it is too large, and drop others to make room."""
        size = self._size_of(value)
        if size > self._most:
            return
        with self._lock:
            if key in self._kept:
                return  # another thread has made it meanwhile
            self._kept[key] = value, size
            self._size += size
            while self._size > self._most:
                self._size -= self._kept.popitem(last=False)[1][1]
