"""How does a commit survive a power cut? Every new file reaches the disk, then the folder's entry, then one rename.

A rename is atomic, but only of what the disk already holds: so the files of a commit are synchronised first, then
their folder, and only then does a name change point to them (Pillai et al., "All File Systems Are Not Created
Equal", OSDI 2014). Reading is through memory maps: a segment is opened in constant time and its pages are shared.

Only this folder, `segments/`, knows Whoosh, which is only partly typed.
"""
# mypy: disable-error-code="no-untyped-call,no-untyped-def,misc,import-untyped,no-any-return"

from __future__ import annotations

import io
import os
import zlib
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whoosh.filedb.compound import CompoundStorage
from whoosh.filedb.filestore import FileStorage
from whoosh.filedb.structfile import BufferFile

if TYPE_CHECKING:
    from collections.abc import Buffer  # type: ignore[attr-defined]  # Python 3.12; only for the checker


CHECKSUM_BLOCK_BYTES = 1 << 20  # read at a time
REPLACEMENT_SUFFIX = ".new"  # after its name: the content that is to replace a file's


def sync_folder(folder: Path) -> None:
    """Make the folder's entries (new, renamed and deleted files) reach the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


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
    """Return the CRC-32 of a file: not against malice, only to notice what a disk has done."""
    found = 0
    with path.open("rb") as file:
        while piece := file.read(CHECKSUM_BLOCK_BYTES):
            found = zlib.crc32(piece, found)
    return found


class DurableStorage(FileStorage):
    """A folder of index files that remembers what was written since the last `sync`."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder))
        self._unsynced: set[str] = set()

    def create_file(self, name: str, excl: bool = False, mode: str = "wb", **options: Any) -> Any:
        """Create a file and remember it."""
        self._unsynced.add(name)
        return super().create_file(name, excl, mode, **options)

    def open_file(self, name: str, **_options: Any) -> Any:
        """Open a small file, or a part of a segment that is being put together; it is read at once."""
        return _MappedFile(memoryview((Path(self.folder) / name).read_bytes()), name)

    def rename_file(self, oldname: str, newname: str, safe: bool = False) -> None:
        """Rename a file; it is the content under the new name that counts."""
        super().rename_file(oldname, newname, safe=safe)
        self._unsynced.discard(oldname)
        self._unsynced.add(newname)

    def sync(self) -> None:
        """Make everything written so far reach the disk."""
        folder = Path(self.folder)
        for name in sorted(self._unsynced):
            if (folder / name).exists():  # the parts of a compound file are gone by now
                sync_file(folder / name)
        sync_folder(folder)
        self._unsynced.clear()


class _Cursor(io.RawIOBase):
    """Reads a piece of memory like a file, without copying it first."""

    def __init__(self, memory: memoryview) -> None:
        self._memory = memory
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: len(self._memory)}[whence]
        self._place = start + offset
        return self._place

    def tell(self) -> int:
        return self._place

    def readinto(self, target: Buffer) -> int:
        view = memoryview(target).cast("B")
        part = self._memory[self._place : self._place + len(view)]
        view[: len(part)] = part
        self._place += len(part)
        return len(part)


class _MappedFile(BufferFile):
    """A file inside a memory map. (Whoosh's own copies the whole file into memory when it is opened.)"""

    def __init__(self, memory: memoryview, name: str) -> None:
        self._buf = memory
        self._name = name
        self.file: Any = _Cursor(memory)
        self.onclose = None
        self.is_real = False
        self.is_closed = False


class MappedSegment(CompoundStorage):
    """The files of one segment, mapped. Reads keep no place, so that any number of threads may read at once."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._memory = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
        head = _MappedFile(self._memory, path.name)
        directory, _length = head.read_long(), head.read_int()
        head.seek(directory)
        self._dir = head.read_pickle()

    def open_file(self, name: str, *_args: Any, **_options: Any) -> Any:
        """Open one of the segment's files."""
        offset, length = self.range(name)
        return _MappedFile(self._memory[offset : offset + length], name)
