"""What does every ending of a lease write? The request that was sent, and the state in which the URL is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.tables.feed import Feed
from crawldb.tables.fetches import Alarms, SentRequest, note_fetch
from crawldb.tables.hosts import Hosts
from crawldb.tables.journal import Journal
from crawldb.tables.links import LinkGraph
from crawldb.tables.pages import Pages
from crawldb.tables.urls import Urls
from crawldb.tables.visits import Visits
from crawldb.visited import find_row
from frontier.discovery import Discovery
from frontier.sitemap_discovery import SitemapDiscovery

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from crawldb.tables.runs import Run
    from crawldb.tables.urls import State
    from frontier.job import CrawlJob
    from urls.policy import Policy
    from urls.records import Outcome, Page, Sitemap
    from urls.rules import Rule


class Ledger:
    """The tables in which leases end, on the crawl's own connection. The caller holds the transaction."""

    def __init__(self, database: CrawlDatabase, policy: Policy, run: Run, job: CrawlJob) -> None:
        self.database = database
        self.connection = database.connection
        self.run = run
        self.urls = Urls(database)
        self.journal = Journal(database, run.id)
        self.discovery = Discovery(database, policy, self.journal)
        self.links = LinkGraph(database)
        self.pages = Pages(database)
        self.feed = Feed(database)
        self.hosts = Hosts(database)
        self.visits = Visits(database, job.revisits)
        self.priority = job.priority
        self.alarms = Alarms(database, run, self.journal, job.alarm)
        self.enrolment = SitemapDiscovery(database, self.discovery, self.journal, self.links, run, job.sitemaps)

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

    def fetched(self, url: int, answer: Page | Outcome | Sitemap, size: int, rule: Rule) -> None:
        """Note the request that was sent for a URL, with what came of it."""
        sent = SentRequest(self.run.id, answer.fetched_at, answer.seconds, answer.status, size, rule, url=url)
        note_fetch(self.database, sent)
        self.alarms.note(url, answer.status, rule)

    def end(
        self, url: int, state: State, rule: Rule, *, moved_to: int | None = None, because: int | None = None
    ) -> None:
        """End the turn of a URL for this round (`Urls.end`)."""
        self.urls.end(url, state, rule, self.run.round, moved_to=moved_to, because=because)
