"""How does an index survive a power cut? What a commit needs is on the disk first; then one rename.

A rename is atomic, but only of what the disk already holds: so the files of a commit are synchronised first, then
their folder, and only then does a name change point to them (Pillai et al., "All File Systems Are Not Created
Equal", OSDI 2014).

Whoosh lends the inside of a segment: hash tables with ordered keys, and columns. Where it would write or read a pickle,
these files have JSON, which can't run. `segments/` and `writing/sorted_blocks.py` import Whoosh, and nothing else here
does: it is only partly typed.
"""
# mypy: disable-error-code="no-untyped-call,no-untyped-def,misc,import-untyped,no-any-return"

from __future__ import annotations

import io
import json
import os
import zlib
from typing import TYPE_CHECKING, Any

from whoosh.filedb.structfile import BufferFile, StructFile

from crawldb.folders import sync_folder
from indexer.segments.blocks import BlockFile, write_blocks

if TYPE_CHECKING:
    from collections.abc import Buffer, Sequence  # type: ignore[attr-defined]  # Python 3.12; only for the checker
    from pathlib import Path


REPLACEMENT_SUFFIX = ".new"  # after its name: the content that is to replace a file's


def sync_file(path: Path) -> None:
    """Make a written file's content reach the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_durably(path: Path, content: bytes) -> None:
    """Replace a file: afterwards, and after a power cut at any moment, it holds the old content or the new."""
    beside = path.with_name(f"{path.name}{REPLACEMENT_SUFFIX}")
    beside.write_bytes(content)
    sync_file(beside)
    beside.rename(path)
    sync_folder(path.parent)


def checksum(path: Path) -> int:
    """Return the CRC-32 of a small file: not against malice, only to notice what a disk has done."""
    return zlib.crc32(path.read_bytes())


class DurableStorage:
    """A folder of index files that remembers what was written since the last `sync`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._unsynced: set[str] = set()

    def create_part(self, name: str) -> PartWriter:
        """Create a file that is to become a part of a segment."""
        return PartWriter((self.folder / name).open("wb"), name)

    def pack(self, name: str, parts: Sequence[str]) -> int:
        """Write a segment from the files of its parts, which go; return the checksum over it."""
        files = {part: self.folder / f"{name}.{part}" for part in parts}
        self._unsynced.add(f"{name}.seg")
        with (self.folder / f"{name}.seg").open("wb") as target:
            root = write_blocks(target, files)
        for path in files.values():
            path.unlink()
        return root

    def write(self, name: str, content: bytes) -> None:
        """Write a small file."""
        self._unsynced.add(name)
        (self.folder / name).write_bytes(content)

    def take_over(self, file: Path) -> None:
        """Move a file of another folder here; whoever wrote it, the next `sync` makes it reach the disk."""
        self._unsynced.add(file.name)
        file.rename(self.folder / file.name)

    def sync(self) -> None:
        """Make everything written so far reach the disk."""
        for name in sorted(self._unsynced):
            if (self.folder / name).exists():  # a segment may be merged by now
                sync_file(self.folder / name)
        sync_folder(self.folder)
        self._unsynced.clear()


class PartWriter(StructFile):
    """A part of a segment, while it is written."""

    def write_pickle(self, obj: Any, protocol: int = -1) -> None:  # noqa: ARG002 - Whoosh's signature
        """Write what Whoosh would pickle as JSON, with its length before it."""
        content = json.dumps(obj).encode()
        self.write_int(len(content))
        self.write(content)


class _Cursor(io.RawIOBase):
    """Reads a part like a file."""

    def __init__(self, part: PartReader) -> None:
        self._part = part
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self._part.length}[whence]
        self._place = start + offset
        return self._place

    def tell(self) -> int:
        return self._place

    def readinto(self, target: Buffer) -> int:
        view = memoryview(target).cast("B")
        found = self._part.get(self._place, len(view))
        view[: len(found)] = found
        self._place += len(found)
        return len(found)


class PartReader(BufferFile):
    """A part of a segment, to read. `get` keeps no place, so that any number of threads may call it."""

    def __init__(self, file: BlockFile, part: str) -> None:
        self._start, self.length = file.extent(part)
        self._read = file.read
        self._name = part
        self.file: Any = _Cursor(self)
        self.onclose = None
        self.is_real = False
        self.is_closed = False

    def get(self, position: int, length: int) -> bytes:
        """Return so many bytes from a place on, or those up to the part's end."""
        return self._read(self._start + position, min(length, self.length - position)) if position >= 0 else b""

    def read_pickle(self) -> Any:
        """Read what `PartWriter.write_pickle` has written; a pickle that stands there instead is never opened."""
        return json.loads(self.read(self.read_int()))
