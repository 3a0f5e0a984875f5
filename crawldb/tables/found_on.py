"""On which page was a URL found, and on which page that one? Column `url.found_on`, followed back towards a seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urls.records import CanonicalUrl

if TYPE_CHECKING:
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
