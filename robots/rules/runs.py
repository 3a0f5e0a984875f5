"""Which of ten thousand pieces stand in a path? Its own runs of octets are looked up, instead of each piece in it.

A path of a hundred octets has fewer than a hundred runs of four octets, whether there are ten pieces or forty thousand.
A piece whose length is none of `LENGTHS` is looked up by its end: pieces tend to begin alike.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

Runs = dict[int, frozenset[bytes]]  # those of one path by their length, as far as they have been asked for
T = TypeVar("T")

MANY: Final = 128  # pieces; fewer are searched for one by one, which is as fast (bench/robots)
LENGTHS: Final = (1, 2, 3, 4, 8, 16)  # octets of the runs into which a path is cut: each length costs a pass over it


class Pieces(Generic[T]):
    """Things by the piece of a pattern that leads to them, and which of these pieces can be in a path."""

    __slots__ = ("_by_end", "_lengths", "_things")

    def __init__(self, things: Mapping[bytes, T]) -> None:
        self._things = things
        self._lengths: set[int] = set()  # of runs to look up; none: it would not pay
        self._by_end: dict[bytes, list[bytes]] = {}
        if len(things) >= MANY:
            lengths = set(map(len, things))
            self._lengths = set(map(_run_length, lengths))
            if not lengths.issubset(LENGTHS):
                self._sort_by_end()

    def present_in(self, path: bytes, runs: Runs) -> Collection[tuple[bytes, T]]:
        """Give the pieces that may be in `path`, no fewer than those that are. `runs` is at first empty."""
        if not self._lengths:
            return self._things.items()
        found: list[bytes] = []
        for length in self._lengths:
            if length not in runs:
                starts = range(len(path) - length + 1)
                runs[length] = frozenset([path[start : start + length] for start in starts])
            found += self._things.keys() & runs[length]
            for end in self._by_end.keys() & runs[length]:
                found += self._by_end[end]
        return [(piece, self._things[piece]) for piece in found]

    def _sort_by_end(self) -> None:
        for piece in self._things:
            length = _run_length(len(piece))
            if length < len(piece):
                self._by_end.setdefault(piece[-length:], []).append(piece)


def _run_length(length: int) -> int:
    return LENGTHS[bisect_right(LENGTHS, length) - 1]
