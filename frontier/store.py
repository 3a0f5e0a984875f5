"""How is the end of a lease stored so that a crash loses nothing? With everything about it, in one transaction.

One commit has everything or nothing: the page or its outcome, its links, the end of the lease, and the rows of the
journal, of the change feed and of the followers. Several leases may end in one transaction. So a crash at any moment
repeats at most the requests that were not committed. `Store` holds the transaction; `frontier/writer.py` has what is
written; `LeaseWriter` writes the row of the URL, its request, and the end of its turn.

Each request counts for its site as well (`Alarms`). If a site mostly fails, it may be down, moved, or shutting us out,
so a person should look (*HTTP: The Definitive Guide*, 9.5). Ended requests are counted by site and round. Once many of
them have ended and too many of those failed, there is one row in table `alarm` and one in the journal. The crawl
continues: only a person can stop it for a site (`block`).
"""

from __future__ import annotations

from collections import Counter, deque
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.learnt import Purpose
from crawldb.tables.blocks import standing_requests
from crawldb.tables.fetches import (
    SentRequest,
    ended_in_round,
    is_failure,
    newest_failed,
    note_fetch,
    put_alarm,
    sites_with_alarm,
)
from crawldb.tables.hosts import Hosts
from crawldb.tables.journal import Journal
from crawldb.tables.sites import site_name_by_id
from crawldb.tables.urls import Kind, State, Urls, under_way
from frontier.followers.order import CrawlFollower
from frontier.outcomes.sitemap import slices_of
from frontier.policy_in_force import renewed_policy
from frontier.writer import CrawlWriter
from urls.rules import Rule
from urls.wording import counted, shell_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.exchange import Delivery, Exchange
    from crawldb.learnt import Stylesheets
    from crawldb.tables.fetches import AlarmRule
    from crawldb.tables.runs import Run
    from frontier.discovery import Discovered
    from frontier.job import CrawlJob
    from frontier.outcomes.sitemap import ListedPages
    from frontier.takedown import BlacklistFile
    from urls.policy import Policy
    from urls.records import Outcome, Page, Sitemap, Stylesheet

    Response = Page | Outcome | Sitemap | Stylesheet


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


@dataclass(frozen=True, slots=True)
class LeasedUrl:
    """The row of a URL when its lease ends: `id` and `site` are ids, `depth` counts links from a seed."""

    id: int
    site: int
    depth: int
    hops: int  # redirects in a row that led to it
    kind: Kind
    purpose: Purpose | None  # the purpose of a probe
    is_forgotten: bool  # a person made the crawl forget it while it was fetched: its turn in this round is over


class LeaseWriter:
    """Ends the leases of one run."""

    def __init__(
        self, database: CrawlDatabase, run: Run, journal: Journal, followers: Sequence[CrawlFollower] = ()
    ) -> None:
        self._database = database
        self._urls = Urls(database)
        self.followers = list(followers)
        self.run = run
        self.journal = journal

    def leased(self, url: str) -> LeasedUrl:
        """Return the row of a leased URL."""
        row = under_way(self._database, url)
        if row is None:
            raise LookupError(f"{url} was never leased")
        is_forgotten = (row.state, row.rule, row.ended_in) == (State.DONE, Rule.FORGOTTEN, self.run.round)
        purpose = Purpose(row.purpose) if row.purpose else None
        return LeasedUrl(row.id, row.site, row.depth, row.hops, Kind(row.kind), purpose, is_forgotten)

    def note_request(self, leased: LeasedUrl, response: Response, rule: Rule) -> None:
        """Note the request that was sent for a URL, with its outcome."""
        request = (self.run.id, response.fetched_at, response.seconds, response.status, response.size)
        note_fetch(self._database, SentRequest(*request, rule, url=leased.id))
        for follower in self.followers:
            follower.request_ended(leased.site, response.status, rule)

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
        self._urls.end(url, state, rule, self.run.round, moved_to=moved_to, because=because, next_at=next_at)

    def suppress(self, leased: LeasedUrl, rule: Rule, reason: str) -> None:
        """End the turn of a URL that is no page, with the reason in the journal."""
        row = self.journal.write(leased.id, rule, reason)
        self.end(leased.id, State.SUPPRESSED, rule, because=row)

    def rolled_back(self) -> None:
        """Forget changes in memory by a transaction that was rolled back."""
        for follower in self.followers:
            follower.rolled_back()


class Alarms(CrawlFollower):
    """Counts the requests of a round by site, within the transaction that ends each of them."""

    def __init__(self, database: CrawlDatabase, run: Run, journal: Journal, rule: AlarmRule) -> None:
        self._database = database
        self._run = run
        self._journal = journal
        self._rule = rule
        self._counted: tuple[Counter[int], Counter[int]] | None = None  # ended and failed, by site
        self._sounded: set[int] = set()

    def request_ended(self, site: int, status: int | None, rule: str) -> None:
        """Count a request to a site (by its id) that was just written down; sound the alarm if it is one too many."""
        failed = is_failure(status, rule)
        if failed is None:
            return
        if self._counted is None:
            self._counted = self._count()
        else:
            self._counted[0][site] += 1
            self._counted[1][site] += failed
        ended, failures = self._counted[0][site], self._counted[1][site]
        if failed and site not in self._sounded and self._rule.sounds(failures, ended):
            self._sound(site, failures, ended)

    def rolled_back(self) -> None:
        """Forget what a transaction that came to nothing had counted."""
        self._counted = None

    def _count(self) -> tuple[Counter[int], Counter[int]]:
        """Count what the runs of this round before this one, and this one, have requested so far."""
        self._sounded = sites_with_alarm(self._database, self._run.round)
        ended: Counter[int] = Counter()
        failed: Counter[int] = Counter()
        for site, status, rule, count in ended_in_round(self._database, self._run.round):
            failure = is_failure(status, rule)
            if failure is not None:
                ended[site] += count
                failed[site] += count * failure
        return ended, failed

    def _sound(self, site: int, failed: int, ended: int) -> None:
        name = site_name_by_id(self._database, site)
        fetches = counted(ended, "fetch", "fetches")
        block = f"./breadcrumb block --site {shell_word(name)}"
        reason = f"{failed} of {fetches} of {name} failed in this round; {block} leaves it alone"
        put_alarm(self._database, site, self._run.round, failed, ended, reason)
        self._journal.write(None, Rule.ALARM, reason, newest_failed(self._database, site, self._run.id), count=failed)
        self._sounded.add(site)
