"""What of a robots.txt does its index keep? Each line with its group, in SQLite; and each version, to find it by.

A file stands here once, however many origins have it. What must hold in one group is found by a set of (file, group),
which databases know as an intersection; words are found by SQLite's full-text index, over lines (fts5). Why no second
Whoosh index: docs/decisions/0031-index-of-robots-files.md.

    line     a row a line that is not blank, and a row a finding of the lint (its field is LINT)
    words    the text of the lines, cut into words
    version  which file an origin had, and when; of every part of the crawl and of every collection
    followed as of which change of a crawl database that is

All of it can be thrown away: `upkeep.py` makes it again from the crawl database.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from indexer.faults import IndexFault
from robots import lint
from robots.crawl_delay import delay_seconds
from robots.statements import statements_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILE_NAME = "robots_index.sqlite3"
FORM = 2  # of the tables: an index of another form is made anew
LINT = (
    "(lint)"  # the field of a finding: no line of a file is called so, as a field of unknown name is one word or more
)
AGENT = "user-agent"
BUSY_SECONDS = 10.0  # how long a search waits for another process that brings the index into step
_TABLES = """
CREATE TABLE file (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, size INTEGER, lines INTEGER);
CREATE TABLE line (
  id INTEGER PRIMARY KEY, file INTEGER, grp INTEGER, number INTEGER, field TEXT, value TEXT,
  amount REAL, text TEXT, comment TEXT);
CREATE INDEX line_value ON line (field, value, file, grp);
CREATE INDEX line_any_value ON line (value);
CREATE INDEX line_file ON line (file);
CREATE VIRTUAL TABLE words USING fts5 (text, comment, content = 'line', content_rowid = 'id');
CREATE TABLE version (
  id INTEGER PRIMARY KEY, source TEXT, number INTEGER, origin TEXT, name TEXT, collection TEXT, site TEXT,
  first_seen REAL, last_seen REAL, status INTEGER, newest INTEGER, file INTEGER, UNIQUE (source, number));
CREATE TABLE followed (source TEXT PRIMARY KEY, mark BLOB);
CREATE INDEX version_file ON version (file);
CREATE INDEX version_site ON version (site)
"""
NO_FULL_TEXT = (
    "the SQLite of this Python has no full-text search (fts5), which the index of robots.txt files needs: "
    "take a Python from python.org, uv or the system's packages"
)
Row = tuple[int, int, str, str, float | None, str, str]  # group, number, field, value, amount, text, comment


def open_index_file(path: Path | str) -> sqlite3.Connection:
    """Open the index, or make an empty one; "" makes one in memory. Raises sqlite3.Error where that can't be done."""
    connection = sqlite3.connect(path or ":memory:", timeout=BUSY_SECONDS, isolation_level=None)
    try:
        if connection.execute("PRAGMA user_version").fetchone()[0] != FORM:
            connection.execute("PRAGMA journal_mode = WAL")
            _make(connection)
        connection.execute("PRAGMA synchronous = NORMAL")  # what a power cut takes is made again
    except sqlite3.Error as error:
        connection.close()
        if "fts5" in str(error):
            raise IndexFault(NO_FULL_TEXT) from error
        raise
    return connection


def _make(connection: sqlite3.Connection) -> None:
    """Make the tables in place of those of another form."""
    connection.execute("BEGIN IMMEDIATE")
    if connection.execute("PRAGMA user_version").fetchone()[0] != FORM:  # else another process was quicker
        for table in ("words", "line", "version", "file", "followed"):
            connection.execute(f"DROP TABLE IF EXISTS {table}")
        for statement in _TABLES.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {FORM}")
    connection.execute("COMMIT")


def put_file(connection: sqlite3.Connection, digest: bytes, body: bytes) -> int:
    """Index a file that is not there yet, within the caller's transaction; return its number."""
    rows = list(_lines(body))
    file = connection.execute(
        "INSERT INTO file (digest, size, lines) VALUES (?, ?, ?)", (digest, len(body), len(rows))
    ).lastrowid
    put = "INSERT INTO line (file, grp, number, field, value, amount, text, comment) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    connection.executemany(put, ((file, *row) for row in rows))
    connection.execute(
        "INSERT INTO words (rowid, text, comment) SELECT id, text, comment FROM line WHERE file = ?", (file,)
    )
    findings = ((file, 0, each.line, LINT, each.rule, None, each.sentence, "") for each in lint(body))
    connection.executemany(put, findings)
    return int(file or 0)


def _lines(body: bytes) -> Iterator[Row]:
    for said in statements_of(body):
        amount = delay_seconds(said.value.encode()) if said.field == "crawl-delay" else None
        yield said.group, said.number, said.field, said.value, amount, said.text, said.comment


def drop_files_without_version(connection: sqlite3.Connection) -> None:
    """Take out, with every word of theirs, the files that no version names, within the caller's transaction."""
    gone = "SELECT id FROM file WHERE id NOT IN (SELECT file FROM version)"
    connection.execute(
        "INSERT INTO words (words, rowid, text, comment) "
        f"SELECT 'delete', id, text, comment FROM line WHERE field != '{LINT}' AND file IN ({gone})"
    )
    connection.execute(f"DELETE FROM line WHERE file IN ({gone})")
    connection.execute(f"DELETE FROM file WHERE id IN ({gone})")


def erase_what_is_gone(connection: sqlite3.Connection) -> None:
    """Take what was taken out off the disk, too: else its octets stay until others are written over them."""
    connection.execute("INSERT INTO words (words) VALUES ('optimize')")
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
