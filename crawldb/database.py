"""How is the crawl database opened, brought up to date and written? It is one SQLite file that survives a power cut.

A write-ahead log lets the index and the gateway read while the crawl writes. `synchronous=FULL` means that what is
committed is on the disk. `schema.sql` makes a new database; each file in `migrations/` brings an older one to the next
version. Then extensions that have tables make theirs.

The view `indexed_page` alone says which pages are in the index: the rows of table `page` that no filter rejected.
A query reads the view instead of the table, or has `in_index` as its condition.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager, suppress
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from threading import local
from typing import TYPE_CHECKING, Any, TypeVar

import zstandard

from crawldb.folders import CRAWL_FILE, make_folder, why_no_crawl
from crawldb.seal import (
    CRAWL_SECONDS,
    READ_SECONDS,
    SEAL_SECONDS,
    broken_structure,
    connected,
    connecting,
    damage,
    disconnected,
    has_frame,
    has_log,
    is_sealed,
    keep,
    sealed_crawl,
)
from crawldb.visited import key_of
from extension_points import added_tables
from urls.rules import FIRST_CRAWL

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable
    from typing import Self

SCHEMA = Path(__file__).parent / "schema.sql"  # the last statement sets the version that it has
MIGRATIONS = Path(__file__).parent / "migrations"


def in_index(url: str) -> str:
    """Return, as SQL, whether the page of a URL is in the index; `url` is the column that has its id."""
    return f"EXISTS (SELECT 1 FROM indexed_page AS shown WHERE shown.url = {url})"


def statements(script: str) -> Iterator[str]:
    """Yield the statements of a script, one by one."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


def newest_schema() -> int:
    """Return the version of the schema to which this Breadcrumb brings a database."""
    return max(steps_by_version())


def steps_by_version() -> dict[int, Traversable]:
    """Return the migrations by the version to which they bring a database, sorted."""
    folder = _packed(MIGRATIONS)
    found = sorted((path for path in folder.iterdir() if path.name.endswith(".sql")), key=attrgetter("name"))
    return {int(step.name[:4]): step for step in found}


def _packed(path: Path) -> Traversable:
    if path.exists():
        return path
    from importlib.resources import files  # noqa: PLC0415 - in an egg; 5 ms that nobody else needs to wait

    return files("crawldb") / path.name


# How many steps of an extension's tables were made. The table is there only where an extension has any.
_ADDED = "CREATE TABLE IF NOT EXISTS added_tables (name TEXT PRIMARY KEY, version INTEGER NOT NULL)"
CAME_LATE = {23: "topic", 25: "archive_file"}  # steps that joined when later ones had been made: a table of each
LAST_WITHOUT = 27  # the last version of a database that may lack these steps
FILE_NAME = CRAWL_FILE
BUSY_SECONDS = 30.0  # how long a writer waits for another: a store takes milliseconds, a new round seconds
LOG_FRAMES = 2000  # in the write-ahead log before a checkpoint: 8 MB
CACHE_KIB = 4 * 1024  # more would only hold what the system's own cache holds already
NOTHING_LOST = "What was committed is safe"
REMEDIES = {  # what SQLite says (a part of it): what would work
    "disk is full": "make room (df shows which disk) and run the same command again",
    "No space left": "make room (df shows which disk) and run the same command again",
    "is locked": f"another process has kept others from writing for {BUSY_SECONDS:g} s, a backup perhaps (lsof names "
    "it): run the same command again when it has ended",
    "readonly": "let the folder be written again, or give another one with -s DATA_DIR=FOLDER",
    "malformed": "the file is damaged, so look at the disk and put back a backup (docs/operations.md, Backup), or "
    "crawl again into another folder with -s DATA_DIR=FOLDER",
    "disk I/O error": "look at the disk (df shows which one): it fails, is full, or a limit on files is too low",
    "not a database": "put back a backup (docs/operations.md, Backup), or give another folder with -s DATA_DIR=FOLDER",
}
FULL = ("disk is full", "No space left")
PASSING = (*FULL, "is locked", "disk I/O error")  # with these, the same may do later
NO_FILE_BESIDE = frozenset(  # how SQLite says that it can't make a file beside the database
    {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL}
)
ZSTD_LEVEL = 3  # a fifth of the size for 0.13 ms a page; higher levels gain little
MAX_CONTENT = 64 * 1024 * 1024  # bytes that a stored record may unpack to: a bound, four times the largest page
Stored = TypeVar("Stored")
TO_OPEN = "DATA_DIR must be a writable folder"
TO_WRITE = "mend the cause and run the same command again"


