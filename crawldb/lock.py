"""Who crawls into this folder? One process at a time: two would lease the same URLs and hurry the same hosts."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

from crawldb.database import DatabaseError, make_folder

if TYPE_CHECKING:
    from pathlib import Path

FILE_NAME = "crawl.lock"


class FolderInUse(Exception):
    """Another process crawls into the folder; the message has its number."""


class CrawlLock:
    """Holds a data folder for one crawl. The system frees it when the process ends, however it ends."""

    def __init__(self, data_dir: Path) -> None:
        try:
            make_folder(data_dir)
            self._file = (data_dir / FILE_NAME).open("a+")
        except OSError as error:
            reason = f"{data_dir} can't be used: {error.strerror}. DATA_DIR must be a folder that you may write"
            raise DatabaseError(reason) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.seek(0)
            pid = self._file.read().strip() or "another"
            self._file.close()
            raise FolderInUse(
                f"{data_dir} is in use by a crawl (process {pid}): wait for it, end it with Ctrl-C or kill {pid}, "
                "or give another folder with -s DATA_DIR=FOLDER"
            ) from None
        self._file.truncate(0)
        self._file.write(str(os.getpid()))
        self._file.flush()

    def release(self) -> None:
        """Give the folder free."""
        self._file.close()
