"""What does every ending of a lease write? The request that was sent, and the state in which the URL is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.tables.alarms import Alarms
from crawldb.tables.feed import Feed
from crawldb.tables.hosts import Hosts
from crawldb.tables.journal import Journal
from crawldb.tables.links import LinkGraph
from crawldb.tables.pages import Pages
from crawldb.tables.urls import SITEMAP_URGENCY, State
from crawldb.tables.visits import Visits
from crawldb.visited import find_row
from frontier.discovery import Discovery
from frontier.priority import Priority
from frontier.sitemap_files import Enrolment
from urls.revisit import Bounds

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from crawldb.tables.alarms import AlarmRule
    from crawldb.tables.sitemaps import SitemapRules
    from frontier.rounds import Run
    from urls.policy import Policy
    from urls.records import Outcome, Page, Sitemap


class Ledger:
    """The tables in which leases end, on the crawl's own connection. The caller holds the transaction."""

    def __init__(
        self, database: CrawlDatabase, policy: Policy, run: Run, alarm: AlarmRule, sitemaps: SitemapRules,
        bounds: Bounds | None = None, priority: Priority = Priority.BREADTH,
    ) -> None:  # fmt: skip
        self.database = database
        self.connection = database.connection
        self.run = run
        self.journal = Journal(database, run.id)
        self.discovery = Discovery(database, policy, self.journal)
        self.links = LinkGraph(database)
        self.pages = Pages(database)
        self.feed = Feed(database)
        self.hosts = Hosts(database)
        self.visits = Visits(database, bounds or Bounds())
        self.priority = priority
        self.alarms = Alarms(database, run, self.journal, alarm)
        self.enrolment = Enrolment(database, self.discovery, self.journal, self.links, run, sitemaps)

    def rolled_back(self) -> None:
        """Forget what a transaction that came to nothing had put into memory."""
        self.discovery.rolled_back()
        self.links.rolled_back()
        self.hosts.rolled_back()
        self.alarms.rolled_back()

    def lease(self, url: str) -> tuple[int, int, int]:
        """Return id, depth and hops of a leased URL."""
        row = find_row(self.connection, "id, depth, hops", url)
        if row is None:
            raise LookupError(f"{url} was never leased")
        identity, depth, hops = row
        return identity, depth, hops

    def fetched(self, url: int, answer: Page | Outcome | Sitemap, size: int, rule: str) -> None:
        """Note the request that was sent for a URL, with what came of it."""
        self.connection.execute(
            "INSERT INTO fetch (run, url, at, seconds, status, size, rule) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (self.run.id, url, answer.fetched_at, answer.seconds, answer.status, size, rule),
        )
        self.alarms.note(url, answer.status, rule)

    def end(self, url: int, state: State, rule: str, *, moved_to: int | None = None) -> None:
        """Leave a URL in a state that ends its lease for this round."""
        misses = ", misses = 0" if state is State.DONE else ", next_at = 0"  # what failed is due in each round
        self.connection.execute(
            f"UPDATE url SET state = ?, rule = ?, ended_in = ?, moved_to = ?, urgency = kind * ?{misses} WHERE id = ?",
            (state, rule, self.run.round, moved_to, SITEMAP_URGENCY, url),
        )
