"""What does a document in OpenSearch carry along, so that the ranking here can score it? All its words, with positions.

    columns | keys | bytes of each frequency, and of each word's positions | the frequencies | the positions

It is what a segment of this one document would hold (`segments/packing.py`), with the words as keys in their order.
Lists of several documents become one by putting steps between them: nothing is unpacked that was not asked for.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import zstandard

from indexer.segments.dictionary import BEFORE_FIELD, BETWEEN, WORD_FIELDS
from indexer.segments.packed_record import MAX_RECORD_BYTES, PACKING
from indexer.segments.schema import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.segments.packing import PackedLists
    from indexer.segments.schema import IndexField

ROW = np.dtype(list(COLUMNS.items()))  # the columns of one document
_HEAD = struct.Struct("<III")  # words, bytes of the keys, bytes of the frequencies
_SIZE = np.dtype("<u4")


def packed_forward(columns: Mapping[str, float], keys: Sequence[bytes], lists: PackedLists) -> bytes:
    """Pack the columns of one document, and the lists of its words: one posting each, with their positions."""
    row = np.array([tuple(columns[name] for name in COLUMNS)], ROW)
    joined = BETWEEN.join(keys)
    sizes = np.concatenate((lists.sizes, lists.position_sizes)).astype(_SIZE)
    head = _HEAD.pack(len(keys), len(joined), len(lists.postings))
    content = b"".join((row.tobytes(), head, joined, sizes.tobytes(), lists.postings, lists.positions))
    return PACKING.pack(content)


@dataclass(frozen=True)
class Forward:
    """What `packed_forward` has packed."""

    columns: bytes  # one ROW
    _keys: bytes  # each between two BETWEEN
    _sizes: NDArray[np.uint32]
    _lists: bytes

    @classmethod
    def load(cls, packed: bytes) -> Forward:
        """Unpack a record. Raises ValueError for what can't be any."""
        if zstandard.frame_content_size(packed) not in range(ROW.itemsize + _HEAD.size, MAX_RECORD_BYTES):
            raise ValueError("a forward record of no size, or of more than one can have")
        content = PACKING.unpack(packed)
        words, keys, frequencies = _HEAD.unpack_from(content, ROW.itemsize)
        start = ROW.itemsize + _HEAD.size
        end = start + keys
        sizes = np.frombuffer(content, _SIZE, 2 * words, end)
        found = cls(content[: ROW.itemsize], BETWEEN + content[start:end] + BETWEEN, sizes, content[end + 8 * words :])
        if frequencies + int(sizes[words:].sum()) != len(found._lists) or found._keys.count(BETWEEN) != words + 1 + (
            not words
        ):
            raise ValueError("a forward record that is cut short")
        return found

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        """Where in the lists each frequency and each word's positions end, the frequencies first."""
        return np.cumsum(self._sizes, dtype=np.int64)

    def lists_of(self, word: bytes) -> Iterator[tuple[IndexField, bytes, bytes]]:
        """Yield the fields that have a word, each with its packed frequency and its packed positions."""
        wanted = BETWEEN + word + BEFORE_FIELD
        at = self._keys.find(wanted)
        if at < 0:
            return
        row, words, ends = self._keys.count(BETWEEN, 0, at), len(self._sizes) // 2, self._ends
        while self._keys.startswith(wanted, at):
            at += len(wanted)
            here, there = (slice(int(ends[n] - self._sizes[n]), int(ends[n])) for n in (row, words + row))
            yield WORD_FIELDS[self._keys[at : at + 1]], self._lists[here], self._lists[there]
            row, at = row + 1, at + 1
