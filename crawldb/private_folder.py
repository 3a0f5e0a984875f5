"""Who may read a data folder? Its owner alone, unless the operator shares it with a group.

A crawl holds what people searched for and complained about, and pages that others may not copy. So files have mode
0600, and folders 0700. Two things keep the rights of the group: the set-group-ID bit (`chmod g+s FOLDER`), which nobody
has by accident, and a folder that is closed to all others already. Others never get rights.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

GROUP, OTHERS = stat.S_IRWXG, stat.S_IRWXO


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
    from crawldb.database import FILE_NAME  # noqa: PLC0415 - most commands find nothing to change, and need not wait
    from crawldb.parts.division import parts_in  # noqa: PLC0415

    holds_a_crawl = (data_dir / FILE_NAME).exists() or bool(parts_in(data_dir))
    if holds_a_crawl or not any(data_dir.iterdir()):
        _close(data_dir.resolve(), closed)
    if not holds_a_crawl:
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
