"""How are vectors stored, and which are nearest to a query? Next to each segment, in files of some hundred pages.

    index/meaning/<segment>-<first page>.npz      An archive of numpy arrays, and the CRC-32 of all of it.

A segment never changes, and neither do its vectors. A file has its pages in their order, with a digest of the text
read, by which a merge finds them again. A temporary file is renamed, so a file is there whole or not at all. A vector
takes 384 bytes and a factor, which changes the cosine of two by about .002. A missing or damaged file is reported, and
costs nothing else: its pages are found by their words.

The passages nearest to a query have vectors in the same direction. The signs of the 384 numbers are a good estimate:
vectors with the same signs are similar. So the signs of all passages are compared first, 64 in one operation. Then only
the CANDIDATES with the fewest differences are compared by their numbers (Charikar, "Similarity estimation techniques
from rounding algorithms", 2002). Up to that many passages the result is exact. At 200,000 it takes a few milliseconds,
without a structure to keep up to date.
"""

from __future__ import annotations

import io
import threading
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from extensions.meaning.encoder import INSTALLED_BY
from extensions.meaning.passages import DIGEST_BYTES, recipe_of
from indexer.segments.directory import write_durably
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from extensions.meaning.encoder import Encoder
    from indexer.segments.snapshot import Snapshot

MEANING_FOLDER = "meaning"  # in the folder of an index
SUFFIX = ".npz"
SLICE_PAGES = 512  # in a file: a killed process loses that many
LEVELS = 127  # on either side of 0, for a vector's largest number
SUM_BYTES = 4
_NO_ARCHIVE = (ValueError, KeyError, EOFError, TypeError, AttributeError, zipfile.BadZipFile)
CANDIDATES = 2_000  # passages compared by their numbers
WORD_BITS = 64


class DamagedVectors(Exception):
    """A damaged file of vectors; the message has the reason."""


@dataclass(frozen=True, slots=True)
class VectorSlice:
    """The vectors of consecutive pages of a segment.

    `digests` (pages, 16) are zeros for a page that was deleted before its reading. The passages of page `p` are those
    from `ends[p - 1]` to `ends[p]`. `vectors` (passages, width) times `factors` (passages) have length 1. `spans`
    (passages, 2) are the first and last character of each in the kept text.
    """

    digests: NDArray[np.uint8]
    ends: NDArray[np.uint32]
    vectors: NDArray[np.int8]
    factors: NDArray[np.float32]
    spans: NDArray[np.uint32]

    def passages(self, page: int) -> slice:
        """Return the rows of a page's passages."""
        return slice(int(self.ends[page - 1]) if page else 0, int(self.ends[page]))


def slice_path(folder: Path, segment: str, first: int) -> Path:
    """Return the file with the vectors of a segment's pages from number `first` on."""
    return folder / f"{segment}-{first}{SUFFIX}"


