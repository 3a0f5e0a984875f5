"""Is what is read what was written? A segment carries a checksum for each of its blocks, and each read compares them.

    parts, one after the other | directory of the parts (JSON) | CRC-32 of each block | footer

The footer has a checksum of the checksums; current.json names it too. So a flipped bit is found by whoever reads its
block, and nobody reads a large file for the sake of a small answer.

Files are read with `pread`, not mapped into memory: where a mapped file is cut short, the system ends the process that
looks behind the cut (SIGBUS), while a read comes back short and can be told. No part is a pickle: nothing that is read
can run as code, whoever made the file.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import zlib
from array import array
from functools import lru_cache, partial
from typing import TYPE_CHECKING
from weakref import finalize

from indexer.faults import CorruptIndex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import BinaryIO

BLOCK_BYTES = (
    4096  # a term is found by three small reads: larger blocks would cost them more than they save the long ones
)
CACHED_BLOCKS = 256  # of each open segment: a mebibyte
JOINED_BLOCKS = 2  # a read over more blocks than these is one read of the disk, past the cache
COPY_BYTES = 1 << 20
MAX_DIRECTORY_BYTES = 1 << 16  # of some ten parts: 600
MAGIC = b"BCSG"
FOOTER = struct.Struct("<4sIQII")  # magic, bytes of a block, end of the parts, bytes of the directory, checksum
SUM_BYTES = 4


def write_blocks(file: BinaryIO, parts: Mapping[str, Path]) -> int:
    """Write a segment from the files of its parts, and return the checksum that its footer has."""
    sums = array("I")
    directory: dict[str, tuple[int, int]] = {}
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
        directory[name] = (start, end - start)
    listed = json.dumps(directory).encode()
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
    """Return the sums in little-endian order, or, of such, in the machine's own."""
    if sys.byteorder == "big":
        sums.byteswap()
    return sums


class BlockFile:
    """A segment that is read block by block; threads may share it. Raises CorruptIndex for what is not as written.

    `root` is the checksum in the footer: of all the others, and so of every bit.
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
        self._parts = self._directory(end, listed)

    def _directory(self, end: int, listed: int) -> dict[str, tuple[int, int]]:
        try:
            found = json.loads(self.read(end, min(listed, MAX_DIRECTORY_BYTES)))
            parts = {str(name): (int(start), int(length)) for name, (start, length) in found.items()}
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise _damage(self._path, f"its directory can't be read: {error}") from error
        if any(start < 0 or length < 0 or start + length > end for start, length in parts.values()):
            raise _damage(self._path, "its directory names what is not there")
        return parts

    def extent(self, part: str) -> tuple[int, int]:
        """Return where a part begins, and its bytes."""
        try:
            return self._parts[part]
        except KeyError:
            raise _damage(self._path, f"it has no part {part}") from None

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
        for number in range(first, last + 1):
            at = (number - first) * BLOCK_BYTES
            _compare(found[at : at + BLOCK_BYTES], self._sums, number, self._path)
        return bytes(found[offset - start : stop - start])

    def check(self) -> None:
        """Read everything once; a gigabyte takes a second or two."""
        for offset in range(0, self._stop, COPY_BYTES):
            self.read(offset, COPY_BYTES)


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
