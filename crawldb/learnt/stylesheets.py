"""What do the stylesheets of a site say? Stylesheets: the rules of each file that say how text shows, kept once a site.

A sheet is a row of `url`, so robots.txt, pace and journal hold for it. A sheet can be used once all that it
imports can be, too: half of a style would accuse honest pages. Everything happens within the caller's transaction.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.database import stored_json
from crawldb.learnt.probes import Purpose
from crawldb.tables.urls import State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawldb.database import CrawlDatabase
    from urls.records import Stylesheet

MAX_REMEMBERED = 8  # sites whose sheets are kept in memory: some 100 kB each, and 4 MB at most
_OF_SITE = (
    "SELECT url.url, css, imports, at FROM stylesheet JOIN url ON url.id = stylesheet.url "
    "WHERE stylesheet.site = {} ORDER BY url.id"
)


@dataclass(frozen=True, slots=True)
class SiteSheets:
    """The sheets of a site, by URL: those that can be used, each after what it imports, and when each was requested."""

    usable: Mapping[str, str]
    asked_at: Mapping[str, float]  # seconds since the epoch


class Stylesheets:
    """The table `stylesheet`."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._connection = database.connection
        self._of_sites: dict[str, SiteSheets] = {}

    def rolled_back(self) -> None:
        """Forget what was read in a transaction that came to nothing."""
        self._of_sites.clear()

    def of_site(self, name: str) -> SiteSheets:
        """Return the sheets of a site."""
        if name not in self._of_sites:
            if len(self._of_sites) >= MAX_REMEMBERED:
                self._of_sites.clear()
            self._of_sites[name] = self._read("(SELECT id FROM site WHERE name = ?)", name)
        return self._of_sites[name]

    def for_page(self, url: int) -> Mapping[str, str]:
        """Return the sheets that can be used for a page, by the id of its URL, as they are stored now."""
        return self._read("(SELECT site FROM url WHERE id = ?)", url).usable

    def _read(self, site: str, value: str | int) -> SiteSheets:
        rows = self._connection.execute(_OF_SITE.format(site), (value,)).fetchall()
        sheets = {url: (css, stored_json(imports, list)) for url, css, imports, _ in rows if css is not None}
        usable = {
            url: "\n".join([*(sheets[each][0] for each in imports), css])
            for url, (css, imports) in sheets.items()
            if all(each in sheets and not sheets[each][1] for each in imports)
        }
        return SiteSheets(usable, {url: at for url, _, _, at in rows})

    def count(self, site: int) -> int:
        """Return how many sheets of a site were requested, or will be."""
        sql = "SELECT count(*) FROM stylesheet WHERE site = ?"
        return int(self._connection.execute(sql, (site,)).fetchone()[0])

    def ask(self, url: int, site: int, at: float) -> None:
        """Note the request for a sheet, `at` that time in seconds since the epoch; the stored sheet stays."""
        sql = "INSERT INTO stylesheet (url, site, at) VALUES (?, ?, ?) ON CONFLICT (url) DO UPDATE SET at = excluded.at"
        self._connection.execute(sql, (url, site, at))
        self._of_sites.clear()

    def is_imported(self, url: int) -> bool:
        """Return whether another sheet led to this one: what it imports itself is not followed."""
        sql = "SELECT 1 FROM url JOIN probe ON probe.url = url.found_on WHERE url.id = ? AND purpose = ?"
        return self._connection.execute(sql, (url, Purpose.STYLESHEET)).fetchone() is not None

    def put(self, url: int, site: int, sheet: Stylesheet) -> float | None:
        """Store a sheet in place of the earlier one.

        Return when it was requested, in seconds since the epoch; None where it has not changed.
        """
        sql = "SELECT at, css, imports FROM stylesheet WHERE url = ?"
        asked_at, *before = self._connection.execute(sql, (url,)).fetchone()
        row = (sheet.css, json.dumps(sheet.imports))
        self._connection.execute(
            "INSERT OR REPLACE INTO stylesheet (url, site, at, css, imports, etag, last_modified) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (url, site, sheet.fetched_at, *row, sheet.etag, sheet.last_modified),
        )
        self._of_sites.clear()
        return None if tuple(before) == row else float(asked_at)

    def not_used(self, page: int) -> list[tuple[str, str]]:
        """Return the sheets of a page's site that can't be used, by the id of its URL, each with the reason."""
        sql = (
            "SELECT url.url, coalesce(reason, 'it was not requested yet') FROM stylesheet "
            "JOIN url ON url.id = stylesheet.url LEFT JOIN explanation ON explanation.url = url.id "
            "LEFT JOIN journal ON journal.id = explanation.journal "
            "WHERE stylesheet.site = (SELECT site FROM url WHERE id = ?) ORDER BY url.id"
        )
        usable = self.for_page(page)
        rows = self._connection.execute(sql, (page,))
        return [(url, reason) for url, reason in rows if url not in usable]

    def let_be_read_again(self, site: int, since: float) -> None:
        """Let the pages of a site that were fetched after a time be parsed again, with the present sheets."""
        self._connection.execute(
            "UPDATE trait SET disguise = NULL WHERE url IN (SELECT page.url FROM page JOIN url ON url.id = page.url "
            f"WHERE site = ? AND state = {State.DONE:d} AND fetched_at >= ?)",
            (site, since),
        )
