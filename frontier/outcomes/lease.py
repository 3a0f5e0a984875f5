"""What does every ending of a lease need? The row that was leased, and the tables in which the ending is written."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.learnt.lessons import Lessons
from crawldb.learnt.probes import Purpose, SiteProbes
from crawldb.learnt.site_names import SiteNames
from crawldb.learnt.site_templates import SiteTemplates
from crawldb.learnt.stylesheets import Stylesheets
from crawldb.pages.clusters import Clusters
from crawldb.pages.pages import Pages
from crawldb.tables.feed import Feed
from crawldb.tables.fetches import Alarms, SentRequest, note_fetch
from crawldb.tables.hosts import Hosts
from crawldb.tables.journal import Journal
from crawldb.tables.links import LinkGraph
from crawldb.tables.urls import Kind, State, Urls
from crawldb.tables.visits import Visits
from crawldb.visited import find_row
from frontier.discovery import Discovery
from frontier.followers.topic import PromiseOrder
from frontier.sitemap_discovery import SitemapDiscovery
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.database import CrawlDatabase
    from crawldb.tables.runs import Run
    from frontier.job import CrawlJob
    from urls.policy import Policy
    from urls.records import Outcome, Page
    from urls.sitemap_records import Sitemap
    from urls.stylesheet_record import Stylesheet


_LEASED = "url.id, site, depth, hops, kind, (SELECT purpose FROM probe WHERE probe.url = url.id), state, rule, ended_in"


@dataclass(frozen=True, slots=True)
class LeasedUrl:
    """The row of a URL when its lease ends: `id` and `site` are ids, `depth` counts links from a seed."""

    id: int
    site: int
    depth: int
    hops: int  # redirects in a row that led to it
    kind: Kind
    purpose: Purpose | None  # of a probe: what it is to find out
    is_forgotten: bool  # a person made the crawl forget it while it was fetched: its turn in this round is over


class Ledger:
    """The tables in which leases end, on the crawl's own connection. Who writes holds a transaction."""

    def __init__(self, database: CrawlDatabase, policy: Policy, run: Run, job: CrawlJob) -> None:
        self.database = database
        self.connection = database.connection
        self.run = run
        self.urls = Urls(database)
        self.journal = Journal(database, run.id)
        self.discovery = Discovery(database, policy, self.journal)
        self.links = LinkGraph(database)
        self.pages = Pages(database)
        self.site_names = SiteNames(database)
        self.templates = SiteTemplates(database)
        self.probes = SiteProbes(database)
        self.lessons = Lessons(database)
        self.stylesheets = Stylesheets(database)
        self.probe_after = job.probe_after
        self.most_revisit = job.revisits.most
        self.clusters = Clusters(database, job.near_duplicates_from)
        self.feed = Feed(database)
        self.hosts = Hosts(database)
        self.visits = Visits(database, job.revisits)
        self.priority = job.priority
        self.promises = PromiseOrder(database, job.topic) if job.topic else None
        self.sitemaps = SitemapDiscovery(database, self.discovery, run, job.sitemaps)
        self._alarms = Alarms(database, run, self.journal, job.alarm)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold a transaction; where it comes to nothing, the memory of the tables goes back with it."""
        try:
            with self.database.transaction():
                yield
        except BaseException:
            self.rolled_back()
            raise

    def rolled_back(self) -> None:
        """Forget what a transaction that came to nothing had put into memory."""
        self.discovery.rolled_back()
        self.links.rolled_back()
        self.probes.rolled_back()
        self.lessons.rolled_back()
        self.stylesheets.rolled_back()
        self.clusters.rolled_back()
        self.hosts.rolled_back()
        self._alarms.rolled_back()

    def leased(self, url: str) -> LeasedUrl:
        """Return the row of a leased URL."""
        row = find_row(self.connection, _LEASED, url)
        if row is None:
            raise LookupError(f"{url} was never leased")
        identity, site, depth, hops, kind, purpose, *ended = row
        is_forgotten = ended == [State.DONE, Rule.FORGOTTEN, self.run.round]
        return LeasedUrl(identity, site, depth, hops, Kind(kind), Purpose(purpose) if purpose else None, is_forgotten)

    def note_fetch(self, leased: LeasedUrl, answer: Page | Outcome | Sitemap | Stylesheet, rule: Rule) -> None:
        """Note the request that was sent for a URL, with what came of it."""
        request = (self.run.id, answer.fetched_at, answer.seconds, answer.status, answer.size)
        note_fetch(self.database, SentRequest(*request, rule, url=leased.id))
        self._alarms.note(leased.site, answer.status, rule)

    def end(
        self,
        url: int,
        state: State,
        rule: Rule,
        *,
        moved_to: int | None = None,
        because: int | None = None,
        next_at: float | None = None,
    ) -> None:
        """End the turn of a URL for this round (`Urls.end`)."""
        self.urls.end(url, state, rule, self.run.round, moved_to=moved_to, because=because, next_at=next_at)
