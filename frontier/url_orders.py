"""Which queued URL of a site is next? The order is breadth first or by priority; an extension can add one.

Sites take turns in every order (`frontier/leases.py`). Within a site, urgent URLs go first: a sitemap, a page that
changed by its sitemap, a URL that was put off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.tables.priorities import (
    BREADTH_FIRST,
    BY_PRIORITY,
    WORTH,
    clear_all_priorities,
    clear_priorities,
    compute_priorities,
    create_priority_index,
    drop_priority_index,
)
from urls.schedule import Priority

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawldb.database import CrawlDatabase
    from frontier.job import CrawlJob


class UrlOrder:
    """Breadth first: the URL with the fewest links from a seed. Other orders override the methods that differ."""

    order_by = BREADTH_FIRST  # of table `url`, in SQL
    reads_ahead = True  # False: a URL that comes in may go before those that were read already
    counts_links = False  # True: a page that links to a URL changes its priority, by `links_found`

    def __init__(self, database: CrawlDatabase) -> None:
        self.database = database

    def begin(self) -> None:
        """Prepare the database for a run, outside a transaction."""
        drop_priority_index(self.database)

    def prepare_site(self, site: int) -> None:
        """Give the queued URLs of a site the priorities that they lack: its next URLs are read after this."""

    def links_found(self, urls: Iterable[int]) -> None:
        """Handle that a page has linked to URLs, within the transaction that stores the page."""

    def leased(self, url: int, others: str) -> None:
        """Handle that a URL was leased, in that transaction. `others`, in SQL, is true of all URLs that are due."""


class PriorityFirst(UrlOrder):
    """The page with the highest priority (`urls.schedule.worth`)."""

    order_by = BY_PRIORITY
    counts_links = True
    priority = WORTH  # of a row of table `url`, in SQL

    def begin(self) -> None:
        """Make the index, and compute all priorities again: links have come since."""
        create_priority_index(self.database)
        clear_all_priorities(self.database)

    def prepare_site(self, site: int) -> None:
        """Compute the priorities that are missing."""
        compute_priorities(self.database, site, self.priority)

    def links_found(self, urls: Iterable[int]) -> None:
        """Let the priorities of URLs be computed again."""
        clear_priorities(self.database, urls)


def order_of(database: CrawlDatabase, job: CrawlJob) -> UrlOrder:
    """Return the order of a crawl."""
    if job.order is not None:
        return job.order(database)
    return {Priority.BREADTH: UrlOrder, Priority.WORTH: PriorityFirst}[job.priority](database)
