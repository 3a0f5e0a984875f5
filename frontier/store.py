"""What is written when a lease ends? Everything about it, in one transaction.

The page or its outcome, the links that it led to, the journal's rows, the change feed and the end of the lease are on
the disk together, or none of them is; several endings may share a transaction. So a crash at any instant repeats at
most what had not ended, and loses nothing.
"""

from __future__ import annotations

from collections import deque
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from crawldb.learnt.probes import Purpose
from crawldb.tables.archived import flag_forgotten
from crawldb.tables.urls import Kind
from frontier.delivery import store_delivery
from frontier.discovery import Discovered
from frontier.followers.probes import is_made_up, store_answer
from frontier.followers.stylesheets import store_sheet
from frontier.outcomes.lease import Ledger
from frontier.outcomes.no_page import store_outcome, store_refusal
from frontier.outcomes.page import store_page
from frontier.outcomes.page_again import settle_copies
from frontier.outcomes.sitemap import ListedPages, slices_of
from frontier.policy_in_force import renewed_policy
from urls.records import Fate
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.learnt.stylesheets import Stylesheets
    from crawldb.parts.exchange import Delivery, Exchange
    from crawldb.tables.archived import ArchivedPlaces
    from crawldb.tables.hosts import Hosts
    from crawldb.tables.journal import Journal
    from crawldb.tables.runs import Run
    from frontier.blacklist_file import BlacklistFile
    from frontier.job import CrawlJob
    from frontier.outcomes.lease import LeasedUrl
    from urls.policy import Policy
    from urls.records import CanonicalUrl, Outcome, Page, Refusal
    from urls.sitemap_records import Sitemap
    from urls.stylesheet_record import Stylesheet

JUDGED_AT_ONCE = 50  # pages, in one transaction: some 200 ms, for which everything else waits


class JudgeRecord(Protocol):
    """Judges a stored page again by its record, and stores what is new (pipelines/again.py)."""

    def __call__(self, ledger: Ledger, *, url: int, before: Page) -> bool:
        """Return whether the page with this id is another one than `before` now."""


