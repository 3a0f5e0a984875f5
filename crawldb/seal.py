"""Is the database what was written? Its last writer leaves a checksum of each block, and a later reader compares.

SQLite finds a broken structure, but not a bit that the disk turned within a text. So a crawl that ends, and a command
that has written, puts a seal next to the file. The seal has the CRC-32 of each block, and a number that the file has
as well, in SQLite's `application_id`. The next writer's first transaction clears that number, and the seal no longer
applies. A database that was put back has another number, so only its own seal is compared with it.

The seal also has the identity of its crawl, and stays next to the file while that is written. So a file that lost all
its content, or that belongs to another crawl, is not taken for a new one.

A process must not close a database that it reads as a file while SQLite has it open. POSIX ties a lock to a process
and a file, and drops it when the process closes any handle of that file (https://www.sqlite.org/howtocorrupt.html,
2.2). Another process would then believe that it alone has the database open, and would delete the log into which this
process writes. So a handle stays open until this process has closed its last connection.
"""

from __future__ import annotations

import math
import os
import secrets
import sqlite3
import struct
import threading
import time
import zlib
from array import array
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    File = tuple[int, int]  # device and inode
    from collections.abc import Iterable

_lock = threading.Lock()
_connections: Counter[File] = Counter()
_handles: dict[File, list[int]] = {}  # those that wait for the last connection
_connecting = 0  # connections that are being opened; nobody knows yet on which file


@contextmanager
def connecting() -> Iterator[None]:
    """Let no handle be closed while the block opens a connection."""
    global _connecting  # noqa: PLW0603 - it is the process's: so are the locks
    with _lock:
        _connecting += 1
    try:
        yield
    finally:
        with _lock:
            _connecting -= 1


def connected(path: Path) -> File:
    """Count a connection that was opened; return what `disconnected` needs."""
    found = path.stat()
    file = found.st_dev, found.st_ino
    with _lock:
        _connections[file] += 1
    return file


def disconnected(file: File) -> None:
    """Count a connection that was closed; with the last one, the handles are closed."""
    with _lock:
        _connections[file] -= 1
        if _connections[file] <= 0:
            del _connections[file]
            for handle in _handles.pop(file, ()):
                os.close(handle)


@contextmanager
def opened_beside_sqlite(path: Path) -> Iterator[int]:
    """Open a database as a file, for `os.pread`, whether or not this process has connections to it."""
    with _lock:
        found = path.stat()
        file = found.st_dev, found.st_ino
        waiting = _handles.get(file)
        handle = waiting.pop() if waiting else os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        opened = os.fstat(handle)
        file = opened.st_dev, opened.st_ino
    try:
        yield handle
    finally:
        with _lock:
            if _connections[file] or _connecting:
                _handles.setdefault(file, []).append(handle)
            else:
                del _connections[file]
                os.close(handle)


SUFFIX = ".seal"
BLOCK_BYTES = 1 << 16
MAGIC = b"BCD2"
HEAD = struct.Struct("<4s20s16sQI")  # magic, identity, crawl, bytes of the database, CRC-32 of this and of the sums
HEADER = slice(0, 100)  # of an SQLite file; https://www.sqlite.org/fileformat.html, 1.3
IDENTITY = (slice(24, 28), slice(40, 44), slice(68, 72), slice(92, 100))  # change counter, schema, number, versions
READ_SECONDS = 0.5  # a command spends at most this on comparing: about half a gigabyte, which half being drawn
CRAWL_SECONDS = 30.0  # and a crawl this, twice: on the blocks, and on the structure
SEAL_SECONDS = 30.0  # what takes longer is not sealed
STEPS = 10_000  # of SQLite's machine between two looks at the clock

_compared: dict[Path, tuple[int, ...]] = {}  # files that were found sound, as they then were


def damage(path: Path, seconds: float) -> str:
    """Return how a sealed database differs from what was written, "" where it does not, or where that is unknown."""
    if not _has_header(path) and path.with_name(f"{path.name}{SUFFIX}").exists():
        return "it is empty or missing, and its seal is next to it"
    stamp = _stamp(path)
    if not stamp or (seconds < math.inf and _compared.get(path) == stamp):
        return ""
    if not is_sealed(path):
        return ""
    identity, _, size, sums = _read(path)
    found = _difference(path, size, sums, seconds)
    if found and (identity != _identity(path) or _has_log(path)):
        return ""  # somebody has written since
    if not found:
        _compared[path] = stamp
    return found


def is_sealed(path: Path) -> bool:
    """Return whether a database has a seal that can be read and is its own: then each block of it is compared."""
    return bool(_stamp(path)) and _read(path)[0] == _identity(path) and not _has_log(path)


def _has_header(path: Path) -> bool:
    """Return whether a file has content; SQLite takes one that is shorter than its header for a new database."""
    return path.exists() and path.stat().st_size >= HEADER.stop


