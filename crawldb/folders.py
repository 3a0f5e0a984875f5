"""Who may read a data folder, and how does the name of a file survive a power cut?

A data folder holds what people searched for and complained about, and pages that others may not copy. So files have
mode 0600 and folders 0700. An operator can share the folder with a group in two ways: with the set-group-ID bit
(`chmod g+s FOLDER`), or by closing the folder to all others. Others never get rights.

The name of a new file is safe once its folder is synchronised. Crawl database, archives and index share these
functions. They load no SQLite, since an index is searched without it.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, so all survive a power cut: a name is safe once its folder is synchronised.

    SQLite does this for its files. Without it, a cut takes the folder away with everything that is safe inside.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in reversed(missing):
        sync_to_disk(path.parent)


def sync_to_disk(path: Path) -> None:
    """Make a file's content, or a folder's entries (new, renamed and deleted files), reach the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


CRAWL_FILE = "crawl.sqlite3"
PART_FOLDER = "part-"  # and a number, from 1 up: the folder of one part of a divided crawl
GROUP, OTHERS = stat.S_IRWXG, stat.S_IRWXO


def part_numbers(data_dir: Path) -> list[int]:
    """Return the numbers of the part folders, sorted."""
    found = [(path, path.name.removeprefix(PART_FOLDER)) for path in data_dir.glob(f"{PART_FOLDER}*")]
    return sorted(
        int(number)
        for path, number in found
        if number.isascii() and number.isdecimal() and int(number) > 0 and path.is_dir()
    )


def holds_a_crawl(data_dir: Path) -> bool:
    """Return whether there is a crawl in a folder, whole or divided. Nothing is opened."""
    if (data_dir / CRAWL_FILE).exists():
        return True
    parts = part_numbers(data_dir)
    # Of a part whose database is lost, the index may be there all the same.
    return max(parts, default=0) > 1 or any((data_dir / f"{PART_FOLDER}{part}" / CRAWL_FILE).exists() for part in parts)


def why_no_crawl(data_dir: Path) -> str:
    """Return why no crawl may begin in a folder: a crawl would hide the index of another program there. "": it may."""
    from extension_points import call_extensions  # noqa: PLC0415 - asked only where a folder has no crawl

    for foreign in call_extensions("foreign_indexes", data_dir=data_dir):
        if foreign.folder.resolve().is_relative_to(data_dir.resolve()):  # INDEX may name another place
            return (
                f"{data_dir} holds {foreign.name}, which search, serve and why read, and no crawl. "
                "A crawl needs another folder: give --data NAME"
            )
    return ""


def make_private(data_dir: Path) -> str:
    """Let this process make private files from now on, and take the rights of others off those that are there.

    Only a folder that holds a crawl, or nothing at all, is changed: another one may have been named by mistake.
    Return a sentence where a crawl lost rights; "" where nothing had to change.
    """
    there = data_dir.is_dir()
    try:
        mode = (data_dir if there else data_dir.parent).stat().st_mode
        is_ours = there and data_dir.stat().st_uid == os.geteuid()
    except OSError:  # there is none, or we may not look: whoever opens it says so
        mode, is_ours = 0, False
    shared = bool(mode & stat.S_ISGID) or (there and not mode & OTHERS)
    closed = (GROUP | OTHERS) & ~(mode & GROUP if shared else 0)
    os.umask(closed)
    if not is_ours or not mode & closed:
        return ""
    is_crawl = holds_a_crawl(data_dir)
    if is_crawl or not any(data_dir.iterdir()):
        _close(data_dir.resolve(), closed)
    if not is_crawl:
        return ""
    return (
        f"{data_dir} could be read by other users of this machine; now only its owner can read it. To share it with "
        f"a group: chmod -R g+rwX {data_dir} && chmod g+s {data_dir}"
        if not shared
        else f"{data_dir} could be read by all users of this machine; now only its owner and its group can read it"
    )


def _close(data_dir: Path, closed: int) -> None:
    """Take rights off a folder and all below it; what belongs to somebody else stays as it is."""
    for folder, _, files in os.walk(data_dir):
        for path in (Path(folder), *(Path(folder, name) for name in files)):
            with suppress(OSError):
                mode = stat.S_IMODE(path.lstat().st_mode)
                if mode & closed and not path.is_symlink():
                    path.chmod(mode & ~closed)
