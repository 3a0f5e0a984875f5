"""What did a process do to its folder, call by call? The log that shim.c writes, read back.

The shim is compiled at its first use, which needs a C compiler and Linux: if either is missing, `NoShim` says so. A
process that has it loaded arms it. It also logs each transaction of the crawl database and each commit of the index
that has returned: from then on, other processes rely on it.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import struct
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawldb.database import CrawlDatabase
from indexer.writing.writer import IndexWriter
from tests.durability.agreement import content_digest

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

SOURCE, LIBRARY = Path(__file__).with_name("shim.c"), "shim.so"
HEAD = struct.Struct("=BxHHxxQQ")  # kind, length of the name and of the other, offset, length: `struct head` in shim.c


class NoShim(Exception):
    """The recorder can't be built here."""


class CallKind(Enum):
    """What a call does. Of a synchronisation the log tells when it is done, of the others when they begin."""

    CREATE = "c"
    WRITE = "w"
    TRUNCATE = "t"
    SYNC = "s"  # of a file or a folder
    UNLINK = "u"  # of a file, or of an empty folder
    MAKE = "m"  # a folder
    RENAME = "r"
    NOTE = "A"  # no call: the process says that a transaction has returned


@dataclass(frozen=True, slots=True)
class FileCall:
    """One call. `length` is that of `data`, or the new length of a file that is truncated."""

    kind: CallKind
    name: str
    other: str = ""  # the new name, of a rename
    offset: int = 0
    length: int = 0
    data: bytes = b""


def build_shim(folder: Path) -> Path:
    """Compile the shim into `folder` and return where it is."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        raise NoShim("what a process writes is recorded on Linux, with a C compiler: install one as cc (Debian: gcc)")
    library = folder / LIBRARY
    words = [compiler, "-shared", "-fPIC", "-O2", "-o", str(library), str(SOURCE), "-ldl", "-pthread"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoShim(f"{SOURCE.name} can't be compiled: {done.stderr.strip()[-500:]}")
    return library


def read_calls(log: Path) -> Iterator[FileCall]:
    """Read a log, from its beginning; of a last record that a kill has cut short, nothing."""
    content = memoryview(log.read_bytes()) if log.exists() else memoryview(b"")
    place = 0
    while place + HEAD.size <= len(content):
        letter, name, other, offset, length = HEAD.unpack_from(content, place)
        kind = CallKind(chr(letter))
        first = place + HEAD.size
        second, third = first + name, first + name + other
        place = third + (length if kind is CallKind.WRITE else 0)
        if place > len(content):
            return
        yield FileCall(
            kind,
            bytes(content[first:second]).decode(),
            bytes(content[second:third]).decode(),
            offset,
            length,
            bytes(content[third:place]),
        )


# -- in the process that is recorded -----------------------------------------------------------------------------------


def arm(order: dict[str, Any]) -> None:
    """Tell the shim, where it is loaded, what to watch, when to kill this process or its index writer, and the time.

    `at` is a call; `wrong_by` and `after` are seconds, as CRASH_CLOCK and CRASH_JUMP.
    """
    if "LD_PRELOAD" not in os.environ:
        return
    shim = ctypes.CDLL(None)
    folder, log = order.get("under", "").encode(), order.get("log", "").encode()
    shim.crash_arm(folder, log, ctypes.c_long(order.get("at", 0)))
    shim.crash_clock(ctypes.c_long(order.get("wrong_by", 0)), ctypes.c_long(order.get("after", 0)))
    os.environ |= {"CRASH_UNDER": order.get("under", ""), "CRASH_AT": str(order.get("writer_at", 0))}
    if log:
        _note_what_returns(shim)


def _note_what_returns(shim: ctypes.CDLL) -> None:
    """Put a mark into the shim's log whenever a transaction or a commit of the index has returned."""
    transaction, publish = CrawlDatabase.transaction, IndexWriter._publish  # watched, not changed

    @contextmanager
    def noted(self: CrawlDatabase) -> Iterator[sqlite3.Connection]:
        with transaction(self) as connection:
            yield connection
        shim.crash_note(f"database {content_digest(self.connection)}".encode())

    def noted_commit(self: IndexWriter, position: int) -> None:
        publish(self, position)
        shim.crash_note(f"index {self._generation.number}".encode())

    CrawlDatabase.transaction = noted  # type: ignore[method-assign]  # as below
    IndexWriter._publish = noted_commit  # type: ignore[method-assign]  # for as long as this process lives