def _difference(path: Path, size: int, sums: array[int], seconds: float) -> str:
    until = time.monotonic() + seconds
    if path.stat().st_size != size:
        return f"it has {path.stat().st_size} bytes, and {size} were written"
    first = secrets.randbelow(len(sums))  # so over time all of a large one is compared
    order = (*range(first, len(sums)), *range(first))
    for number, found in zip(order, _sums(path, order), strict=True):
        if found != sums[number]:
            difference = f"block {number + 1} of {len(sums)} has checksum {found:08x} instead of {sums[number]:08x}"
            return f"{difference} (if a program was let write into it, delete {path.name}{SUFFIX})"
        if time.monotonic() > until:
            break
    return ""


def _sums(path: Path, order: Iterable[int]) -> Iterator[int]:
    with opened_beside_sqlite(path) as handle:
        for number in order:
            yield zlib.crc32(os.pread(handle, BLOCK_BYTES, number * BLOCK_BYTES))


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        return tuple(
            number
            for file in (path, path.with_name(f"{path.name}{SUFFIX}"))
            for number in (file.stat().st_ino, file.stat().st_size, file.stat().st_mtime_ns)
        )
    except OSError:
        return ()


def _identity(path: Path) -> bytes:
    with opened_beside_sqlite(path) as handle:
        header = os.pread(handle, HEADER.stop, 0)
    return b"".join(header[part] for part in IDENTITY)


def _has_log(path: Path) -> bool:
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def sealed_crawl(path: Path) -> str:
    """Return the identity of the crawl in the seal of a database; "" where no seal can be read."""
    return _read(path)[1].hex() if path.with_name(f"{path.name}{SUFFIX}").exists() else ""


def _read(path: Path) -> tuple[bytes, bytes, int, array[int]]:
    """Return the seal of a database; one that is none itself fits no database."""
    content = path.with_name(f"{path.name}{SUFFIX}").read_bytes()
    sums = array("I")
    if len(content) < HEAD.size or (len(content) - HEAD.size) % sums.itemsize:
        return b"", b"", 0, sums
    magic, identity, crawl, size, checked = HEAD.unpack_from(content)
    sums.frombytes(content[HEAD.size :])
    if checked != _checksum(HEAD.pack(magic, identity, crawl, size, 0), content[HEAD.size :]) or not sums:
        return b"", b"", 0, sums
    return identity, crawl, size, sums


def _checksum(head: bytes, sums: bytes) -> int:
    return zlib.crc32(sums, zlib.crc32(head))


def seal(path: Path, connection: sqlite3.Connection, seconds: float = SEAL_SECONDS) -> bool:
    """Seal a database; return whether it was done. It is not where others work on it, or it takes too long."""
    until = time.monotonic() + seconds
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        connection.execute(f"PRAGMA application_id = {secrets.randbelow(2**31 - 1) + 1}")
        busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        identity, size = _identity(path), path.stat().st_size
        if busy or not size:
            return False
        sums = array("I")
        for found in _sums(path, range(-(-size // BLOCK_BYTES))):
            sums.append(found)
            if time.monotonic() > until:
                return False
        if _has_log(path) or identity != _identity(path):
            return False
        packed, crawl = sums.tobytes(), bytes.fromhex(connection.execute("SELECT id FROM identity").fetchone()[0])
        checked = _checksum(HEAD.pack(MAGIC, identity, crawl, size, 0), packed)
        beside = path.with_name(f"{path.name}{SUFFIX}.new")
        beside.write_bytes(HEAD.pack(MAGIC, identity, crawl, size, checked) + packed)
        beside.rename(path.with_name(f"{path.name}{SUFFIX}"))
    except (OSError, sqlite3.Error):  # a seal is only a help: nothing depends on it
        return False
    return True


def break_seal(connection: sqlite3.Connection) -> None:
    """Take the number out, in the transaction of who begins to write."""
    if has_seal(connection):
        connection.execute("PRAGMA application_id = 0")


def broken_structure(connection: sqlite3.Connection, seconds: float) -> str:
    """Return what SQLite finds wrong with the structure in so much time, or "". Raises sqlite3.DatabaseError."""
    until = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > until, STEPS)
    try:
        found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        return ""  # as far as it was looked at, it is sound
    finally:
        connection.set_progress_handler(None, 0)
    return "" if found == "ok" else found


def has_seal(connection: sqlite3.Connection) -> bool:
    """Return whether the file has the number of a seal: no transaction has begun since it was sealed."""
    return bool(connection.execute("PRAGMA application_id").fetchone()[0])


def faults_of_structure(connection: sqlite3.Connection, most: int) -> list[str]:
    """Return what SQLite finds wrong with the structure and every index, however long that takes; at most so much."""
    rows = connection.execute(f"PRAGMA integrity_check({most:d})").fetchall()
    return [str(found) for (found,) in rows if found != "ok"]


class StrayRow(NamedTuple):
    """A row that names a row of another table which is not there."""

    table: str
    row: int
    parent: str


def rows_without_parent(connection: sqlite3.Connection, most: int) -> list[StrayRow]:
    """Return rows that name a row of another table which is not there; at most so many."""
    return [StrayRow(*found[:3]) for found in connection.execute("PRAGMA foreign_key_check").fetchmany(most)]
