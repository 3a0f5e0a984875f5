"""Which parts of a robots.txt does its index keep? Each line with its group, and each version, in SQLite.

A file has one row, however many origins have it. A condition on one group is a set of (file, group), and SQL intersects
such sets. SQLite's full-text index over lines (fts5) finds words. The reasons against a second Whoosh index are in
docs/decisions/0031-index-of-robots-files.md.

    line     A row a line that is not blank, and a row a finding of the lint (its field is LINT).
    words    The text of the lines, cut into words.
    version  Which file an origin had, and when; of every part of the crawl and of every collection.
    followed The mark of a crawl database that the index has seen.

All tables are disposable: `collection.py` rebuilds them from the crawl database.

`statements_of` finds the lines, also those without a meaning: it serves a search, and gives no verdict. Fields, values
and groups follow RFC 9309: a group is an item of `RobotsFile.groups`. A Sitemap line and a field unknown to the
standard belong to no group: they are about the file (2.2.4).
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from crawldb.tables.robots_files import RobotsVersion
from indexer.faults import IndexFault
from robots import lint
from robots.crawl_delay import delay_seconds
from robots.dialect import CHOICES, Dialect
from robots.group import groups_of
from robots.lines import Field, scan_lines, whole_lines, without_byte_order_mark

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from robots.lines import LineTuple

FILE_NAME = "robots_index.sqlite3"
FORM = 2  # of the tables: an index of another form is rebuilt
LINT = (
    "(lint)"  # the field of a finding: no line of a file is called so, as a field of unknown name is one word or more
)
AGENT = "user-agent"
BUSY_SECONDS = 10.0  # how long a search waits for another process that updates the index
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
Value = str | float  # that a SELECT binds
Row = tuple[int, int, str, str, float | None, str, str]  # group, number, field, value, amount, text, comment
NO_GROUP = 0


def open_index_file(path: Path | str) -> sqlite3.Connection:
    """Open the index, or make an empty one; "" makes one in memory. Raises sqlite3.Error if that fails."""
    connection = sqlite3.connect(path or ":memory:", timeout=BUSY_SECONDS, isolation_level=None)
    try:
        if connection.execute("PRAGMA user_version").fetchone()[0] != FORM:
            connection.execute("PRAGMA journal_mode = WAL")
            _make(connection)
        connection.execute("PRAGMA synchronous = NORMAL")  # the index can be rebuilt after a power cut
    except sqlite3.Error as error:
        connection.close()
        if "fts5" in str(error):
            raise IndexFault(NO_FULL_TEXT) from error
        raise
    return connection


def _make(connection: sqlite3.Connection) -> None:
    """Replace the tables of another form."""
    connection.execute("BEGIN IMMEDIATE")
    if connection.execute("PRAGMA user_version").fetchone()[0] != FORM:  # else another process was quicker
        for table in ("words", "line", "version", "file", "followed"):
            connection.execute(f"DROP TABLE IF EXISTS {table}")
        for statement in _TABLES.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {FORM}")
    connection.execute("COMMIT")


def put_file(connection: sqlite3.Connection, digest: bytes, body: bytes) -> int:
    """Index a new file, within the caller's transaction; return its number."""
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
    """Delete the files without a version, with all their words, within the caller's transaction."""
    gone = "SELECT id FROM file WHERE id NOT IN (SELECT file FROM version)"
    connection.execute(
        "INSERT INTO words (words, rowid, text, comment) "
        f"SELECT 'delete', id, text, comment FROM line WHERE field != '{LINT}' AND file IN ({gone})"
    )
    connection.execute(f"DELETE FROM line WHERE file IN ({gone})")
    connection.execute(f"DELETE FROM file WHERE id IN ({gone})")


def erase_what_is_gone(connection: sqlite3.Connection) -> None:
    """Erase deleted rows from the disk, too: else their octets stay until other rows overwrite them."""
    connection.execute("INSERT INTO words (words) VALUES ('optimize')")
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def one_write(connection: sqlite3.Connection) -> Iterator[None]:
    """Write everything in the block, or nothing. Other writers wait from its beginning: none overwrites newer rows."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def one_state(connection: sqlite3.Connection) -> Iterator[None]:
    """Let the block read one state while other processes update the index."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")  # nothing was written


def seen_mark(connection: sqlite3.Connection, source: str) -> bytes | None:
    """Return the mark of a crawl database that the index has seen; None if it has seen none."""
    row = connection.execute("SELECT mark FROM followed WHERE source = ?", (source,)).fetchone()
    return None if row is None else row[0]


def put_mark(connection: sqlite3.Connection, source: str, mark: bytes) -> None:
    """Note the mark of a crawl database, within the caller's transaction."""
    connection.execute("INSERT OR REPLACE INTO followed VALUES (?, ?)", (source, mark))


