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
from indexer.robots_files.tables import FILE_NAME, drop_files_without_version, open_index_file, put_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from crawldb.database import CrawlDatabase
    from crawldb.tables.robots_versions import RobotsVersion

Identity = tuple[int, str, str, str, bytes]
Dates = tuple[float, float, int | None, bool]  # first and last seen, status, newest: what changes of a version


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
        seen = connection.execute("SELECT mark FROM followed WHERE source = ?", (source,)).fetchone()
        if seen == (history_mark(database),):
            continue
        connection.execute("BEGIN IMMEDIATE")  # before the versions are read: nobody writes an older state over ours
        try:
            with database.one_state():
                _follow(connection, source, database)
                connection.execute("INSERT OR REPLACE INTO followed VALUES (?, ?)", (source, history_mark(database)))
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def part_of(folder: Path, database: CrawlDatabase) -> str:
    """Return by what name the index knows the database of a part; that of a whole crawl has none."""
    own = database.path.parent
    return "" if own == folder else own.name


def _follow(connection: sqlite3.Connection, source: str, database: CrawlDatabase) -> None:
    stored = {_identity(each): each for each in stored_versions(database, all_versions=True)}
    known = _known(connection, source)
    gone = [(source, number) for number, *_ in known.keys() - stored.keys()]
    connection.executemany("DELETE FROM version WHERE source = ? AND number = ?", gone)
    for identity, each in stored.items():
        if identity not in known:
            _put(connection, source, database, each)
        elif known[identity] != _dates(each):
            connection.execute(
                "UPDATE version SET first_seen = ?, last_seen = ?, status = ?, newest = ? "
                "WHERE source = ? AND number = ?",
                (*_dates(each), source, each.id),
            )
    if gone:
        drop_files_without_version(connection)


def _known(connection: sqlite3.Connection, source: str) -> dict[Identity, Dates]:
    rows = connection.execute(
        "SELECT number, origin, name, collection, digest, first_seen, last_seen, status, newest "
        "FROM version JOIN file ON file.id = file WHERE source = ?",
        (source,),
    )
    return {tuple(row[:5]): (*row[5:8], bool(row[8])) for row in rows}


def _identity(version: RobotsVersion) -> Identity:
    """Return what a version is known by: a database that was put back gives a number again, to another file."""
    return version.id, version.origin, version.name, version.collection, version.digest


def _dates(version: RobotsVersion) -> Dates:
    return version.first_seen, version.last_seen, version.status, version.newest


def _put(connection: sqlite3.Connection, source: str, database: CrawlDatabase, version: RobotsVersion) -> None:
    """Put a version, and its file where no other has brought it; one whose octets are damaged is left out."""
    row = connection.execute("SELECT id FROM file WHERE digest = ?", (version.digest,)).fetchone()
    if row is None:
        try:
            body = body_of(database, version)
        except ZstdError:
            body = None
        if body is None:
            return
        row = (put_file(connection, version.digest, body),)
    site = site_of_version(version.origin, version.name)
    *known_by, _ = _identity(version)
    connection.execute(
        "INSERT INTO version (source, number, origin, name, collection, site, first_seen, last_seen, status, newest, "
        "file) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (source, *known_by, site, *_dates(version), row[0]),
    )
