"""How are vectors kept? Beside each segment, in files of some hundred pages, with whole numbers of eight bits.

    index/meaning/<segment>-<first page>.npz      an archive of arrays as numpy has it, and the CRC-32 of all of it

A segment never changes, and so neither do its vectors: a file has its pages in their order, with a digest of what was
read, by which a merge finds them again. It is written beside and renamed, so that it is there whole or not at all. A
vector takes 384 bytes and a factor: the cosine of two changes by about .002.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from extensions.meaning.passages import DIGEST_BYTES
from indexer.segments.storage import write_durably

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

MEANING_FOLDER = "meaning"  # in the folder of an index
SUFFIX = ".npz"
SLICE_PAGES = 512  # in a file: so much is lost when the process is killed
LEVELS = 127  # of a vector's largest number, to either side
SUM_BYTES = 4
_NO_ARCHIVE = (ValueError, KeyError, EOFError, TypeError, AttributeError, zipfile.BadZipFile)


class DamagedVectors(Exception):
    """A file of vectors is not as it was written; the message says how."""


@dataclass(frozen=True, slots=True)
class VectorSlice:
    """The vectors of consecutive pages of a segment.

    `digests` (pages, 16) are zeros for a page that was deleted before it was read. The passages of page `p` are those
    from `ends[p - 1]` to `ends[p]`; `vectors` (passages, width) times `factors` (passages) have length 1; `spans`
    (passages, 2) say from which to which character of the kept text.
    """

    digests: NDArray[np.uint8]
    ends: NDArray[np.uint32]
    vectors: NDArray[np.int8]
    factors: NDArray[np.float32]
    spans: NDArray[np.uint32]

    def passages(self, page: int) -> slice:
        """Return which passages are those of a page."""
        return slice(int(self.ends[page - 1]) if page else 0, int(self.ends[page]))


def slice_path(folder: Path, segment: str, first: int) -> Path:
    """Return the file with the vectors of a segment's pages from number `first` on."""
    return folder / f"{segment}-{first}{SUFFIX}"


def quantised(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return vectors as whole numbers from -127 to 127, and the factor by which each is to be multiplied."""
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
    """Read a file of vectors. Raises DamagedVectors for anything but what was written under this name and recipe."""
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
    except _NO_ARCHIVE as error:  # written so, by something else
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
