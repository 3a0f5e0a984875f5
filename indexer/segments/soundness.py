"""Is an index as it was written? All of it is read before a writer goes on with it; and all of it can be deleted."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from crawldb.folders import sync_folder
from indexer.faults import CorruptIndex
from indexer.segments.contents import read_contents
from indexer.segments.generation import (
    CURRENT_FILE,
    Generation,
    WriterLock,
    check_files,
    index_folder,
    read_generation,
)
from indexer.segments.segment import Segment, SegmentFile

if TYPE_CHECKING:
    from pathlib import Path


def read_segments(folder: Path, generation: Generation) -> tuple[list[Segment], dict[str, SegmentFile]]:
    """Read every bit of a generation: what is damaged must not be merged into what is sound. Raises CorruptIndex."""
    build = folder / generation.build
    try:
        check_files(folder, generation)
        segments = read_contents(build, generation)
        files = {one.name: SegmentFile(build, one, generation.sums[one.file_name]) for one in segments}
    except FileNotFoundError as error:
        raise CorruptIndex(folder, f"{error.filename} is missing") from error
    for file in files.values():
        file.check()
    return segments, files


def check_index_files(data_dir: Path) -> None:
    """Read every bit of an index. Raises NoIndex, CorruptIndex."""
    folder = index_folder(data_dir)
    read_segments(folder, read_generation(folder))


def delete_index_files(data_dir: Path) -> None:
    """Delete the index of a data folder. Raises IndexLocked while a process writes it."""
    folder = index_folder(data_dir)
    if not folder.exists():
        return
    lock = WriterLock(folder)
    try:
        (folder / CURRENT_FILE).unlink(missing_ok=True)
        for path in folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
        sync_folder(folder)
    finally:
        lock.release()