class DatabaseError(Exception):
    """The crawl database can't be used; the message says why, and what would work."""


class NoCrawlError(DatabaseError):
    """There is no crawl database, or nothing in it yet."""

    def __init__(self, data_dir: Path) -> None:
        super().__init__(f"{data_dir} holds no crawl yet: {FIRST_CRAWL} makes one")


class ForeignIndexError(DatabaseError):
    """The folder has an index of another program, and no crawl."""


class MissingPartError(DatabaseError):
    """The database of one part of a divided crawl is not there."""


class OldSchemaError(DatabaseError):
    """The crawl database is of an earlier Breadcrumb. A plain reader may not bring it to the present version."""

    def __init__(self, finding: str, remedy: str = "./breadcrumb report brings it there") -> None:
        super().__init__(f"{finding}: {remedy}")
        self.finding = finding


class StorageError(DatabaseError):
    """Nothing can be written now: the disk is full or fails, or another process holds the database too long."""


class CrawlDatabase:
    """A connection to the crawl database in `data_dir`, for one thread.

    With `readonly`, nothing is ever created or written; a missing database then raises `DatabaseError`.
    """

    def __init__(self, data_dir: Path, *, readonly: bool = False) -> None:
        self.path = data_dir / FILE_NAME
        self._log_limit = LOG_FRAMES
        self._writes = False
        try:
            if not self.path.exists() and (reason := why_no_crawl(data_dir)):
                raise ForeignIndexError(reason)
            if not readonly:
                make_folder(data_dir)
            self._refuse(damage(self.path, READ_SECONDS))
            if readonly and not self.path.exists():
                raise NoCrawlError(data_dir)
            with connecting():
                self.connection = self._connect(readonly=readonly)
                self._counted: tuple[int, int] | None = connected(self.path)
            try:
                self._begin_use(readonly=readonly)
            except BaseException:
                self.close()
                raise
        except UnicodeDecodeError as error:  # Python can't read what SQLite says about it
            self._refuse(f"the schema is no text ({error.reason})")
        except (OSError, sqlite3.Error) as error:
            kind = StorageError if any(words in str(error) for words in PASSING) else DatabaseError
            raise kind(f"{self.path} can't be opened: {error}; {_remedy(error, TO_OPEN)}") from error

    def _begin_use(self, *, readonly: bool) -> None:
        self._file = _stamp(self.path)
        self._migrate(readonly=readonly)
        self.connection.execute("SELECT 1 FROM sqlite_schema")  # reads all of the schema
        self.identity = str(self.value("SELECT id FROM identity"))
        self._refuse(self._other_seal())
        self._writes = not readonly

    def _other_seal(self) -> str:
        sealed = sealed_crawl(self.path)
        if sealed in {"", self.identity}:
            return ""
        return f"it is crawl {self.identity}, and the seal next to it is that of crawl {sealed}"

    def _refuse(self, finding: str) -> None:
        if finding:
            raise DatabaseError(f"{self.path} is malformed, {finding}: {REMEDIES['malformed']}")

    def check(self, seconds: float = CRAWL_SECONDS) -> None:
        """Compare all with the seal, and look at the structure, so long at most; seal what has none.

        Raises DatabaseError.
        """
        try:
            self._refuse(damage(self.path, seconds) or broken_structure(self.connection, seconds))
            if not is_sealed(self.path):
                self.seal()
        except (OSError, sqlite3.Error) as error:
            self._refuse(str(error))

    def seal(self) -> bool:
        """Keep checksums of all and empty the log, as the last thing that is done; return whether others let it."""
        return keep(self.path, self.connection, SEAL_SECONDS)

    def _keep_log_short(self) -> None:
        """Make a checkpoint when the log is long; one that a reader still needs becomes longer by half meanwhile."""
        if not has_frame(self.path, LOG_FRAMES):
            self._log_limit = LOG_FRAMES
        elif has_frame(self.path, self._log_limit):
            keep(self.path, self.connection)
            self._log_limit += self._log_limit // 2

    def _connect(self, *, readonly: bool) -> sqlite3.Connection:
        if readonly:
            return self._connect_to_read()
        connection = self._connect_by("mode=rwc")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")  # `keep` makes them, with checksums
        return connection

    def _connect_to_read(self) -> sqlite3.Connection:
        """Connect for reading, also on a disk that is full or may not be written.

        Even a reader of a database with a write-ahead log makes a file next to it. Where SQLite can't make it, and the
        log is empty, the database is opened as immutable: there no process can change it.
        """
        try:
            return self._connect_by("mode=ro")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in NO_FILE_BESIDE or has_log(self.path):
                raise
            return self._connect_by("mode=ro&immutable=1")

    def _connect_by(self, words: str) -> sqlite3.Connection:
        address = f"{self.path.absolute().as_uri()}?{words}"
        connection = sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            connection.create_function("url_key", 1, key_of, deterministic=True)  # the trigger on table `url` calls it
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")  # the first statement: it opens the file
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _check_version(self, version: int, first: int, newest: int, *, readonly: bool) -> None:
        if version > newest:
            raise DatabaseError(
                f"{self.path} has schema version {version}, and this Breadcrumb knows {newest}: a newer one made "
                "it, so take that one, or put back a backup of before. Nothing was changed"
            )
        if 0 < version < first:
            raise DatabaseError(
                f"{self.path} has schema version {version}, and the oldest that can be brought up to date is {first}: "
                "crawl again into another folder with -s DATA_DIR=FOLDER"
            )
        if readonly and not version:
            raise NoCrawlError(self.path.parent)
        if readonly and version < newest:
            raise OldSchemaError(f"{self.path} has schema version {version} and needs {newest}")

    def _migrate(self, *, readonly: bool) -> None:
        """Make all tables of a new database, or bring an older one up to date."""
        steps = steps_by_version()
        version = self._version()
        self._check_version(version, min(steps), max(steps), readonly=readonly)
        self._check_added(readonly=readonly)
        if not version:
            with self.transaction():  # of a new database all steps are one: each commit takes longer than its tables
                if not self._version():  # else another process was quicker
                    self._run(_packed(SCHEMA).read_text("utf-8"))
                    for number in steps:
                        self._make_step(number, steps[number])
        for number, step in steps.items():
            if not self._has_step(number):
                with self.transaction():
                    self._make_step(number, step)
        self._migrate_added()
        if not version:
            self.seal()  # nothing was crawled yet; that it lies there tells of a file without content

    def _make_step(self, number: int, step: Traversable) -> None:
        """Make a migration, unless another process was quicker."""
        if not self._has_step(number):
            self._run(step.read_text("utf-8"))
            self.connection.execute(f"PRAGMA user_version = {max(number, self._version())}")

    def _has_step(self, number: int) -> bool:
        """Return whether a migration was made; one that came late may lack although a later one was made."""
        if number > (version := self._version()):
            return False
        table = CAME_LATE.get(number) if version <= LAST_WITHOUT else None
        return table is None or self.value("SELECT 1 FROM sqlite_schema WHERE name = ?", table) is not None

    def _check_added(self, *, readonly: bool) -> None:
        """Compare the tables that extensions have added with those that they know, before anything is changed."""
        for added in added_tables():
            version, newest = self._added_version(added.name), len(added.steps)
            version_found = f"{self.path} has version {version} of the tables of the extension {added.name}"
            if version > newest:
                raise DatabaseError(
                    f"{version_found}, which knows {newest}: install a newer one, or uninstall it. Nothing was changed"
                )
            if readonly and version < newest:
                raise OldSchemaError(f"{version_found} and needs {newest}")

    def _migrate_added(self) -> None:
        """Make the tables that extensions add, or bring them up to date."""
        for added in added_tables():
            version = self._added_version(added.name)
            for number, step in enumerate(added.steps[version:], version + 1):
                with self.transaction():
                    if self._added_version(added.name) < number:  # else another process was quicker
                        self._run(f"{_ADDED};\n{step}")
                        self.connection.execute(
                            "INSERT OR REPLACE INTO added_tables VALUES (?, ?)", (added.name, number)
                        )

    def _added_version(self, name: str) -> int:
        if self.value("SELECT 1 FROM sqlite_schema WHERE name = 'added_tables'") is None:
            return 0
        return self.count("SELECT version FROM added_tables WHERE name = ?", name)

    def _run(self, script: str) -> None:
        for statement in statements(script):
            self.connection.execute(statement)

    def _version(self) -> int:
        return int(self.connection.execute("PRAGMA user_version").fetchone()[0])

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run the block in one transaction: when the block ends, all of it is on the disk, or nothing."""
        self.check_place()
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            if self.count("PRAGMA application_id"):  # the number of the last checksums, which do not have what follows
                self.connection.execute("PRAGMA application_id = 0")
            yield self.connection
            self.connection.execute("COMMIT")
        except BaseException as error:
            if self.connection.in_transaction:  # a COMMIT that failed has rolled back already
                self.connection.execute("ROLLBACK")
            if _is_of_the_disk(error):
                cure = _remedy(error, TO_WRITE)
                raise StorageError(f"{self.path} can't be written: {error}. {NOTHING_LOST}; {cure}") from error
            raise
        self._keep_log_short()

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undo what the block has written if it raises, and nothing else of the transaction around it.

        After an error of the database itself that transaction is over, too.
        """
        self.connection.execute("SAVEPOINT block")
        try:
            yield
        except (DatabaseError, sqlite3.Error):
            raise
        except BaseException:
            self.connection.execute("ROLLBACK TO block")
            raise
        finally:
            if self.connection.in_transaction:  # else SQLite has rolled back all of it
                self.connection.execute("RELEASE block")

    @contextmanager
    def one_state(self) -> Iterator[sqlite3.Connection]:
        """Let the block read one state, whatever is written meanwhile; within a transaction it is that one's."""
        within = self.connection.in_transaction
        if not within:
            self.connection.execute("BEGIN")
        try:
            yield self.connection
        finally:
            if not within and self.connection.in_transaction:  # an error of the disk has ended it
                self.connection.execute("COMMIT")

    def check_place(self) -> None:
        """Raise StorageError where the file has lost its name: SQLite would write on into a nameless file."""
        if _stamp(self.path)[:2] != self._file[:2]:
            raise StorageError(
                f"{self.path} was deleted, moved or replaced while it was in use: what is there now is left as it is"
            )

    def is_as_opened(self) -> bool:
        """Return whether a new connection would find what this one found: the same file, written by its log alone."""
        return _stamp(self.path) == self._file

    def value(self, sql: str, *parameters: object) -> object:
        """Return the first column of the first row, or None where there is no row."""
        row = self.connection.execute(sql, parameters).fetchone()
        return None if row is None else row[0]

    def count(self, sql: str, *parameters: object) -> int:
        """Return the first column of the first row as a number; 0 where there is none."""
        value = self.value(sql, *parameters)
        return int(value) if isinstance(value, (int, float)) else 0

    def column(self, sql: str, *parameters: object) -> list[Any]:
        """Return the first column of all rows."""
        return [row[0] for row in self.connection.execute(sql, parameters)]

    def close(self) -> None:
        """Close the connection; a transaction that is open is rolled back.

        The last connection that closes makes a checkpoint, so the checksums for that are kept first.
        """
        if self._writes:
            with suppress(OSError, sqlite3.Error):
                self.connection.rollback()
                if has_log(self.path):
                    keep(self.path, self.connection)
        self.connection.close()
        if self._counted is not None:
            disconnected(self._counted)
            self._counted = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@lru_cache(maxsize=1)
