"""Which state of an index is searched? The generation named last; the next one as soon as a commit has named it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from indexer.faults import CorruptIndex, NoIndex
from indexer.retrieval.snapshot import Snapshot, View, languages_of, weighted_lengths
from indexer.segments.generation import CURRENT, Generation, check_files, index_folder, read_generation
from indexer.segments.segment import SegmentFile, read_contents
from indexer.segments.storage import DurableStorage

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from indexer.segments.document import Field

OPEN_TRIES = 5  # a commit may delete files between the reading of their names and their opening

_Stamp = tuple[int, int]  # of current.json: every commit renames a new file into its place


class IndexReader:
    """Keeps one generation of the index of a data folder open. Any number of threads may share it."""

    def __init__(self, data_dir: Path, weights: Mapping[Field, float], part: int = 0) -> None:
        self.folder = index_folder(data_dir)
        self._weights = weights
        self._part = part
        self._opening = threading.Lock()
        self._opened: dict[str, tuple[SegmentFile, list[float]]] = {}  # segments never change: they are opened once
        self._state: tuple[_Stamp, Snapshot] | None = None

    def current(self) -> Snapshot:
        """Return the generation that is current now. Raises NoIndex, CorruptIndex."""
        state = self._state
        if state is not None and state[0] == self._stamp():
            return state[1]
        with self._opening:
            if self._state is None or self._state[0] != self._stamp():
                self._state = self._open()
            return self._state[1]

    def _stamp(self) -> _Stamp:
        try:
            found = (self.folder / CURRENT).stat()
        except FileNotFoundError:
            raise NoIndex(self.folder) from None
        return found.st_ino, found.st_mtime_ns

    def _open(self) -> tuple[_Stamp, Snapshot]:
        for _ in range(OPEN_TRIES):
            stamp, generation = self._stamp(), read_generation(self.folder)
            try:
                return stamp, self._snapshot(generation)
            except FileNotFoundError as error:
                missing = error  # replaced by a commit in this moment, unless it stays so
            except CorruptIndex:
                raise
            except Exception as error:  # whatever unreadable bytes make of Whoosh's readers
                raise CorruptIndex(self.folder, f"{type(error).__name__}: {error}") from error
        raise CorruptIndex(self.folder, f"{missing.filename} is missing")

    def _snapshot(self, generation: Generation) -> Snapshot:
        check_files(self.folder, generation)
        folder = self.folder / generation.build
        segments = read_contents(DurableStorage(folder), generation.number)
        opened = {segment.segment_id(): self._segment(folder, segment) for segment in segments}
        views = [
            View(*opened[segment.segment_id()], deleted=frozenset(segment.deleted_docs()), part=self._part)
            for segment in segments
        ]
        self._opened = opened
        return Snapshot(generation, tuple(views), languages_of([view.file for view in views]))

    def _segment(self, folder: Path, segment: Any) -> tuple[SegmentFile, list[float]]:
        known = self._opened.get(segment.segment_id())
        if known:
            return known
        file = SegmentFile(folder, segment)
        return file, weighted_lengths(file, self._weights)
