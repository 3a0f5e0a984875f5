"""How do pages become segments, and many segments few? Pages wait in memory under their URL, until they are many.

The last page that was put under a URL counts. A new version of a page marks the old copy as deleted. One look-up in
each segment finds it, in the dictionary of the field `url`. Nothing of this counts until a generation names it
(`writer.py`). The pages of an area that is kept apart (`segments/areas.py`) never share a segment with others.

**Policy.** Each segment costs every query a look-up in its dictionary, and each merge writes postings again. Eight
segments of a size class become one of the next class, which keeps both small: a page is rewritten about log8(pages)
times, and a size class never has more than seven segments (O'Neil et al., "The Log-Structured Merge-Tree", 1996;
Lucene's logarithmic policy). Above a limit nothing is merged, so no commit takes minutes.

**Merge.** It reads the dictionaries of its segments in parallel, some thousand terms at a time, and joins packed lists.
The documents of the second segment follow those of the first. Lists are packed as steps. So a single step joins two
lists of a word, and a merge copies positions. Only a segment with deleted documents has its lists unpacked.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from indexer.segments.areas import areas_in
from indexer.segments.dictionary import AFTER_EXACT, BEFORE_FIELD, joined_rows
from indexer.segments.directory import Directory
from indexer.segments.postings import PackedLists, pack_lists, pack_numbers, unpack_positions
from indexer.segments.schema import COLUMNS, URL
from indexer.segments.segment import READ_BLOCKS, Segment, SegmentReader
from indexer.writing.documents import document_of
from indexer.writing.inversion import Vocabulary
from indexer.writing.segment_writer import SegmentWriter, write_segments
from urls.areas import area_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.segments.segment import Segment
    from urls.records import Page


MAX_WAITING_PAGES = 2_000  # then they are written
MAX_WAITING_CHARS = 12_000_000  # of text; inverted, they take about ten times as many bytes


class SegmentBuilder:
    """Makes segments of pages in the folder of a build. `changed` is True once anything has changed, until a commit.

    `share` is its part of the bounds on waiting pages, where several build at once. `apart` are the areas whose pages
    are kept apart.
    """

    apart: frozenset[str] = frozenset()

    def __init__(
        self,
        build: Path,
        segments: Iterable[Segment] = (),
        files: Mapping[str, SegmentReader] | None = None,
        *,
        share: float = 1,
    ) -> None:
        self.storage = Directory(build)
        self.share = share
        self.segments = list(segments)
        self.changed = False
        self._files = dict(files or {})
        self._waiting: dict[str, Page | None] = {}  # None: to be removed
        self._waiting_chars = 0
        self._tokens = Vocabulary()

    def put(self, page: Page) -> None:
        """Add a page, or replace the one with the same URL."""
        self._wait(page.url, dataclasses.replace(page, body=b"", links=()))  # neither is indexed
        pages, chars = len(self._waiting) / self.share, self._waiting_chars / self.share
        if pages >= MAX_WAITING_PAGES or chars >= MAX_WAITING_CHARS:
            self.flush()

    def remove(self, url: str) -> None:
        """Remove a page. A URL that is not in the index is no error."""
        self._wait(url, None)

    def _wait(self, url: str, page: Page | None) -> None:
        before = self._waiting.pop(url, None)  # the latest change of a URL also moves to the end
        self._waiting_chars += len(page.text if page else "") - len(before.text if before else "")
        self._waiting[url] = page

    def flush(self) -> None:
        """Write the waiting pages as segments."""
        self._tokens.share = self.share
        areas = dict.fromkeys(map(self._area, self._waiting))
        written = [segment for area in areas for segment in self._written(area)]
        for url in self._waiting:
            self._delete(url)
        self.segments += written
        self.changed |= bool(written)
        self._waiting.clear()
        self._waiting_chars = 0

    def _area(self, url: str) -> str:
        return area_of(url, self.apart) if self.apart else ""

    def _written(self, area: str) -> Iterator[Segment]:
        for segment in write_segments(self.storage, map(document_of, self._taken(area)), self._tokens):
            segment.area = area
            yield segment

    def _taken(self, area: str) -> Iterator[Page]:
        """Yield the waiting pages of an area, and release each from memory: a long one has 4 MB of text."""
        for url, page in self._waiting.items():
            if page is not None and self._area(url) == area:
                self._waiting[url] = None
                yield page

    def adopt_from(self, folder: Path, segments: Sequence[Segment]) -> None:
        """Move segments here from a folder. Their pages are in no other segment, and come before those of others."""
        for segment in segments:
            self.storage.move_in(folder / segment.file_name)
        self.segments[:0] = segments
        self.changed |= bool(segments)

    def _delete(self, url: str) -> None:
        for segment in self.segments:
            file = self.file(segment)
            for number in file.documents(URL, url) if file.may_have(url) else ():
                if number not in segment.deleted:
                    segment.deleted.add(number)
                    self.changed = True

    def merge(self, *, ending: bool = False) -> None:
        """Merge as the policy decides; `ending`: no more pages come."""
        while places := self._next_merge(ending=ending):
            chosen = [self.segments[place] for place in places]
            sources = [(self.file(segment), segment.deleted) for segment in chosen]
            kept = [segment for segment in self.segments if segment not in chosen]
            if any(file.count > len(deleted) for file, deleted in sources):
                merged = merge_segments(self.storage, sources)
                merged.area = chosen[0].area
                merged.merged_from = tuple((one.name, one.count - len(one.deleted)) for one in chosen)
                kept.insert(places[0], merged)  # results with equal scores keep the order of indexing
            self.segments = kept
            self.changed = True

    def _next_merge(self, *, ending: bool) -> list[int]:
        """Return the places of the segments to merge into one, ascending; empty: none."""
        by_area: dict[str, list[int]] = defaultdict(list)
        for place, segment in enumerate(self.segments):
            by_area[segment.area].append(place)
        for places in by_area.values():
            segments = [self.segments[place] for place in places]
            weights = [Weight(each.count, len(each.deleted), self.file(each).size) for each in segments]
            if chosen := choose_merge(weights, ending=ending):
                return sorted(places[number] for number in chosen)
        return []

    @property
    def mixes(self) -> bool:
        """Whether pages of an area that is to be apart are in other segments: they were written before."""
        return any(areas_in(self.file(segment), self.apart) != {segment.area} for segment in self.segments)

    @property
    def files(self) -> dict[str, SegmentReader]:
        """The files of the segments, by file name."""
        return {segment.file_name: self.file(segment) for segment in self.segments}

    @property
    def documents(self) -> int:
        """The number of pages in the segments."""
        return sum(segment.count - len(segment.deleted) for segment in self.segments)

    def file(self, segment: Segment) -> SegmentReader:
        """Return the open file of a segment."""
        if segment.name not in self._files:
            self._files[segment.name] = SegmentReader(self.storage.folder, segment)
        return self._files[segment.name]

    def close_others(self) -> None:
        """Close the files of segments that were merged."""
        self._files = {segment.name: self.file(segment) for segment in self.segments}

    def close(self) -> None:
        """Drop the waiting pages and close the files."""
        self._waiting.clear()
        self._files.clear()


MERGE_FACTOR = 8  # segments of one size class become one
SMALLEST = 64  # pages; below, all segments count as one size
ENDING_SHARE = 0.5  # of the pages of a segment: smaller ones must have so many to be merged with it at the end
LARGEST = 16_384  # pages
LARGEST_BYTES = 1 << 26  # a segment of LARGEST pages and so many bytes is not merged: about 20 s of work
MAX_BYTES = 1 << 30  # of a merged segment
MAX_DELETED = 0.5  # of the pages of a segment: with more, it is rewritten


@dataclass(frozen=True, slots=True)
class Weight:
    """A segment as the policy sees it: all its pages, the deleted ones, its size."""

    pages: int
    deleted: int
    size: int  # bytes

    @property
    def live(self) -> int:
        """The number of pages that are not deleted."""
        return self.pages - self.deleted

    @property
    def is_large(self) -> bool:
        """Whether it is too large to be merged. Short pages must be many before they are large."""
        return self.live >= LARGEST and self.size >= LARGEST_BYTES

    @property
    def tier(self) -> int:
        """The size class: 0 up to SMALLEST pages, then one more for each factor of MERGE_FACTOR."""
        tier, bound = 0, SMALLEST
        while self.live > bound:
            tier, bound = tier + 1, bound * MERGE_FACTOR
        return tier


def choose_merge(weights: Sequence[Weight], *, ending: bool = False) -> list[int]:
    """Return the places of the segments to merge into one, ascending; empty: none.

    With `ending`, no more pages come: small segments are merged before a size class has enough of them.
    """
    for place, weight in enumerate(weights):
        if weight.deleted > MAX_DELETED * weight.pages:
            return [place]
    mergeable = [place for place, weight in enumerate(weights) if not weight.is_large]
    for tier in sorted({weights[place].tier for place in mergeable}):
        group = [place for place in mergeable if weights[place].tier == tier]
        if len(group) >= MERGE_FACTOR:
            return _within_bounds(weights, group)
    return _small_ones(weights, mergeable) if ending else []


def _small_ones(weights: Sequence[Weight], mergeable: Sequence[int]) -> list[int]:
    """Return the smallest segments, up to the largest one for which the smaller ones have a share of its pages.

    So a page is rewritten only when its segment grows by that share, and an update of few pages rewrites few.
    """
    ascending = sorted(mergeable, key=lambda place: weights[place].live)
    smaller = size = last = 0
    for number, place in enumerate(ascending):
        live, size = weights[place].live, size + weights[place].size
        if _is_too_large(smaller + live, size):
            break
        if number and smaller >= ENDING_SHARE * live:
            last = number + 1
        smaller += live
    return sorted(ascending[:last])


def _within_bounds(weights: Sequence[Weight], group: list[int]) -> list[int]:
    chosen: list[int] = []
    pages = size = 0
    for place in group[:MERGE_FACTOR]:
        pages += weights[place].live
        size += weights[place].size
        if chosen and _is_too_large(pages, size):
            break
        chosen.append(place)
    return chosen if len(chosen) > 1 else []


def _is_too_large(pages: int, size: int) -> bool:
    return (pages > 2 * LARGEST and size > 2 * LARGEST_BYTES) or size > MAX_BYTES


@dataclass(frozen=True, slots=True)
class TermRun:
    """Some terms, ascending, with their lists."""

    keys: list[bytes]
    lists: PackedLists

    def cut(self, start: int, stop: int) -> TermRun:
        """Return the terms from `start` to `stop`, exclusive."""
        return TermRun(self.keys[start:stop], self.lists.cut(start, stop))


NO_TERMS = TermRun([], PackedLists.joined([]))


class MergeSource:
    """One segment of a merge, read in the order of its terms. `base` is the new number of its first document."""

    def __init__(self, file: SegmentReader, deleted: set[int], base: int) -> None:
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
        """Read more terms if none is left in memory."""
        while not self._run.keys and not self.ended:
            blocks = list(islice(self._blocks, READ_BLOCKS))
            if not blocks:
                self.ended = True
                return
            run = TermRun([key for block in blocks for key in block.keys], self._file.packed_lists(blocks, self._base))
            self._run = run if self._whole else self._without_deleted(run)

    @property
    def last(self) -> bytes | None:
        """The last term in memory; None: the segment has no more."""
        return self._run.keys[-1] if self._run.keys else None

    def take(self, last: bytes) -> TermRun:
        """Return the terms in memory up to `last`, and drop them."""
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
        documents, frequencies = lists.unpacked_postings()
        documents -= self._base
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


def merge_segments(storage: Directory, segments: Sequence[tuple[SegmentReader, set[int]]]) -> Segment:
    """Write one segment from several, without their deleted documents. At least one document must be left."""
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
        for file, alive in pairs:
            writer.add_sections(file.section_places[alive.repeat(file.column("sections"))])
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
    """Return the terms of all runs, ascending, with one list for each; a later run has later documents."""
    if len(runs) == 1:
        return runs[0]
    keys = sorted(set().union(*(run.keys for run in runs)))
    places = {key: place for place, key in enumerate(keys)}
    rows = np.concatenate([np.fromiter(map(places.__getitem__, run.keys), np.int64, len(run.keys)) for run in runs])
    order = np.argsort(rows, kind="stable")  # by term, and within a term by run
    return TermRun(keys, _end_to_end([run.lists for run in runs], rows[order], order))


def _end_to_end(several: Sequence[PackedLists], rows: NDArray[np.int64], order: NDArray[np.int64]) -> PackedLists:
    """Join the lists of equal rows: a step goes before each list that follows another one."""
    lists = PackedLists.joined(several)
    begins = np.diff(rows, prepend=-1) != 0
    starts = np.flatnonzero(begins)
    firsts, lasts = lists.firsts[order], lists.lasts[order]
    following = np.flatnonzero(~begins)
    steps, ends = pack_numbers((firsts[following] - lasts[following - 1]).astype(np.uint32))
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