def _compressor() -> zstandard.ZstdCompressor:
    return zstandard.ZstdCompressor(level=ZSTD_LEVEL, write_checksum=True)  # so a turned bit is noticed


def zstd_packed(data: bytes) -> bytes:
    """Return `data` in zstd."""
    return _compressor().compress(data)


class _Unpacking(local):
    """A decompressor for each thread, which threads may not share: to make one takes longer than to use it."""

    def __init__(self) -> None:
        self.decompressor = zstandard.ZstdDecompressor()


_unpacking = _Unpacking()


def zstd_unpacked(data: bytes) -> bytes:
    """Return what was packed. Raises ZstdError where it is damaged."""
    return _unpacking.decompressor.decompress(data, max_output_size=MAX_CONTENT)


def stored_json(text: str, kind: type[Stored]) -> Stored:
    """Return what a column holds as JSON. Raises DatabaseError where it is none, or not of that kind."""
    try:
        found = json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise _malformed(f"{text!r:.60} is no JSON: {error}") from error
    if not isinstance(found, kind):
        raise _malformed(f"{text!r:.60} is no {kind.__name__}")
    return found


def _malformed(finding: str) -> DatabaseError:
    return DatabaseError(f"the crawl database is malformed, {finding}: {REMEDIES['malformed']}")


def _stamp(path: Path) -> tuple[int, ...]:
    """Return what changes when a file is replaced (the first two), or written into; () where there is none."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _is_of_the_disk(error: BaseException) -> bool:
    """Return whether the file could not be used; errors of integrity and of programming are our own."""
    return isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError


def in_words(error: sqlite3.Error) -> str:
    """Return what SQLite says of a crawl database that was opened, and what would work; else that is a backup."""
    return f"the crawl database can't be used: {error}; {_remedy(error, REMEDIES['malformed'])}"


def _remedy(error: BaseException, otherwise: str) -> str:
    said = str(error)
    return next((cure for words, cure in REMEDIES.items() if words in said), otherwise)
