"""`check`: reads all of a data folder once, and reports damage.

Other commands check for half a second. This one compares each block of the crawl database with its checksum. SQLite
checks the structure and every index of a table. The search index is read completely, and each extension checks its
copies.
"""

from __future__ import annotations

import math
import sqlite3
from typing import TYPE_CHECKING

from commands.frame.command import Command
from commands.frame.exits import DONE, NO
from commands.frame.terminal import json_line, pasteable, printable
from extension_points import call_extensions
from urls.wording import enumerated

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator
    from pathlib import Path

    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase

CURE = "Put back a backup (docs/operations.md, Backup and restore)"
SHOWN = 10  # findings of SQLite in one database


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--json", action="store_true", help="one JSON object with what was found")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Read all of a data folder, and print what is wrong."""
    from commands.frame.data_folder import open_to_read
    from crawldb.database import FILE_NAME
    from crawldb.databases import folders_of
    from crawldb.seal import damage, is_sealed

    files = [folder / FILE_NAME for folder in folders_of(settings.data_dir)]
    sealed = all(map(is_sealed, files))
    found = [f"{file}: {wrong}. {CURE}" for file in files if (wrong := damage(file, math.inf))]
    if not found:  # else no command opens it
        with open_to_read(settings.data_dir) as databases:
            found = [finding for database in databases for finding in _findings(database)]
    if arguments.json:
        print(json_line({"sound": not found, "sealed": sealed, "findings": found}))
        return NO if found else DONE
    for finding in found:
        print(pasteable(printable(finding)))
    if not found:
        checked = "crawl database" if sealed else "structure of the crawl database"
        parts = enumerated(
            [checked, "index", *(copies.name for copies in call_extensions("stored_copies") if copies.name)]
        )
        print(f"{settings.data_dir} is sound: {parts} are intact.")
    if not sealed:
        none = "No checksum of the crawl database was compared: none was kept after the last write."
        print(f"{none} The next crawl keeps them.")
    return NO if found else DONE


def _findings(database: CrawlDatabase) -> Iterator[str]:
    from crawldb.seal import faults_of_structure, rows_without_parent

    folder = database.path.parent
    try:
        faults = faults_of_structure(database.connection, SHOWN)
        strangers = rows_without_parent(database.connection, SHOWN)
        yield from (f"{database.path}: {fault}. {CURE}" for fault in faults)
        for table, row, parent in strangers:
            yield f"{database.path}: row {row} of {table} refers to a missing row of {parent}. {CURE}"
    except sqlite3.Error as error:
        yield f"{database.path}: {error}. {CURE}"
        return
    yield from _of_index(folder, database)
    for copies in call_extensions("stored_copies"):
        yield from (f"{fault}. {CURE}" for fault in copies.faults(database))


def _of_index(folder: Path, database: CrawlDatabase) -> Iterator[str]:
    from crawldb.pages.feed import Feed
    from indexer import IndexFault, NoIndex, check_index
    from indexer.segments.generation import check_same_crawl
    from reports.health import behind_need, pending_changes

    try:
        check_same_crawl(folder, Feed(database))
        check_index(folder)
    except NoIndex:
        pass  # the changes that it has not seen are told below
    except IndexFault as fault:
        yield str(fault)
        return
    for need in behind_need(pending_changes([database])):
        yield f"{need.text} {need.remedies[0].command} {need.remedies[0].effect}"


COMMAND = Command(
    name="check", example="--data demo", exits="0 intact, 1 damaged, 2 unreadable", add_arguments=add_arguments, run=run
)
