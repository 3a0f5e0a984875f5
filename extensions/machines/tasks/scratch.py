"""Where does a task keep its part while it crawls? In a folder of this machine, removed when the task ends.

A machine that was switched off leaves such folders. A process locks its folder while it works there. So the next task
can recognize unused folders, and removes them.
"""

from __future__ import annotations

import fcntl
import shutil
import socket
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX = "breadcrumb-part-"
LOCK = ".at-work"


class ScratchError(OSError):
    """The folder can't be used, or its disk is full; the message says what would work."""


@contextmanager
def scratch_folder(below: str = "") -> Iterator[Path]:
    """Make a folder, below `below` if given; remove it with its contents at the end. Raises `ScratchError`."""
    place = Path(below or tempfile.gettempdir()).absolute()
    try:
        with _folder_in(place) as folder:
            yield folder
    except OSError as error:
        raise ScratchError(
            f"{place} on {socket.gethostname()}, where a part is kept while it is crawled: {error.strerror or error}. "
            "Make room there and let it be written, or name another folder with --scratch"
        ) from error


@contextmanager
def _folder_in(place: Path) -> Iterator[Path]:
    place.mkdir(parents=True, exist_ok=True)
    for left in place.glob(f"{PREFIX}*"):
        _remove_left(left)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
    with (folder / LOCK).open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _remove_left(folder: Path) -> None:
    try:
        with (folder / LOCK).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        return  # another process works in it, has just made it, or has just removed it
