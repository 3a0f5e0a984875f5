"""What does a sitemap bring? The record in which the lease of one ends, and its entries as they are listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from urls.records import CanonicalUrl


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """An address as a sitemap lists it: absolute if all is well, not yet canonical."""

    url: str
    lastmod: float | None = None  # when it changed, in seconds since the epoch; None: nothing usable was said


@dataclass(frozen=True, slots=True)
class Sitemap:
    """A fetched sitemap file after its parse: the third way in which a lease can end.

    `entries` are pages, `children` the sitemaps that an index lists; only one of the two is ever there.
    """

    url: CanonicalUrl
    form: str  # urlset, index, text, rss, atom; empty: it is no sitemap at all
    entries: tuple[SitemapEntry, ...] = ()
    children: tuple[SitemapEntry, ...] = ()
    beyond: int = 0  # entries beyond the limit a file, which were counted and not kept
    warnings: tuple[str, ...] = ()  # what is wrong with the file, a sentence each
    fetched_at: float = 0.0
    status: int = 200
    etag: str = ""
    last_modified: str = ""
    seconds: float = 0.0  # how long the fetch took
    size: int = 0  # bytes as they came
