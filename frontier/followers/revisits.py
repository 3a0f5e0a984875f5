"""When should a page be visited again? Each visit shows whether it has changed, and the next one follows from that.

`urls/schedule.py` has the rule. The second of two fetches in a row is no visit: seconds say nothing about how often a
page changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.tables.fetches import Visits
from crawldb.tables.urls import Urls

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from frontier.followers.order import WrittenPage
    from urls.schedule import RevisitBounds


class Revisits:
    """Notes the visits of pages, and when the next one is due."""

    def __init__(self, database: CrawlDatabase, bounds: RevisitBounds) -> None:
        self._urls = Urls(database)
        self._visits = Visits(database, bounds)

    def page_stored(self, stored: WrittenPage) -> None:
        """Note that a page came, changed or as it was."""
        page = stored.page
        if stored.is_visit:
            next_at = self._visits.note(
                stored.url,
                page.fetched_at,
                changed=stored.has_changed,
                last_modified=page.last_modified,
                outdated_at=page.outdated_at,
            )
            self._urls.revisit_at(stored.url, next_at)

    def page_unchanged(self, url: int, at: float, last_modified: str) -> None:
        """Note that the server of a page responded "not modified" at that time."""
        self._urls.revisit_at(url, self._visits.note(url, at, changed=False, last_modified=last_modified))
