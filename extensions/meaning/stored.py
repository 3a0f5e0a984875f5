"""Which vectors belong to a snapshot? Those beside its segments; they are read once, and again when more are written.

What is not there, or not as it was written, is told, and costs nothing else: these pages are found by their words.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from extensions.meaning.nearest import PassageVectors, side_by_side_passages
from extensions.meaning.passages import recipe_of
from extensions.meaning.vectors import MEANING_FOLDER, SLICE_PAGES, DamagedVectors, read_slice, slice_path
from extensions.meaning.weights import INSTALLED_BY
from urls.counted import counted

if TYPE_CHECKING:
    from pathlib import Path

    from extensions.meaning.encoder import Encoder
    from extensions.meaning.vectors import VectorSlice
    from indexer.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class SnapshotVectors:
    """The passages of a snapshot; `unread` pages have not been read yet, and `damaged` files can't be."""

    passages: PassageVectors
    unread: int
    damaged: tuple[str, ...]

    @property
    def notice(self) -> str:
        """What is not read by meaning, as a sentence; empty where everything is."""
        told = [f"A file of vectors is damaged ({name})" for name in self.damaged[:1]]
        if self.unread:
            verb = "is" if self.unread == 1 else "are"
            told.append(f"{counted(self.unread, 'page')} of the index {verb} not read by meaning")
        return (
            f"{'; '.join(told)}: such pages are found by their words alone. {INSTALLED_BY} reads them." if told else ""
        )


class StoredVectors:
    """Reads the vectors of snapshots from disk. Any number of threads may share it."""

    def __init__(self, encoder: Encoder) -> None:
        self._recipe, self._width = recipe_of(encoder), encoder.width
        self._loading = threading.Lock()
        self._slices: dict[Path, VectorSlice] = {}  # files never change under their name
        self._state: tuple[object, SnapshotVectors] | None = None

    def of(self, snapshot: Snapshot) -> SnapshotVectors:
        """Return what there is now for a snapshot."""
        key = _key(snapshot)
        state = self._state
        if state is None or state[0] != key:
            with self._loading:
                state = self._state
                if state is None or state[0] != key:
                    state = self._state = key, self._load(snapshot)
        return state[1]

    def _load(self, snapshot: Snapshot) -> SnapshotVectors:
        found: dict[Path, VectorSlice] = {}
        rows: list[tuple[int, int, VectorSlice]] = []
        unread, damaged = 0, []
        for number, view in enumerate(snapshot.views):
            folder = view.file.index_folder / MEANING_FOLDER
            for first in range(0, view.file.count, SLICE_PAGES):
                path = slice_path(folder, view.file.name, first)
                try:
                    one = self._slices.get(path) or read_slice(path, self._recipe, self._width)
                    if len(one.ends) != min(SLICE_PAGES, view.file.count - first):
                        raise DamagedVectors("it has another number of pages than its segment")  # noqa: TRY301
                except DamagedVectors as fault:
                    unread += min(SLICE_PAGES, view.file.count - first)
                    damaged += [f"{path}: {fault}"] if path.exists() else []
                    continue
                found[path] = one
                rows.append((number, first, one))
        self._slices = found
        return SnapshotVectors(side_by_side_passages(rows, self._width), unread, tuple(damaged))


def _key(snapshot: Snapshot) -> object:
    """Return what changes when a search has to look at the files again: a segment, or what lies in a folder."""
    folders = {view.file.index_folder / MEANING_FOLDER for view in snapshot.views}
    times = [(folder, folder.stat().st_mtime_ns if folder.exists() else 0) for folder in sorted(folders)]
    return [(view.file.index_folder, view.file.name) for view in snapshot.views], times
