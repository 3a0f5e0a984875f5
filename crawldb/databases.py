"""Which databases has a data folder? A whole crawl has one, and a divided crawl has one for each part.

    with Parts.in_folder(data_dir) as parts:
        parts.home("http://bakery.example/").path      # the database of the part that has this host

A whole crawl is a crawl of one part, so callers need not know whether the crawl is divided. This module is the only way
from the engine to `crawldb/parts/`. It exports what the crawl of one part needs: which part it is, the folder of the
part, and the exchange with the others.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from crawldb.database import FILE_NAME, CrawlDatabase, DatabaseError, NoCrawlError, OldSchemaError, StorageError
from crawldb.lock import holder, is_held
from crawldb.pages.link_only import is_withdrawn
from crawldb.pages.pages import is_blocked_or_gone
from crawldb.parts.division import check_there, claim_folder, folder_of, held_by, parts_in
from crawldb.parts.mailbox import exchange_of, other_part_refusal
from crawldb.parts.partition import WHOLE, Partition, partition_of
from crawldb.tables.sites import options_of
from crawldb.visited import find
from urls.canonical import canonical_or_none, site_of
from urls.records import CanonicalUrl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import Self

__all__ = [
    "WHOLE",
    "Partition",
    "Parts",
    "claim_folder",
    "exchange_of",
    "folder_of",
    "folders_of",
    "held_by",
    "in_each_part",
    "open_to_write",
    "open_up_to_date",
    "open_whole",
    "other_part_refusal",
    "partition_of",
]
Answer = TypeVar("Answer")
MAX_COPIES = 5  # of a page, in each other part


class Parts:
    """The databases of a crawl, one for each part, read-only. Each is opened on its first use; for one thread."""

    def __init__(self, data_dir: Path, parts: Sequence[Partition], in_words: Callable[[Exception], str] = str) -> None:
        self.parts = tuple(parts)
        self.in_words = in_words  # how a fault is shown to the caller
        self._data_dir = data_dir
        self._opened: dict[Partition, CrawlDatabase] = {}

    @classmethod
    def in_folder(cls, data_dir: Path, in_words: Callable[[Exception], str] = str) -> Self:
        """Return the parts of the crawl in a folder; of a whole crawl the one that it is."""
        return cls(data_dir, parts_in(data_dir) or (WHOLE,), in_words)

    @property
    def divided(self) -> bool:
        """Whether the crawl has several parts."""
        return not self.parts[0].whole

    def __iter__(self) -> Iterator[CrawlDatabase]:
        """Yield the database of each part. Raises `DatabaseError` for one that is missing or damaged."""
        return map(self.of, self.parts)

    def ask(self, question: Callable[[CrawlDatabase], Answer]) -> tuple[dict[str, Answer], dict[str, str]]:
        """Return the result of each part, and the fault of each part that can't be read, by their names (2/3).

        Raises `DatabaseError` where none can be read; a whole crawl raises its own `DatabaseError` or `sqlite3.Error`.
        """
        answers: dict[str, Answer] = {}
        faults: dict[str, str] = {}
        for part in self.parts:
            try:
                answers[str(part)] = question(self.of(part))
            except (DatabaseError, sqlite3.Error) as fault:
                if not self.divided:
                    raise
                faults[str(part)] = self.in_words(fault)
        if not answers:
            raise DatabaseError(next(iter(faults.values())))
        return answers, faults

    def readable(self) -> Iterator[CrawlDatabase]:
        """Yield the databases of those parts that can be read."""
        for part in self.parts:
            with suppress(DatabaseError, sqlite3.Error):
                yield self.of(part)

    def of(self, part: Partition) -> CrawlDatabase:
        """Return the database of a part. Raises `DatabaseError` where it is missing or damaged."""
        if part not in self._opened:
            if self.divided:  # CrawlDatabase reports what a whole crawl lacks
                check_there(self._data_dir, part)
            self._opened[part] = open_up_to_date(self.folder(part))
        return self._opened[part]

    def folder(self, part: Partition) -> Path:
        """Return the folder of a part."""
        return folder_of(self._data_dir, part)

    def home(self, url: str) -> CrawlDatabase:
        """Return the database of the part that has `url`, under the name that the options of its site give it.

        For a text that is no URL, return the first part. Raises `DatabaseError` where the part can't be read.
        """
        canonical = canonical_or_none(url) if self.divided else None
        if canonical is None:
            return self.of(self.parts[0])
        database = self.of(self._owner(canonical))
        return self.of(self._owner(options_of(database).canonical(canonical)))

    def home_to_write(self, url: str) -> CrawlDatabase:
        """Open the same database for writing; the caller closes it. Where there is none, none is made."""
        return CrawlDatabase(self.home(url).path.parent)

    def is_hidden(self, url: str) -> bool:
        """Return whether a search result must be hidden immediately; a part without a database hides nothing.

        Raises `DatabaseError` or `sqlite3.Error` where its part can't be read.
        """
        return self._hides(is_blocked_or_gone, url)

    def is_withdrawn(self, url: str) -> bool:
        """Return whether a result that is known from links alone must be hidden immediately; raises as `is_hidden`."""
        return self._hides(is_withdrawn, url)

    def _hides(self, rule: Callable[[CrawlDatabase, str], bool], url: str) -> bool:
        part = self._owner(CanonicalUrl(url))
        if part not in self._opened and not (self.folder(part) / FILE_NAME).exists():
            return False  # only its index can be searched
        return rule(self.of(part), url)

    def copies(self, url: str) -> tuple[str, ...]:
        """Return the pages of other parts that are exact copies of a stored page, and are in the index.

        The copies within a part were found when they were stored. A part that can't be read has none.
        """
        if not self.divided:
            return ()
        own = self._owner(CanonicalUrl(url))
        found: list[str] = []
        try:
            database = self.of(own)
            mark = database.value("SELECT fingerprint FROM page WHERE url = ?", find(database.connection, url))
        except (DatabaseError, sqlite3.Error):
            return ()
        for part in self.parts if mark else ():
            if part != own:
                found += self._with_fingerprint(part, mark)
        return tuple(found)

    def _with_fingerprint(self, part: Partition, mark: object) -> list[str]:
        sql = (
            "SELECT url.url FROM indexed_page AS page JOIN url ON url.id = page.url "
            "WHERE fingerprint = ? ORDER BY url.id LIMIT ?"
        )
        try:
            return self.of(part).column(sql, mark, MAX_COPIES)
        except (DatabaseError, sqlite3.Error):
            return []

    def _owner(self, url: CanonicalUrl) -> Partition:
        return self.parts[self.parts[0].owner(site_of(url)) - 1] if self.divided else self.parts[0]

    def are_as_opened(self) -> bool:
        """Return whether all open databases are the files that were opened; False where none is open."""
        return bool(self._opened) and all(database.is_as_opened() for database in self._opened.values())

    def version(self) -> tuple[object, ...]:
        """Return a value that differs as soon as another connection has written into an open database."""
        return tuple(database.value("PRAGMA data_version") for database in self._opened.values())

    def close(self) -> None:
        """Close what was opened."""
        for database in self._opened.values():
            database.close()
        self._opened.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def folders_of(data_dir: Path) -> tuple[Path, ...]:
    """Return the folders in which a crawl is kept: the data folder itself, or those of all its parts.

    Raises `DatabaseError` where a part is missing: what was done to the others alone would not hold for the crawl.
    """
    parts = parts_in(data_dir)
    for part in parts:
        check_there(data_dir, part)
    return tuple(folder_of(data_dir, part) for part in parts) or (data_dir,)


def open_whole(data_dir: Path, *, readonly: bool = False) -> CrawlDatabase:
    """Open the database of a crawl that is not divided.

    Raises `DatabaseError` for the folder of a divided one: a database of its own there would hide the parts.
    """
    if parts := parts_in(data_dir):
        raise DatabaseError(
            f"{data_dir} holds a crawl in {len(parts)} parts: ./breadcrumb farm continues it, and "
            f"-s DATA_DIR={folder_of(data_dir, parts[0])} means the first of them alone"
        )
    return open_up_to_date(data_dir) if readonly else CrawlDatabase(data_dir)


def open_up_to_date(folder: Path) -> CrawlDatabase:
    """Open one database for reading. One of an earlier Breadcrumb is brought to the present version first.

    Raises OldSchemaError, before anything is changed, while a crawl of that one holds the folder, and where nothing can
    be written.
    """
    try:
        return CrawlDatabase(folder, readonly=True)
    except OldSchemaError as old:
        _bring_up_to_date(folder, old.finding)
        return CrawlDatabase(folder, readonly=True)


def _bring_up_to_date(folder: Path, finding: str) -> None:
    if is_held(folder):
        raise OldSchemaError(finding, f"wait until the crawl of {holder(folder)} has ended, and do the same again")
    try:
        with CrawlDatabase(folder) as database:
            database.seal()
    except StorageError:
        raise
    except DatabaseError as error:
        if os.access(folder / FILE_NAME, os.W_OK) and os.access(folder, os.W_OK):
            raise
        remedy = f"./breadcrumb report brings it there, for a user who may write {folder}"
        raise OldSchemaError(finding, remedy) from error


def in_each_part(databases: Iterable[CrawlDatabase], do: Callable[[CrawlDatabase], Answer]) -> list[Answer]:
    """Do something in each part that knows of it; raise its `LookupError` if no part does."""
    answers, nothing = [], LookupError()
    for database in databases:
        try:
            answers.append(do(database))
        except LookupError as error:
            nothing = error
    if not answers:
        raise nothing
    return answers


@contextmanager
def open_to_write(data_dir: Path, *, make: bool = False) -> Iterator[tuple[CrawlDatabase, ...]]:
    """Open for writing the database of a data folder, or those of all parts of a divided crawl.

    Raises `DatabaseError` before anything is written: where there is none, unless `make` says to make one, and where a
    part is missing.
    """
    folders = folders_of(data_dir)
    for folder in folders:
        try:
            open_up_to_date(folder).close()
        except NoCrawlError:
            if not make:
                raise
    with ExitStack() as stack:
        databases = tuple(stack.enter_context(CrawlDatabase(folder)) for folder in folders)
        yield databases
        for database in databases:
            if not is_held(database.path.parent):  # a crawl seals it when it ends
                database.seal()
