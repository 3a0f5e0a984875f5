"""Is this URL in the database? A tree of four-octet keys answers, and the URL itself settles who shares a key.

An index on the URLs would hold each of them a second time, some 80 octets. A key of 32 bits takes about 14 with all
that the tree needs around it. Two URLs in 4,000 million share one: among ten million, one question in 400 looks at a
second row. So the text decides, always, and a collision costs a moment instead of a page.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

KEY_OCTETS = 4  # more would be asked for on the disk, and would spare hardly a look at a URL
FROM_VISITED = "visited JOIN url ON url.id = visited.url WHERE visited.key = ? AND url.url = ?"  # key_of(url), url

_FIND = f"SELECT url.id FROM {FROM_VISITED}"


@lru_cache(maxsize=256)  # a new URL's key is asked for twice in a row: to find nothing, and to be written
def key_of(url: str) -> int:
    """Return the key under which `url` is looked for: 32 bits of BLAKE2b (RFC 7693), signed as SQLite stores them."""
    return int.from_bytes(blake2b(url.encode("utf-8", "surrogatepass"), digest_size=KEY_OCTETS).digest(), signed=True)


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


def add_all(connection: sqlite3.Connection, rows: Sequence[tuple[int, str]]) -> None:
    """Write the keys of rows that were there before keys were: each with its id and URL. New rows have a trigger."""
    keys = sorted((key_of(url), identity) for identity, url in rows)  # in their order, so that the tree is written once
    connection.executemany("INSERT INTO visited (key, url) VALUES (?, ?)", keys)
