"""Who said this before? The page in the index with the same fingerprint, or nearly the same words.

The first that said something stands in the index, and its copies wait: when it goes, the oldest of them follows it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from crawldb.page import CanonicalUrl
from crawldb.visited.lookup import find

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.tables.journal import Journal

MAX_CANDIDATES = 50  # pages compared in full: a flood of near copies must not make each new one dearer

# A copy that was fetched first may say already, or nearly, what the page now says: then it stays one, and is no heir.
_OF_BEFORE = (
    "NOT EXISTS (SELECT 1 FROM page AS now WHERE now.url = ? AND now.refusals = '[]' AND (now.fingerprint = "
    "page.fingerprint OR EXISTS (SELECT 1 FROM band AS its JOIN band AS mine ON its.band = mine.band "
    "WHERE its.url = now.url AND mine.url = page.url)))"
)
_NOBODY = 0  # an id that no URL has
# A page that names this one as its canonical address is no reason to leave this one out.
_NOT_FOR_IT = "page.canonical IS NOT ?"


def same_content(database: CrawlDatabase, url: CanonicalUrl, fingerprint: bytes) -> CanonicalUrl | None:
    """Return the oldest other page in the index with this fingerprint, or None."""
    found = database.value(
        "SELECT url.url FROM page JOIN url ON url.id = page.url "
        f"WHERE fingerprint = ? AND refusals = '[]' AND url.url != ? AND {_NOT_FOR_IT} ORDER BY url.id LIMIT 1",
        fingerprint,
        url,
        find(database.connection, url) or _NOBODY,
    )
    return CanonicalUrl(found) if isinstance(found, str) else None


def alike(database: CrawlDatabase, url: CanonicalUrl, bands: Sequence[int]) -> list[tuple[CanonicalUrl, bytes]]:
    """Return other pages in the index that share a band, oldest first, each with its MinHash signature."""
    places = ", ".join("?" * len(bands))
    rows = database.connection.execute(
        f"SELECT DISTINCT url.url, signature FROM band JOIN page ON page.url = band.url JOIN url ON url.id = band.url "
        f"WHERE band IN ({places}) AND refusals = '[]' AND url.url != ? AND {_NOT_FOR_IT} ORDER BY url.id LIMIT ?",
        (*bands, url, find(database.connection, url) or _NOBODY, MAX_CANDIDATES),
    )
    return [(CanonicalUrl(other), signature) for other, signature in rows]


def release(database: CrawlDatabase, journal: Journal, url: int, *, stays: bool = False) -> list[int]:
    """Let the oldest copy of what `url` said take its place, now that `url` says something else or nothing.

    Return the ids of the pages that come into the index by this, within the caller's transaction. With `stays`, `url`
    has been read anew: a copy of what it now says goes on to be one.
    """
    heirs = [
        _succeed(database, column, rule, url, _OF_BEFORE if stays else "? > 0")
        for column, rule in (("duplicate_of", "duplicate"), ("near_duplicate_of", "near-duplicate"))
    ]
    released = [heir for heir in heirs if heir is not None]
    for heir in released:
        journal.write(heir, "released", "the page that it was a copy of changed or went")
    return released


def _succeed(database: CrawlDatabase, column: str, rule: str, url: int, which: str) -> int | None:
    connection = database.connection
    first = connection.execute(
        f"SELECT url, refusals FROM page WHERE {column} = ? AND {which} ORDER BY url LIMIT 1", (url, url)
    ).fetchone()
    if first is None:
        return None
    heir: int = first[0]
    left = [refusal for refusal in json.loads(first[1]) if refusal[0] != rule]
    # Without validators the next fetch brings the whole page, whose links were not followed as a copy's.
    connection.execute(
        f"UPDATE page SET {column} = NULL, refusals = ?, etag = '', last_modified = '' WHERE url = ?",
        (json.dumps(left, ensure_ascii=False), heir),
    )
    connection.execute(f"UPDATE page SET {column} = ? WHERE {column} = ? AND {which}", (heir, url, url))
    return heir
