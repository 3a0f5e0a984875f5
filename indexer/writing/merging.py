"""How do several segments become one? Their dictionaries side by side, and their lists end to end, as they are packed.

The documents of the second segment go on where those of the first end. A list is made of steps, so a word's lists from
two segments become one by a single step between them; its positions are copied. Only where documents of a segment were
deleted are its lists unpacked. Some thousand terms of each segment are in memory at a time.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from indexer.segments.dictionary import AFTER_EXACT, BEFORE_FIELD, joined_rows
from indexer.segments.packing import (
    PackedLists,
    pack_lists,
    packed_numbers,
    unpack_positions,
    unpack_postings,
)
from indexer.segments.schema import COLUMNS
from indexer.segments.segment import READ_BLOCKS
from indexer.writing.segment_writer import SegmentWriter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from indexer.segments.directory import Directory
    from indexer.segments.segment import Segment, SegmentFile


@dataclass(frozen=True, slots=True)
class TermRun:
    """Some terms in order with their lists."""

    keys: list[bytes]
    lists: PackedLists

    def cut(self, start: int, stop: int) -> TermRun:
        """Return the terms from `start` on, up to `stop`."""
        return TermRun(self.keys[start:stop], self.lists.cut(start, stop))


NO_TERMS = TermRun([], PackedLists.joined([]))


class MergeSource:
    """One segment that is merged, read in order. Its documents get numbers from `base` on; deleted ones get none."""

    def __init__(self, file: SegmentFile, deleted: set[int], base: int) -> None:
        self._file = file
        self.living = np.ones(file.count, bool)
        self.living[list(deleted)] = False
        self._base = base
        self._numbers = (base + np.cumsum(self.living) - 1).astype(np.uint32)
        self._whole = not deleted
        self._blocks = file.dictionary_blocks()
        self._run = NO_TERMS
        self.lost: set[bytes] = set()  # words that some document had which is deleted
        self.ended = False

    def fill(self) -> None:
        """Read on where nothing is left."""
        while not self._run.keys and not self.ended:
            blocks = list(islice(self._blocks, READ_BLOCKS))
            if not blocks:
                self.ended = True
                return
            run = TermRun([key for block in blocks for key in block.keys], self._file.packed_lists(blocks, self._base))
            self._run = run if self._whole else self._without_deleted(run)

    @property
    def last(self) -> bytes | None:
        """The last term that is in memory; None: none is left at all."""
        return self._run.keys[-1] if self._run.keys else None

    def take(self, last: bytes) -> TermRun:
        """Return the terms up to `last` that are in memory, and let them go."""
        cut = bisect_right(self._run.keys, last)
        taken, self._run = self._run.cut(0, cut), self._run.cut(cut, len(self._run.keys))
        return taken

    def _without_deleted(self, run: TermRun) -> TermRun:
        words = bisect_left(run.keys, AFTER_EXACT)
        halves = [run.cut(0, words), run.cut(words, len(run.keys))]  # the exact fields have no positions
        kept = [self._kept(half, placed=bool(place)) for place, half in enumerate(halves) if half.keys]
        return TermRun([key for half in kept for key in half.keys], PackedLists.joined([half.lists for half in kept]))

    def _kept(self, run: TermRun, *, placed: bool) -> TermRun:
        lists = run.lists
        documents, frequencies = unpack_postings(lists.postings, lists.counts, lists.firsts - self._base)
        kept = self.living[documents]
        positions = unpack_positions(lists.positions, frequencies)[np.repeat(kept, frequencies)] if placed else None
        counts = np.add.reduceat(kept, np.cumsum(lists.counts) - lists.counts, dtype=np.int64)
        stay = counts > 0
        keys = [key for key, stays in zip(run.keys, stay.tolist(), strict=True) if stays]
        if placed:
            self.lost.update(word_of(key) for key, stays in zip(run.keys, stay.tolist(), strict=True) if not stays)
        starts = (np.cumsum(counts) - counts)[stay]
        return TermRun(keys, pack_lists(starts, self._numbers[documents[kept]], frequencies[kept], positions))


def word_of(key: bytes) -> bytes:
    """Return the word of a key of the dictionary."""
    return key.rpartition(BEFORE_FIELD)[0]


def merge_segments(storage: Directory, segments: Sequence[tuple[SegmentFile, set[int]]]) -> Segment:
    """Write one segment from several, leaving out each one's deleted documents. At least one must be left."""
    sources: list[MergeSource] = []
    base = 0
    with SegmentWriter(storage) as writer:
        for file, deleted in segments:
            sources.append(MergeSource(file, deleted, base))
            living = np.flatnonzero(sources[-1].living).tolist()
            for number in living:
                writer.add_record(file.record(number))
            base += len(living)
        pairs = [(file, source.living) for (file, _), source in zip(segments, sources, strict=True)]
        writer.write_columns(
            {name: np.concatenate([file.column(name)[living] for file, living in pairs]) for name in COLUMNS}
        )
        gone = _write_terms(writer, sources)
        writer.write_forms(joined_rows([file.form_rows() for file, _ in segments], gone))
        return writer.finish()


