"""How do messages get from part to part of a divided crawl? Each part writes them into its outbox, table `outbox`.

Parts whose folders lie side by side read each other's outbox (`Outbox`). Where a neighbour's folder is elsewhere, its
messages come in a file next to the database, which is filled before the part crawls (`Mailbox`).

Each message keeps the number that its sender gave it. A message may come a second time, because a stage was run again
or reached further back for another part's sake. The file takes no number twice, and what was taken into the database is
not returned again. `crawldb/exchange.py` has the guarantees that both keep.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from crawldb.database import FILE_NAME, DatabaseError
from crawldb.exchange import Delivery, ForeignLinks, ForeignUrl
from crawldb.parts.division import connect_to_read, folder_of, held_by
from crawldb.parts.partition import Partition
from crawldb.tables.links import write_outlinks
from urls.canonical import site_of
from urls.records import CanonicalUrl, FoundBy, Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.exchange import Exchange

BATCH = 500  # messages that are taken in one transaction; fewer where their links are more than that


MESSAGE_COLUMNS = "seq, url, part, depth, found_by, found_on, text, links"  # columns of table outbox
MessageRow = tuple[int, str, int, int, str, str, str, str | None]


def delivery_of(sender: int, messages: Sequence[MessageRow]) -> Delivery:
    """Return rows of the outbox of a part, in their order, as a delivery; cut where their links are too many."""
    urls: list[ForeignUrl] = []
    pages: list[ForeignLinks] = []
    receipt = room = 0
    for receipt, url, to, depth, by, on, text, links in messages:  # noqa: B007 - the last one that was taken counts
        if links is None:
            urls.append(ForeignUrl(CanonicalUrl(url), to, depth, FoundBy(by), on, text))
        else:
            pages.append(
                ForeignLinks(CanonicalUrl(url), to, depth, tuple((url, words) for url, words in json.loads(links)))
            )
            room += len(pages[-1].links)
        if room >= BATCH:
            break
    return Delivery(sender, receipt, tuple(urls), tuple(pages))


class Outbox:
    """The exchange of parts whose folders lie side by side."""

    def __init__(self, database: CrawlDatabase, partition: Partition) -> None:
        self._database = database
        self._connection = database.connection
        self._partition = partition
        self._folder = database.path.parent.parent
        self.divides = not partition.whole
        self.part = str(partition)

    def owner(self, site: str) -> int:
        """Return the number of the part that has a site."""
        return self._partition.owner(site)

    def owns(self, site: str) -> bool:
        """Return whether this part has a site."""
        return self._partition.owns(site)

    def hand_over(self, url: ForeignUrl) -> None:
        """Write a URL down; one that was handed over before stays as it was."""
        self._connection.execute(
            "INSERT OR IGNORE INTO outbox (url, part, depth, found_by, found_on, text) VALUES (?, ?, ?, ?, ?, ?)",
            (url.url, url.to, url.depth, url.by, url.on, url.text),
        )

    def hand_over_links(self, page: CanonicalUrl, depth: int, links: Mapping[int, Collection[tuple[str, str]]]) -> None:
        """Write down those of a page's links that are new to a part."""
        write_outlinks(self._connection, page, depth, links)

    def waiting(self) -> Iterator[Delivery]:
        """Yield, for each part with new messages to this one, the oldest of them."""
        for sender, after in self._taken().items():
            if messages := self._read(sender, after):
                yield self._meant_for_it(delivery_of(sender, messages))

    def _taken(self) -> dict[int, int]:
        """Return up to which number the messages of each sender were taken."""
        return {
            sender: self._database.count("SELECT seq FROM inbox WHERE part = ?", sender) for sender in self._senders()
        }

    def _senders(self) -> list[int]:
        return [number for number in range(1, self._partition.of + 1) if number != self._partition.number]

    def _meant_for_it(self, delivery: Delivery) -> Delivery:
        """Drop what was written before the crawl was split, and what a part has written again since then.

        These are links to hosts of other parts, and messages about pages that the sender no longer has.
        """
        if not self._partition.earlier:
            return delivery
        pages = [
            replace(page, links=tuple(link for link in page.links if self.owns(site_of(CanonicalUrl(link[0])))))
            for page in delivery.links
            if self.owner(site_of(page.page)) == delivery.sender
        ]
        urls = tuple(each for each in delivery.urls if self.owns(site_of(each.url)))
        return replace(delivery, urls=urls, links=tuple(pages))

    def acknowledge(self, delivery: Delivery) -> None:
        """Remember how far a neighbour's outbox was taken."""
        self._connection.execute("INSERT OR REPLACE INTO inbox VALUES (?, ?)", (delivery.sender, delivery.receipt))

    def _read(self, sender: int, after: int) -> list[MessageRow]:
        path = folder_of(self._folder, Partition(sender, self._partition.of)) / FILE_NAME
        if not path.exists():
            return []  # it has not begun yet
        try:
            with closing(connect_to_read(path)) as neighbour:
                return neighbour.execute(
                    f"SELECT {MESSAGE_COLUMNS} FROM outbox WHERE part = ? AND seq > ? ORDER BY seq LIMIT ?",
                    (self._partition.number, after, BATCH),
                ).fetchall()
        except sqlite3.DatabaseError:
            return []  # it is just being made, or is busy, or its own process has reason to complain: later, then


