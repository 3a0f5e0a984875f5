"""What is a site called? Table `site_name`: the name that frontier/followers/site_lessons.py learns from its titles.

The titles stay as their pages have them; the name is cut off all of them when they are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages.content.site_name import SiteName

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase


def site_name(database: CrawlDatabase, site: int) -> SiteName | None:
    """Return the name of a site (by its id) as it was learnt, or None."""
    sql = "SELECT name, shown_by, titles FROM site_name WHERE site = ?"
    row = database.connection.execute(sql, (site,)).fetchone()
    return SiteName(*row) if row else None


def put_site_name(database: CrawlDatabase, site: int, name: SiteName | None) -> None:
    """Keep the name of a site in place of an earlier one, within the caller's transaction; None: it has none."""
    database.connection.execute("DELETE FROM site_name WHERE site = ?", (site,))
    if name is not None:
        database.connection.execute("INSERT INTO site_name VALUES (?, ?, ?, ?)", (site, *name))


def titles_in_index(database: CrawlDatabase, site: int) -> list[tuple[int, str]]:
    """Return the ids of the pages of a site that are in the index, with their titles as the pages have them."""
    return database.connection.execute(
        "SELECT page.url, title FROM indexed_page AS page JOIN url ON url.id = page.url WHERE site = ?", (site,)
    ).fetchall()
