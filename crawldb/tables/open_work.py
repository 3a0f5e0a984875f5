"""Which command was stopped between its first and its last commit? Table `open_work` has its row in between.

A command that was killed leaves its row. `report`, `search` and `/healthz` show it, and the next command that writes
finishes the work. How far the index is behind needs no row: the change feed has it.
"""

from __future__ import annotations

import json
import os
import shlex
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.database import stored_json
from crawldb.tables.runs import is_process

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawldb.database import CrawlDatabase

FORGET, BLOCK, REPARSE, REBUILD, SUGGEST = "forget", "block", "reparse", "rebuild", "suggest"


@dataclass(frozen=True, slots=True)
class OpenWork:
    """A command that has begun to write: what it was given, since when, and by which process."""

    command: str
    words: tuple[str, ...]
    reason: str = ""  # of a block
    began_at: float = 0.0  # seconds since the epoch
    pid: int = 0

    def __str__(self) -> str:
        """Return the words that continue it, without the launcher's name."""
        words = self.words
        if self.command == REBUILD:
            return "index --rebuild"
        if self.command == SUGGEST:
            words = words[:3]  # the names of an option come from the evidence again
        if self.command == BLOCK:  # perhaps before the crawl knows it
            words = ("--anyway", *words, *([f"--reason={self.reason}"] if self.reason else []))
        return shlex.join((self.command, *words))


_at_work: set[tuple[str, str]] = set()  # the rows of this process whose block runs: a gateway has threads


@dataclass(slots=True)
class Noted:
    """Set by the block of `noted_work` at its end: a person has stopped it before it was complete."""

    stopped: bool = False


@contextmanager
def noted_work(databases: Sequence[CrawlDatabase], work: OpenWork) -> Iterator[Noted]:
    """Keep a row in each database while the block runs; one that is killed, stopped or raises leaves it there."""
    noted = Noted()
    key = (work.command, json.dumps(work.words))
    _at_work.add(key)
    try:
        for database in databases:
            with database.transaction():
                note_work(database, work)
        yield noted
    finally:
        _at_work.discard(key)
    for database in databases if not noted.stopped else ():
        with database.transaction() as connection:
            # Without words it was done to everything, and so what others of its kind had left is done, too.
            connection.execute("DELETE FROM open_work WHERE command = ?1 AND ?2 IN (words, '[]')", key)


def note_work(database: CrawlDatabase, work: OpenWork) -> None:
    """Write the row of `work` in the caller's transaction: it counts from the commit on that begins the work."""
    database.connection.execute(
        "INSERT OR REPLACE INTO open_work (command, words, reason, began_at, pid) VALUES (?, ?, ?, ?, ?)",
        (work.command, json.dumps(work.words), work.reason, time.time(), os.getpid()),
    )


def stopped_work(databases: Sequence[CrawlDatabase]) -> list[OpenWork]:
    """Return what commands have left undone that were stopped, oldest first, each once."""
    rows = [
        OpenWork(command, tuple(stored_json(words, list)), reason, began_at, pid)
        for database in databases
        for command, words, reason, began_at, pid in database.connection.execute(
            "SELECT command, words, reason, began_at, pid FROM open_work"
        )
        if (pid == os.getpid() and (command, words) not in _at_work) or not is_process(pid)
    ]
    once = {(each.command, each.words): each for each in rows}
    return sorted(once.values(), key=lambda each: each.began_at)


def drop_work(databases: Sequence[CrawlDatabase], work: OpenWork) -> None:
    """Remove work from the list that is done, or that can't be continued."""
    for database in databases:
        with database.transaction() as connection:
            row = (work.command, json.dumps(work.words))
            connection.execute("DELETE FROM open_work WHERE command = ? AND words = ?", row)
