"""Which files hold the archive? Numbered ones of about WARC_SIZE bytes, in their own folder.

    archive/breadcrumb-20261123014500-00007.warc.gz          A part of a farm's crawl adds -part2of3.
    archive/breadcrumb-20261123014500-00008.warc.gz.open     The crawl is writing this one.

The name has the time of the file's beginning, in UTC. Each file begins with a warcinfo record. A finished file loses
its suffix. After a failed write the partial record is cut off at once, so a full disk leaves whole records.
"""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING

from crawldb.folders import make_folder, sync_to_disk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from uuid import UUID

FOLDER = "archive"  # in the data folder
OPEN = ".open"  # ends the name of a file that is being written


def path_of_file(folder: Path, name: str) -> Path:
    """Return the path of a file, finished or not."""
    path = folder / name
    return path if path.exists() else folder / f"{name}{OPEN}"


def open_names(folder: Path) -> list[str]:
    """Return the names of unfinished files, without the suffix OPEN."""
    return sorted(path.name.removesuffix(OPEN) for path in folder.glob(f"*.warc.gz{OPEN}"))


def finish(folder: Path, name: str) -> None:
    """Give a file its final name."""
    (folder / f"{name}{OPEN}").rename(folder / name)
    sync_to_disk(folder)


_NUMBERED = re.compile(r"breadcrumb-[0-9]{14}-([0-9]+)(?:-part[0-9]+of[0-9]+)?\.warc\.gz(?:\.open)?")


class WarcFiles:
    """Writes records at the end of the newest file. Raises OSError if the disk does not take them.

    `part` is "" or like "2/3". A file of `most` bytes or more is finished. `info` are the lines of each file's warcinfo
    record.
    """

    def __init__(
        self,
        folder: Path,
        most: int,
        info: Sequence[tuple[str, str]],
        part: str = "",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._folder = folder
        self._most = most
        self._info = info
        self._ending = f"-part{part.replace('/', 'of')}" if part else ""
        self._clock = clock
        self._handle = -1
        self._name = ""
        self._end = 0
        self._is_named = False  # whether the folder's entry for the file is on the disk
        self._warcinfo: UUID | None = None

    def room(self) -> UUID | None:
        """Return the id of the warcinfo record of the file for the next records. It may be a new file."""
        if self._handle >= 0 and self._end >= self._most:
            self.close()
        if self._handle < 0:
            self._begin()
        return self._warcinfo

    def append(self, data: bytes) -> tuple[str, int]:
        """Write records; return the file's name and where they begin."""
        self.room()
        start = self._end
        self._write(data)
        return self._name, start

    def sync(self) -> None:
        """Return when all written records are on the disk."""
        if self._handle < 0:
            return
        os.fsync(self._handle)
        if not self._is_named:
            sync_to_disk(self._folder)
            self._is_named = True

    def close(self) -> None:
        """Finish the open file."""
        if self._handle < 0:
            return
        self.sync()
        os.close(self._handle)
        self._handle = -1
        finish(self._folder, self._name)

    def _begin(self) -> None:
        make_folder(self._folder)
        now = self._clock()
        stamp = time.strftime("%Y%m%d%H%M%S", time.gmtime(now))
        self._name = f"breadcrumb-{stamp}-{_next_number(self._folder):05d}{self._ending}.warc.gz"
        path = self._folder / f"{self._name}{OPEN}"
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        self._end, self._is_named = 0, False
        from extensions.archives.records import warcinfo  # late: it brings warcio

        data, self._warcinfo = warcinfo(self._name, now, self._info)
        self._write(data)

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        try:
            while left:
                left = left[os.pwrite(self._handle, left, self._end + len(data) - len(left)) :]
        except OSError:
            os.ftruncate(self._handle, self._end)
            raise
        self._end += len(data)


def _next_number(folder: Path) -> int:
    numbered = (_NUMBERED.fullmatch(path.name) for path in folder.iterdir())
    return 1 + max((int(found[1]) for found in numbered if found), default=0)
