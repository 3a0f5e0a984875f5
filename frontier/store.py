"""How is the end of a lease stored so that a crash loses nothing? With everything about it, in one transaction.

One commit has everything or nothing: the page or its outcome, its links, the end of the lease, and the rows of the
journal, of the change feed and of the followers. Several leases may end in one transaction. So a crash at any moment
repeats at most the requests that were not committed. `frontier/writer.py` has what is written.
"""

from __future__ import annotations

from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING

from crawldb.tables.blocks import standing_requests
from crawldb.tables.hosts import Hosts
from crawldb.tables.journal import Journal
from frontier.outcomes.lease import Alarms, LeaseWriter
from frontier.outcomes.sitemap import slices_of
from frontier.policy_in_force import renewed_policy
from frontier.writer import CrawlWriter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.exchange import Delivery, Exchange
    from crawldb.learnt import Stylesheets
    from crawldb.tables.runs import Run
    from frontier.discovery import Discovered
    from frontier.job import CrawlJob
    from frontier.outcomes.sitemap import ListedPages
    from frontier.takedown import BlacklistFile
    from urls.policy import Policy
    from urls.records import Outcome, Page, Sitemap, Stylesheet
    from urls.rules import Rule


class Store:
    """Ends leases, each in a transaction. One instance a crawl, on the crawl's own connection."""

    def __init__(
        self, database: CrawlDatabase, policy: Policy, run: Run, job: CrawlJob, blacklist_file: BlacklistFile
    ) -> None:
        self._database = database
        self.journal = Journal(database, run.id)
        leases = LeaseWriter(database, run, self.journal, [Alarms(database, run, self.journal, job.alarm)])
        self.writer = CrawlWriter(database, policy, job, leases)
        self.hosts = Hosts(database)  # the last request to each host, and until when it rests
        self._blacklist_file = blacklist_file
        self._requests_seen: object = None
        self._is_open = False  # whether a transaction in which several leases end is

    @property
    def exchange(self) -> Exchange:
        """The exchange with the other partitions of the crawl."""
        return self.writer.discovery.exchange

    @property
    def stylesheets(self) -> Stylesheets:
        """The stylesheets of sites."""
        return self.writer.followers.sheets

    def page(self, page: Page) -> Discovered:
        """Store a page and end its lease; return the URLs that it links to."""
        with self.transaction():
            return self.writer.page(page)

    def outcome(self, outcome: Outcome) -> None:
        """Store how a lease ended without a page."""
        with self.transaction():
            self.writer.outcome(outcome)

    def stylesheet(self, sheet: Stylesheet) -> bool:
        """Store the rules of a stylesheet and end its lease; return whether others are requested because of it."""
        with self.transaction():
            return self.writer.stylesheet(sheet)

    def sitemap(self, sitemap: Sitemap) -> Discovered:
        """Store the entries of a sitemap and end its lease; return the URLs found in it."""
        return deque(self.sitemap_in_slices(sitemap), maxlen=1).pop()

    def sitemap_in_slices(self, sitemap: Sitemap) -> Iterator[Discovered]:
        """Store the entries of a sitemap, a slice a transaction, and end its lease with the last one.

        After each transaction it yields the URLs found so far: other work may be done then.
        """
        listed: ListedPages | None = None
        slices = slices_of(sitemap)
        for number, entries in enumerate(slices, start=1):
            with self.transaction():
                listed = self.writer.sitemap_slice(sitemap, listed, entries, is_last=number == len(slices))
            yield listed.found
            if listed.is_over:
                return

    def receive(self, delivery: Delivery) -> Discovered:
        """Store the URLs and links that another partition of the crawl hands over; known URLs stay as they are."""
        with self.transaction():
            return self.writer.deliveries.store(delivery)

    def name_sitemaps(self, origin: str, urls: Sequence[str]) -> bool:
        """Take over which sitemaps the robots.txt of `origin` names; return whether that differs from before."""
        with self.transaction():
            return self.writer.sitemap_names.name(origin, urls)

    def note(self, rule: Rule, reason: str) -> None:
        """Journal an event of the run as a whole."""
        with self.transaction():
            self.journal.write(None, rule, reason)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Make one transaction of all that ends within the block: all of it is written, or nothing."""
        with self.transaction():
            self._is_open = True
            try:
                yield
            finally:
                self._is_open = False

    @contextmanager
    def transaction(self) -> Iterator[CrawlWriter]:
        """Hold a transaction under the policy that holds by now; within `together`, it is that one's."""
        if self._is_open:
            yield self.writer
            return
        try:
            with self._database.transaction():
                self.write_notes()
                self._renew_policy()
                yield self.writer
        except BaseException:
            self.writer.rolled_back()
            self.hosts.rolled_back()
            for notes in self.writer.recorded:
                notes.rolled_back()
            self._blacklist_file.forget()
            raise

    def write_notes(self) -> None:
        """Write, within a transaction, the state of hosts, and the notes of recorders."""
        if self.hosts.changed:
            self.hosts.write()
        for notes in self.writer.recorded:
            notes.write()

    def _renew_policy(self) -> None:
        """Obey the changes of `block`, `submit`, `suggest` and a file since the run began."""
        if self._blacklist_file.is_named and self._blacklist_file.has_changed():
            self._blacklist_file.reload(self._database, self.journal)
        seen = standing_requests(self._database)
        if seen != self._requests_seen:
            self._requests_seen = seen
            discovery = self.writer.discovery
            discovery.use_policy(renewed_policy(discovery.policy, self._database))
