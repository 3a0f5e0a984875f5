"""How much did a round see of each site, and where did its pages link to? The figures behind a plan for a whole crawl.

A trial fetches a few pages of each site. The figures of its round show how large the sites may be: URLs by state,
requests with their times and sizes, sitemaps, URL patterns, and the links of the pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from crawldb.figures.totals import GOT_A_PAGE, OF_ROUND, block_bytes
from crawldb.tables.urls import State
from crawldb.visited import find_row
from urls.records import FoundBy

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from urls.records import CanonicalUrl

_LISTS = ("urlset", "text", "rss", "atom")  # forms of sitemaps that name pages; an index names other sitemaps
# URLs that the policy accepted: neither made up by Breadcrumb, nor suppressed before any lease.
_ACCEPTED = f"found_by != '{FoundBy.PROBE}' AND (state != {int(State.SUPPRESSED)} OR ended_in IS NOT NULL)"
_WAITS = f"state IN ({int(State.QUEUED)}, {int(State.LEASED)})"


class NamedSite(NamedTuple):
    """A site, by its id and its name."""

    id: int
    name: str


def sites_of_round(database: CrawlDatabase, round_: int) -> list[NamedSite]:
    """Return the sites with a seed or with a request in a round, in the order of their discovery."""
    rows = database.connection.execute(
        "SELECT site.id, name FROM site WHERE EXISTS (SELECT 1 FROM url WHERE url.site = site.id "
        f"AND (seed = 1 OR ended_in = ?) AND {_ACCEPTED}) ORDER BY site.id",
        (round_,),
    )
    return [NamedSite(*row) for row in rows]


class SiteUrls(NamedTuple):
    """The URLs of a site that the policy accepted."""

    queued: int  # that wait
    unread: int  # of them, those that were never visited, in this round or before
    ended: int  # whose turn in the round has ended


def urls_of_site(database: CrawlDatabase, round_: int, site: int) -> SiteUrls:
    """Return how many URLs of a site wait, and how many had their turn in a round."""
    row = database.connection.execute(
        f"SELECT count(*) FILTER (WHERE {_WAITS}), count(*) FILTER (WHERE {_WAITS} AND ended_in IS NULL), "
        f"count(*) FILTER (WHERE NOT {_WAITS} AND ended_in = ?) FROM url WHERE site = ? AND {_ACCEPTED}",
        (round_, site),
    ).fetchone()
    return SiteUrls(*row)


class SiteRequest(NamedTuple):
    """A request for a URL of a site: bytes of its body, seconds that it took, and when it ended."""

    got_a_page: int  # 1: a page came, or is as it was
    size: int
    seconds: float
    at: float
    run: int


def requests_of_site(database: CrawlDatabase, round_: int, site: int) -> list[SiteRequest]:
    """Return the requests of a round for the URLs of a site, the oldest first."""
    rows = database.connection.execute(
        f"SELECT fetch.rule IN {GOT_A_PAGE}, coalesce(size, 0), coalesce(seconds, 0), at, run "
        f"FROM fetch JOIN url ON url.id = fetch.url WHERE site = ? AND {OF_ROUND} ORDER BY at",
        (site, round_),
    )
    return [SiteRequest(*row) for row in rows]


class SiteSitemaps(NamedTuple):
    """The sitemaps of a site that list pages: those read with the URLs in them, and those that wait."""

    lists: int
    listed: int
    unread: int


def sitemaps_of_site(database: CrawlDatabase, site: int) -> SiteSitemaps:
    """Return how many sitemaps of a site were read, what they list, and how many wait."""
    lists, listed = database.connection.execute(
        "SELECT count(*), coalesce(sum(accepted), 0) FROM sitemap JOIN url ON url.id = sitemap.url "
        f"WHERE site = ? AND form IN ({', '.join('?' * len(_LISTS))})",
        (site, *_LISTS),
    ).fetchone()
    unread = database.count(f"SELECT count(*) FROM url WHERE site = ? AND kind = 1 AND {_WAITS}", site)
    return SiteSitemaps(lists, listed, unread)


def families_of_site(database: CrawlDatabase, site: int, least: int) -> tuple[int, ...]:
    """Return how many URLs each pattern of a site has, of those that have at least so many."""
    return tuple(database.column("SELECT urls FROM pattern WHERE site = ? AND urls >= ?", site, least))


def stored_pages_of_site(database: CrawlDatabase, site: int) -> int:
    """Return how many pages of a site are stored, of this round or before."""
    return database.count("SELECT count(*) FROM page JOIN url ON url.id = page.url WHERE site = ?", site)


def pages_of_round(database: CrawlDatabase, round_: int, site: int) -> list[int]:
    """Return the ids of the pages of a site that a round got or found unchanged, in the order of their requests."""
    sql = (
        "SELECT DISTINCT fetch.url FROM fetch JOIN url ON url.id = fetch.url "
        f"WHERE site = ? AND fetch.rule IN {GOT_A_PAGE} AND kind = 0 AND {OF_ROUND} ORDER BY fetch.id"
    )
    return database.column(sql, site, round_)


class LinkTarget(NamedTuple):
    """A URL to which a page links, and whether this page brought it in the round."""

    url: int
    is_new: int


def targets_within_site(database: CrawlDatabase, round_: int, site: int, page: int) -> list[LinkTarget]:
    """Return the accepted URLs of a site to which one of its pages links."""
    rows = database.connection.execute(
        "SELECT DISTINCT target, found_on IS source AND found_at >= (SELECT opened_at FROM round WHERE id = ?) "
        f"FROM link JOIN url ON url.id = target WHERE source = ? AND url.site = ? AND {_ACCEPTED}",
        (round_, page, site),
    )
    return [LinkTarget(*row) for row in rows]


def is_known_seed(database: CrawlDatabase, url: CanonicalUrl) -> bool:
    """Return whether a canonical URL is in the root set of the crawl."""
    return find_row(database.connection, "seed", url) == (1,)


def empty_bytes(database: CrawlDatabase) -> int:
    """Return the bytes that the crawl database takes before anything is in it: a block each table and index."""
    return database.count("SELECT count(*) FROM sqlite_master WHERE rootpage > 0") * block_bytes(database)


def content_bytes(database: CrawlDatabase) -> int:
    """Return the bytes of what comes with each page, as it is packed: its body and its record."""
    return database.count(
        "SELECT (SELECT coalesce(sum(length(data) + length(coalesce(headers, ''))), 0) FROM body) "
        "+ (SELECT coalesce(sum(length(content)), 0) FROM page)"
    )