def messages_after(database: CrawlDatabase, seq: int) -> Iterator[MessageRow]:
    """Yield what this part has written to others after a number, the oldest first."""
    yield from database.connection.execute(f"SELECT {MESSAGE_COLUMNS} FROM outbox WHERE seq > ? ORDER BY seq", (seq,))


def other_part_refusal(database: CrawlDatabase, url: CanonicalUrl) -> Refusal | None:
    """Return why this folder does not ask for a URL: another part has its host. None: it does."""
    own = held_by(database)
    owner = own.owner(site_of(url))
    if owner == own.number:
        return None
    reason = f"its host belongs to part {owner} of {own.of}, and this folder is part {own}"
    return Refusal(Rule.OTHER_PART, reason)


MAILBOX = "mailbox.sqlite3"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS letter (
  sender INTEGER NOT NULL, seq INTEGER NOT NULL, url TEXT NOT NULL, part INTEGER NOT NULL, depth INTEGER NOT NULL,
  found_by TEXT NOT NULL, found_on TEXT NOT NULL, text TEXT NOT NULL, links TEXT, PRIMARY KEY (sender, seq)
) WITHOUT ROWID
"""
_MARKS = ", ".join("?" * len(MESSAGE_COLUMNS.split(", ")))


class SentMessage(NamedTuple):
    """A message under way: its `sender`, and then a row of that part's outbox, of which `part` is the receiver."""

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

    def count(self) -> int:
        """Return how many messages were not taken."""
        sql = "SELECT count(*) FROM letter WHERE sender = ? AND seq > ?"
        with closing(sqlite3.connect(self._path)) as file:
            return sum(int(file.execute(sql, each).fetchone()[0]) for each in self._taken().items())

    def _senders(self) -> list[int]:
        with closing(sqlite3.connect(self._path)) as file:
            return [sender for (sender,) in file.execute("SELECT DISTINCT sender FROM letter ORDER BY sender")]

    def _read(self, sender: int, after: int) -> list[MessageRow]:
        sql = f"SELECT {MESSAGE_COLUMNS} FROM letter WHERE sender = ? AND seq > ? ORDER BY seq LIMIT {BATCH}"
        with closing(sqlite3.connect(self._path)) as file:
            return file.execute(sql, (sender, after)).fetchall()

    def deliver(self, messages: Iterable[SentMessage]) -> int:
        """Put messages into the file and drop those that were taken; return how many are new. Raises `DatabaseError`.

        Those for other parts are left aside.
        """
        own = self._partition.number
        try:
            with closing(sqlite3.connect(self._path)) as file, file:
                file.execute(_SCHEMA)
                before = file.total_changes
                mine = (message for message in messages if message.part == own and message.sender != own)
                file.executemany(f"INSERT OR IGNORE INTO letter (sender, {MESSAGE_COLUMNS}) VALUES (?, {_MARKS})", mine)
                new = file.total_changes - before
                taken = self._database.connection.execute("SELECT part, seq FROM inbox")
                file.executemany("DELETE FROM letter WHERE sender = ? AND seq <= ?", taken)
        except sqlite3.Error as error:
            raise DatabaseError(f"the messages of other parts can't be written to {self._path}: {error}") from error
        return new


def exchange_of(database: CrawlDatabase) -> Exchange:
    """Return the exchange of the part that a folder holds; of a whole crawl, one without another part."""
    has_mailbox = database.path.with_name(MAILBOX).exists()
    return (Mailbox if has_mailbox else Outbox)(database, held_by(database))
