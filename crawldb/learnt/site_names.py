"""What is a site called? Learnt from its newest titles while a crawl runs, and cut off all of them when they are read.

The titles stay as their pages have them, so that a name may be learnt anew, or given up, at any time: what changes then
is one row, and the pages whose titles it is part of are announced to the index.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pages.content.site_name import MIN_TITLES, SiteName, learnt_name, without_name

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase

REMEMBERED_TITLES = 64  # of a site, the newest
REMEMBERED_SITES = 1000  # of a crawl, those that had a page last
# A name that fewer of the titles show is given up: the site is called otherwise now, or nothing.
GIVEN_UP_BELOW = 0.2


@dataclass(slots=True)
class _Titles:
    newest: deque[str] = field(default_factory=lambda: deque(maxlen=REMEMBERED_TITLES))
    noted: int = 0
    due: int = MIN_TITLES  # the number of titles at which the name is learnt again


class SiteNames:
    """The names of sites, within the caller's transaction."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._sites: OrderedDict[int, _Titles] = OrderedDict()

    def note(self, site: int, title: str, *, again: bool = False) -> list[int]:
        """Take in the title of a page of a site (by its id); return the ids of the pages that are now titled otherwise.

        A name is learnt after 8 titles, 16, 32, 64, and then with each 64. `again`: the page was read again from its
        body, and a title that was met just now counts once.
        """
        seen = self._sites.setdefault(site, _Titles())
        self._sites.move_to_end(site)
        if len(self._sites) > REMEMBERED_SITES:
            self._sites.popitem(last=False)
        if again and title in seen.newest:
            return []
        seen.newest.append(title)
        seen.noted += 1
        if seen.noted < seen.due:
            return []
        seen.due += min(seen.noted, REMEMBERED_TITLES)
        return self._learn(site, list(seen.newest))

    def _learn(self, site: int, titles: list[str]) -> list[int]:
        before = site_name(self._database, site)
        now = learnt_name(titles)
        if now is None and before is not None:
            showing = sum(without_name(title, before.name) != title for title in titles)
            now = before if showing >= GIVEN_UP_BELOW * len(titles) or len(titles) < REMEMBERED_TITLES else None
        connection = self._database.connection
        connection.execute("DELETE FROM site_name WHERE site = ?", (site,))
        if now is not None:
            connection.execute("INSERT INTO site_name VALUES (?, ?, ?, ?)", (site, *now))
        if before is not None and now is not None and before.name == now.name:
            return []
        names = [known.name for known in (before, now) if known is not None]
        return self._titled_with(site, names) if names else []

    def _titled_with(self, site: int, names: list[str]) -> list[int]:
        rows = self._database.connection.execute(
            "SELECT page.url, title FROM indexed_page AS page JOIN url ON url.id = page.url WHERE site = ?", (site,)
        )
        return [url for url, title in rows if any(without_name(title, name) != title for name in names)]


def site_name(database: CrawlDatabase, site: int) -> SiteName | None:
    """Return the name of a site (by its id) as it was learnt, or None."""
    sql = "SELECT name, shown_by, titles FROM site_name WHERE site = ?"
    row = database.connection.execute(sql, (site,)).fetchone()
    return SiteName(*row) if row else None
