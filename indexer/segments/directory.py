"""How do index files survive a power cut and a damaged disk? Files are synced before a commit; a segment has checksums.

A rename is atomic, but only of what the disk already holds. So a commit syncs its files first, then their folder, and
only then renames `current.json` (Pillai et al., "All File Systems Are Not Created Equal", OSDI 2014).

A segment is one compound file:

    parts, one after the other | directory of the parts (JSON) | CRC-32 of each block | footer

The footer has a checksum of the checksums, and current.json names it too. Each read compares the checksums of the
blocks that it touches: it finds a flipped bit, and a small read stays small.

Files are read with `pread` and not mapped into memory. Where a mapped file is cut short, the system kills the process
(SIGBUS); a read comes back short instead. No part is a pickle, so nothing that is read can run as code.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import zlib
from array import array
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING
from weakref import finalize

from crawldb.folders import sync_to_disk
from indexer.faults import CorruptIndex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import BinaryIO

    Extent = tuple[int, int]  # where it begins in its part, and its bytes

REPLACEMENT_SUFFIX = ".new"  # of the file that is to replace another one
BLOCK_BYTES = 4096  # finding a term takes three small reads; larger blocks slow these more than they help long ones
CACHED_BLOCKS = 256  # of each open segment: a mebibyte
FAR = 4096  # bytes between two extents: nearer ones are read at once
JOINED_BLOCKS = 2  # a read of more blocks than these goes past the cache, as one read of the disk
COPY_BYTES = 1 << 20
MAX_DIRECTORY_BYTES = 1 << 16  # some ten parts take 600
MAGIC = b"BCSG"
FOOTER = struct.Struct("<4sIQII")  # magic, bytes of a block, end of the parts, bytes of the directory, checksum
SUM_BYTES = 4


def write_durably(path: Path, content: bytes) -> None:
    """Replace a file. After a power cut at any moment it holds the old content or the new."""
    replacement = path.with_name(f"{path.name}{REPLACEMENT_SUFFIX}")
    replacement.write_bytes(content)
    sync_to_disk(replacement)
    replacement.rename(path)
    sync_to_disk(path.parent)


def checksum(path: Path) -> int:
    """Return the CRC-32 of a small file. It detects a damaged disk, not an attacker."""
    return zlib.crc32(path.read_bytes())


class Directory:
    """A folder of index files that remembers what was written since the last `sync`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._unsynced: set[str] = set()

    def create_part(self, name: str) -> BinaryIO:
        """Open a new file that is to become a part of a segment."""
        return (self.folder / name).open("wb")

    def pack(self, name: str, parts: Sequence[str]) -> int:
        """Write a segment from the files of its parts and delete these; return the checksum over the segment."""
        files = {part: self.folder / f"{name}.{part}" for part in parts}
        self._unsynced.add(f"{name}.seg")
        with (self.folder / f"{name}.seg").open("wb") as target:
            root = write_compound_file(target, files)
        for path in files.values():
            path.unlink()
        return root

    def write(self, name: str, content: bytes) -> None:
        """Write a small file."""
        self._unsynced.add(name)
        (self.folder / name).write_bytes(content)

    def move_in(self, file: Path) -> None:
        """Move a file of another folder here. The next `sync` makes it reach the disk."""
        self._unsynced.add(file.name)
        file.rename(self.folder / file.name)

    def sync(self) -> None:
        """Make everything written so far reach the disk."""
        for name in sorted(self._unsynced):
            if (self.folder / name).exists():  # a merge may have replaced a segment
                sync_to_disk(self.folder / name)
        sync_to_disk(self.folder)
        self._unsynced.clear()


def write_compound_file(file: BinaryIO, parts: Mapping[str, Path]) -> int:
    """Write a segment from the files of its parts, and return the checksum that its footer has."""
    sums = array("I")
    extents: dict[str, tuple[int, int]] = {}
    pending, end = b"", 0

    def write(piece: bytes) -> None:
        nonlocal pending
        file.write(piece)
        piece = pending + piece
        whole = len(piece) - len(piece) % BLOCK_BYTES
        view = memoryview(piece)
        sums.extend(zlib.crc32(view[at : at + BLOCK_BYTES]) for at in range(0, whole, BLOCK_BYTES))
        pending = piece[whole:]

    for name, path in parts.items():
        start = end
        for piece in _pieces(path):
            write(piece)
            end += len(piece)
        extents[name] = (start, end - start)
    listed = json.dumps(extents).encode()
    write(listed)
    if pending:
        sums.append(zlib.crc32(pending))
    packed = _in_file_order(sums).tobytes()
    root = _root(packed, end, len(listed))
    file.write(packed + FOOTER.pack(MAGIC, BLOCK_BYTES, end, len(listed), root))
    return root


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as part:
        while piece := part.read(COPY_BYTES):
            yield piece


def _root(sums: bytes, end: int, listed: int) -> int:
    return zlib.crc32(FOOTER.pack(MAGIC, BLOCK_BYTES, end, listed, 0), zlib.crc32(sums))


def _in_file_order(sums: array[int]) -> array[int]:
    """Convert checksums between the machine's byte order and the file's, which is little-endian."""
    if sys.byteorder == "big":
        sums.byteswap()
    return sums


