"""How is one of a million words found? By the last word of each block: the first that is not before it has it.

Words stand in order, so a block of them packs to a third, and one look-up unpacks one block. The blocks lie in a hash
table of Whoosh's whose keys are in order; a reader keeps those keys, one for each block, in memory.
"""
# mypy: disable-error-code="no-untyped-call,import-untyped"

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from whoosh.filedb.filetables import OrderedHashReader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.segments.storage import PartReader

ROWS = 64  # of a block


class SortedBlocks:
    """Blocks by the last key of each. Raises whatever a damaged table leads Whoosh to."""

    def __init__(self, part: PartReader, length: int) -> None:
        self._get = part.get
        self._table = OrderedHashReader(part, length)

    @cached_property
    def _index(self) -> tuple[list[bytes], list[tuple[int, int]]]:
        ranges = list(self._table.ranges_from(b"")) if self._table.indexlen else []
        return [self._get(place, size) for place, size, _, _ in ranges], [(start, size) for *_, start, size in ranges]

    def __len__(self) -> int:
        """Return how many blocks there are."""
        return len(self._index[0])

    def place_of(self, key: bytes) -> int | None:
        """Return the place of the block that has a key, if any has it."""
        place = bisect_left(self._index[0], key)
        return place if place < len(self._index[0]) else None

    def block(self, place: int) -> bytes:
        """Return a block."""
        return self._get(*self._index[1][place])

    def blocks_from(self, key: bytes) -> Iterator[bytes]:
        """Yield the blocks that can have a key or one after it, in order."""
        for start, size in islice(self._index[1], bisect_left(self._index[0], key), None):
            yield self._get(start, size)
