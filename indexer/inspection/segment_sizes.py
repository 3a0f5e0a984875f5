"""Which segments does an index have, what were they made of, and what takes their bytes?

A segment is written once. What is deleted in it stays in its file until it is merged with others: eight of one size
class become one of the next (`merge_policy.py`). Its file has parts, and the three largest are divided by field here:
the bytes of postings and positions are counted word by word, those of the packed dictionary by each field's share in
it unpacked. To go through a dictionary takes a second for a million words, and a segment never changes: so it is
counted once, and what there is no time for now is told as not counted yet.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from indexer.segments.dictionary import AFTER_EXACT
from indexer.segments.schema import COLUMNS, FIELD_KEYS
from indexer.writing.merge_policy import MERGE_FACTOR, SMALLEST, Weight, choose_merge
from indexer.writing.segment_writer import PARTS
from urls.counted import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from indexer.query.deadline import Deadline
    from indexer.segments.segment import SegmentFile
    from indexer.snapshot.snapshot import Snapshot

_FIELD_NAMES = {key[0]: name for name, key in FIELD_KEYS.items()}
_ROW_BYTES = 20  # of the columns of a row of the dictionary
_FIELDS = len(FIELD_KEYS)


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """One segment. `born` is the generation that named it first, 0: not noted; `merged_from` what it was made of."""

    name: str
    pages: int
    deleted: int
    size: int  # bytes
    born: int
    merged_from: tuple[tuple[str, int], ...]  # segments, each with the pages that it brought
    tier: int  # its size class
    is_next: bool  # it is among those that the next commit merges


@dataclass(frozen=True, slots=True)
class FieldSize:
    """What a field takes in all segments that were counted."""

    field: str
    terms: int  # rows of dictionaries
    dictionary: int  # bytes, by its share
    postings: int  # bytes
    positions: int  # bytes


@dataclass(frozen=True, slots=True)
class IndexSizes:
    """What takes the bytes of an index; `others` are the parts of files that belong to no field."""

    fields: tuple[FieldSize, ...]
    others: tuple[tuple[str, int], ...]
    segments: int
    counted: int  # segments whose dictionary was gone through


def segment_rows(snapshot: Snapshot) -> list[SegmentRow]:
    """Return the segments of a generation in their order, which is that of the numbers of their pages."""
    weights = [Weight(view.file.count, len(view.deleted), view.file.size) for view in snapshot.views]
    chosen = choose_merge(weights)
    return [
        SegmentRow(
            view.file.name,
            weight.pages,
            weight.deleted,
            weight.size,
            view.file.born,
            view.file.merged_from,
            weight.tier,
            place in chosen,
        )
        for place, (view, weight) in enumerate(zip(snapshot.views, weights, strict=True))
    ]


def tier_in_words(tier: int) -> str:
    """Return how many pages a segment of a size class has."""
    most = SMALLEST * MERGE_FACTOR**tier
    return f"up to {counted(most, 'page')}" if not tier else f"{most // MERGE_FACTOR + 1:,} to {counted(most, 'page')}"


def index_sizes(snapshot: Snapshot, deadline: Deadline) -> IndexSizes:
    """Return what takes the bytes of an index, with the segments that there is time for. Raises CorruptIndex."""
    files = [view.file for view in snapshot.views]
    counted: list[SegmentFile] = []
    fresh = 0  # one at least, so that the next answer has more
    for file in files:
        if file not in _COUNTED:
            if fresh and deadline.passed("sizes of some segments"):
                continue
            fresh += 1
        _by_field(file)
        counted.append(file)
    return IndexSizes(_fields(counted), _others(files), len(files), len(counted))


_COUNTED: WeakKeyDictionary[SegmentFile, np.ndarray[tuple[int, int], np.dtype[np.int64]]] = WeakKeyDictionary()


def _by_field(file: SegmentFile) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Return by field: rows of the dictionary, their bytes unpacked, bytes of postings, bytes of positions."""
    known = _COUNTED.get(file)
    if known is not None:
        return known
    found = np.zeros((_FIELDS, 4), np.int64)
    for block in file.dictionary_blocks():
        fields = np.frombuffer(bytes(_field_of(block.keys)), np.uint8)
        lengths = np.fromiter(map(len, block.keys), np.int64, len(block.keys)) + _ROW_BYTES
        for place, numbers in enumerate((np.ones_like(lengths), lengths, block.columns[3], block.columns[4])):
            found[:, place] += np.bincount(fields, numbers, _FIELDS).astype(np.int64)[:_FIELDS]
    _COUNTED[file] = found
    return found


def _field_of(keys: Iterable[bytes]) -> Iterable[int]:
    return (key[-1] if key >= AFTER_EXACT else key[0] for key in keys)


def _fields(files: Sequence[SegmentFile]) -> tuple[FieldSize, ...]:
    sums, dictionary = np.zeros((_FIELDS, 4), np.int64), np.zeros(_FIELDS)
    for file in files:
        numbers = _by_field(file)
        sums += numbers
        dictionary += file.bytes_of("terms") * numbers[:, 1] / (int(numbers[:, 1].sum()) or 1)
    told = (
        FieldSize(_FIELD_NAMES[place], rows, round(float(dictionary[place])), postings, positions)
        for place, (rows, _, postings, positions) in enumerate(sums.tolist())
    )
    return tuple(sorted((each for each in told if each.terms), key=lambda each: -(each.postings + each.positions)))


def _others(files: Sequence[SegmentFile]) -> tuple[tuple[str, int], ...]:
    """Return the parts that belong to no field: records, forms, and the columns together."""
    sizes: Counter[str] = Counter()
    for file in files:
        for part in (*PARTS, *COLUMNS):
            if part not in {"terms", "postings", "positions"}:
                sizes["columns" if part in COLUMNS else part] += file.bytes_of(part)
    return tuple(sizes.most_common())
