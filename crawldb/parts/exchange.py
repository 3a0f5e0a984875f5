"""How does a URL get to the part that has its host? By an exchange, which loses nothing and may bring a thing twice.

A letter brings a URL, or all links of a page to the hosts of a part: so the words of links reach pages of other parts,
and leave them again.

This is the seam at which another transport can stand, a remote frontier's for example. It promises, and
tests/crawldb/parts/test_exchange.py holds each implementation to it:

- what was handed over in a transaction that was committed is taken at least once, whatever is killed in between;
- a URL that is handed over again, or taken again, does no harm: it is known by its canonical form;
- of the links of one page those that were handed over last are the last to arrive; earlier ones may never do;
- what was handed over in a transaction that came to nothing was never handed over.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from crawldb.database import FILE_NAME
from crawldb.parts.division import folder_of, held_by
from crawldb.parts.partition import Partition
from crawldb.tables.links import write_outlinks
from crawldb.visited import find, stored_name
from urls.records import CanonicalUrl, FoundBy, Refusal
from urls.rules import Rule
from urls.site import site_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from crawldb.database import CrawlDatabase


BATCH = 500  # letters that are taken in one transaction; fewer where their links are more than that


@dataclass(frozen=True, slots=True)
class ForeignUrl:
    """A URL whose host part `to` has: `depth` links from a seed, found `by` whom on the page `on`, with which words."""

    url: CanonicalUrl
    to: int
    depth: int
    by: FoundBy
    on: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class ForeignLinks:
    """All links of a page to hosts of part `to`, each with its words; their URLs are `depth` links from a seed."""

    page: CanonicalUrl
    to: int
    depth: int
    links: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Delivery:
    """What came from one part, and the `receipt` by which that part's exchange knows what was taken."""

    sender: int
    receipt: int
    urls: tuple[ForeignUrl, ...]
    links: tuple[ForeignLinks, ...] = ()


LETTER = "seq, url, part, depth, found_by, found_on, text, links"  # columns of table outbox
Letter = tuple[int, str, int, int, str, str, str, str | None]


def delivery_of(sender: int, letters: Sequence[Letter]) -> Delivery:
    """Return rows of the outbox of a part, in their order, as one delivery; cut where their links are too many."""
    urls: list[ForeignUrl] = []
    pages: list[ForeignLinks] = []
    receipt = room = 0
    for receipt, url, to, depth, by, on, text, links in letters:  # noqa: B007 - the last one that was taken counts
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


class Exchange(Protocol):
    """Hands over and takes. The caller holds the transaction of `hand_over` and of `acknowledge`."""

    divides: bool  # whether there is another part at all
    part: str  # "2/3", as a person writes it

    def owner(self, site: str) -> int:
        """Return the number of the part that has a site."""

    def owns(self, site: str) -> bool:
        """Return whether this part has a site."""

    def hand_over(self, url: ForeignUrl) -> None:
        """Give a URL to the part that has its host."""

    def hand_over_links(self, page: CanonicalUrl, depth: int, links: Mapping[int, Collection[tuple[str, str]]]) -> None:
        """Tell other parts which links of a page lead to them, with their words; a part that is not named has none."""

    def waiting(self) -> Iterable[Delivery]:
        """Yield what others have handed over to this part and nobody has acknowledged."""

    def acknowledge(self, delivery: Delivery) -> None:
        """Note that a delivery was stored, in the transaction that stored it."""


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
        """Yield, for each neighbour that has something new, the oldest of it."""
        for number in range(1, self._partition.of + 1):
            if number != self._partition.number and (letters := self._read(number)):
                yield self._meant_for_it(delivery_of(number, letters))

    def _meant_for_it(self, delivery: Delivery) -> Delivery:
        """Leave aside what was written before a crawl in parts was split, and what a part says anew since then.

        That is what leads to hosts of other parts, and what a sender says of pages that it has no more.
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

    def _read(self, sender: int) -> list[Letter]:
        path = folder_of(self._folder, Partition(sender, self._partition.of)) / FILE_NAME
        if not path.exists():
            return []  # it has not begun yet
        after = self._database.count("SELECT seq FROM inbox WHERE part = ?", sender)
        try:
            neighbour = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=1.0)
            try:
                return neighbour.execute(
                    f"SELECT {LETTER} FROM outbox WHERE part = ? AND seq > ? ORDER BY seq LIMIT ?",
                    (self._partition.number, after, BATCH),
                ).fetchall()
            finally:
                neighbour.close()
        except sqlite3.DatabaseError:
            return []  # it is just being made, or is busy, or its own process has reason to complain: later, then


def note_source(database: CrawlDatabase, foreign: ForeignUrl) -> None:
    """Keep which page of another part led to a URL, in the transaction that stores the URL: its first source stays."""
    sql = "INSERT OR IGNORE INTO foreign_source SELECT id, ?, ? FROM url WHERE id = ? AND found_on IS NULL"
    if foreign.on:
        database.connection.execute(
            sql, (foreign.on, foreign.text, find(database.connection, stored_name(foreign.url)))
        )


def words_from_elsewhere(database: CrawlDatabase, url: int) -> str:
    """Return the words of the link by which a page of another part led to a URL; "" where none did."""
    return str(database.value("SELECT text FROM foreign_source WHERE url = ?", url) or "")


def source_of(database: CrawlDatabase, url: int) -> str:
    """Return the page of another part that led to a URL; "" where none did."""
    return str(database.value("SELECT page FROM foreign_source WHERE url = ?", url) or "")


def urls_handed_over(database: CrawlDatabase) -> int:
    """Return how many URLs this part has handed over to others."""
    return database.count("SELECT count(*) FROM outbox WHERE links IS NULL")


def letters_after(database: CrawlDatabase, seq: int) -> Iterator[Letter]:
    """Yield what this part has written to others after a number, the oldest first."""
    yield from database.connection.execute(f"SELECT {LETTER} FROM outbox WHERE seq > ? ORDER BY seq", (seq,))


def go_on_after(database: CrawlDatabase, last: int) -> None:
    """Let the next letter have a higher number than `last`, which letters of a lost folder have had.

    To be called within a transaction. Else receivers would take new letters for those that they have.
    """
    database.connection.execute("DELETE FROM sqlite_sequence WHERE name = 'outbox' AND seq < ?", (last,))
    database.connection.execute(
        "INSERT INTO sqlite_sequence (name, seq) SELECT 'outbox', ?1 "
        "WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'outbox')",
        (last,),
    )


def renumber_letters(database: CrawlDatabase, last: int) -> None:
    """Give all letters of this part numbers above `last`, in their order, within the caller's transaction."""
    database.connection.execute("UPDATE outbox SET seq = -seq - ?", (last,))
    database.connection.execute("UPDATE outbox SET seq = -seq")


def other_part_refusal(database: CrawlDatabase, url: CanonicalUrl) -> Refusal | None:
    """Return why this folder does not ask for a URL: another part has its host. None: it does."""
    own = held_by(database)
    owner = own.owner(site_of(url))
    if owner == own.number:
        return None
    reason = f"its host belongs to part {owner} of {own.of}, and this folder is part {own}"
    return Refusal(Rule.OTHER_PART, reason)
