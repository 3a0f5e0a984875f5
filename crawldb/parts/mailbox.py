"""How do letters reach a part whose neighbours lie elsewhere? In a file beside its database, filled before it crawls.

Each letter keeps the number that its sender gave it. One that comes a second time, because a stage was run again or
reached further back for another part's sake, is known by it: the file takes no number twice, and what was taken
into the database is never offered again.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from crawldb.database import DatabaseError
from crawldb.parts.division import held_by
from crawldb.parts.exchange import BATCH, LETTER, Outbox, delivery_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crawldb.database import CrawlDatabase
    from crawldb.parts.exchange import Delivery, Exchange, Letter
    from crawldb.parts.partition import Partition

MAILBOX = "mailbox.sqlite3"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS letter (
  sender INTEGER NOT NULL, seq INTEGER NOT NULL, url TEXT NOT NULL, part INTEGER NOT NULL, depth INTEGER NOT NULL,
  found_by TEXT NOT NULL, found_on TEXT NOT NULL, text TEXT NOT NULL, links TEXT, PRIMARY KEY (sender, seq)
) WITHOUT ROWID
"""
_MARKS = ", ".join("?" * len(LETTER.split(", ")))


class Posted(NamedTuple):
    """A letter under way: its `sender`, and then a row of that part's outbox, of which `part` is the receiver."""

    sender: int
    seq: int
    url: str
    part: int
    depth: int
    found_by: str
    found_on: str
    text: str
    links: str | None


class Mailbox(Outbox):
    """The exchange of a part whose neighbours are out of reach: it hands over as they do, and takes from its file."""

    def __init__(self, database: CrawlDatabase, partition: Partition) -> None:
        super().__init__(database, partition)
        self._path = database.path.with_name(MAILBOX)

    def waiting(self) -> Iterator[Delivery]:
        """Yield, for each part that has written, the oldest of its letters that were not taken."""
        for sender, after in self._taken().items():
            if letters := self._letters(sender, after):
                yield self._meant_for_it(delivery_of(sender, letters))

    def count(self) -> int:
        """Return how many letters were not taken."""
        sql = "SELECT count(*) FROM letter WHERE sender = ? AND seq > ?"
        with closing(sqlite3.connect(self._path)) as file:
            return sum(int(file.execute(sql, each).fetchone()[0]) for each in self._taken().items())

    def _taken(self) -> dict[int, int]:
        """Return up to which number the letters of each sender were taken."""
        with closing(sqlite3.connect(self._path)) as file:
            senders = [sender for (sender,) in file.execute("SELECT DISTINCT sender FROM letter ORDER BY sender")]
        return {sender: self._database.count("SELECT seq FROM inbox WHERE part = ?", sender) for sender in senders}

    def _letters(self, sender: int, after: int) -> list[Letter]:
        sql = f"SELECT {LETTER} FROM letter WHERE sender = ? AND seq > ? ORDER BY seq LIMIT {BATCH}"
        with closing(sqlite3.connect(self._path)) as file:
            return file.execute(sql, (sender, after)).fetchall()

    def deliver(self, letters: Iterable[Posted]) -> int:
        """Put letters into the file and drop those that were taken; return how many are new. Raises `DatabaseError`.

        Those for other parts are left aside.
        """
        own = self._partition.number
        try:
            with closing(sqlite3.connect(self._path)) as file, file:
                file.execute(_SCHEMA)
                before = file.total_changes
                mine = (letter for letter in letters if letter.part == own and letter.sender != own)
                file.executemany(f"INSERT OR IGNORE INTO letter (sender, {LETTER}) VALUES (?, {_MARKS})", mine)
                new = file.total_changes - before
                taken = self._database.connection.execute("SELECT part, seq FROM inbox")
                file.executemany("DELETE FROM letter WHERE sender = ? AND seq <= ?", taken)
        except sqlite3.Error as error:
            raise DatabaseError(f"letters could not be put into {self._path}: {error}") from error
        return new


def exchange_of(database: CrawlDatabase) -> Exchange:
    """Return the exchange of the part that a folder holds; of a whole crawl, one that has nobody to speak to."""
    has_mailbox = database.path.with_name(MAILBOX).exists()
    return (Mailbox if has_mailbox else Outbox)(database, held_by(database))
