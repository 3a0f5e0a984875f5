"""When is a page read by meaning? While the index writer has nothing else to do, and before it ends.

A pass walks the segments of the current generation. A page with a known digest is not read again: its vectors are
copied. A page keeps its digest when it is merged, moves to another build or comes back. A pass ends by deleting the
files that no segment needs. The caller holds the lock of the index, so no other process writes here.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from commands.frame.exits import CommandError
from extension_points import IndexWork
from extensions.meaning.encoder import MeaningFault, MiniLM
from extensions.meaning.passages import DIGEST_BYTES, digest_of_reading, passages_of, recipe_of
from extensions.meaning.vectors import (
    MEANING_FOLDER,
    SLICE_PAGES,
    SUFFIX,
    DamagedVectors,
    VectorSlice,
    quantised,
    read_slice,
    slice_path,
    write_slice,
)
from indexer.faults import IndexFault
from indexer.segments.generation import index_folder, read_generation
from indexer.segments.segment import SegmentReader, read_contents

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from commands.frame.command_settings import CommandSettings
    from extensions.meaning.encoder import Encoder
    from indexer.segments.generation import Generation
    from indexer.segments.schema import StoredFields
    from indexer.segments.segment import Segment

STEP_PAGES = 8  # read in one step: some tenths of a second, for which a new page has to wait


def reading_of_pages(settings: CommandSettings, *, asked: bool) -> list[IndexWork]:
    """Return the work of reading pages by meaning. If that is impossible, print why, or raise a fault if `asked`."""
    if settings["INDEX"]:
        notice = "pages are read by meaning only where the index is in the data folder"
        if asked:
            raise CommandError(f"{notice}, and INDEX names a cluster: leave one of them out")
        print(f"index: {notice}", file=sys.stderr)
        return []
    try:
        encoder = MiniLM()
    except MeaningFault as fault:
        if asked:
            raise
        print(f"index: pages are not read by meaning: {fault}", file=sys.stderr)
        return []
    return [IndexWork("read_by_meaning", partial(VectorUpkeep, encoder=encoder))]


@dataclass(frozen=True, slots=True)
class _Row:
    """The vectors of one page."""

    digest: bytes
    vectors: NDArray[np.int8]
    factors: NDArray[np.float32]
    spans: NDArray[np.uint32]


class VectorUpkeep:
    """Keeps the vectors of an index up to date with its generations.

    `done` counts the pages that were read, `copied` those known before.
    """

    def __init__(self, data_dir: Path, encoder: Encoder) -> None:
        self.done = self.copied = 0
        self.damaged: list[str] = []  # the broken files, which are rebuilt
        self._index = index_folder(data_dir)
        self._folder = self._index / MEANING_FOLDER
        self._encoder, self._recipe = encoder, recipe_of(encoder)
        self._load = lru_cache(8)(lambda path: read_slice(path, self._recipe, encoder.width))
        self._known: dict[bytes, tuple[Path, int]] = {}
        self._has_looked = False
        self._sound: set[Path] = set()
        self._finished = -1  # the generation for which all files are there
        self._steps: Iterator[None] | None = None

    def step(self) -> bool:
        """Read a few pages; return whether more may be missing."""
        if self._steps is None:
            try:
                generation = read_generation(self._index)
            except IndexFault:  # no commit yet, or a rebuild
                return False
            if generation.number == self._finished:
                return False
            self._steps = self._pass(generation)
        if next(self._steps, self) is self:
            self._steps = None
        return True

    def _pass(self, generation: Generation) -> Iterator[None]:
        """Make every file that a generation lacks; end early if a commit has made another generation."""
        self._folder.mkdir(exist_ok=True)
        if not self._has_looked:
            self._look_around()
        wanted = set()
        for segment in read_contents(self._index / generation.build, generation):
            file = SegmentReader(self._index / generation.build, segment)
            for first in range(0, segment.count, SLICE_PAGES):
                path = slice_path(self._folder, segment.name, first)
                wanted.add(path)
                if path in self._sound:
                    continue
                yield from self._make(path, file, segment, first)
                if read_generation(self._index).number != generation.number:
                    return
        self._sweep(wanted)
        self._finished = generation.number

    def _look_around(self) -> None:
        """Find the sound files, and the pages in them."""
        self._has_looked = True
        for path in sorted(self._folder.glob(f"*{SUFFIX}")):
            try:
                self._learn(path, self._load(path))
            except DamagedVectors as fault:
                self.damaged.append(f"{path.name}: {fault}")

    def _learn(self, path: Path, found: VectorSlice) -> None:
        self._sound.add(path)
        for page, digest in enumerate(found.digests):
            if digest.any():
                self._known[digest.tobytes()] = path, page

    def _make(self, path: Path, file: SegmentReader, segment: Segment, first: int) -> Iterator[None]:
        rows: list[_Row] = []
        stop = min(first + SLICE_PAGES, segment.count)
        for start in range(first, stop, STEP_PAGES):
            numbers = range(start, min(start + STEP_PAGES, stop))
            rows += self._rows([None if number in segment.deleted else file.stored(number) for number in numbers])
            yield
        found = VectorSlice(
            digests=np.frombuffer(b"".join(row.digest for row in rows), np.uint8).reshape(-1, DIGEST_BYTES),
            ends=np.cumsum([len(row.factors) for row in rows]).astype(np.uint32),
            vectors=np.concatenate([row.vectors for row in rows]),
            factors=np.concatenate([row.factors for row in rows]),
            spans=np.concatenate([row.spans for row in rows]),
        )
        write_slice(path, self._recipe, found)
        self._learn(path, found)

    def _rows(self, pages: list[StoredFields | None]) -> list[_Row]:
        """Return the vectors of some pages, copied if they are known; a deleted page has none."""
        digests = [bytes(DIGEST_BYTES) if page is None else digest_of_reading(page) for page in pages]
        known = [self._copied(digest) for digest in digests]
        passages = [
            passages_of(page, self._encoder) if page is not None and row is None else []
            for page, row in zip(pages, known, strict=True)
        ]
        read = self._encoder.vectors([passage.tokens for found in passages for passage in found])
        vectors, factors = quantised(read)
        spans = np.array([(one.begin, one.end) for found in passages for one in found], np.uint32).reshape(-1, 2)
        rows: list[_Row] = []
        end = 0
        for digest, found, copied in zip(digests, passages, known, strict=True):
            start, end = end, end + len(found)
            rows.append(copied or _Row(digest, vectors[start:end], factors[start:end], spans[start:end]))
            self.done += bool(found)
        return rows

    def _copied(self, digest: bytes) -> _Row | None:
        path, page = self._known.get(digest, (None, 0))
        if path is None:
            return None
        try:
            found = self._load(path)
        except DamagedVectors as fault:
            self.damaged.append(f"{path.name}: {fault}")
            return None
        chosen = found.passages(page)
        self.copied += 1
        return _Row(digest, found.vectors[chosen], found.factors[chosen], found.spans[chosen])

    def _sweep(self, wanted: set[Path]) -> None:
        """Delete the files of dropped segments, and those that a killed writer has left."""
        for path in self._folder.iterdir():
            if path not in wanted:
                path.unlink()
        self._sound &= wanted
        self._known = {digest: place for digest, place in self._known.items() if place[0] in wanted}
