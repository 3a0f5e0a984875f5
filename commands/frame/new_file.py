"""How does a command write a file for other programs? Under another name first, so that it appears whole or not at all.

A file that exists is never replaced. While it is written, the file has a hidden name in the same folder, which ends in
`.part`, and is locked. An error, a full disk and Ctrl-C remove it; after a kill, the next run for the same name does.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from commands.frame.exits import CommandError
from crawldb.folders import sync_to_disk

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_NAME = 100  # characters of the name that the hidden name repeats: a file system allows 255 bytes
_RANDOM_BYTES = 4  # which the hidden name has as hexadecimal digits
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}  # of a file system without hard links


@contextmanager
def new_file(option: str, name: str) -> Iterator[BinaryIO]:
    """Open a file for the block to write, which gets its name when the block ends.

    `option` stands before the name in messages. Raises CommandError if the name is taken, if nothing may be written
    there, or if the disk is full.
    """
    path = Path(name)
    if os.path.lexists(path):
        raise _is_taken(option, path)
    hidden = path.with_name(f".{path.name[:MAX_NAME]}.{secrets.token_hex(_RANDOM_BYTES)}.part")
    _remove_leftovers(path)
    try:
        handle = os.open(hidden, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as error:
        raise CommandError(
            f"{option} {path}: no file can be made there ({error.strerror}); name one in a folder where you may write"
        ) from None
    try:
        with _says_no_room(option, path, "file"):
            with os.fdopen(handle, "wb") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                yield file
                file.flush()
                os.fsync(file.fileno())
            _give_name(option, hidden, path)
    finally:
        with suppress(FileNotFoundError):
            hidden.unlink()


@contextmanager
def _says_no_room(option: str, path: Path, kind: str) -> Iterator[None]:
    """Raise CommandError if the disk is full; `kind` is what another disk should have instead: "file" or "folder"."""
    try:
        yield
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        full = os.strerror(error.errno or 0)
        raise CommandError(
            f"{option} {path}: {full}, and nothing was kept; make room, or name a {kind} on another disk"
        ) from None


def _remove_leftovers(path: Path) -> None:
    """Remove the hidden files of killed commands for this name: those that nobody has locked."""
    mine = re.compile(rf"\.{re.escape(path.name[:MAX_NAME])}\.[0-9a-f]{{{2 * _RANDOM_BYTES}}}\.part")
    with suppress(OSError):  # no such folder, or not ours to list: making the file says so
        for left in [each for each in path.parent.iterdir() if mine.fullmatch(each.name)]:
            with suppress(OSError), left.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                left.unlink()


def _give_name(option: str, hidden: Path, path: Path) -> None:
    """Give the finished file its name, which another program may have taken in the meantime."""
    try:
        os.link(hidden, path)  # fails for a name that is taken
    except FileExistsError:
        raise _is_taken(option, path) from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(path):
            raise _is_taken(option, path) from None
        hidden.rename(path)
    sync_to_disk(path.parent)


def _is_taken(option: str, path: Path) -> CommandError:
    return CommandError(f"{option} {path}: there is something with this name already; give a new name, or remove it")


@contextmanager
def new_folder(option: str, folder: Path) -> Iterator[None]:
    """Make an empty folder for the block to write files into. On an error, delete the folder with its files.

    `option` stands before the name in messages. Raises CommandError if there is something already, if no folder can be
    made there, or if the disk is full.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CommandError(f"{option} {folder}: there is something already; give a folder that is empty or not there")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(
            f"{option} {folder}: no folder can be made there ({error.strerror}); give one where you may write"
        ) from None
    try:
        with _says_no_room(option, folder, "folder"):
            yield
    except BaseException:
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        raise
