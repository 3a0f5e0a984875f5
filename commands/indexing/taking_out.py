"""When is a page out of the results? At once: a search hides what is no longer stored, and the index follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def bring_index_up_to_date(data_dir: Path) -> str:
    """Let the index follow what was taken out, and return a sentence on what was done, of each part in another way."""
    from crawldb.frontier.partition.division import folders_of  # noqa: PLC0415 - late, so that --help is quick

    return " ".join(dict.fromkeys(map(_bring, folders_of(data_dir))))


def _bring(data_dir: Path) -> str:
    from commands.indexing.following import catch_up  # noqa: PLC0415 - late, so that --help is quick
    from crawldb import DatabaseError  # noqa: PLC0415 - the same
    from indexer import IndexFault, IndexLocked  # noqa: PLC0415 - the same
    from indexer.segments.generation import CURRENT, index_folder  # noqa: PLC0415 - the same

    if not (index_folder(data_dir) / CURRENT).exists():
        return "There is no index yet."
    try:
        catch_up(data_dir)
    except IndexLocked as busy:
        by = f"process {busy.pid}" if busy.pid else "the process that writes it"
        return f"Searches hide it from now on; {by} takes it out of the index."
    except (IndexFault, DatabaseError, OSError) as fault:
        return f"Searches hide it from now on; the index could not follow: {fault}"
    return "The index is up to date: searches no longer find it."
