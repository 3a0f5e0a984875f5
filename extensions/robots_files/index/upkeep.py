"""How is the index of robots.txt files always in step? Each search first compares it with what is stored.

A crawl database has a mark that each change of its versions turns into another one. Where it is not the one that the
index has seen, the versions that the index lacks are read and put, those that are stored no longer are taken out, and
the dates of the others are brought up to date, all in one transaction. So what was forgotten is not found, from the
next question on, and a crawl may write meanwhile.

Where the index can't be written (a full disk, a folder of somebody else) one is made in memory: it answers the same.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

from zstandard import ZstdError

from crawldb.tables.robots_versions import body_of, history_mark, site_of_version, stored_versions
from extensions.robots_files.index.tables import (
    FILE_NAME,
    VersionDates,
    VersionIdentity,
    drop_files_without_version,
    drop_versions,
    erase_what_is_gone,
    file_with,
    known_versions,
    one_write,
    open_index_file,
    put_dates,
    put_file,
    put_mark,
    put_version,
    seen_mark,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from crawldb.database import CrawlDatabase
    from crawldb.tables.robots_versions import RobotsVersion


def index_in_step(folder: Path, databases: Sequence[CrawlDatabase]) -> sqlite3.Connection:
    """Open the index in a data folder, and bring it into step with the databases of the crawl's parts.

    One that is damaged is made anew.
    """
    for again in (True, False):
        connection = None
        try:
            connection = open_index_file(folder / FILE_NAME)
            bring_into_step(connection, folder, databases)
        except sqlite3.Error as error:
            if connection is not None:
                connection.close()
            if not again or isinstance(error, sqlite3.OperationalError):  # not to be written, or busy
                break
            for end in ("", "-wal", "-shm"):
                with suppress(OSError):
                    (folder / f"{FILE_NAME}{end}").unlink()
        else:
            return connection
    connection = open_index_file("")
    bring_into_step(connection, folder, databases)
    return connection


def bring_into_step(connection: sqlite3.Connection, folder: Path, databases: Iterable[CrawlDatabase]) -> None:
    """Let the index hold what these databases hold now, and nothing else of them."""
    for database in databases:
        source = part_of(folder, database)
        if seen_mark(connection, source) == history_mark(database):
            continue
        with one_write(connection), database.one_state():
            _follow(connection, source, database)
            put_mark(connection, source, history_mark(database))


def part_of(folder: Path, database: CrawlDatabase) -> str:
    """Return by what name the index knows the database of a part; that of a whole crawl has none."""
    own = database.path.parent
    return "" if own == folder else own.name


def _follow(connection: sqlite3.Connection, source: str, database: CrawlDatabase) -> None:
    stored = {_identity(each): each for each in stored_versions(database, all_versions=True)}
    known = known_versions(connection, source)
    gone = known.keys() - stored.keys()
    drop_versions(connection, source, (each.number for each in gone))
    for identity, each in stored.items():
        if identity not in known:
            _put(connection, source, database, each)
        elif known[identity] != _dates(each):
            put_dates(connection, source, each.id, _dates(each))
    if gone:
        drop_files_without_version(connection)


def _identity(version: RobotsVersion) -> VersionIdentity:
    return VersionIdentity(version.id, version.origin, version.name, version.collection, version.digest)


def _dates(version: RobotsVersion) -> VersionDates:
    return VersionDates(version.first_seen, version.last_seen, version.status, version.newest)


def _put(connection: sqlite3.Connection, source: str, database: CrawlDatabase, version: RobotsVersion) -> None:
    """Put a version, and its file where no other has brought it; one whose octets are damaged is left out."""
    file = file_with(connection, version.digest)
    if file is None:
        try:
            body = body_of(database, version)
        except ZstdError:
            body = None
        if body is None:
            return
        file = put_file(connection, version.digest, body)
    site = site_of_version(version.origin, version.name)
    put_version(connection, source, _identity(version), site, _dates(version), file)


def erase_taken_out(folder: Path, databases: Sequence[CrawlDatabase]) -> None:
    """Take what was taken out off the disk, too: searches no longer find it anyway."""
    if not (folder / FILE_NAME).exists():
        return
    connection = index_in_step(folder, databases)
    with suppress(sqlite3.Error):  # another process reads or writes it: the next one to write takes it off
        erase_what_is_gone(connection)
    connection.close()
