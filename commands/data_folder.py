"""What does a command open? The index and the crawl database of a folder; of a divided crawl, those of all parts.

What a command takes out of the crawl is to be out of the results when it ends: so it lets the index follow at once.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from crawldb.database import CrawlDatabase
    from indexer.retrieval.searcher import Searcher


def open_searcher(data_dir: Path) -> Searcher:
    """Open the index of a data folder. Raises NoIndex, CorruptIndex, and DatabaseError for a damaged crawl database.

    The crawl database hides at once what was taken out since. A part of a divided crawl that can't be read is left
    out.
    """
    from crawldb.database import FILE_NAME
    from crawldb.parts.partition import WHOLE
    from crawldb.parts.parts import Parts
    from indexer import open_index

    parts = Parts.in_folder(data_dir)  # open as long as the command runs
    if not parts.divided and (data_dir / FILE_NAME).exists():
        parts.of(WHOLE)  # whatever is asked, its damage is told
    return open_index(data_dir, blocked=parts.is_hidden, copies=parts.copies)


@contextmanager
def open_to_write(data_dir: Path, *, make: bool = False) -> Iterator[tuple[CrawlDatabase, ...]]:
    """Open for writing the database of a data folder, or those of all parts of a divided crawl.

    Raises `DatabaseError` before anything is written: where there is none, unless `make` says to make one, and where a
    part is missing.
    """
    from crawldb.database import CrawlDatabase, OldSchemaError
    from crawldb.parts.division import folders_of

    folders = folders_of(data_dir)
    if not make:
        for folder in folders:
            with suppress(OldSchemaError):  # opened for writing, it is brought to the present version
                CrawlDatabase(folder, readonly=True).close()  # where there is no crawl, none is made
    with ExitStack() as stack:
        yield tuple(stack.enter_context(CrawlDatabase(folder)) for folder in folders)


@contextmanager
def open_to_read(data_dir: Path) -> Iterator[tuple[CrawlDatabase, ...]]:
    """Open for reading what `to_write` opens for writing. Raises `DatabaseError` as it does."""
    from crawldb.database import CrawlDatabase
    from crawldb.parts.division import folders_of

    with ExitStack() as stack:
        yield tuple(stack.enter_context(CrawlDatabase(folder, readonly=True)) for folder in folders_of(data_dir))


@contextmanager
def open_part_of(data_dir: Path, url: str) -> Iterator[CrawlDatabase]:
    """Open for reading the database of a data folder; of a divided crawl, that of the part that has `url`."""
    from crawldb.parts.parts import Parts

    with Parts.in_folder(data_dir) as parts:
        yield parts.home(url)


def open_to_report(data_dir: Path) -> CrawlDatabase:
    """Open the database for reading; one of an earlier Breadcrumb is brought to the present version first."""
    from crawldb.database import OldSchemaError
    from crawldb.parts.division import open_whole

    try:
        return open_whole(data_dir, readonly=True)
    except OldSchemaError:
        open_whole(data_dir).close()
        return open_whole(data_dir, readonly=True)


def bring_index_up_to_date(data_dir: Path) -> str:
    """Let the index follow what was taken out, and return a sentence on what was done, of each part in another way."""
    from crawldb.parts.division import folders_of

    return " ".join(dict.fromkeys(map(_bring, folders_of(data_dir))))


def _bring(data_dir: Path) -> str:
    from crawldb.database import DatabaseError
    from indexer import IndexFault, IndexLocked
    from indexer.following import catch_up
    from indexer.segments.generation import CURRENT_FILE, index_folder

    if not (index_folder(data_dir) / CURRENT_FILE).exists():
        return "There is no index yet."
    try:
        catch_up(data_dir)
    except IndexLocked as busy:
        by = f"process {busy.pid}" if busy.pid else "the process that writes it"
        return f"Searches hide it from now on; {by} takes it out of the index."
    except (IndexFault, DatabaseError, OSError) as fault:
        return f"Searches hide it from now on; the index could not follow: {fault}"
    return "The index is up to date: searches no longer find it."
