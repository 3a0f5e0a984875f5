"""How do the parts on one machine exchange URLs? Each writes its own outbox, and the others read it.

Nobody writes into a folder that another process crawls: a part keeps the URLs of others in a table of its own database,
in the transaction that stores the page they stand on, and each part reads its neighbours' tables and remembers how far.
A part that is killed, or that has not begun yet, finds everything there when it comes.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from crawldb.database import FILE_NAME, DatabaseError
from crawldb.frontier.partition.division import check_divides, folder_of
from crawldb.frontier.partition.exchange import Delivery, Letter
from crawldb.frontier.partition.rendezvous import Partition
from crawldb.page import CanonicalUrl

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.database import CrawlDatabase

BATCH = 500  # letters that are taken in one transaction


class Outbox:
    """The exchange of parts whose folders lie side by side."""

    def __init__(self, database: CrawlDatabase, partition: Partition) -> None:
        self._database = database
        self._connection = database.connection
        self._partition = partition
        self._folder = database.path.parent.parent

    def hand_over(self, letter: Letter) -> None:
        """Write a letter; one that was written before stays as it was."""
        self._connection.execute(
            "INSERT OR IGNORE INTO outbox (url, part, depth, found_by, found_on) VALUES (?, ?, ?, ?, ?)",
            (letter.url, letter.to, letter.depth, letter.by, letter.on),
        )

    def waiting(self) -> Iterator[Delivery]:
        """Yield, for each neighbour that has something new, the oldest of it."""
        for number in range(1, self._partition.of + 1):
            if number != self._partition.number:
                rows = self._read(number)
                if rows:
                    letters = tuple(
                        Letter(CanonicalUrl(url), self._partition.number, depth, by, on)
                        for _, url, depth, by, on in rows
                    )
                    yield Delivery(number, rows[-1][0], letters)

    def acknowledge(self, delivery: Delivery) -> None:
        """Remember how far a neighbour's outbox was taken."""
        self._connection.execute("INSERT OR REPLACE INTO inbox VALUES (?, ?)", (delivery.sender, delivery.receipt))

    def _read(self, sender: int) -> list[tuple[int, str, int, str, str]]:
        path = folder_of(self._folder, Partition(sender, self._partition.of)) / FILE_NAME
        if not path.exists():
            return []  # it has not begun yet
        after = self._database.count("SELECT seq FROM inbox WHERE part = ?", sender)
        try:
            neighbour = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=1.0)
            try:
                return neighbour.execute(
                    "SELECT seq, url, depth, found_by, found_on FROM outbox WHERE part = ? AND seq > ? "
                    "ORDER BY seq LIMIT ?",
                    (self._partition.number, after, BATCH),
                ).fetchall()
            finally:
                neighbour.close()
        except sqlite3.DatabaseError:
            return []  # it is just being made, or is busy, or its own process has reason to complain: later, then


def held_by(database: CrawlDatabase) -> Partition:
    """Return which part a folder holds; the whole where nothing is divided."""
    row = database.connection.execute("SELECT number, of FROM part").fetchone()
    return Partition() if row is None else Partition(*row)


def settle_in(database: CrawlDatabase, partition: Partition) -> None:
    """Make a folder the part's own; raise `DatabaseError` where it is another's, or all of a crawl."""
    held = held_by(database)
    if held.whole and not partition.whole and database.value("SELECT 1 FROM url LIMIT 1") is None:
        check_divides(database.path.parent.parent, partition.of)
        with database.transaction() as connection:
            connection.execute("INSERT INTO part VALUES (1, ?, ?)", (partition.number, partition.of))
        return
    if held != partition:
        what = "a whole crawl" if held.whole else f"part {held}"
        raise DatabaseError(f"{database.path.parent} holds {what}: it can't go on as part {partition}; {_cure(held)}")


def _cure(held: Partition) -> str:
    if held.whole:
        return "give another folder with -s DATA_DIR=FOLDER"
    return f"go on with -a part={held}, or begin in another folder with -s DATA_DIR=FOLDER"