def known_versions(connection: sqlite3.Connection, source: str) -> list[RobotsVersion]:
    """Return the versions of a crawl database that the index has."""
    rows = connection.execute(
        "SELECT number, origin, name, collection, first_seen, last_seen, status, newest, digest "
        "FROM version JOIN file ON file.id = file WHERE source = ?",
        (source,),
    )
    return [RobotsVersion(*row) for row in rows]


def drop_versions(connection: sqlite3.Connection, source: str, numbers: Iterable[int]) -> None:
    """Drop versions of a crawl database, within the caller's transaction; their files stay."""
    rows = [(source, number) for number in numbers]
    connection.executemany("DELETE FROM version WHERE source = ? AND number = ?", rows)


def put_dates(connection: sqlite3.Connection, source: str, version: RobotsVersion) -> None:
    """Update what may change in a version, within the caller's transaction."""
    connection.execute(
        "UPDATE version SET first_seen = ?, last_seen = ?, status = ?, newest = ? WHERE source = ? AND number = ?",
        (version.first_seen, version.last_seen, version.status, version.newest, source, version.id),
    )


def file_with(connection: sqlite3.Connection, digest: bytes) -> int | None:
    """Return the number of the file with a digest, or None."""
    row = connection.execute("SELECT id FROM file WHERE digest = ?", (digest,)).fetchone()
    return None if row is None else int(row[0])


def put_version(connection: sqlite3.Connection, source: str, version: RobotsVersion, site: str, file: int) -> None:
    """Put a version of an indexed file, within the caller's transaction."""
    *fields, _ = astuple(version)  # the digest is the file's
    connection.execute(
        "INSERT INTO version (source, number, origin, name, collection, first_seen, last_seen, status, newest, site, "
        "file) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (source, *fields, site, file),
    )


class Selection(NamedTuple):
    """A SELECT and its bound values."""

    sql: str
    values: tuple[Value, ...] = ()

    @classmethod
    def joined(cls, word: str, parts: Iterable[Selection]) -> Selection:
        """Return the rows of parts, joined by INTERSECT, UNION or EXCEPT."""
        parts = tuple(parts)
        if len(parts) == 1:
            return parts[0]
        sql = f" {word} ".join(f"SELECT * FROM ({part.sql})" for part in parts)
        return cls(sql, tuple(value for part in parts for value in part.values))


EVERY_VERSION = Selection("SELECT id FROM version")
HAS_WORDS = "id IN (SELECT rowid FROM words WHERE words MATCH ?)"  # of a row of table `line`
SIZE_OF_VERSION = "(SELECT size FROM file WHERE file.id = version.file)"  # of a row of table `version`


def lines_where(columns: str, where: str, values: tuple[Value, ...] = ()) -> Selection:
    """Select columns of the lines for which a condition on table `line` holds."""
    return Selection(f"SELECT {columns} FROM line WHERE {where}", values)


def within_groups(where: str, groups: Selection) -> str:
    """Return a condition on table `line` that holds only in some groups; `groups` has file and group of each."""
    return f"{where} AND (file, grp) IN (SELECT * FROM ({groups.sql}))"


def versions_where(where: str, values: tuple[Value, ...]) -> Selection:
    """Select the ids of the versions for which a condition on table `version` holds."""
    return Selection(f"SELECT id FROM version WHERE {where}", values)


def versions_of_files(files: Selection) -> Selection:
    """Select the ids of the versions of some files; `files` has the column `file`."""
    return versions_where(f"file IN (SELECT file FROM ({files.sql}))", files.values)


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version in the index; `length` is in lines."""

    part: str
    version: RobotsVersion
    site: str
    size: int
    length: int
    file: int


def selected_versions(connection: sqlite3.Connection, selection: Selection, *, history: bool) -> list[VersionRow]:
    """Return the versions with the selected ids; without `history` only those that are their file's newest."""
    return _versions(connection, f"version.id IN ({selection.sql}) AND {_scope(history=history)}", selection.values)


def _versions(connection: sqlite3.Connection, where: str, values: Sequence[object]) -> list[VersionRow]:
    rows = connection.execute(
        "SELECT source, number, origin, name, collection, first_seen, last_seen, status, newest, digest, "
        f"site, size, lines, file FROM version JOIN file ON file.id = file WHERE {where}",
        tuple(values),
    )
    return [_version(*row) for row in rows]


def _version(part: str, *row: Any) -> VersionRow:
    number, origin, name, collection, first_seen, last_seen, status, newest, digest, site, size, length, file = row
    version = RobotsVersion(number, origin, name, collection, first_seen, last_seen, status, bool(newest), digest)
    return VersionRow(part, version, site, size, length, file)


def _scope(*, history: bool) -> str:
    return "1" if history else "newest"


def count_versions(connection: sqlite3.Connection, *, history: bool = True) -> int:
    """Return the number of versions; without `history` only those that are their file's newest."""
    return _count(connection, f"SELECT count(*) FROM version WHERE {_scope(history=history)}")


