"""Which process crawls into this folder? One at a time: two would lease the same URLs, and break the pace of hosts."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from pathlib import Path

from crawldb.database import DatabaseError, StorageError
from crawldb.folders import make_folder

LOCK_NAME = "crawl.lock"
LOCKS = Path("/proc/locks")  # of Linux
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class FolderInUse(Exception):
    """Another process crawls into the folder; the message has its number."""


class CrawlLock:
    """Holds a data folder for one crawl. The system frees it when the process ends, however it ends."""

    def __init__(self, data_dir: Path) -> None:
        try:
            make_folder(data_dir)
            self._file = (data_dir / LOCK_NAME).open("a+")
        except OSError as error:
            raise _unusable(data_dir, error) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise FolderInUse(in_use(data_dir)) from None
        try:
            self._file.truncate(0)
            self._file.write(str(os.getpid()))
            self._file.flush()
        except OSError as error:
            with contextlib.suppress(OSError):  # it tries to write once more
                self._file.close()
            raise _unusable(data_dir, error) from error

    def release(self) -> None:
        """Give the folder free."""
        self._file.close()


def holder(data_dir: Path) -> str:
    """Return the process that holds a folder; in the moment in which it takes it, no number is known yet."""
    pid = (data_dir / LOCK_NAME).read_text("ascii", "replace").strip()
    return f"process {pid}" if pid else "a process that has only just begun"


def in_use(data_dir: Path) -> str:
    """Return who holds a folder, and what would work."""
    pid = (data_dir / LOCK_NAME).read_text("ascii", "replace").strip()
    by, end = (f"process {pid}", f"Ctrl-C or kill {pid}") if pid else ("it has only just begun", "Ctrl-C")
    return (
        f"{data_dir} is in use by a crawl ({by}): wait for it, end it with {end}, or give another folder with "
        "-s DATA_DIR=FOLDER"
    )


def is_held(data_dir: Path, locks: Path = LOCKS) -> bool:
    """Return whether a crawl holds a folder, by the system's list of locks; False where there is none.

    It does not try the lock: that would hold it for a moment, in which another crawl would be refused.
    """
    try:
        file = (data_dir / LOCK_NAME).stat()
        lines = locks.read_text("ascii", "replace").splitlines()
    except OSError:
        return False
    # proc(5): "1: FLOCK ADVISORY WRITE 4711 fe:01:15995096 0 EOF". Where a file system has another number there, the
    # crawl finds out by itself.
    name = f" {os.major(file.st_dev):02x}:{os.minor(file.st_dev):02x}:{file.st_ino} "
    return any(" FLOCK " in line and name in line for line in lines)


def _unusable(data_dir: Path, error: OSError) -> DatabaseError:
    if error.errno in _FULL:
        return StorageError(f"{data_dir} can't be used: {error.strerror}. Make room (df shows which disk)")
    return DatabaseError(f"{data_dir} can't be used: {error.strerror}. DATA_DIR must be a folder that you may write")
