"""Who writes the index? One process at a time; the system frees the lock when the process ends, however it ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
from typing import TYPE_CHECKING

from indexer.faults import IndexLocked

if TYPE_CHECKING:
    from pathlib import Path

LOCK = "writer.lock"


class WriterLock:
    """Holds the folder of an index for one writer. Raises IndexLocked with the holder's process number."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / LOCK).open("a+", encoding="ascii")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.seek(0)
            holder = self._file.read().strip()
            self._file.close()
            raise IndexLocked(folder, int(holder) if holder.isdigit() else None) from None
        try:
            self._file.truncate(0)
            self._file.write(str(os.getpid()))
            self._file.flush()
        except OSError:  # the disk is full
            with contextlib.suppress(OSError):  # it tries to write once more
                self._file.close()
            raise

    def release(self) -> None:
        """Give the folder free. The file stays: deleting it would let two writers hold two files of one name."""
        self._file.close()