def count_versions_with(connection: sqlite3.Connection, files: Selection, *, history: bool) -> int:
    """Return the number of versions with one of the selected files; `files` has the column `file`."""
    sql = f"SELECT count(*) FROM version WHERE {_scope(history=history)} AND file IN ({files.sql})"
    return _count(connection, sql, files.values)


def _count(connection: sqlite3.Connection, sql: str, values: Sequence[Value] = ()) -> int:
    return int(connection.execute(sql, values).fetchone()[0])


def has_field(connection: sqlite3.Connection, name: str) -> bool:
    """Return whether a file has a line with this field, known to robots or not."""
    return connection.execute("SELECT 1 FROM line WHERE field = ? LIMIT 1", (name,)).fetchone() is not None


def mean_lines(connection: sqlite3.Connection) -> float:
    """Return the mean number of lines of a file; 0 without files."""
    return float(connection.execute("SELECT avg(lines) FROM file").fetchone()[0] or 0)


def lines_by_file(connection: sqlite3.Connection, condition: Selection) -> dict[int, int]:
    """Return the number of matching lines of each file; `condition` selects `file, count(DISTINCT number)`."""
    return dict(connection.execute(f"{condition.sql} GROUP BY file", condition.values).fetchall())


class LineOfFile(NamedTuple):
    """A line of a file: its number, and the beginning of its text."""

    file: int
    number: int
    text: str


def lines_of_files(connection: sqlite3.Connection, condition: Selection, files: Collection[int]) -> list[LineOfFile]:
    """Return the matching lines of some files; `condition` selects file, number and text."""
    these = f"{condition.sql} AND file IN ({', '.join('?' * len(files))})"
    return [LineOfFile(*row) for row in connection.execute(these, (*condition.values, *files))]


class NamedRobot(NamedTuple):
    """A robot that a line names, and the number of files that name it."""

    name: str
    files: int


def robots_by_files(connection: sqlite3.Connection, *, history: bool) -> list[NamedRobot]:
    """Return the robots that files name, most files first; without `history` only from newest versions."""
    rows = connection.execute(
        f"SELECT value, count(DISTINCT file) FROM line WHERE field = '{AGENT}' AND file IN "
        f"(SELECT file FROM version WHERE {_scope(history=history)}) GROUP BY value ORDER BY 2 DESC, 1"
    )
    return [NamedRobot(*row) for row in rows]


class Statement(NamedTuple):
    """A line that is not blank. `number` and `group` count from 1; group 0: none."""

    number: int
    field: str  # in lower case, as typed where it is unknown; "" where there is no colon
    value: str  # of a User-agent line the name for comparison: in lower case, without a version
    group: int
    comment: str  # the text after a #
    text: str  # the whole line


def statements_of(body: bytes) -> list[Statement]:
    """Return the lines of a robots.txt in UTF-8 that are not blank, as far as robots read the file (2.5)."""
    text = whole_lines(body)
    known = _known_lines(text)
    found = []
    for number, octets in enumerate(without_byte_order_mark(text).splitlines(), start=1):
        said, _, comment = octets.partition(b"#")
        if not (said.strip() or comment.strip()):
            continue
        field, value, group = known.get(number) or _unknown(said)
        found.append(Statement(number, field, value, group, as_text(comment), as_text(octets)))
    return found


def as_text(octets: bytes) -> str:
    """Return the text of a line. Octets that are not UTF-8 become escapes, so nothing is lost."""
    return octets.decode("utf-8", "backslashreplace").strip()


def _known_lines(text: bytes) -> dict[int, tuple[str, str, int]]:
    """Return field, value and group of each line that the standard knows, by the number of the line."""
    choices = CHOICES[Dialect.RFC9309]
    lines = list(scan_lines(text, forgiving=choices.forgiving_fields))
    said = groups_of(lines, choices)
    naming = (line for line in lines if line[1] is Field.USER_AGENT)  # each has given one name to one group
    group_of: dict[int, int] = {}
    name_of: dict[int, str] = {}
    for place, group in enumerate(said.groups, start=1):
        for name in (name for block in group.blocks for name in block.names):
            number = next(naming)[0]
            group_of[number], name_of[number] = place, as_text(name)
        for number, *_ in (*group.rules, *(pace for block in group.blocks for pace in block.paces)):
            group_of[number] = place
    return {line[0]: _said(line, name_of, group_of) for line in lines}


def _said(line: LineTuple, name_of: dict[int, str], group_of: dict[int, int]) -> tuple[str, str, int]:
    number, field, value = line
    return field.value.lower(), name_of.get(number, as_text(value)), group_of.get(number, NO_GROUP)


def _unknown(said: bytes) -> tuple[str, str, int]:
    name, colon, value = said.partition(b":")
    return (as_text(name).lower(), as_text(value), NO_GROUP) if colon else ("", as_text(said), NO_GROUP)