class Store:
    """Ends leases. One instance a crawl, on the crawl's own connection."""

    def __init__(
        self, database: CrawlDatabase, policy: Policy, run: Run, job: CrawlJob, blacklist_file: BlacklistFile
    ) -> None:
        self._database = database
        self._ledger = Ledger(database, policy, run, job)
        self._blacklist_file = blacklist_file
        self.places: ArchivedPlaces | None = None  # of an archive, where the crawl writes one
        self._requests_seen: object = None
        self._is_open = False  # whether a transaction of several endings is

    @property
    def journal(self) -> Journal:
        """The journal of this run."""
        return self._ledger.journal

    @property
    def exchange(self) -> Exchange:
        """The way to the other parts of the crawl."""
        return self._ledger.discovery.exchange

    @property
    def hosts(self) -> Hosts:
        """What is known of the hosts: when each was last asked, and until when it rests."""
        return self._ledger.hosts

    @property
    def stylesheets(self) -> Stylesheets:
        """What is known of the stylesheets of sites."""
        return self._ledger.stylesheets

    def page(self, page: Page) -> Discovered:
        """Store a page and end its lease; return what became of its links.

        A page that a person blocked while it was being fetched is refused, and what it said is not kept; one that a
        person made the crawl forget meanwhile waits for the next round.
        """
        with self._writing() as policy:
            leased = self._ledger.leased(page.url)
            refusal = self._refusal(leased, page.url, policy)
            self._let_go(leased, page.url, refusal)
            if leased.is_forgotten:
                self._ledger.note_fetch(leased, page, Rule.FORGOTTEN)
            elif refusal is not None:
                store_refusal(self._ledger, leased, page, refusal)
            elif is_made_up(leased):
                store_answer(self._ledger, leased, page)
            else:
                return store_page(self._ledger, leased, page)
            return Discovered()

    def judge_again(self, judge: JudgeRecord) -> Iterator[None]:
        """Judge the stored pages that wait for it, without a fetch; after each transaction other work may be done."""
        while self._ledger.lessons.any_waits():
            with self._writing():
                for url, page in self._ledger.lessons.pages_to_judge(JUDGED_AT_ONCE):
                    judge(self._ledger, url=url, before=page)
                if not self._ledger.lessons.any_waits():
                    settle_copies(self._ledger)
            yield

    def sitemap(self, sitemap: Sitemap) -> Discovered:
        """Store what a sitemap lists and end its lease; return what became of the pages."""
        return deque(self.sitemap_in_slices(sitemap), maxlen=1).pop()

    def sitemap_in_slices(self, sitemap: Sitemap) -> Iterator[Discovered]:
        """Store what a sitemap lists, a slice a transaction, and end its lease with the last one.

        After each transaction this yields what became of the pages so far: other work may be done then.
        """
        listed: ListedPages | None = None
        *others, last = slices_of(sitemap)
        for entries in (*others, last):
            with self._writing() as policy:
                leased = self._ledger.leased(sitemap.url)
                refusal = policy.blacklist.refusal(sitemap.url)
                self._let_go(leased, sitemap.url, refusal)
                listed = listed or ListedPages(self._ledger, leased, sitemap)
                if refusal is not None:
                    store_refusal(self._ledger, leased, sitemap, refusal)
                else:
                    listed.store(self._ledger, leased, entries)
                    if entries is last:
                        listed.end(self._ledger, leased)
            yield listed.found
            if refusal is not None:
                return

    def outcome(self, outcome: Outcome) -> None:
        """Store how a lease ended without a page."""
        with self._writing() as policy:
            leased = self._ledger.leased(outcome.url)
            refusal = self._refusal(leased, outcome.url, policy)
            self._let_go(leased, outcome.url, refusal)
            if not leased.is_forgotten:
                if refusal is not None:
                    outcome = replace(outcome, fate=Fate.REFUSED, rule=refusal.rule, reason=refusal.reason)
                store_outcome(self._ledger, leased, outcome)
            elif outcome.requested:
                self._ledger.note_fetch(leased, outcome, Rule.FORGOTTEN)

    def stylesheet(self, sheet: Stylesheet) -> bool:
        """Store what a stylesheet says and end its lease; return whether others are asked for because of it."""
        with self._writing() as policy:
            leased = self._ledger.leased(sheet.url)
            refusal = policy.blacklist.refusal(sheet.url)
            self._let_go(leased, sheet.url, refusal)
            if leased.is_forgotten:
                self._ledger.note_fetch(leased, sheet, Rule.FORGOTTEN)
            elif refusal is not None:
                store_refusal(self._ledger, leased, sheet, refusal)
            else:
                return store_sheet(self._ledger, leased, sheet)
            return False

    def name_sitemaps(self, origin: str, urls: Sequence[str]) -> bool:
        """Take over which sitemaps the robots.txt of `origin` names; return whether that differs from before."""
        with self._writing():
            return self._ledger.sitemaps.name(origin, urls)

    def receive(self, delivery: Delivery) -> Discovered:
        """Take in what another part of a divided crawl has handed over; what is known already stays as it is."""
        with self._writing() as policy:
            return store_delivery(self._ledger, policy, delivery)

    @contextmanager
    def judging_again(self) -> Iterator[Ledger]:
        """Give the tables for one transaction, in which stored pages are judged again (pipelines/again.py)."""
        with self._writing():
            yield self._ledger

    def note(self, rule: Rule, reason: str) -> None:
        """Journal what concerns the run as a whole."""
        with self._writing():
            self.journal.write(None, rule, reason)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Make one transaction of all that ends within the block: all of it is written, or nothing."""
        with self._writing():
            self._is_open = True
            try:
                yield
            finally:
                self._is_open = False

    def write_notes(self) -> None:
        """Write, within a transaction, what is known by now of hosts, and where the archive has what it got."""
        self._ledger.hosts.write()
        if self.places is not None:
            self.places.write()

    @contextmanager
    def _writing(self) -> Iterator[Policy]:
        if self._is_open:
            yield self._ledger.discovery.policy
            return
        try:
            with self._database.transaction():
                self.write_notes()
                yield self._current_policy()
        except BaseException:
            self._ledger.rolled_back()
            if self.places is not None:
                self.places.rolled_back()
            self._blacklist_file.forget()
            raise

    def _current_policy(self) -> Policy:
        """Return the policy with what `block`, `submit`, `suggest` and a file have changed since the run began."""
        if self._blacklist_file.has_changed():
            self._blacklist_file.follow(self._database, self.journal)
        discovery = self._ledger.discovery
        row = self._database.connection.execute(
            "SELECT (SELECT count(*) FROM block), (SELECT max(at) FROM block), (SELECT times FROM option_change), "
            "(SELECT count(*) FROM url WHERE seed = 1), (SELECT count(*) FROM exemption)"
        ).fetchone()
        if row != self._requests_seen:
            self._requests_seen = row
            discovery.obey(renewed_policy(discovery.policy, self._database))
        return discovery.policy

    def _let_go(self, leased: LeasedUrl, url: CanonicalUrl, refusal: Refusal | None) -> None:
        """Take out of the archive what came for a URL that a person took out meanwhile."""
        if self.places is not None and (leased.is_forgotten or refusal is not None):
            flag_forgotten(self._database, [url])

    @staticmethod
    def _refusal(leased: LeasedUrl, url: CanonicalUrl, policy: Policy) -> Refusal | None:
        """Return why what came is not kept: meanwhile its URL was blocked, or an option gave it another name.

        A sitemap, or a stylesheet, is read under the name that it was given.
        """
        blocked = policy.blacklist.refusal(url)
        is_page = leased.kind is not Kind.SITEMAP and leased.purpose is not Purpose.STYLESHEET
        return policy.options.refusal(url) if is_page and blocked is None else blocked
