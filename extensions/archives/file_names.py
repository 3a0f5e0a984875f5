"""What are the files of an archive called, and which are still written? Without the library that writes records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.durable_folders import sync_folder

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "archive"  # in the data folder
OPEN = ".open"  # ends the name of a file that is being written


def path_of_file(folder: Path, name: str) -> Path:
    """Return where a file stands, which may still be written."""
    path = folder / name
    return path if path.exists() else folder / f"{name}{OPEN}"


def open_names(folder: Path) -> list[str]:
    """Return the names, without their ending, of files that nobody has finished."""
    return sorted(path.name.removesuffix(OPEN) for path in folder.glob(f"*.warc.gz{OPEN}"))


def finish(folder: Path, name: str) -> None:
    """Give a file its final name."""
    (folder / f"{name}{OPEN}").rename(folder / name)
    sync_folder(folder)
