"""Which seeds are there, of which kind, and how many pages did each bring?

*HTTP: The Definitive Guide*, chapter 9, mixes a few popular pages, the lists of new pages that sites offer, and pages
with hardly any link to them. A seeds file may mark each seed. `report` counts the pages of each kind.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, TypedDict

from crawldb.visited import find
from urls.canonical import site_of
from urls.records import FoundBy
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawldb.database import CrawlDatabase
    from urls.policy import Policy
    from urls.records import CanonicalUrl


KINDS = ("popular", "new", "rare")


class SeedYield(TypedDict):
    """The stored pages that were first found from one seed; `new` are those of the latest round."""

    url: str
    kind: str  # empty: the seeds file does not say
    pages: int
    new: int


def mark_seeds(database: CrawlDatabase, policy: Policy, marks: Mapping[CanonicalUrl, str]) -> None:
    """Note which kind of page each seed is."""
    if not marks:
        return
    with database.transaction() as connection:
        connection.executemany(
            "INSERT OR REPLACE INTO seed_mark SELECT id, ? FROM url WHERE id = ?",
            [(kind, find(connection, policy.options.canonical(url))) for url, kind in marks.items()],
        )


def seed_yields(database: CrawlDatabase) -> list[SeedYield]:
    """Return what each seed brought, the most fruitful first.

    A page belongs to the seed that one comes to by going back to where it was found, and from there on. A page that
    was found on another one has the higher id, so one pass over the table in order of the ids is enough.
    """
    opened = database.value("SELECT opened_at FROM round ORDER BY id DESC LIMIT 1")
    (last,) = database.connection.execute("SELECT coalesce(max(id), 0) FROM url").fetchone()
    seeds = array("q", bytes(8 * (last + 1)))  # by id of a URL, the id of its seed; 0: none, as of what a sitemap lists
    pages: dict[int, list[int]] = {}
    rows = database.connection.execute(
        "SELECT url.id, seed, coalesce(found_on, 0), found_at >= coalesce(?, 0), page.url IS NOT NULL "
        "FROM url LEFT JOIN page ON page.url = url.id ORDER BY url.id",
        (opened,),
    )
    for identity, seed, found_on, new, stored in rows:
        seeds[identity] = identity if seed else seeds[found_on]
        counts = pages.setdefault(seeds[identity], [0, 0])
        counts[0] += stored
        counts[1] += stored and new
    found_pages = database.connection.execute(
        "SELECT id, url.url, coalesce(kind_of.kind, '') FROM url LEFT JOIN seed_mark AS kind_of ON kind_of.url = id "
        "WHERE seed = 1 AND rule IS NOT ? ORDER BY id",
        (Rule.ALIAS,),
    )
    found = [SeedYield(url=url, kind=kind, pages=pages[key][0], new=pages[key][1]) for key, url, kind in found_pages]
    return sorted(found, key=lambda each: -each["pages"])


def seed_sites(database: CrawlDatabase) -> frozenset[str]:
    """Return the sites of the root set, and those that came with imported pages: what the scope is made of."""
    sql = "SELECT DISTINCT name FROM url JOIN site ON site.id = url.site WHERE seed = 1"
    named = frozenset(name for (name,) in database.connection.execute(sql))
    return named | foreign_seed_sites(database) | imported_sites(database)


def seed_urls(database: CrawlDatabase) -> list[CanonicalUrl]:
    """Return the root set."""
    return database.column("SELECT url FROM url WHERE seed = 1 ORDER BY id")


def foreign_seed_sites(database: CrawlDatabase) -> frozenset[str]:
    """Return the sites of seeds that were handed over: links to them are in scope, wherever they stand."""
    by = [found_by for found_by in FoundBy if found_by.is_root_set]
    sql = f"SELECT url FROM outbox WHERE found_by IN ({', '.join('?' * len(by))})"
    return frozenset(site_of(url) for (url,) in database.connection.execute(sql, by))


def imported_sites(database: CrawlDatabase) -> frozenset[str]:
    """Return the sites that came with imported pages."""
    return frozenset(database.column("SELECT name FROM imported_site"))


def unseeded_sites(database: CrawlDatabase) -> dict[int, str]:
    """Return the ids of those sites at which no seed is, each with one of its URLs."""
    rows = database.connection.execute(
        "SELECT id, (SELECT url FROM url WHERE url.site = site.id LIMIT 1) FROM site JOIN imported_site USING (name) "
        "WHERE id IN (SELECT site FROM url) AND id NOT IN (SELECT site FROM url WHERE seed = 1)"
    )
    return dict(rows.fetchall())