class CompoundFile:
    """A segment, open for reading; threads may share it. Raises CorruptIndex for what is not as written.

    `root` is the checksum in the footer, which covers every bit.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        finalize(self, os.close, handle)
        self.size = os.fstat(handle).st_size
        self._read_at = partial(_read_at, handle, path)
        magic, block, end, listed, self.root = FOOTER.unpack(
            self._read_at(max(self.size - FOOTER.size, 0), FOOTER.size)
        )
        stop = end + listed
        blocks = -(-stop // BLOCK_BYTES)
        if (magic, block) != (MAGIC, BLOCK_BYTES) or stop + blocks * SUM_BYTES + FOOTER.size != self.size:
            raise _damage(path, "it does not end as a segment does")
        packed = self._read_at(stop, blocks * SUM_BYTES)
        if _root(packed, end, listed) != self.root:
            raise _damage(path, "its checksums are not as they were written")
        self._stop = stop
        self._sums = _in_file_order(array("I", packed))
        self._block = lru_cache(CACHED_BLOCKS)(partial(_block, self._read_at, self._sums, stop, path))
        self._extents = self._read_extents(end, listed)

    def _read_extents(self, end: int, listed: int) -> dict[str, tuple[int, int]]:
        try:
            found = json.loads(self.read(end, min(listed, MAX_DIRECTORY_BYTES)))
            extents = {str(name): (int(start), int(length)) for name, (start, length) in found.items()}
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise _damage(self._path, f"its directory can't be read: {error}") from error
        if any(start < 0 or length < 0 or start + length > end for start, length in extents.values()):
            raise _damage(self._path, "its directory names what is not there")
        return extents

    def part(self, name: str) -> Part:
        """Return a part."""
        try:
            return Part(self, *self._extents[name])
        except KeyError:
            raise _damage(self._path, f"it has no part {name}") from None

    def read(self, offset: int, length: int) -> bytes:
        """Return so many bytes, or those up to the end of the parts."""
        stop = min(offset + length, self._stop)
        if offset < 0 or stop <= offset:
            return b""
        first, last = offset // BLOCK_BYTES, (stop - 1) // BLOCK_BYTES
        start = first * BLOCK_BYTES
        if first == last:
            return self._block(first)[offset - start : stop - start]
        if last - first < JOINED_BLOCKS:
            return b"".join(map(self._block, range(first, last + 1)))[offset - start : stop - start]
        found = memoryview(self._read_at(start, min((last + 1) * BLOCK_BYTES, self._stop) - start))
        for number, at in enumerate(range(0, len(found), BLOCK_BYTES), first):
            _compare(found[at : at + BLOCK_BYTES], self._sums, number, self._path)
        return bytes(found[offset - start : stop - start])

    def check(self) -> None:
        """Read everything once; a gigabyte takes a second or two."""
        for offset in range(0, self._stop, COPY_BYTES):
            self.read(offset, COPY_BYTES)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a segment, open for reading."""

    file: CompoundFile
    start: int
    length: int

    def read(self, offset: int = 0, length: int | None = None) -> bytes:
        """Return so many bytes from a place on, or those up to the part's end."""
        left = self.length - offset
        return (
            self.file.read(self.start + offset, left if length is None else min(length, left)) if offset >= 0 else b""
        )

    def read_each(self, extents: Sequence[Extent]) -> list[bytes]:
        """Return the bytes of several extents; those that are near each other are read at once."""
        found = [b""] * len(extents)
        for together in _near_ones(extents):
            start, (last, size) = extents[together[0]][0], max(map(extents.__getitem__, together), key=sum)
            content = self.read(start, last + size - start)
            for number in together:
                at, size = extents[number]
                found[number] = content[at - start : at - start + size]
        return found


def _near_ones(extents: Sequence[Extent]) -> list[list[int]]:
    """Return the numbers of extents, those together that are less than FAR from each other."""
    groups: list[list[int]] = []
    end = 0
    for number in sorted(range(len(extents)), key=extents.__getitem__):
        at, size = extents[number]
        if not groups or at - end >= FAR:
            groups.append([])
        groups[-1].append(number)
        end = max(end, at + size)
    return groups


def _read_at(handle: int, path: Path, offset: int, length: int) -> bytes:
    try:
        found = os.pread(handle, length, offset)
    except OSError as error:  # the disk can't read it
        raise _damage(path, f"it can't be read: {error.strerror}") from error
    if len(found) < length:
        raise _damage(path, f"it ends before byte {offset + length}: it was cut short")
    return found


def _block(read_at: partial[bytes], sums: array[int], stop: int, path: Path, number: int) -> bytes:
    start = number * BLOCK_BYTES
    found = read_at(start, min(BLOCK_BYTES, stop - start))
    _compare(found, sums, number, path)
    return found


def _compare(block: bytes | memoryview, sums: array[int], number: int, path: Path) -> None:
    found, written = zlib.crc32(block), sums[number]
    if found != written:
        raise _damage(path, f"block {number} has checksum {found:08x} instead of {written:08x}")


def _damage(path: Path, finding: str) -> CorruptIndex:
    return CorruptIndex(path.parent.parent, f"{path.parent.name}/{path.name}: {finding}")
