"""Which terms does a field of a segment have, how often each, and how many has each page? One pass over its lists.

Whoosh's own loops ask for each term in turn; here all lists of a field are unpacked as arrays. Only pages that are
readable count (`reader.py`), so that all numbers are those of an index made of these pages alone.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from whoosh.util.numeric import _length_byte_cache, length_to_byte

from indexer.segments.dictionary import AFTER_EXACT, BEFORE_FIELD
from indexer.segments.schema import EXACT_FIELDS, FIELD_KEYS
from indexer.segments.segment import READ_BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indexer.segments.packing import PackedLists
    from indexer.segments.segment import SegmentFile

AFTER_ALL = b"\xff"  # no term of UTF-8 begins so
KEPT_LENGTHS = np.array(_length_byte_cache, np.int64)  # Whoosh keeps a field length in a byte: one of these 256


@dataclass(frozen=True, slots=True, eq=False)
class FieldTerms:
    """The terms of a field in order; `frequencies` has how often each stands in the segment's readable pages.

    `lengths` has the words of each document, in Whoosh's count: a name that is indexed whole and in parts counts for
    each of them.
    """

    terms: list[bytes]
    frequencies: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def beginning_with(self, prefix: bytes) -> slice:
        """Return where the terms stand that begin so."""
        start = bisect_left(self.terms, prefix)
        return slice(start, bisect_left(self.terms, prefix + AFTER_ALL, start) if prefix else len(self.terms))


def read_field_terms(file: SegmentFile, field: str, readable: NDArray[np.bool_]) -> FieldTerms:
    """Read the terms of a field; `readable` says of each document whether it counts. Raises CorruptIndex."""
    terms: list[bytes] = []
    frequencies = [np.zeros(0, np.int64)]
    lengths = np.zeros(file.count, np.int64)
    for some, lists in _lists_of(file, field):
        documents, times = file.unpacked_postings(lists)
        counted = times.astype(np.int64) * readable[documents]
        found = np.add.reduceat(counted, lists.counts.cumsum() - lists.counts)
        lengths += np.bincount(documents, counted, file.count).astype(np.int64)
        terms += [term for term, number in zip(some, found.tolist(), strict=True) if number]
        frequencies.append(found[found > 0])
    return FieldTerms(terms, np.concatenate(frequencies), lengths)


def _lists_of(file: SegmentFile, field: str) -> Iterator[tuple[list[bytes], PackedLists]]:
    """Yield the terms of a field in order with their lists, some thousand terms at a time."""
    is_exact, key = field in EXACT_FIELDS, FIELD_KEYS[field]
    blocks = file.dictionary_blocks(key if is_exact else AFTER_EXACT)
    while some := list(islice(blocks, READ_BLOCKS)):
        keys = [each for block in some for each in block.keys]
        if is_exact:
            rows = [row for row, each in enumerate(keys) if each.startswith(key)]
        else:
            ending = BEFORE_FIELD + key
            rows = [row for row, each in enumerate(keys) if each.endswith(ending) and each >= AFTER_EXACT]
        if rows:
            terms = [keys[row][1:] if is_exact else keys[row][:-2] for row in rows]
            yield terms, file.packed_lists(some, 0).taken(rows)
        elif is_exact:
            return  # its terms stand together


def as_whoosh_keeps_them(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Return field lengths as Whoosh gives them back: each is kept in a byte, and the next larger of 256 is read."""
    bytes_of = np.searchsorted(KEPT_LENGTHS, lengths)
    return KEPT_LENGTHS[np.minimum(bytes_of, length_to_byte(int(KEPT_LENGTHS[-1])))]
