"""Which record lets our code rank a document of OpenSearch? All its words, with positions.

    columns | keys | bytes of each frequency, and of each word's positions | the frequencies | the positions | sections

It is what a segment of this one document would hold (`segments/postings.py`), with the words as sorted keys. The lists
of several documents are joined by putting steps between them: only lists that are needed get unpacked. The records of a
query's candidates are searched together, as arrays: one by one, 300 take three times as long.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np
import zstandard

from indexer.segments.dictionary import BEFORE_FIELD, BETWEEN
from indexer.segments.schema import COLUMNS, FIELD_KEYS, INDEX_FIELDS, MAX_RECORD_BYTES, PACKING
from indexer.segments.segment import SECTION_PLACE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.segments.postings import PackedLists
    from indexer.segments.schema import IndexField

ROW = np.dtype(list(COLUMNS.items()))  # the columns of one document
_HEAD = struct.Struct("<III")  # words, bytes of the keys, bytes of the frequencies
_SIZE = np.dtype("<u4")


def packed_forward(
    columns: Mapping[str, float], keys: Sequence[bytes], lists: PackedLists, sections: NDArray[np.uint32]
) -> bytes:
    """Pack the columns of one document, the lists of its words (one posting each, with positions), and its sections.

    `sections` is as in `SegmentReader.section_places`.
    """
    row = np.array([tuple(columns[name] for name in COLUMNS)], ROW)
    joined = BETWEEN.join(keys)
    sizes = np.concatenate((lists.sizes, lists.position_sizes)).astype(_SIZE)
    head = _HEAD.pack(len(keys), len(joined), len(lists.postings))
    places = sections.astype(SECTION_PLACE).tobytes()
    content = b"".join((row.tobytes(), head, joined, sizes.tobytes(), lists.postings, lists.positions, places))
    return PACKING.pack(content)


class ForwardRecords:
    """Several documents packed by `packed_forward`, one after the other. `columns` has a ROW for each.

    Raises ValueError and others for invalid records.
    """

    def __init__(self, packed: Sequence[bytes]) -> None:
        columns, words, keys, heads, sizes, lists, sections = (
            zip(*map(_split, packed), strict=True) if packed else [()] * 7
        )
        self.section_places = np.frombuffer(b"".join(sections), SECTION_PLACE).reshape(-1, 2)
        self.columns = np.frombuffer(b"".join(columns), ROW)
        self._keys, self._lists = b"".join(keys), b"".join(lists)
        self._octets = np.frombuffer(self._keys, np.uint8)
        self._words = np.array(words, np.int64)
        self._sizes = np.frombuffer(b"".join(sizes), _SIZE)  # a document's frequencies, then its positions
        self._ends = np.concatenate(([0], self._sizes.cumsum(dtype=np.int64)))  # where each list begins
        self._first = np.concatenate(([0], 2 * self._words.cumsum()))  # the number of a document's first list
        self._key_ends = np.cumsum([len(each) for each in keys], dtype=np.int64)
        self._marks = np.flatnonzero(self._octets == BETWEEN[0])
        self._first_mark = self._marks.searchsorted(np.concatenate(([0], self._key_ends)))
        begun, half = self._ends[self._first], self._first[:-1] + self._words
        if (
            (np.diff(self._first_mark) != self._words + (self._words > 0)).any()
            or (self._ends[half] - begun[:-1] != np.array(heads, np.int64)).any()
            or (np.diff(begun) != [len(each) for each in lists]).any()
        ):
            raise ValueError("a forward record that is cut short")

    def lists_of(self, word: bytes) -> Iterator[tuple[IndexField, tuple[list[int], list[bytes], list[bytes]]]]:
        """Yield each field that has a word, with its documents and their packed frequencies and positions."""
        wanted = BETWEEN + word + BEFORE_FIELD
        found, at = [], self._keys.find(wanted)
        while at >= 0:
            found.append(at)
            at = self._keys.find(wanted, at + len(wanted))
        places = np.array(found, np.int64)
        fields = self._octets[places + len(wanted)]
        for field in INDEX_FIELDS:
            some = places[fields == FIELD_KEYS[field][0]]
            if len(some):
                documents = self._key_ends.searchsorted(some, "right")
                rows = self._first[documents] + self._marks.searchsorted(some) - self._first_mark[documents]
                yield field, (documents.tolist(), self._cut(rows), self._cut(rows + self._words[documents]))

    def _cut(self, rows: NDArray[np.int64]) -> list[bytes]:
        starts, ends = self._ends[rows].tolist(), self._ends[rows + 1].tolist()
        return [self._lists[start:end] for start, end in zip(starts, ends, strict=True)]


def _split(packed: bytes) -> tuple[bytes, int, bytes, int, bytes, bytes, bytes]:
    """Return a record's columns, number of words, keys, bytes of all frequencies, sizes, lists, and sections."""
    if zstandard.frame_content_size(packed) not in range(ROW.itemsize + _HEAD.size, MAX_RECORD_BYTES):
        raise ValueError("a forward record of no size, or of more than one can have")
    content = PACKING.unpack(packed)
    words, keys, frequencies = _HEAD.unpack_from(content, ROW.itemsize)
    start = ROW.itemsize + _HEAD.size
    end = start + keys
    lists = end + 2 * words * _SIZE.itemsize
    between = BETWEEN + content[start:end] + BETWEEN if words else content[start:end]
    row = content[: ROW.itemsize]
    places = len(content) - 2 * SECTION_PLACE.itemsize * int(np.frombuffer(row, ROW)["sections"][0])
    if places < lists:
        raise ValueError("a forward record with more sections than it holds")
    return row, words, between, frequencies, content[end:lists], content[lists:places], content[places:]
