"""Who said this before? The indexed page with the same fingerprint, and those that may be nearly the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.page import CanonicalUrl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawldb.database import CrawlDatabase

MAX_CANDIDATES = 50  # pages compared in full: a flood of near copies must not make each new one dearer


def same_content(database: CrawlDatabase, url: CanonicalUrl, fingerprint: bytes) -> CanonicalUrl | None:
    """Return the oldest other page in the index with this fingerprint, or None."""
    found = database.value(
        "SELECT url.url FROM page JOIN url ON url.id = page.url "
        "WHERE fingerprint = ? AND refusals = '[]' AND url.url != ? ORDER BY url.id LIMIT 1",
        fingerprint,
        url,
    )
    return CanonicalUrl(found) if isinstance(found, str) else None


def alike(database: CrawlDatabase, url: CanonicalUrl, bands: Sequence[int]) -> list[tuple[CanonicalUrl, bytes]]:
    """Return other pages in the index that share a band, oldest first, each with its MinHash signature."""
    places = ", ".join("?" * len(bands))
    rows = database.connection.execute(
        f"SELECT DISTINCT url.url, signature FROM band JOIN page ON page.url = band.url JOIN url ON url.id = band.url "
        f"WHERE band IN ({places}) AND refusals = '[]' AND url.url != ? ORDER BY url.id LIMIT ?",
        (*bands, url, MAX_CANDIDATES),
    )
    return [(CanonicalUrl(other), signature) for other, signature in rows]