def _write_terms(writer: SegmentWriter, sources: Sequence[MergeSource]) -> set[bytes]:
    """Write the terms of all sources, and return the words that no document has any more."""
    gone: set[bytes] = set()
    before: set[bytes] = set()
    for run in _merged(sources):
        writer.add_terms(run.keys, run.lists)
        for source in sources:
            gone |= source.lost
            source.lost.clear()
        if gone:
            living = set(map(word_of, run.keys))
            gone -= living | before
            before = {word_of(run.keys[-1])}  # whose other fields may come with the next terms
        else:
            before = {word_of(run.keys[-1])}
    return gone


def _merged(sources: Sequence[MergeSource]) -> Iterator[TermRun]:
    while True:
        for source in sources:
            source.fill()
        ends = [source.last for source in sources if source.last is not None]
        if not ends:
            return
        last = min(ends)
        yield joined([taken for source in sources if (taken := source.take(last)).keys])


def joined(runs: Sequence[TermRun]) -> TermRun:
    """Return the terms of all runs in order, those of one term made one; a later run has later documents."""
    if len(runs) == 1:
        return runs[0]
    keys = sorted(set().union(*(run.keys for run in runs)))
    places = {key: place for place, key in enumerate(keys)}
    rows = np.concatenate([np.fromiter(map(places.__getitem__, run.keys), np.int64, len(run.keys)) for run in runs])
    order = np.argsort(rows, kind="stable")  # by term, and within a term by run
    return TermRun(keys, _end_to_end([run.lists for run in runs], rows[order], order))


def _end_to_end(several: Sequence[PackedLists], rows: NDArray[np.int64], order: NDArray[np.int64]) -> PackedLists:
    """Join the lists that have one row: a step is put before each list that follows on another one."""
    lists = PackedLists.joined(several)
    begins = np.diff(rows, prepend=-1) != 0
    starts = np.flatnonzero(begins)
    firsts, lasts = lists.firsts[order], lists.lasts[order]
    following = np.flatnonzero(~begins)
    steps, ends = packed_numbers((firsts[following] - lasts[following - 1]).astype(np.uint32))
    step_sizes = np.zeros(len(rows), np.int64)
    step_sizes[following] = np.diff(ends, prepend=0)
    pieces = _pieces(lists.postings, lists.sizes)
    ordered = map(pieces.__getitem__, order.tolist())
    postings = b"".join(chain.from_iterable(zip(_pieces(steps, step_sizes), ordered, strict=True)))
    places = _pieces(lists.positions, lists.position_sizes)
    return PackedLists(
        np.add.reduceat(lists.counts[order], starts),
        firsts[starts],
        lasts[np.append(starts[1:], len(rows)) - 1],
        np.add.reduceat(lists.sizes[order] + step_sizes, starts),
        np.add.reduceat(lists.position_sizes[order], starts),
        postings,
        b"".join(map(places.__getitem__, order.tolist())),
    )


def _pieces(content: bytes, sizes: NDArray[np.int64]) -> list[bytes]:
    ends = np.cumsum(sizes)
    return [content[start:end] for start, end in zip((ends - sizes).tolist(), ends.tolist(), strict=True)]
