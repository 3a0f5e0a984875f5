"""How does the name of a file survive a power cut? Its folder is synchronised, and each folder above that is new.

Crawl database, archives and index share these; an index is searched without SQLite, and so they stand by themselves.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, each to be found after a power cut: a name is sure once its folder is synced.

    SQLite does this for its files. Without it, a cut takes the folder away with everything that is safe inside.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in reversed(missing):
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the folder's entries (new, renamed and deleted files) reach the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
