"""What is stored about one URL, and which known URLs are similar to an unknown one? Rows for `why` and for hints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from crawldb.tables.urls import Kind, State
from crawldb.visited import find_row
from urls.rules import Rule

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase

_KNOWN = (
    "id, state, coalesce(rule, ''), found_by, (SELECT url FROM url AS page WHERE page.id = url.found_on), found_at, "
    "depth, due_at, misses, next_at, lastmod, (SELECT url FROM url AS target WHERE target.id = url.moved_to)"
)


class KnownUrl(NamedTuple):
    """A URL as the frontier has it; times are seconds since the epoch. Columns: crawldb/schema.sql."""

    id: int
    state: int  # a State
    rule: str
    found_by: str  # a FoundBy
    found_on: str | None
    found_at: float
    depth: int
    due_at: float
    misses: int
    next_at: float
    lastmod: float | None
    moved_to: str | None


def known_url(database: CrawlDatabase, name: str) -> KnownUrl | None:
    """Return what is known of a URL, by the name under which it is stored; None where it was never met."""
    row = find_row(database.connection, _KNOWN, name)
    return None if row is None else KnownUrl(*row)


class VisitCounts(NamedTuple):
    """Visits to a page that could be compared with the one before, and how many of them found it unchanged."""

    visits: int
    unchanged: int


def visit_counts(database: CrawlDatabase, url: int) -> VisitCounts:
    """Return how often a page was visited again."""
    row = database.connection.execute(
        "SELECT coalesce(sum(visits), 0), coalesce(sum(unchanged), 0) FROM visit WHERE url = ?", (url,)
    ).fetchone()
    return VisitCounts(*row)


@dataclass(frozen=True, slots=True)
class Fetch:
    """A request for a URL: when it ended, the status (None: no response), how it ended, its seconds and its bytes."""

    at: float
    status: int | None
    rule: str
    seconds: float
    size: int


def fetches_of(database: CrawlDatabase, url: int, most: int) -> list[Fetch]:
    """Return the requests for a URL, the newest first."""
    rows = database.connection.execute(
        "SELECT at, status, rule, seconds, size FROM fetch WHERE url = ? ORDER BY id DESC LIMIT ?", (url, most)
    )
    return [Fetch(*row) for row in rows]


class PageSize(NamedTuple):
    """The bytes of a page's body, all its links, and those that lead to sites outside the crawl."""

    size: int
    links: int
    off_site: int


def page_size(database: CrawlDatabase, url: int) -> PageSize:
    """Return how large a stored page is."""
    row = database.connection.execute("SELECT size, links, off_site FROM page WHERE url = ?", (url,)).fetchone()
    return PageSize(*row)


def site_id_of(database: CrawlDatabase, url: int) -> int:
    """Return the id of a URL's site."""
    return database.count("SELECT site FROM url WHERE id = ?", url)


class ReadSitemap(NamedTuple):
    """A sitemap as it was last read, in seconds since the epoch; `form` is empty where it is none."""

    read_at: float
    form: str
    entries: int
    accepted: int  # of them, those in scope
    new: int  # of those, the ones that nothing had led to before


def is_sitemap(database: CrawlDatabase, url: int) -> bool:
    """Return whether a URL was named as a sitemap."""
    return database.value("SELECT kind FROM url WHERE id = ?", url) == Kind.SITEMAP


def sitemap_as_read(database: CrawlDatabase, url: int) -> ReadSitemap | None:
    """Return what was last read in a sitemap; None where it never was."""
    row = database.connection.execute(
        "SELECT read_at, form, entries, accepted, new FROM sitemap WHERE url = ?", (url,)
    ).fetchone()
    return None if row is None else ReadSitemap(*row)


def first_sites(database: CrawlDatabase, most: int) -> list[str]:
    """Return the names of sites, at most so many."""
    return database.column("SELECT name FROM site LIMIT ?", most)


def pages_of_site(database: CrawlDatabase, site: str, looked_through: int) -> list[str]:
    """Return the URLs of a site's stored pages, of the first stored pages that are looked through."""
    sql = (
        "SELECT url.url FROM (SELECT url FROM page LIMIT ?) AS stored JOIN url ON url.id = stored.url "
        "JOIN site ON site.id = url.site WHERE site.name = ?"
    )
    return database.column(sql, looked_through, site)


def urls_of_site_named(database: CrawlDatabase, site: str, most: int) -> list[str]:
    """Return URLs of a site, whatever became of them; none that was generated to learn about the site."""
    sql = "SELECT url FROM url WHERE site = (SELECT id FROM site WHERE name = ?) AND rule IS NOT ? LIMIT ?"
    return database.column(sql, site, Rule.PROBE, most)


def urls_with_part(database: CrawlDatabase, part: str, looked_through: int, most: int) -> list[str]:
    """Return URLs that contain a text, in any case: fetched pages first, then the shortest."""
    literal = part.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
    sql = (
        "SELECT url FROM (SELECT url, state, kind FROM url LIMIT ?) WHERE kind = ? AND url LIKE ? ESCAPE '\\' "
        "ORDER BY state != ?, length(url), url LIMIT ?"
    )
    return database.column(sql, looked_through, Kind.PAGE, f"%{literal}%", State.DONE, most)
