"""Is this URL in the database? A tree of four-octet keys finds it, and the URL itself decides between equal keys.

An index on the URLs would hold each URL a second time, some 80 octets. A key of 32 bits takes about 14, with all that
the tree needs. Two URLs in 4,000 million share one: among ten million, one lookup in 400 reads a second row. The text
always decides, so a collision costs a moment and never a page.

Nearly every link of a page was on the page before it. So the links of the last pages stay in memory as they were
spelt, each with the result of its lookup. Nothing is parsed or looked up again for them, and no request is built.
That memory has a bound in octets: a full generation becomes the older one, and the one before is dropped. A spelling
that is met again moves to the younger generation.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import sqlite3

    from urls.records import CanonicalUrl

STORED_URL = 4096  # characters: of a longer URL, which is refused anyway, the beginning and a digest are stored
_BEGINNING = 200
KEY_OCTETS = 4  # more would take more disk, and save hardly a look at a URL
FROM_VISITED = "visited JOIN url ON url.id = visited.url WHERE visited.key = ? AND url.url = ?"  # key_of(url), url

SPELLINGS_OCTETS = 4 * 1024 * 1024  # of both generations together: some 18,000 spellings
LONGEST_SPELLING = 200  # characters: longer spellings are rare, and are looked up each time
# Of an entry beside its text, on CPython 3.11: str 49, its place in the dict about 104 (counted when it has just grown,
# at its largest), int 32.
ENTRY_OCTETS = 49 + 104 + 32
_FIND = f"SELECT url.id FROM {FROM_VISITED}"


@lru_cache(maxsize=256)  # a new URL needs its key twice in a row: for the lookup and for the row
def key_of(url: str) -> int:
    """Return the key under which `url` is looked for: 32 bits of BLAKE2b (RFC 7693), signed as SQLite stores them."""
    return int.from_bytes(blake2b(url.encode("utf-8", "surrogatepass"), digest_size=KEY_OCTETS).digest(), signed=True)


def stored_name(url: CanonicalUrl) -> str:
    """Return the name under which `url` is stored; an overlong one is refused, counted, and not copied."""
    if len(url) <= STORED_URL:
        return url
    return f"{url[:_BEGINNING]}…#{len(url)}-{blake2b(url.encode(), digest_size=8).hexdigest()}"


def find(connection: sqlite3.Connection, url: str) -> int | None:
    """Return the id of a canonical URL, or None where the crawl has never met it."""
    row = connection.execute(_FIND, (key_of(url), url)).fetchone()
    return None if row is None else int(row[0])


def find_row(connection: sqlite3.Connection, columns: str, url: str) -> tuple[Any, ...] | None:
    """Return columns of table `url` for a canonical URL, or None where the crawl has never met it."""
    row: tuple[Any, ...] | None = connection.execute(
        f"SELECT {columns} FROM {FROM_VISITED}", (key_of(url), url)
    ).fetchone()
    return row


class KnownState(NamedTuple):
    """A URL that the crawl has met: its id and that of its site, and where its turn is."""

    url: int
    site: int
    kind: int  # a Kind
    state: int  # a State
    rule: str  # under which its turn last ended; "": it had none
    ended_in: int  # the round in which it did; 0: in none


_STATE = f"SELECT url.id, site, kind, state, coalesce(rule, ''), coalesce(ended_in, 0) FROM {FROM_VISITED}"


def known_state(connection: sqlite3.Connection, url: str) -> KnownState | None:
    """Return what is known of a canonical URL, or None where the crawl has never met it."""
    row = connection.execute(_STATE, (key_of(url), url)).fetchone()
    return None if row is None else KnownState(*row)


class Spellings:
    """A bounded dict from spelling to id (or to a mark), which forgets what was not met for longest."""

    def __init__(self, octets: int = SPELLINGS_OCTETS) -> None:
        self._half = octets // 2
        self._young: dict[str, int] = {}
        self._old: dict[str, int] = {}
        self._octets = 0  # of the younger generation

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def get(self, spelling: str) -> int | None:
        """Return what is known of a spelling, or None."""
        known = self._young.get(spelling)
        if known is None and (known := self._old.pop(spelling, None)) is not None:
            self.put(spelling, known)
        return known

    def put(self, spelling: str, known: int) -> None:
        """Keep what was found out about a spelling, unless it is overlong."""
        if len(spelling) > LONGEST_SPELLING:
            return
        self._octets += ENTRY_OCTETS + len(spelling) * (1 if spelling.isascii() else 4)
        if self._octets > self._half:
            self._young, self._old = {}, self._young
            self._octets = ENTRY_OCTETS + len(spelling)
        self._young[spelling] = known

    def clear(self) -> None:
        """Forget everything."""
        self._young.clear()
        self._old.clear()
        self._octets = 0
