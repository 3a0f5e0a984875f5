"""What is kept of a sitemap while it is read? Its addresses with their dates, as many as a sitemap may have.

An address that is missing or too long is left out and counted, a date that is none is left out alone. `priority` and
`changefreq` are not read at all: nearly every site gives the same to all of its pages.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from crawldb import SitemapEntry
from spiders.sitemap.dates import MAX_CHARS, moment_of

MAX_ENTRIES = 50_000  # of one file; sitemaps.org
MAX_URL_CHARS = 2048  # of one address; sitemaps.org: less than 2,048


@dataclass(slots=True)
class Listing:
    """The entries of one sitemap; `now` is when it was fetched, in seconds since the epoch."""

    now: float
    form: str = ""  # a name of markup.GRAMMARS, or text; empty: it is no sitemap
    entries: dict[str, float | None] = field(default_factory=dict)
    beyond: int = 0
    unusable: int = 0
    warnings: list[str] = field(default_factory=list)

    def add(self, address: str, date: str = "") -> None:
        """Take an entry, as it is written."""
        address = address.strip()
        if not address or len(address) > MAX_URL_CHARS:
            self.unusable += 1
        elif len(self.entries) >= MAX_ENTRIES and address not in self.entries:
            self.beyond += 1
        else:
            self.entries[address] = moment_of(date[: MAX_CHARS + 1], self.now)

    def warn(self, sentence: str) -> None:
        """Note what is wrong with the file."""
        self.warnings.append(sentence)

    def taken(self) -> tuple[SitemapEntry, ...]:
        """Return the entries in the order of the file, each address once."""
        return tuple(SitemapEntry(address, lastmod) for address, lastmod in self.entries.items())

    def all_warnings(self) -> tuple[str, ...]:
        """Return what is wrong with the file, a sentence each, counts last."""
        counted = []
        if self.unusable:
            counted.append(f"{self.unusable} entries have no address of up to {MAX_URL_CHARS} characters")
        if self.beyond:
            counted.append(f"more than {MAX_ENTRIES} entries: {self.beyond} were counted and not kept")
        return (*self.warnings, *counted)
