"""Which segments does a generation have, and which documents are deleted? A small table of contents lists them.

Here an index is also checked, bit by bit, and deleted.
"""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from crawldb.folders import sync_to_disk
from indexer.faults import CorruptIndex
from indexer.segments.generation import (
    CURRENT_FILE,
    SEGMENT_NAME,
    Generation,
    WriterLock,
    check_files,
    contents_name,
    index_folder,
    read_generation,
)
from indexer.segments.segment import Segment, SegmentReader

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from indexer.segments.directory import Directory
    from indexer.segments.generation import Generation


def write_contents(storage: Directory, segments: Sequence[Segment], generation: int) -> None:
    """Write the segments of a generation, each with its deleted documents."""
    for one in segments:
        one.born = one.born or generation
    rows = [asdict(one) | {"deleted": sorted(one.deleted)} for one in segments]
    for row in rows:
        if not row["area"]:
            del row["area"]  # few indexes keep anything apart
    content = {"generation": generation, "byte_order": sys.byteorder, "segments": rows}
    storage.write(contents_name(generation), json.dumps(content).encode())


def read_contents(folder: Path, generation: Generation) -> list[Segment]:
    """Return the segments of a generation in a build's folder. Raises CorruptIndex for an invalid table."""
    name = contents_name(generation.number)
    try:
        return _segments_in(json.loads((folder / name).read_bytes()), generation)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise CorruptIndex(folder.parent, f"{folder.name}/{name} is no table of contents: {error}") from error


def _segments_in(content: Any, generation: Generation) -> list[Segment]:
    if (content["generation"], content["byte_order"]) != (generation.number, sys.byteorder):
        raise ValueError("it is of another generation, or of a machine with another byte order")
    found = [_segment_in(row) for row in content["segments"]]
    if not all(map(_is_sound, found)) or {one.file_name for one in found} != generation.files.keys():
        raise ValueError("it names what is not there")
    return found


def _segment_in(row: Any) -> Segment:
    merged_from = tuple((name, count) for name, count in row.get("merged_from", ()))
    return Segment(row["name"], row["count"], set(row["deleted"]), row.get("born", 0), merged_from, row.get("area", ""))


def _is_sound(segment: Segment) -> bool:
    numbers = [segment.count, segment.born, *segment.deleted, *(count for _, count in segment.merged_from)]
    return (
        isinstance(segment.area, str)
        and all(SEGMENT_NAME.fullmatch(name) for name in (segment.name, *(name for name, _ in segment.merged_from)))
        and all(type(number) is int and number >= 0 for number in numbers)
        and max(segment.deleted, default=-1) < segment.count
    )


def read_segments(folder: Path, generation: Generation) -> tuple[list[Segment], dict[str, SegmentReader]]:
    """Read every bit of a generation, so a merge copies no damage. Raises CorruptIndex."""
    build = folder / generation.build
    try:
        check_files(folder, generation)
        segments = read_contents(build, generation)
        files = {one.name: SegmentReader(build, one, generation.sums[one.file_name]) for one in segments}
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
        sync_to_disk(folder)
    finally:
        lock.release()
