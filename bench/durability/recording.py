"""What did a process do to its folder, call by call? The log that shim.c writes, read back.

The shim is compiled when it is needed, which takes a C compiler and Linux: where either is missing, `NoShim` says so.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(__file__).with_name("shim.c")
HEAD = struct.Struct("=BxHHxxQQ")  # kind, length of the name and of the other, offset, length: `struct head` in shim.c


class NoShim(Exception):
    """The recorder can't be built here."""


class Kind(Enum):
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
class Call:
    """One call. `length` is that of `data`, or the new length of a file that is truncated."""

    kind: Kind
    name: str
    other: str = ""  # the new name, of a rename
    offset: int = 0
    length: int = 0
    data: bytes = b""


def build(folder: Path) -> Path:
    """Compile the shim into `folder` and return where it is."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        raise NoShim("what a process writes is recorded on Linux, with a C compiler: install one as cc (Debian: gcc)")
    library = folder / "shim.so"
    words = [compiler, "-shared", "-fPIC", "-O2", "-o", str(library), str(SOURCE), "-ldl", "-pthread"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoShim(f"{SOURCE.name} can't be compiled: {done.stderr.strip()[-500:]}")
    return library


def read(log: Path) -> Iterator[Call]:
    """Read a log, from its beginning; of a last record that a kill has cut short, nothing."""
    content = memoryview(log.read_bytes()) if log.exists() else memoryview(b"")
    place = 0
    while place + HEAD.size <= len(content):
        letter, name, other, offset, length = HEAD.unpack_from(content, place)
        kind = Kind(chr(letter))
        first = place + HEAD.size
        second, third = first + name, first + name + other
        place = third + (length if kind is Kind.WRITE else 0)
        if place > len(content):
            return
        yield Call(
            kind, bytes(content[first:second]).decode(), bytes(content[second:third]).decode(), offset, length,
            bytes(content[third:place]),
        )  # fmt: skip
