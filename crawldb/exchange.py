"""How does a URL get to the part of a divided crawl that has its host? By an exchange.

A message brings a URL, or all links of a page to the hosts of one part. So the words of links reach pages of other
parts, and leave them when the links go.

The engine knows parts by this interface alone. `crawldb.databases.exchange_of` returns the exchange of a database; that
of a whole crawl has no other part. Another transport, such as a remote frontier, has to keep these guarantees
(tests/crawldb/parts/test_exchange.py):

- What a committed transaction handed over arrives at least once, whatever is killed in between.
- A URL that is handed over or taken again does no harm: its canonical form identifies it.
- Of the links of one page, those that were handed over last arrive last. Earlier ones may never arrive.
- What a transaction handed over never arrives when it is rolled back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from crawldb.visited import find, stored_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from crawldb.database import CrawlDatabase
    from urls.records import CanonicalUrl, FoundBy


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
    """The messages of one part. By the `receipt`, its exchange knows which of them were taken."""

    sender: int
    receipt: int
    urls: tuple[ForeignUrl, ...]
    links: tuple[ForeignLinks, ...] = ()


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
        """Yield what other parts have handed over to this part, until it is acknowledged."""

    def acknowledge(self, delivery: Delivery) -> None:
        """Note that a delivery was stored, in the transaction that stored it."""


def note_source(database: CrawlDatabase, foreign: ForeignUrl) -> None:
    """Keep which page of another part led to a URL, in the transaction that stores the URL: its first source stays."""
    sql = "INSERT OR IGNORE INTO foreign_source SELECT id, ?, ? FROM url WHERE id = ? AND found_on IS NULL"
    if foreign.on:
        database.connection.execute(
            sql, (foreign.on, foreign.text, find(database.connection, stored_name(foreign.url)))
        )


def source_of(database: CrawlDatabase, url: int) -> str:
    """Return the page of another part that led to a URL; "" where none did."""
    return str(database.value("SELECT page FROM foreign_source WHERE url = ?", url) or "")
