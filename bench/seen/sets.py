"""Which ways are there to know where one has been? Each takes a URL and says whether it was there before."""

from __future__ import annotations

from bisect import bisect_left
from hashlib import blake2b
from typing import TYPE_CHECKING, Protocol

from bench.seen.bits import PresenceBits
from crawldb.visited import Spellings, find

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BATCH = 10_000  # URLs a transaction: the links of a hundred pages
ERRORS = 0.001  # of the bit array, when it holds all


class SeenSet(Protocol):
    """A visited set; `known` adds a URL and returns whether it was there before."""

    def known(self, url: str) -> bool:
        """Add `url`; return whether it was there."""


class SearchTree:
    """A search tree of two levels, of sorted leaves with 8-octet keys: Python brings none."""

    LEAF = 512  # keys, after which a leaf is split

    def __init__(self, _urls: int, _folder: Path) -> None:
        self._firsts: list[bytes] = [b""]
        self._leaves: list[list[bytes]] = [[]]

    def known(self, url: str) -> bool:
        """Add `url`; return whether it was there."""
        key = blake2b(url.encode(), digest_size=8).digest()
        at = bisect_left(self._firsts, key + b"\0") - 1
        leaf = self._leaves[at]
        place = bisect_left(leaf, key)
        if place < len(leaf) and leaf[place] == key:
            return True
        leaf.insert(place, key)
        if len(leaf) > self.LEAF:
            half = len(leaf) // 2
            self._leaves[at : at + 1] = [leaf[:half], leaf[half:]]
            self._firsts.insert(at + 1, leaf[half])
        return False


class HashSet:
    """Python's own set, of 8-octet hashes."""

    def __init__(self, _urls: int, _folder: Path) -> None:
        self._keys: set[int] = set()

    def known(self, url: str) -> bool:
        """Add `url`; return whether it was there."""
        key = int.from_bytes(blake2b(url.encode(), digest_size=8).digest())
        if key in self._keys:
            return True
        self._keys.add(key)
        return False


class BitArray:
    """The presence bit array."""

    def __init__(self, urls: int, _folder: Path) -> None:
        self._bits = PresenceBits(urls, ERRORS)
        self.known = self._bits.add


class SpellingsFilter:
    """The filter before the disk: bounded, so that it forgets what it has not met for long."""

    def __init__(self, _urls: int, _folder: Path) -> None:
        self._spellings = Spellings()

    def known(self, url: str) -> bool:
        """Add `url`; return whether it was there."""
        if self._spellings.get(url) is not None:
            return True
        self._spellings.put(url, 1)
        return False


class KeysOnDisk:
    """The lookup beside the stored URLs, as the crawl database has it: keys, and the URL to settle who shares one."""

    EXTRA = "visited"

    def __init__(self, _urls: int, folder: Path) -> None:
        from crawldb.database import CrawlDatabase  # noqa: PLC0415 - so that a set in memory is measured without it

        self._database = CrawlDatabase(folder)
        self._connection = self._database.connection
        self._connection.execute("DROP TABLE url")  # the row that holds a URL is measured without its other columns
        self._connection.execute("CREATE TABLE url (id INTEGER PRIMARY KEY, url TEXT NOT NULL)")
        self._connection.execute(
            "CREATE TRIGGER url_met AFTER INSERT ON url "
            "BEGIN INSERT INTO visited VALUES (url_key(new.url), new.id); END"
        )
        self._connection.execute("BEGIN IMMEDIATE")
        self._waiting = 0

    def known(self, url: str) -> bool:
        """Add `url`; return whether it was there."""
        if self._has(url):
            return True
        self._connection.execute("INSERT INTO url (url) VALUES (?)", (url,))
        self._waiting += 1
        if self._waiting == BATCH:
            self._connection.execute("COMMIT")
            self._connection.execute("BEGIN IMMEDIATE")
            self._waiting = 0
        return False

    def _has(self, url: str) -> bool:
        return find(self._connection, url) is not None

    def close(self) -> None:
        """Write what is not written yet, and measure."""
        self._connection.execute("COMMIT")
        self.octets = self._pages_of(self.EXTRA)
        self._database.close()

    def _pages_of(self, table: str) -> int:
        size = self._connection.execute("SELECT sum(pgsize) FROM dbstat WHERE name = ?", (table,)).fetchone()[0]
        return int(size)


class TextsOnDisk(KeysOnDisk):
    """What it was before: an index of the whole texts."""

    EXTRA = "url_text"

    def __init__(self, urls: int, folder: Path) -> None:
        super().__init__(urls, folder)
        self._connection.execute("DROP TRIGGER url_met")
        self._connection.execute("CREATE UNIQUE INDEX url_text ON url (url)")

    def _has(self, url: str) -> bool:
        return self._connection.execute("SELECT id FROM url WHERE url = ?", (url,)).fetchone() is not None


class ScrapyDupefilter:
    """Scrapy's own: a Request is built for each URL, and its fingerprint kept."""

    def __init__(self, _urls: int, _folder: Path) -> None:
        from scrapy import Request  # noqa: PLC0415 - only here
        from scrapy.dupefilters import RFPDupeFilter  # noqa: PLC0415 - the same

        self._request = Request
        self._filter = RFPDupeFilter()

    def known(self, url: str) -> bool:
        """Add `url`; return whether it was there."""
        return self._filter.request_seen(self._request(url))


SETS: dict[str, Callable[[int, Path], SeenSet]] = {
    "tree": SearchTree,
    "hash": HashSet,
    "bits": BitArray,
    "spellings": SpellingsFilter,
    "disk": KeysOnDisk,
    "text index": TextsOnDisk,
    "dupefilter": ScrapyDupefilter,
}
