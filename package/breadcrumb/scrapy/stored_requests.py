"""Which requests of a spider wait, are under way, or are done? One SQLite file has them all, also after kill -9.

    queued ──lease──▶ leased ──end──▶ done
       ▲                 │
       └───── open ──────┘   a lease of a process that ended without its end

A transaction has the requests that a response led to before or together with the end of its own request. So a crash
at any moment loses none: it repeats what was leased. `synchronous=NORMAL` in a write-ahead log: a power cut may undo
the last transactions, but never one without those after it.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from typing import TYPE_CHECKING, NamedTuple

from crawldb.database import DatabaseError
from crawldb.lock import CrawlLock, FolderInUse

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FILE = "requests.sqlite3"
VERSION = 1  # of the table, as PRAGMA user_version
QUEUED, LEASED, DONE = range(3)
SCHEMA = f"""
CREATE TABLE request (
  id INTEGER PRIMARY KEY,
  fingerprint BLOB UNIQUE,     -- NULL: it may be repeated
  site TEXT NOT NULL,          -- the downloader's slot
  priority INTEGER NOT NULL,
  state INTEGER NOT NULL,
  content BLOB                 -- the pickled request; NULL: done, or in memory only
);
CREATE INDEX queued ON request (site, priority DESC, id) WHERE state = {QUEUED};
PRAGMA user_version = {VERSION};
"""


class UnusableFolder(ValueError):
    """The requests can't be kept in a folder. The message says why, and what would work."""


class Leased(NamedTuple):
    """A request to send: its row, and its pickled content, or None if it is in memory."""

    id: int
    content: bytes | None


class StoredRequests:
    """The requests of one spider, for one process at a time. Raises UnusableFolder.

    `is_continued`: a crawl that had not ended is in the file. After one that has ended, the file begins empty.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._check_owner()
            self._lock = CrawlLock(folder)
        except (FolderInUse, DatabaseError) as error:
            raise UnusableFolder(str(error)) from error
        except OSError as error:
            raise UnusableFolder(
                f"{folder} can't be used: {error.strerror}. DATA_DIR must name a folder that you may write"
            ) from error
        try:
            self._open()
        except BaseException:
            self._lock.release()
            raise

    def _check_owner(self) -> None:
        """Raise UnusableFolder where others may write: whoever writes a pickled request runs code in this process."""
        for path in (self._folder, self._folder / FILE):
            if path.exists():
                state = path.stat()
                if state.st_uid != os.geteuid() or state.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                    raise UnusableFolder(
                        f"{path} can be written by other users, who could run code here. It must be yours alone: "
                        f"chown it, and chmod go-w {path}"
                    )

    def _open(self) -> None:
        path = self._folder / FILE
        try:
            self._connection = sqlite3.connect(path, isolation_level=None)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            [version] = self._connection.execute("PRAGMA user_version").fetchone()
            if version == 0:
                self._connection.executescript(f"BEGIN; {SCHEMA} COMMIT")
            elif version != VERSION:
                raise UnusableFolder(f"{path} is of another version of Breadcrumb: give another folder as DATA_DIR")
            self.is_continued = self._take_over()
            [last] = self._connection.execute("SELECT coalesce(max(id), 0) FROM request").fetchone()
            self.last_earlier: int = last  # the row of the latest request of earlier processes
        except sqlite3.Error as error:
            raise UnusableFolder(f"{path} can't be used ({error}): delete {self._folder} to begin again") from error
        path.chmod(0o600)

    def _take_over(self) -> bool:
        """Queue the leases of a process that has ended again; return whether its crawl had not ended."""
        execute = self._connection.execute
        execute("BEGIN IMMEDIATE")
        # What was in the memory of another process is gone. Without its fingerprint, a link to it counts as new.
        execute("DELETE FROM request WHERE state <> ? AND content IS NULL", (DONE,))
        execute("UPDATE request SET state = ? WHERE state = ?", (QUEUED, LEASED))
        is_continued = execute("SELECT 1 FROM request WHERE state = ? LIMIT 1", (QUEUED,)).fetchone() is not None
        if not is_continued:
            execute("DELETE FROM request")
        execute("COMMIT")
        return is_continued

    def sites(self) -> dict[str, int]:
        """Return the number of queued requests of each site that has one."""
        counted = "SELECT site, count(*) FROM request WHERE state = ? GROUP BY site"
        return dict(self._connection.execute(counted, (QUEUED,)).fetchall())

    def row_of(self, fingerprint: bytes) -> int | None:
        """Return the row of the request with a fingerprint, in whatever state, or None."""
        row = self._connection.execute("SELECT id FROM request WHERE fingerprint = ?", (fingerprint,)).fetchone()
        return row and int(row[0])

    def add(self, fingerprint: bytes | None, site: str, priority: int, content: bytes | None) -> int:
        """Queue a request, and return its row; the fingerprint must be new."""
        self._begin()
        added = self._connection.execute(
            "INSERT INTO request (fingerprint, site, priority, state, content) VALUES (?, ?, ?, ?, ?)",
            (fingerprint, site, priority, QUEUED, content),
        )
        return int(added.lastrowid or 0)

    def lease(self, site: str) -> Leased | None:
        """Lease the request of a site with the highest priority; of those with the same one, the earliest."""
        self._begin()
        row = self._connection.execute(
            "UPDATE request SET state = ? WHERE id = (SELECT id FROM request WHERE site = ? AND state = ?"
            " ORDER BY priority DESC, id LIMIT 1) RETURNING id, content",
            (LEASED, site, QUEUED),
        ).fetchone()
        return row and Leased(*row)

    def end(self, rows: Iterable[int]) -> None:
        """End leases: of a request that may not be repeated, its fingerprint is kept."""
        self._begin()
        ended = [(row,) for row in rows]
        self._connection.executemany("DELETE FROM request WHERE id = ? AND fingerprint IS NULL", ended)
        self._connection.executemany(f"UPDATE request SET state = {DONE}, content = NULL WHERE id = ?", ended)

    def commit(self) -> None:
        """Make all of it survive a kill."""
        if self._connection.in_transaction:
            self._connection.execute("COMMIT")

    def close(self) -> None:
        """Close the file, and let other processes open it."""
        self._connection.close()
        self._lock.release()

    def _begin(self) -> None:
        if not self._connection.in_transaction:
            self._connection.execute("BEGIN IMMEDIATE")
