"""Which origins' rules are at hand? Those asked for last, within a bound; the others are read from the database again.

A parsed file takes some ten times the room of its text, so it is the text that is counted: ten thousand origins with a
file of usual length fit, and of files as long as they may be some thirty do.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from robots import Standing

MAX_ORIGINS = 10_000  # at hand at once
MAX_BYTES = 16 * 1024 * 1024  # of their files' text: 1.6 kB each, where the median in the wild is 347 bytes


class Known:
    """Standings by origin; the one that was not asked for longest goes first."""

    def __init__(self, origins: int = MAX_ORIGINS, size: int = MAX_BYTES) -> None:
        self._origins = origins
        self._size = size
        self._standings: OrderedDict[str, Standing] = OrderedDict()
        self._bytes = 0

    def get(self, origin: str) -> Standing | None:
        """Return what is at hand for an origin."""
        standing = self._standings.get(origin)
        if standing is not None:
            self._standings.move_to_end(origin)
        return standing

    def put(self, origin: str, standing: Standing) -> None:
        """Take in what is known of an origin, and let go of others where it gets too much."""
        self._drop(origin)
        self._standings[origin] = standing
        self._bytes += _length(standing)
        while len(self._standings) > 1 and (len(self._standings) > self._origins or self._bytes > self._size):
            self._drop(next(iter(self._standings)))

    def _drop(self, origin: str) -> None:
        dropped = self._standings.pop(origin, None)
        if dropped is not None:
            self._bytes -= _length(dropped)

    def __len__(self) -> int:
        return len(self._standings)


def _length(standing: Standing) -> int:
    return 0 if standing.copy is None else len(standing.copy.body)
