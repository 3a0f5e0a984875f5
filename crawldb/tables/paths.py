"""By which path was a URL found? Column `url.found_on`, followed back from page to page to a seed.

A URL keeps the page that led to it first, and that page may have changed since. So `path_to` compares each step with
what is stored now: a link with its words, a redirect, a canonical address. Entries of sitemaps and feeds, and links on
pages that are not stored, are not kept one by one. There the step says that this is unknown.

In a divided crawl a step may lead into another part; the steps before it come from that part's database.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.database import DatabaseError
from crawldb.visited import find_row
from urls.records import CanonicalUrl, FoundBy

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawldb.database import CrawlDatabase

LOOKED_BACK = 100  # pages before a URL: a chain of thousands shows what it is in the last of them
_PAGES_BEFORE = (
    "WITH RECURSIVE way (id) AS (SELECT found_on FROM url WHERE id = ? UNION "
    f"SELECT url.found_on FROM url JOIN way ON url.id = way.id LIMIT {LOOKED_BACK}) "
    "SELECT url.url FROM way JOIN url ON url.id = way.id"
)
_LAST_STEPS = (
    "WITH RECURSIVE way (id, step) AS (SELECT :url, 0 UNION ALL SELECT url.found_on, step + 1 FROM url "
    "JOIN way ON url.id = way.id WHERE step < :steps) "
    "SELECT url.url FROM way JOIN url ON url.id = way.id ORDER BY step"
)


def address_of(database: CrawlDatabase, url: int | None) -> CanonicalUrl | None:
    """Return the URL with an id; None where there is none."""
    found = database.value("SELECT url FROM url WHERE id = ?", url)
    return None if found is None else CanonicalUrl(str(found))


def page_before(database: CrawlDatabase, url: int) -> int | None:
    """Return the id of the page on which a URL was found; None: it is a seed, or another part of the crawl found it."""
    found = database.value("SELECT found_on FROM url WHERE id = ?", url)
    return found if isinstance(found, int) else None


def page_before_on_site(database: CrawlDatabase, url: int, site: int) -> CanonicalUrl | None:
    """Return the page on which a URL was found, where it is of the site with this id."""
    sql = "SELECT url.url FROM url WHERE site = ? AND id = (SELECT found_on FROM url WHERE id = ?)"
    row = database.connection.execute(sql, (site, url)).fetchone()
    return None if row is None else CanonicalUrl(row[0])


def pages_before(database: CrawlDatabase, url: int) -> list[CanonicalUrl]:
    """Return the pages that led to a URL, the latest first, LOOKED_BACK at most."""
    return [CanonicalUrl(name) for (name,) in database.connection.execute(_PAGES_BEFORE, (url,))]


def last_steps(database: CrawlDatabase, url: int, steps: int) -> list[CanonicalUrl]:
    """Return a URL and the pages of the last `steps` links that led to it, the latest first."""
    rows = database.connection.execute(_LAST_STEPS, {"url": url, "steps": steps})
    return [CanonicalUrl(name) for (name,) in rows]


MAX_STEPS = 50  # that are followed back; few pages are further from a seed than MAX_DEPTH links
MAX_WORDS = 3  # texts of the links of one page to another that are told

_ROW = (
    "url.id, url.url, found_by, found_at, found_on, (SELECT url FROM url AS page WHERE page.id = url.found_on), "
    "(SELECT page FROM foreign_source WHERE foreign_source.url = url.id), "
    "(SELECT text FROM foreign_source WHERE foreign_source.url = url.id)"
)
_WORDS = (
    "SELECT DISTINCT text FROM link JOIN anchor ON anchor.id = link.anchor WHERE source = ? AND target = ? "
    "ORDER BY text = '', text LIMIT ?"
)
_STANDS = {  # whether the page before still leads there; others are links
    FoundBy.REDIRECT: "SELECT coalesce(moved_to = ?2, 0) FROM url WHERE id = ?1",
    FoundBy.REFRESH: "SELECT coalesce(moved_to = ?2, 0) OR EXISTS "
    "(SELECT 1 FROM link WHERE source = ?1 AND target = ?2) FROM url WHERE id = ?1",
    FoundBy.CANONICAL: "SELECT coalesce(canonical = ?2, 0) FROM page WHERE url = ?1",
    FoundBy.LINK: "SELECT EXISTS (SELECT 1 FROM link WHERE source = ?1 AND target = ?2) FROM page WHERE url = ?1",
}


@dataclass(frozen=True, slots=True)
class FoundStep:
    """A URL on the way, how it was found, and when (seconds since the epoch)."""

    url: str
    by: FoundBy
    at: float
    words: tuple[str, ...] = ()  # of the links to it on the page before, as they are stored now; "": without words
    stands: bool | None = None  # whether the page before leads there as it is stored now; None: that is not kept


@dataclass(frozen=True, slots=True)
class DiscoveryPath:
    """The steps from the first URL to the last, and why the first is no seed; "" where it is one."""

    steps: tuple[FoundStep, ...] = ()
    gap: str = ""


def path_to(home: Callable[[str], CrawlDatabase], url: str) -> DiscoveryPath:
    """Return the way by which a canonical URL was found; `home` gives the database of the part that has a URL."""
    steps: list[FoundStep] = []
    met: set[str] = set()
    gap, here = "", url
    while here and not gap:
        if here in met:
            gap = f"{here} was found by way of itself"
        elif len(steps) == MAX_STEPS:
            gap = f"the way is longer than {MAX_STEPS} steps"
        else:
            met.add(here)
            found = _step(home, here, is_first=not steps)
            if isinstance(found, str):
                gap = found
            else:
                step, here = found
                steps.append(step)
                gap = _why_here_it_begins(step) if not here else ""
    return DiscoveryPath(tuple(reversed(steps)), gap)


def _why_here_it_begins(step: FoundStep) -> str:
    begins = step.by.is_root_set or step.by in {FoundBy.SITEMAP_LINE, FoundBy.ARCHIVE}
    return "" if begins else f"which page led to {step.url} was not noted"


def _step(home: Callable[[str], CrawlDatabase], url: str, *, is_first: bool) -> tuple[FoundStep, str] | str:
    """Return a step with the URL of the one before; or why there is none."""
    try:
        database = home(url)
        row = find_row(database.connection, _ROW, url)
    except (DatabaseError, sqlite3.Error) as error:
        if is_first:
            raise
        return f"the part of the crawl that has {url} can't be read: {error}"
    if row is None:
        return f"{url} is not known any longer"
    identity, name, by, at, parent, before, foreign, text = row
    found_by = FoundBy(by)
    if parent is None:
        words = (text,) if foreign and found_by is FoundBy.LINK else ()
        return FoundStep(name, found_by, at, words), foreign or ""
    sql = _STANDS.get(found_by)
    is_there = None if sql is None else database.value(sql, parent, identity)
    rows = database.connection.execute(_WORDS, (parent, identity, MAX_WORDS)) if found_by is FoundBy.LINK else ()
    words = tuple(text for (text,) in rows)
    return FoundStep(name, found_by, at, words, None if is_there is None else bool(is_there)), before
