"""Which state of the index is the current one? The one named in `current.json`, and its renaming is the commit.

    index/current.json      generation, feed position, time, files with their sizes
    index/build-1/          segments and Whoosh's tables of contents; a rebuild fills build-2 beside it
    index/writer.lock       the number of the process that writes

A crash leaves files that current.json does not name: they are swept away when the next writer opens the index. The
feed position is in the same file as the content's name, so that the one can never be ahead of the other.
"""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING
from zlib import crc32

from indexer.faults import CorruptIndex, NoIndex
from indexer.segments.storage import BESIDE, checksum

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 1  # raise it when what is on disk changes: stems, fields, columns
CURRENT = "current.json"
BUILD = "build-"


@dataclass(frozen=True, slots=True)
class Generation:
    """One committed state. `files` are the segments of this state with their sizes in bytes, `sums` their CRC-32."""

    number: int = 0
    build: str = f"{BUILD}1"
    position: int = 0  # the last row of the change feed that is in the index
    documents: int = 0
    committed_at: float = 0.0  # seconds since the epoch
    files: dict[str, int] = field(default_factory=dict)
    format: int = FORMAT
    sums: dict[str, int] = field(default_factory=dict)  # an index of an earlier Breadcrumb has none
    contents: dict[str, int] = field(default_factory=dict)  # CRC-32 of Whoosh's table, which says what is deleted
    seal: int | None = None  # CRC-32 of this record, but for the seal

    def dump(self) -> bytes:
        """Return the generation as the content of current.json."""
        return json.dumps(asdict(replace(self, seal=self.digest())), indent=1).encode()

    def digest(self) -> int:
        """Return what the seal must be."""
        return crc32(json.dumps(asdict(replace(self, seal=None)), sort_keys=True).encode())

    def next(
        self, *, position: int, documents: int, files: dict[str, int], sums: dict[str, int], build: str
    ) -> Generation:
        """Return the state that follows this one."""
        return Generation(self.number + 1, build, position, documents, time.time(), files, sums=sums)


def index_folder(data_dir: Path) -> Path:
    """Return where the index of a data folder lives."""
    return data_dir / "index"


def read_generation(folder: Path) -> Generation:
    """Return the current state. Raises NoIndex where there is none, CorruptIndex where it cannot be read."""
    try:
        content = (folder / CURRENT).read_bytes()
    except FileNotFoundError:
        raise NoIndex(folder) from None
    try:
        found = Generation(**json.loads(content))
    except (ValueError, TypeError) as error:
        raise CorruptIndex(folder, f"{CURRENT} is no record of a generation: {error}") from error
    if found.format != FORMAT:
        raise CorruptIndex(folder, f"it has format {found.format}, and this version reads format {FORMAT}")
    if found.sums and found.seal is not None and found.seal != found.digest():
        raise CorruptIndex(folder, f"{CURRENT} is not as it was written")
    return found


def check_files(folder: Path, generation: Generation) -> None:
    """Raise FileNotFoundError for a missing file, CorruptIndex for a segment of another size than was written.

    Of the table of contents every bit is checked: it is small, and one bit of it may bring a deleted page back.
    """
    for name, size in generation.files.items():
        found = (folder / generation.build / name).stat().st_size
        if found != size:
            raise CorruptIndex(folder, f"{generation.build}/{name} has {found} bytes, and {size} were written")
    for name, written in generation.contents.items():
        _check_sum(folder, f"{generation.build}/{name}", written)


def check_sums(folder: Path, generation: Generation) -> None:
    """Raise CorruptIndex for a segment in which a bit is another than was written; a gigabyte takes a second or two.

    A writer does this when it opens the index: a damaged segment must not be merged into sound ones.
    """
    for name, written in generation.sums.items():
        _check_sum(folder, f"{generation.build}/{name}", written)


def _check_sum(folder: Path, name: str, written: int) -> None:
    found = checksum(folder / name)
    if found != written:
        raise CorruptIndex(folder, f"{name} has checksum {found:08x} instead of {written:08x}")


def sweep(folder: Path, generation: Generation | None, *, contents: str = "") -> None:
    """Delete what the generation does not name: leftovers of killed writers, and what merges have replaced."""
    for path in folder.iterdir():
        if path.is_dir() and path.name.startswith(BUILD) and (generation is None or path.name != generation.build):
            shutil.rmtree(path, ignore_errors=True)
    (folder / f"{CURRENT}{BESIDE}").unlink(missing_ok=True)
    if generation is None:
        return
    build = folder / generation.build
    for path in build.iterdir() if build.is_dir() else ():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif path.name not in generation.files and path.name != contents:
            path.unlink(missing_ok=True)


def next_build(folder: Path) -> str:
    """Return a folder name for a rebuild that no build has."""
    taken = [
        int(path.name.removeprefix(BUILD)) for path in folder.glob(f"{BUILD}*") if path.name[len(BUILD) :].isdigit()
    ]
    return f"{BUILD}{max(taken, default=0) + 1}"
