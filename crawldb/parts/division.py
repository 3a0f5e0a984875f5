"""Is the crawl in a folder divided, and where are its parts? In `part-1`, `part-2` … below it, next to each other.

The parts themselves have this information: each database has its own number and the number of parts. A folder with a
database of its own holds a whole crawl.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from crawldb.database import FILE_NAME, CrawlDatabase, DatabaseError, MissingPartError
from crawldb.folders import PART_FOLDER, part_numbers, why_no_crawl
from crawldb.parts.partition import MAX_PARTS, Partition

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def folder_of(data_dir: Path, partition: Partition) -> Path:
    """Return the folder of a part, below that of the whole."""
    return data_dir if partition.whole else data_dir / f"{PART_FOLDER}{partition.number}"


def parts_in(data_dir: Path) -> tuple[Partition, ...]:
    """Return all parts of the divided crawl in a folder, also those whose folders are missing; () for a whole one."""
    if (data_dir / FILE_NAME).exists():
        return ()
    numbers = _numbers(data_dir)
    # Where no database can be asked, the indexes may be there all the same.
    *earlier, of = _told_by(data_dir, numbers) or (max(numbers, default=0),)
    return tuple(Partition(number, of, tuple(earlier)) for number in range(1, of + 1)) if of > 1 else ()


def check_there(data_dir: Path, part: Partition) -> None:
    """Raise `DatabaseError` where the database of a part is missing."""
    folder = folder_of(data_dir, part)
    if not (folder / FILE_NAME).exists():
        raise MissingPartError(
            f"part {part} of the crawl in {data_dir} is missing, there is no {folder / FILE_NAME}: put back a backup, "
            "or fetch its pages again with ./breadcrumb farm SEEDS. Another part is asked by itself with "
            f"-s DATA_DIR={data_dir / PART_FOLDER}K"
        )


def check_divides(data_dir: Path, of: int) -> None:
    """Raise `DatabaseError` where a folder can't hold a crawl in so many parts: it has others, or a whole crawl."""
    if (data_dir / FILE_NAME).exists():
        raise DatabaseError(
            f"{data_dir} holds a whole crawl, which can't be divided: continue with ./breadcrumb crawl site, "
            f"or give the parts another folder with -s DATA_DIR=FOLDER"
        )
    if reason := why_no_crawl(data_dir):
        raise DatabaseError(reason)
    held = _told_by(data_dir, _numbers(data_dir))[-1:]
    if held and 1 < held[0] != of:
        raise DatabaseError(
            f"{data_dir} holds a crawl in {held[0]} parts, which can't continue in {of}: "
            f"continue with -n {held[0]}, or begin in another folder with -s DATA_DIR=FOLDER"
        )


def _numbers(data_dir: Path) -> list[int]:
    return [number for number in part_numbers(data_dir) if number <= MAX_PARTS]


def _told_by(data_dir: Path, numbers: Sequence[int]) -> tuple[int, ...]:
    """Return `Partition.counts` as the first database has it that knows; () where none does."""
    said = (_counts(data_dir / f"{PART_FOLDER}{number}" / FILE_NAME) for number in numbers)
    return next((found for found in said if found), ())


def _counts(path: Path) -> tuple[int, ...]:
    """Return `Partition.counts` by what a database says: (1,) where it is whole, () where it does not say."""
    if not path.exists():
        return ()
    try:
        with closing(connect_to_read(path)) as connection:
            row = connection.execute("SELECT number, of FROM part").fetchone()
            if row is None and connection.execute("SELECT 1 FROM url LIMIT 1").fetchone() is not None:
                return (1,)
            return () if row is None else (*_earlier(connection), int(row[1]))
    except sqlite3.Error:
        return ()  # damaged, or just being made


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Connect to the database of another part, which its own process may be writing."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=1.0)


def _earlier(connection: sqlite3.Connection) -> tuple[int, ...]:
    """Return how many parts there were before each split; a database of an earlier Breadcrumb has seen none."""
    with suppress(sqlite3.OperationalError):
        return tuple(parts for (parts,) in connection.execute("SELECT parts FROM earlier_division ORDER BY number"))
    return ()


def held_by(database: CrawlDatabase) -> Partition:
    """Return which part a folder holds; the whole where nothing is divided."""
    row = database.connection.execute("SELECT number, of FROM part").fetchone()
    return Partition() if row is None else Partition(row[0], row[1], _earlier(database.connection))


def note_part(connection: sqlite3.Connection, partition: Partition) -> None:
    """Write down which part a database is, within the caller's transaction."""
    connection.execute("INSERT OR REPLACE INTO part VALUES (1, ?, ?)", (partition.number, partition.of))
    connection.execute("DELETE FROM earlier_division")
    connection.executemany("INSERT INTO earlier_division VALUES (?, ?)", list(enumerate(partition.earlier, 1)))


def claim_folder(database: CrawlDatabase, partition: Partition) -> None:
    """Make a folder the part's own; raise `DatabaseError` where it is another's, or all of a crawl."""
    held = held_by(database)
    if held.whole and not partition.whole and database.value("SELECT 1 FROM url LIMIT 1") is None:
        around = database.path.parent.parent
        check_divides(around, partition.of)
        # Who starts a part by its number does not say how often the crawl was split; its neighbours know.
        earlier = partition.earlier or _told_by(around, _numbers(around))[:-1]
        with database.transaction() as connection:
            note_part(connection, replace(partition, earlier=earlier))
        return
    if held != partition:
        what = "a whole crawl" if held.whole else f"part {held}"
        raise DatabaseError(
            f"{database.path.parent} holds {what}: it can't continue as part {partition}; {_cure(held)}"
        )


def _cure(held: Partition) -> str:
    if held.whole:
        return "give another folder with -s DATA_DIR=FOLDER"
    return f"continue with -a part={held}, or begin in another folder with -s DATA_DIR=FOLDER"
