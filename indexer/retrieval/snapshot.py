"""Which state of an index is searched? The current generation, and the next one as soon as a commit has named it.

A snapshot is one generation: its segments, which of their pages are deleted, and the statistics of the others.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from indexer.faults import CorruptIndex, NoIndex
from indexer.retrieval.folding import clusters_in
from indexer.segments.generation import CURRENT_FILE, Generation, check_files, index_folder, read_generation
from indexer.segments.link_ranks import read_link_ranks
from indexer.segments.schema import INDEX_FIELDS, LANGUAGE, SITE, URL, IndexField
from indexer.segments.segment import Segment, SegmentFile, read_contents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import TypeGuard

    from numpy.typing import NDArray

    from indexer.retrieval.folding import ClusterNumbers

OPEN_TRIES = 5  # a commit may delete files between the reading of their names and their opening
MAX_SITES = 10_000  # of a segment, whose first pages are known as such
ENTRANCES = "", "index.html", "index.htm", "index.php"  # what the first page of a site is called

_Stamp = tuple[int, int]  # of current.json: every commit renames a new file into its place


@dataclass(frozen=True, slots=True, eq=False)
class SegmentView:
    """A segment as of one generation. `entrances` are the first pages of sites, with the site of each."""

    file: SegmentFile
    entrances: Mapping[int, str]
    deleted: frozenset[int]
    pagerank: NDArray[np.float32]  # by document number, in times the mean of all pages; MEAN where it is not known
    inlinks: NDArray[np.uint32]  # by document number: pages that link to it; 0 where that is not known
    live: NDArray[np.bool_] = field(init=False, repr=False)  # by document number: it is not deleted

    def __post_init__(self) -> None:
        live = np.ones(self.file.count, dtype=np.bool_)
        live[list(self.deleted)] = False
        object.__setattr__(self, "live", live)

    def lengths(self, name: IndexField) -> NDArray[np.uint32]:
        """Return the length of a field in positions, by document number."""
        return self.file.lengths(name)


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """Segments as of one moment, open for searching; it never changes, and threads may share it."""

    generation: int
    position: int  # the last row of the change feed that is in it
    committed_at: float  # seconds since the epoch
    views: tuple[SegmentView, ...]
    languages: frozenset[str] = frozenset()
    clusters: ClusterNumbers = field(init=False, repr=False)
    pages: int = field(init=False)
    mean_lengths: Mapping[IndexField, float] = field(init=False)  # of a field, on the pages that have it

    def __post_init__(self) -> None:
        object.__setattr__(self, "clusters", clusters_in(self.views))
        object.__setattr__(self, "pages", sum(int(view.live.sum()) for view in self.views))
        object.__setattr__(self, "mean_lengths", {name: mean_length(self.views, name) for name in INDEX_FIELDS})


def side_by_side(several: Sequence[Snapshot]) -> Snapshot:
    """Return the snapshots of several indexes as one; its numbers are the sums of theirs, its time the oldest."""
    if len(several) == 1:
        return several[0]
    return Snapshot(
        generation=sum(each.generation for each in several),
        position=sum(each.position for each in several),
        committed_at=min(each.committed_at for each in several),
        views=tuple(view for each in several for view in each.views),
        languages=frozenset().union(*(each.languages for each in several)),
    )


def mean_length(views: Sequence[SegmentView], name: IndexField) -> float:
    """Return the mean length of a field over the pages that have it, or 0."""
    found = [view.lengths(name)[view.live] for view in views]
    pages = sum(int(np.count_nonzero(lengths)) for lengths in found)
    return sum(int(lengths.sum(dtype=np.int64)) for lengths in found) / pages if pages else 0.0


def entrances_in(file: SegmentFile) -> dict[int, str]:
    """Return the first pages of sites in a segment."""
    sites = file.terms(SITE)[:MAX_SITES]
    urls = [(f"{scheme}://{site}/{name}", site) for site in sites for scheme in ("http", "https") for name in ENTRANCES]
    return {document: site for url, site in urls for document in file.documents(URL, url)}


def languages_of(files: Sequence[SegmentFile]) -> frozenset[str]:
    """Return the languages of the pages in the segments; the empty one stands for pages of unknown language."""
    return frozenset(language for file in files for language in file.terms(LANGUAGE))


_State = tuple[_Stamp, Snapshot]


class IndexReader:
    """Keeps one generation of the index of a data folder open. Any number of threads may share it."""

    def __init__(self, data_dir: Path) -> None:
        self.folder = index_folder(data_dir)
        self._opening = threading.Lock()
        self._opened: dict[str, tuple[SegmentFile, dict[int, str]]] = {}  # segments never change: they are opened once
        self._state: _State | None = None

    def current(self) -> Snapshot:
        """Return the generation that is current now. Raises NoIndex, CorruptIndex.

        A segment that turned out to be damaged is opened again: it may have been put back.
        """
        state = self._state
        if self._holds(state):
            return state[1]
        with self._opening:
            if not self._holds(self._state):
                self._state = self._open()
            return self._state[1]

    def _holds(self, state: _State | None) -> TypeGuard[_State]:
        return (
            state is not None and state[0] == self._stamp() and not any(view.file.is_damaged for view in state[1].views)
        )

    def _stamp(self) -> _Stamp:
        try:
            found = (self.folder / CURRENT_FILE).stat()
        except FileNotFoundError:
            raise NoIndex(self.folder) from None
        return found.st_ino, found.st_mtime_ns

    def _open(self) -> tuple[_Stamp, Snapshot]:
        for _ in range(OPEN_TRIES):
            stamp, generation = self._stamp(), read_generation(self.folder)
            try:
                return stamp, self._snapshot(generation)
            except FileNotFoundError as error:
                missing = error  # a commit has just replaced the file, unless it is still missing at the next try
        raise CorruptIndex(self.folder, f"{missing.filename} is missing")

    def _snapshot(self, generation: Generation) -> Snapshot:
        check_files(self.folder, generation)
        folder = self.folder / generation.build
        segments = read_contents(folder, generation)
        opened = {segment.name: self._segment(folder, segment, generation) for segment in segments}
        ranks = read_link_ranks(folder, generation.ranks)
        views = [
            SegmentView(*opened[one.name], frozenset(one.deleted), *ranks.of(opened[one.name][0].url_keys()))
            for one in segments
        ]
        self._opened = opened
        languages = languages_of([view.file for view in views])
        return Snapshot(generation.number, generation.position, generation.committed_at, tuple(views), languages)

    def _segment(self, folder: Path, segment: Segment, generation: Generation) -> tuple[SegmentFile, dict[int, str]]:
        known = self._opened.get(segment.name)
        if known and not known[0].is_damaged:
            return known
        file = SegmentFile(folder, segment, generation.sums[segment.file_name])
        return file, entrances_in(file)
