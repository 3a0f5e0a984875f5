"""Who may close a file that SQLite has open? Nobody in the same process: all of SQLite's locks on it go with that.

POSIX ties a lock to a process and a file, and drops it when the process closes any handle on that file
(https://www.sqlite.org/howtocorrupt.html, 2.2). Then another process believes that it is the last that has the
database open, and deletes the log into which this one still writes. So a handle is kept until the last connection of
this process is closed.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
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
