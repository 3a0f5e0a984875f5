"""Which process crawls into this folder? One at a time: two would lease the same URLs, and break the pace of hosts.

The file of the lock has the number of the process. A second line says how a run ended which could not write that into
the database: "RUN PROCESS ENDING". It is written in place, for which a full disk has room.
"""

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
            self._file = open(data_dir / LOCK_NAME, "r+b", buffering=0, opener=_found_or_made)  # noqa: SIM115 - it is held for long
        except OSError as error:
            raise _unusable(data_dir, error) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise FolderInUse(in_use(data_dir)) from None
        try:
            self._write(_lines(data_dir)[1])
        except OSError as error:
            self._file.close()
            raise _unusable(data_dir, error) from error

    def release(self, run: int = 0, ending: str = "") -> None:
        """Give the folder free; note the `ending` of a run, if one is given that the database has not."""
        if ending:
            with contextlib.suppress(OSError):  # then it is not known
                self._write(f"{run} {os.getpid()} {ending}")
        self._file.close()

    def _write(self, note: str) -> None:
        self._file.seek(0)
        self._file.write(f"{os.getpid()}\n{note}".strip().encode())
        self._file.truncate()


def noted_ending(data_dir: Path, run: int, pid: int) -> str | None:
    """Return how run `run` of process `pid` ended, where it could not write that into the database."""
    note, its = _lines(data_dir)[1], f"{run} {pid} "
    return note.removeprefix(its) if note.startswith(its) else None


def _found_or_made(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CREAT, 0o666)


def _lines(data_dir: Path) -> tuple[str, str]:
    """Return the number of the process, and the note; empty where there is none."""
    try:
        pid, _, note = (data_dir / LOCK_NAME).read_text("ascii", "replace").partition("\n")
    except FileNotFoundError:
        return "", ""
    return pid.strip(), note.strip()


def holder(data_dir: Path) -> str:
    """Return the process that holds a folder; in the moment in which it takes it, no number is known yet."""
    pid, _ = _lines(data_dir)
    return f"process {pid}" if pid else "a process that has only just begun"


def in_use(data_dir: Path) -> str:
    """Return who holds a folder, and what would work."""
    pid, _ = _lines(data_dir)
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