def quantised(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return vectors as whole numbers from -127 to 127, and the factor of each."""
    largest = np.abs(vectors).max(axis=1, initial=1e-9)
    whole = np.rint(vectors * (LEVELS / largest)[:, None]).astype(np.int8)
    return whole, (largest / LEVELS).astype(np.float32)


def write_slice(path: Path, recipe: str, found: VectorSlice) -> None:
    """Write a file of vectors, whole or not at all."""
    content = io.BytesIO()
    arrays = {name: getattr(found, name) for name in VectorSlice.__slots__}
    np.savez(content, label=_label(path, recipe), **arrays)
    packed = content.getvalue()
    write_durably(path, packed + zlib.crc32(packed).to_bytes(SUM_BYTES, "little"))


def read_slice(path: Path, recipe: str, width: int) -> VectorSlice:
    """Read a file of vectors. Raises DamagedVectors unless it was written under this name and recipe."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DamagedVectors(f"it can't be read: {error.strerror}") from error
    packed = content[:-SUM_BYTES]
    if zlib.crc32(packed) != int.from_bytes(content[-SUM_BYTES:], "little"):
        raise DamagedVectors("it is not as it was written")
    try:
        with np.load(io.BytesIO(packed), allow_pickle=False) as archive:
            if not np.array_equal(archive["label"], _label(path, recipe)):
                raise DamagedVectors("it was made by another recipe, or is of other pages")
            found = VectorSlice(**{name: archive[name] for name in VectorSlice.__slots__})
    except _NO_ARCHIVE as error:  # something else wrote it
        raise DamagedVectors(f"it is no archive of vectors: {error}") from error
    pages, passages = len(found.ends), len(found.factors)
    shapes = (found.digests.shape, found.vectors.shape, found.spans.shape)
    if shapes != ((pages, DIGEST_BYTES), (passages, width), (passages, 2)):
        raise DamagedVectors("its arrays do not fit together")
    if pages and (int(found.ends[-1]) != passages or (np.diff(found.ends.astype(np.int64)) < 0).any()):
        raise DamagedVectors("its pages do not fit its passages")
    return found


def _label(path: Path, recipe: str) -> NDArray[np.uint8]:
    return np.frombuffer(f"{path.name}: {recipe}".encode(), np.uint8)


@dataclass(frozen=True, slots=True)
class Nearest:
    """The best passage of each of some pages, the most similar first; arrays of one length.

    `segments` and `documents` identify the page, `similarities` are cosines, `spans` (pages, 2) characters.
    """

    segments: NDArray[np.uint32]
    documents: NDArray[np.uint32]
    similarities: NDArray[np.float32]
    spans: NDArray[np.uint32]

    def above(self, floor: float) -> Nearest:
        """Return the pages with a similarity above `floor`."""
        return self._chosen(self.similarities > floor)

    def of(self, segment: int) -> Nearest:
        """Return the pages of one segment."""
        return self._chosen(self.segments == segment)

    def _chosen(self, rows: NDArray[np.bool_]) -> Nearest:
        return Nearest(self.segments[rows], self.documents[rows], self.similarities[rows], self.spans[rows])


@dataclass(frozen=True, slots=True)
class PassageVectors:
    """All passages of some segments; arrays of one length. Each has a row of `vectors` and a column of `signs`."""

    segments: NDArray[np.uint32]
    documents: NDArray[np.uint32]
    vectors: NDArray[np.int8]
    factors: NDArray[np.float32]
    spans: NDArray[np.uint32]
    signs: NDArray[np.uint64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "signs", signs_of(self.vectors))

    def nearest(self, question: NDArray[np.float32], pages: int) -> Nearest:
        """Return the `pages` pages most similar to a query's vector; equal ones in their order."""
        rows = self._candidates(question)
        # einsum: at this size the threads of a matrix product cost more than they save
        similarities = np.einsum("ij,j->i", self.vectors[rows].astype(np.float32), question) * self.factors[rows]
        order = np.lexsort((rows, -similarities))
        rows, similarities = rows[order], similarities[order]
        keys = self.segments[rows].astype(np.uint64) << np.uint64(32) | self.documents[rows]
        _, firsts = np.unique(keys, return_index=True)  # the best passage of each page
        best = np.sort(firsts)[:pages]
        rows = rows[best]
        return Nearest(self.segments[rows], self.documents[rows], similarities[best], self.spans[rows])

    def _candidates(self, question: NDArray[np.float32]) -> NDArray[np.intp]:
        if len(self.vectors) <= CANDIDATES:
            return np.arange(len(self.vectors))
        different = np.zeros(len(self.vectors), np.uint16)
        for stored, asked in zip(self.signs, signs_of(question[None])[:, 0], strict=True):
            different += np.bitwise_count(stored ^ asked)
        # Ties at the edge are broken by place: the next page of results has the same candidates.
        edge = np.partition(different, CANDIDATES)[CANDIDATES]
        return np.flatnonzero(different <= edge)[: 2 * CANDIDATES]


def signs_of(vectors: NDArray[np.int8] | NDArray[np.float32]) -> NDArray[np.uint64]:
    """Return which numbers are above 0, as bits in words of 64: (words, vectors)."""
    bits = np.packbits(vectors > 0, axis=1)
    padded = np.pad(bits, ((0, 0), (0, -bits.shape[1] % (WORD_BITS // 8))))
    return np.ascontiguousarray(padded.view(np.uint64).T)


def side_by_side_passages(slices: Sequence[tuple[int, int, VectorSlice]], width: int) -> PassageVectors:
    """Return the passages of slices together. Each slice comes with the numbers of its segment and its first page."""
    counts = [np.diff(each.ends, prepend=np.uint32(0)).astype(np.int64) for _, _, each in slices]
    pages = [
        np.repeat(first + np.arange(len(count)), count) for (_, first, _), count in zip(slices, counts, strict=True)
    ]
    return PassageVectors(
        segments=np.repeat([segment for segment, _, _ in slices], [len(found) for found in pages]).astype(np.uint32),
        documents=np.concatenate([np.zeros(0, np.int64), *pages]).astype(np.uint32),
        vectors=np.concatenate([np.zeros((0, width), np.int8), *(each.vectors for _, _, each in slices)]),
        factors=np.concatenate([np.zeros(0, np.float32), *(each.factors for _, _, each in slices)]),
        spans=np.concatenate([np.zeros((0, 2), np.uint32), *(each.spans for _, _, each in slices)]),
    )


@dataclass(frozen=True, slots=True)
class SnapshotVectors:
    """The passages of a snapshot; `unread` pages have not been read yet, and `damaged` files can't be."""

    passages: PassageVectors
    unread: int
    damaged: tuple[str, ...]

    @property
    def notice(self) -> str:
        """A sentence about pages that are not read by meaning; empty if all are."""
        sentences = [f"A file of vectors is damaged ({name})" for name in self.damaged[:1]]
        if self.unread:
            verb = "is" if self.unread == 1 else "are"
            sentences.append(f"{counted(self.unread, 'page')} of the index {verb} not read by meaning")
        return (
            f"{'; '.join(sentences)}: such pages are found by their words alone. {INSTALLED_BY} reads them."
            if sentences
            else ""
        )


class StoredVectors:
    """Reads the vectors of snapshots from disk. Any number of threads may share it."""

    def __init__(self, encoder: Encoder) -> None:
        self._recipe, self._width = recipe_of(encoder), encoder.width
        self._loading = threading.Lock()
        self._slices: dict[Path, VectorSlice] = {}  # files never change under their name
        self._state: tuple[object, SnapshotVectors] | None = None

    def of(self, snapshot: Snapshot) -> SnapshotVectors:
        """Return the current vectors for a snapshot."""
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
    """Return a key that changes when a search must read the files again: segments, and the times of their folders."""
    folders = {view.file.index_folder / MEANING_FOLDER for view in snapshot.views}
    times = [(folder, folder.stat().st_mtime_ns if folder.exists() else 0) for folder in sorted(folders)]
    return [(view.file.index_folder, view.file.name) for view in snapshot.views], times
