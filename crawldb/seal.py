"""Is the database what was written? Checksums of its blocks are kept next to it, and a later reader compares.

SQLite finds a broken structure, but not a bit that the disk turned within a text, nor a block that the disk returns as
it was before the last write. So a file next to the database, the seal, has the CRC-32 of each block (a page of SQLite).

A block changes only when SQLite copies the write-ahead log into the database: a checkpoint. So the processes that write
make the checkpoints themselves. Before each one, `keep` writes a random number into SQLite's `application_id`, and
appends a record to the seal: that number, and the checksums of all blocks in the log. The next transaction clears the
number. So where the number of a record is in the database file or in the log, everything that was written later is in
the log, and the record holds for all other blocks. Elsewhere nothing can be compared: for example, a copy of the
database was put back. Another program that writes into the database may leave its first block as it is. What it wrote
then counts as damage, and the message says what helps: delete the seal.

A process that is killed leaves the log, and its frames have SQLite's own checksums. For SQLite the log ends before the
first wrong one, so a turned bit there costs all later commits, without a message. A log that begins again has other
salts, and so have the frames that belong to it (https://www.sqlite.org/fileformat.html, 4). Nobody locks the log, so a
process may open and close it while SQLite has it open.

The seal also has the identity of its crawl. So a file that lost all its content, or that belongs to another crawl, is
not taken for a new one.

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
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    File = tuple[int, int]  # device and inode

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


LOG_HEADER = struct.Struct(">4s4sI4s8s8s")  # magic, version, page size, sequence, salts, checksum
FRAME = struct.Struct(">II8s8s")  # page, pages of the database where a commit ends (else 0), salts, checksum
HEADER = slice(0, 100)  # of an SQLite file, at the beginning of page 1; 1.3
NUMBER = slice(68, 72)  # application_id
IDENTITY = (NUMBER, slice(24, 28), slice(40, 44), slice(92, 100))  # number, change counter, schema, versions


class LogFrames(NamedTuple):
    """The frames of a write-ahead log, perhaps with some that were never committed."""

    header: bytes = b""  # differs as soon as the log has begun anew
    page_bytes: int = 0
    places: dict[int, int] = {}  # noqa: RUF012 - nobody writes into it: of a page, where its last frame has its content
    identities: tuple[bytes, ...] = ()  # of the database, at each frame that has page 1
    sizes: tuple[int, ...] = ()  # of the database in pages, at each commit


def _identity(header: bytes) -> bytes:
    """Return what tells one state of a database from another, by its first bytes."""
    return b"".join(header[part] for part in IDENTITY)


def log_of(path: Path) -> Path:
    """Return where SQLite keeps the log of a database."""
    return path.with_name(f"{path.name}-wal")


def has_log(path: Path) -> bool:
    """Return whether a database has a log with content; the last connection that closes deletes it at any time."""
    try:
        return log_of(path).stat().st_size > 0
    except FileNotFoundError:
        return False


def has_frame(path: Path, number: int) -> bool:
    """Return whether the log of a database has so many frames."""
    try:
        with log_of(path).open("rb", buffering=0) as log:
            header = log.read(LOG_HEADER.size)
            if len(header) < LOG_HEADER.size:
                return False
            _, _, page_bytes, _, salts, _ = LOG_HEADER.unpack(header)
            place = LOG_HEADER.size + (number - 1) * (FRAME.size + page_bytes)
            frame = os.pread(log.fileno(), FRAME.size, place)
    except OSError:
        return False
    return len(frame) == FRAME.size and FRAME.unpack(frame)[2] == salts


def read_frames(path: Path, until: bytes = b"") -> LogFrames:
    """Return the frames of the log of a database; those up to the commit of a number in `application_id`, if given."""
    try:
        with log_of(path).open("rb", buffering=0) as log:
            return _read_frames(log.fileno(), until)
    except FileNotFoundError:
        return LogFrames()


def _read_frames(handle: int, until: bytes) -> LogFrames:
    header = os.pread(handle, LOG_HEADER.size, 0)
    if len(header) < LOG_HEADER.size:
        return LogFrames()
    _, _, page_bytes, _, salts, _ = LOG_HEADER.unpack(header)
    places: dict[int, int] = {}
    identities: list[bytes] = []
    sizes: list[int] = []
    place = LOG_HEADER.size
    while len(read := os.pread(handle, FRAME.size, place)) == FRAME.size:
        page, size, own, _ = FRAME.unpack(read)
        if own != salts:
            break
        places[page] = place + FRAME.size
        if size:
            sizes.append(size)
        if page == 1:
            first = os.pread(handle, HEADER.stop, place + FRAME.size)
            identities.append(_identity(first))
            if until and size and first[NUMBER] == until:
                break
        place += FRAME.size + page_bytes
    return LogFrames(header, page_bytes, places, tuple(identities), tuple(sizes))


def _sums_of_frames(path: Path, log: LogFrames) -> dict[int, int]:
    """Return the CRC-32 of each page that the log has and the database still has, as its last frame has it."""
    with log_of(path).open("rb", buffering=0) as file:
        return {
            page: zlib.crc32(os.pread(file.fileno(), log.page_bytes, place))
            for page, place in log.places.items()
            if page <= log.sizes[-1]
        }


SUFFIX = ".seal"
MAGIC = b"BCD3"
HEAD = struct.Struct("<4s20s16sIII")  # magic, identity, crawl, bytes of a block, blocks of the database, numbers
NUMBER_BYTES = 4  # those follow, and then the CRC-32 of the record
UNKNOWN = 0  # the sum of a block that nobody has written: SQLite leaves one out at 1 GB
MAX_HISTORY = 1 << 16  # a seal is written anew with this many bytes, and three times those of its first record
READ_SECONDS = 0.5  # a command spends at most this on comparing: hundreds of megabytes
CRAWL_SECONDS = 30.0  # and a crawl this, twice: on the blocks, and on the structure
SEAL_SECONDS = 15.0  # what takes longer is not sealed; half as long as another writer waits
BLOCKS_AT_ONCE = 16
OTHERS_WRITE = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
STEPS = 10_000  # of SQLite's machine between two looks at the clock

_compared: dict[Path, tuple[int, ...]] = {}  # files that were found sound, as they then were


class Record(NamedTuple):
    """The checksums that were kept before a checkpoint."""

    identity: bytes  # of the database
    crawl: bytes
    block_bytes: int
    blocks: int  # of the database
    numbers: array[int]  # in the first record the sums of all blocks; later the blocks of the log, then their sums
    end: int  # in the seal


def damage(path: Path, seconds: float) -> str:
    """Return how a database differs from what was written, "" where it does not, or where that is unknown."""
    if not _has_header(path) and _seal_of(path).exists():
        return "it is empty or missing, and its seal is next to it"
    stamp = _stamp(path)
    if not stamp or (seconds < math.inf and _is_compared(path, stamp)):
        return ""
    log, records = _state(path)
    if not records:
        return ""
    block, found = _difference(path, log, records, seconds)
    if found:
        later, still = _state(path)
        if (later.header, still) != (log.header, records) or block in later.places:
            return ""  # somebody has written since
    else:
        _compared[path] = stamp
    return found


def is_sealed(path: Path) -> bool:
    """Return whether checksums hold for a database: then each block is compared, or has its own in the log."""
    return bool(_state(path)[1])


def _is_compared(path: Path, stamp: tuple[int, ...]) -> bool:
    """Return whether this process has compared a file. One that is being written it compares once."""
    compared = _compared.get(path)
    return compared == stamp or (compared is not None and compared[0] == stamp[0] and has_log(path))


def _has_header(path: Path) -> bool:
    """Return whether a file has content; SQLite takes one that is shorter than its header for a new database."""
    return path.exists() and path.stat().st_size >= HEADER.stop


def _seal_of(path: Path) -> Path:
    return path.with_name(f"{path.name}{SUFFIX}")


def _state(path: Path, until: bytes = b"") -> tuple[LogFrames, list[Record]]:
    """Return the log of a database, up to a number if given, and the records up to the last that holds for the rest."""
    if not path.exists():
        return LogFrames(), []
    with opened_beside_sqlite(path) as handle:
        known = _identity(os.pread(handle, HEADER.stop, 0))  # before the log: what is copied after this is still there
    log = read_frames(path, until)
    records = _records(path)
    while records and records[-1].identity not in {known, *log.identities}:
        records.pop()
    return log, records


def _difference(path: Path, log: LogFrames, records: list[Record], seconds: float) -> tuple[int, str]:
    """Return the first block that differs and how; what is in the log does not count."""
    until = time.monotonic() + seconds
    sums, block_bytes, size = _sums_of(records), records[-1].block_bytes, path.stat().st_size
    if not log.header and size != len(sums) * block_bytes:
        return 0, f"it has {size} bytes, and {len(sums) * block_bytes} were written"
    count = min([len(sums), *log.sizes])
    first = secrets.randbelow(count) if count else 0  # so over time all of a large one is compared
    for part in (range(first, count), range(first)):
        for block, found in _sums(path, part, block_bytes):
            known = sums[block - 1]
            if found != known != UNKNOWN and block not in log.places:
                difference = f"block {block} of {count} has checksum {found:08x} instead of {known:08x}"
                return block, f"{difference} (if a program was let write into it, delete {_seal_of(path).name})"
            if time.monotonic() > until:
                return 0, ""
    return 0, ""


def _sums(path: Path, part: range, block_bytes: int) -> Iterator[tuple[int, int]]:
    """Yield the number of each block, from 1 on, and its checksum."""
    with opened_beside_sqlite(path) as handle:
        for start in range(part.start, part.stop, BLOCKS_AT_ONCE):
            count = min(BLOCKS_AT_ONCE, part.stop - start)
            read = memoryview(os.pread(handle, count * block_bytes, start * block_bytes))
            for number in range(count):
                yield start + number + 1, zlib.crc32(read[number * block_bytes : (number + 1) * block_bytes])


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        return tuple(
            number
            for file in (path, _seal_of(path))
            for number in (file.stat().st_ino, file.stat().st_size, file.stat().st_mtime_ns)
        )
    except OSError:
        return ()


def sealed_crawl(path: Path) -> str:
    """Return the identity of the crawl in the seal of a database; "" where no seal can be read."""
    records = _records(path)
    return records[-1].crawl.hex() if records else ""


def _records(path: Path) -> list[Record]:
    """Return the records in the seal of a database, up to the first that was only half written, or is damaged."""
    records: list[Record] = []
    try:
        content, start = _seal_of(path).read_bytes(), 0
    except FileNotFoundError:
        return records
    while len(head := content[start : start + HEAD.size]) == HEAD.size:
        magic, known, crawl, block_bytes, blocks, count = HEAD.unpack(head)
        body = start + HEAD.size
        end = body + NUMBER_BYTES * count
        checked = content[end : end + NUMBER_BYTES]
        if magic != MAGIC or checked != zlib.crc32(content[start:end]).to_bytes(NUMBER_BYTES):
            break
        start = end + NUMBER_BYTES
        records.append(Record(known, crawl, block_bytes, blocks, array("I", content[body:end]), start))
    return records


def _sums_of(records: list[Record]) -> array[int]:
    """Return the checksum of each block after these records."""
    sums = records[0].numbers[:]
    for record in records[1:]:
        count = len(record.numbers) // 2
        _put(sums, record.blocks, zip(record.numbers[:count], record.numbers[count:], strict=True))
    return sums


def _put(sums: array[int], blocks: int, changed: Iterable[tuple[int, int]]) -> None:
    """Bring checksums up to date with a database that has so many blocks now."""
    del sums[blocks:]
    sums.extend([UNKNOWN] * (blocks - len(sums)))
    for block, found in changed:
        sums[block - 1] = found


def keep(path: Path, connection: sqlite3.Connection, seconds: float = 0.0) -> bool:
    """Make a checkpoint, with the checksums of what it writes; return whether checksums hold for the database now.

    Where none hold so far, all blocks are read, for at most so many seconds; where there are any, the log is emptied,
    too. A second connection has the write lock meanwhile: what others would write has no checksums yet, and they could
    append to the seal at the same time. Where others write now, nothing is done.
    """
    number = secrets.randbelow(2**31 - 1) + 1
    wait = connection.execute("PRAGMA busy_timeout").fetchone()[0]
    try:
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute(f"PRAGMA application_id = {number}")
        crawl = bytes.fromhex(connection.execute("SELECT id FROM identity").fetchone()[0])
        address = f"{path.absolute().as_uri()}?mode=rw"
        with closing(sqlite3.connect(address, uri=True, timeout=0, isolation_level=None)) as guard:
            guard.execute("BEGIN IMMEDIATE")
            if guard.execute("PRAGMA application_id").fetchone()[0] != number:
                return False
            is_kept = _append(path, number.to_bytes(4), crawl, seconds)
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            if seconds:
                guard.execute("ROLLBACK")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return is_kept
    except (OSError, sqlite3.Error) as error:  # checksums are only a help: nothing depends on them
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in OTHERS_WRITE:
            with suppress(sqlite3.Error):
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)")  # perhaps this makes room
        return False
    finally:
        connection.execute(f"PRAGMA busy_timeout = {wait}")


def _append(path: Path, number: bytes, crawl: bytes, seconds: float) -> bool:
    """Record the log up to the commit of a number; return whether checksums hold."""
    log, records = _state(path, number)
    if not log.identities or not log.identities[-1].startswith(number):
        return False  # on a file system on which SQLite can't have a log
    changed, blocks = _sums_of_frames(path, log), log.sizes[-1]
    if records and records[-1].end <= MAX_HISTORY + 3 * records[0].end:
        numbers, end = array("I", [*changed, *changed.values()]), records[-1].end
    else:
        numbers, end = _sums_of(records) if records else _all_sums(path, log, seconds), 0
        if not numbers:
            return False
        _put(numbers, blocks, changed.items())
    record = HEAD.pack(MAGIC, log.identities[-1], crawl, log.page_bytes, blocks, len(numbers)) + numbers.tobytes()
    _write(_seal_of(path), record + zlib.crc32(record).to_bytes(NUMBER_BYTES), end)
    return True


def _all_sums(path: Path, log: LogFrames, seconds: float) -> array[int]:
    """Return the checksum of each block in a database; nothing where that takes longer than so many seconds."""
    until, sums = time.monotonic() + seconds, array("I")
    for _, found in _sums(path, range(log.sizes[-1]), log.page_bytes):
        sums.append(found)
        if time.monotonic() > until:
            return array("I")
    return sums


def _write(path: Path, record: bytes, end: int) -> None:
    """Put a record behind those that end there, or make a new file with it."""
    written = path if end else path.with_name(f"{path.name}.new")
    with written.open("r+b" if end else "wb") as file:
        file.truncate(end)
        file.seek(end)
        file.write(record)
        file.flush()
        os.fsync(file.fileno())
    if not end:
        written.rename(path)


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
