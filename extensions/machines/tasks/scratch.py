"""Where does a task keep its part while it crawls? In a folder of this machine, which goes when the task does.

A machine that was switched off leaves some. Each is locked while somebody works in it, so that whoever comes next can
tell those that nobody works in any more, and removes them.
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
    """The folder can't be used, or nothing more can be written into it; the message says what would work."""


@contextmanager
def scratch_folder(below: str = "") -> Iterator[Path]:
    """Make a folder, below another one if that is given; remove it with all that is in it. Raises `ScratchError`."""
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
        return  # somebody works in it, has just made it, or has just removed it
