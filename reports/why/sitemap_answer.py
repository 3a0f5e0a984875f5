"""What is known of a URL as a sitemap? Who names it, what was last read in it, and what came of that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.tables.sitemaps import Sitemaps
from crawldb.tables.urls import Kind, Urls
from reports.wording import moment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.database import CrawlDatabase

FORMS = {
    "urlset": "a list of pages", "index": "an index of sitemaps", "text": "an address a line", "rss": "an RSS feed",
    "atom": "an Atom feed", "": "no sitemap at all",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SitemapAnswer:
    """A sitemap as it was last read; `read_at` is None where it never was. Times are seconds since the epoch."""

    named_by: tuple[str, ...]  # origins whose robots.txt names it, itself or by way of an index
    read_at: float | None = None
    form: str = ""
    entries: int = 0
    accepted: int = 0  # of its entries, those in scope
    new: int = 0  # of those, the ones that nothing had led to before


def sitemap_answer(database: CrawlDatabase, url: int) -> SitemapAnswer | None:
    """Return what is known of a URL as a sitemap, None where it is a page."""
    tables = Sitemaps(database)
    if Urls(database).kind_of(url) is not Kind.SITEMAP:
        return None
    row = database.connection.execute(
        "SELECT read_at, form, entries, accepted, new FROM sitemap WHERE url = ?", (url,)
    ).fetchone()
    return SitemapAnswer(tuple(sorted(tables.speakers(url))), *(row or ()))


def sitemap_sentences(sitemap: SitemapAnswer) -> Iterator[str]:
    """Tell it for a person."""
    if sitemap.named_by:
        yield f"The robots.txt of {', '.join(sitemap.named_by[:3])} names it as a sitemap: it is no page."
    else:
        yield "It was named as a sitemap once, and no robots.txt does so any longer."
    if sitemap.read_at is not None:
        yield (
            f"Read {moment(sitemap.read_at)}: {FORMS.get(sitemap.form, sitemap.form)}, {sitemap.entries:,} entries, "
            f"{sitemap.accepted:,} pages of them in scope, {sitemap.new:,} that nothing had led to before."
        )
