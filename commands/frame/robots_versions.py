"""What becomes of the robots.txt files of a site that a person takes out? They are found no longer; that is told."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

from reports.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from crawldb.database import CrawlDatabase
    from urls.blacklist import Target


def robots_versions_meant(databases: Iterable[CrawlDatabase], targets: Iterable[Target]) -> int:
    """Return how many stored versions of robots.txt files some targets mean together."""
    from crawldb.tables.robots_versions import versions_meant

    return sum(len(set().union(*(versions_meant(database, target) for target in targets))) for database in databases)


def erase_robots_versions(folder: Path, databases: Sequence[CrawlDatabase]) -> None:
    """Take what was taken out off the index of these files: searches no longer find it anyway."""
    from indexer.robots_files.tables import FILE_NAME, erase_what_is_gone
    from indexer.robots_files.upkeep import index_in_step

    if not (folder / FILE_NAME).exists():
        return
    connection = index_in_step(folder, databases)
    with suppress(sqlite3.Error):  # another process reads or writes it: the next one to write takes it off
        erase_what_is_gone(connection)
    connection.close()


def robots_sentence(versions: int) -> str:
    """Return what became of the files."""
    return (
        f"With it {counted(versions, 'stored version')} of robots.txt went. What the crawl has to obey stays, and the "
        "next file that it fetches is kept again."
    )
