"""Which name and which template does a site have? Both are learnt from a bounded sample of its stored pages.

Both are learnt while a crawl runs. The stored title of a page keeps the site's name, so the name can change at any
time. Then one row changes, and the pages with the name in their titles go into the change feed.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawldb.learnt import SiteTemplates, put_site_name, site_name, titles_in_index
from crawldb.pages.feed import Feed
from pages.content.site_template import MIN_TITLES, learnt_name, without_name

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from frontier.followers.order import WrittenPage

REMEMBERED_TITLES = 64  # of a site, the newest
REMEMBERED_SITES = 1000  # of a crawl, those that had a page last
# Drop a name with a smaller share of the titles: the site has another name now, or none.
GIVEN_UP_BELOW = 0.2


@dataclass(slots=True)
class _Titles:
    newest: deque[str] = field(default_factory=lambda: deque(maxlen=REMEMBERED_TITLES))
    noted: int = 0
    due: int = MIN_TITLES  # the number of titles at which the name is learnt again


class SiteNames:
    """Learns the names of sites from the titles of their pages."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._feed = Feed(database)
        self._sites: OrderedDict[int, _Titles] = OrderedDict()

    def page_stored(self, stored: WrittenPage) -> None:
        """Take in the title of a page, and announce the pages that are now titled otherwise."""
        retitled = self.note(stored.site, stored.page.title)
        if retitled:
            self._feed.announce(retitled)

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
        put_site_name(self._database, site, now)
        if before is not None and now is not None and before.name == now.name:
            return []
        names = [known.name for known in (before, now) if known is not None]
        titled = titles_in_index(self._database, site) if names else []
        return [url for url, title in titled if any(without_name(title, name) != title for name in names)]


class TemplateSample:
    """Takes pages into the sample from which the template of their site is learnt."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._templates = SiteTemplates(database)

    def page_stored(self, stored: WrittenPage) -> None:
        """Count the lines of a page, and note the version of the template that filtered it."""
        self._templates.note(stored.site, stored.url, stored.page)
