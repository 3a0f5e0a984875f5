"""Which sites are there, and how many URLs has each brought? Table `site`, within the caller's transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from urls.site import host_of_site

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase


class SiteCount(NamedTuple):
    """How many URLs a site has brought, and the domain whose sites are counted together; None: it is counted alone."""

    urls: int
    domain: str | None


class DomainCount(NamedTuple):
    """How many URLs the sites of a domain have brought, and how many sites have brought any."""

    urls: int
    sites: int


def enter_site(database: CrawlDatabase, name: str, domain: str | None) -> int:
    """Return the id of a site by its name, which is entered where it is new, with the `domain` that it counts for.

    Another port of a host that rests is at rest as well.
    """
    connection = database.connection
    connection.execute(
        "INSERT OR IGNORE INTO site (name, rests_until) "
        "VALUES (?, coalesce((SELECT rests_until FROM host WHERE name = ?), 0))",
        (name, host_of_site(name)),
    )
    (identity,) = connection.execute("SELECT id FROM site WHERE name = ?", (name,)).fetchone()
    connection.execute("UPDATE site SET domain = ? WHERE id = ? AND domain IS NOT ?", (domain, identity, domain))
    return int(identity)


def site_called(database: CrawlDatabase, site: int) -> str:
    """Return the name of a site by its id."""
    return str(database.value("SELECT name FROM site WHERE id = ?", site))


def count_url(database: CrawlDatabase, site: int) -> None:
    """Count one more URL of a site."""
    database.connection.execute("UPDATE site SET urls = urls + 1 WHERE id = ?", (site,))


def count_of_site(database: CrawlDatabase, site: int) -> SiteCount:
    """Return how many URLs a site has brought."""
    return SiteCount(*database.connection.execute("SELECT urls, domain FROM site WHERE id = ?", (site,)).fetchone())


def count_of_domain(database: CrawlDatabase, domain: str) -> DomainCount:
    """Return how many URLs the sites of a domain have brought."""
    sql = "SELECT sum(urls), count(*) FILTER (WHERE urls > 0) FROM site WHERE domain = ?"
    return DomainCount(*database.connection.execute(sql, (domain,)).fetchone())
