"""Which followers see a stored page, and in which order?

A page, its links and the end of its lease are written first (frontier/outcomes/page.py). Then each follower sees the
page, in the order of the list below, within the same transaction. So its rows are committed together with the page, or
not at all. A follower whose setting is off is not in the list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from crawldb.learnt import Purpose, SiteProbes, Stylesheets
from crawldb.pages.clusters import Clusters
from crawldb.pages.probe_findings import ProbeFindings
from extension_points import call_extensions
from frontier.followers.page_changes import Copies, NearCopies, Revisits, SiteNames, TemplateSample
from frontier.followers.probes import MissingPageProbe, SecondFetch, SiteStylesheets
from frontier.followers.traps import TrapProbe, TrapYield

if TYPE_CHECKING:
    from collections.abc import Collection

    from crawldb.database import CrawlDatabase
    from crawldb.pages.pages import PageDigest
    from frontier.discovery import Discovery
    from frontier.job import CrawlJob
    from frontier.store import LeasedUrl, LeaseWriter
    from urls.records import Outcome, Page
    from urls.rules import Rule


@dataclass(slots=True)
class WrittenPage:
    """A page that was just stored, and its data so far. Followers add their results."""

    leased: LeasedUrl
    url: int  # the id of its URL
    site: int  # the id of its site
    page: Page  # as it is stored; NearCopies adds its near duplicate
    before: PageDigest | None  # of what was stored until now
    after: PageDigest
    is_new: bool  # nothing was stored under its URL until now
    has_changed: bool  # its text differs from the stored one
    is_visit: bool  # it is not the second of two fetches in a row
    record_before: Page | None  # as it was stored until now; of a second fetch alone
    links: Collection[tuple[int, str]]  # that are followed: the ids of their targets, with their words
    reworded: Collection[int]  # ids of pages to which links have other words by this page
    has_new_content: bool = False  # TrapYield sets it
    asks: bool = False  # whether something is requested of the site that goes before all else


class PageFollower(Protocol):
    """Does what follows from a stored page."""

    def page_stored(self, stored: WrittenPage) -> None:
        """Take in a page that was stored, within the caller's transaction."""


class CrawlFollower:
    """Does what follows from the end of a lease, within the same transaction. A follower overrides its part."""

    def request_ended(self, site: int, status: int | None, rule: Rule) -> None:
        """Take in that a request to a site (by its id) ended with a status, None for no response, and by a rule."""

    def page_stored(self, stored: WrittenPage) -> None:
        """Take in a page that was stored."""

    def page_read_again(self, leased: LeasedUrl, page: Page) -> None:
        """Take in a stored page that was read again without a request, and has changed by that."""

    def rolled_back(self) -> None:
        """Forget what a transaction that came to nothing had put into memory."""


class Probe(Protocol):
    """Sends a probe to a site, and takes the response: it is no page, and ends the lease itself."""

    def response_stored(self, leased: LeasedUrl, response: Page | Outcome) -> None:
        """End the lease of a probe, and keep what its response shows."""


class Followers:
    """The followers of one crawl, each with its collaborators, and the tables of their results."""

    def __init__(self, database: CrawlDatabase, job: CrawlJob, discovery: Discovery, leases: LeaseWriter) -> None:
        journal, probes = leases.journal, SiteProbes(database)
        self.findings = findings = ProbeFindings(database)
        self.sheets = sheets = Stylesheets(database)
        self.clusters = clusters = Clusters(database, job.near_duplicates_from)
        self._job = job
        self.added: list[CrawlFollower] = call_extensions("crawl_followers", database=database, job=job)
        leases.followers += self.added
        self._with_memory = (probes, findings, sheets, clusters)
        self.site_names = SiteNames(database)
        self.template_sample = TemplateSample(database)
        self.copies = Copies(database, journal)
        self.near_copies = NearCopies(database, journal, clusters)
        self.revisits = Revisits(database, job.revisits)
        self.trap_yield = TrapYield(database, discovery.budgets, journal)
        self.missing_page = MissingPageProbe(database, discovery, leases, probes, findings, job)
        self.trap_probe = TrapProbe(database, discovery, leases, probes, clusters, self.trap_yield)
        self.second_fetch = SecondFetch(database, journal, probes, findings, job.probe_after)
        self.stylesheets = SiteStylesheets(database, discovery, leases, probes, findings, sheets, job)
        self.probes: dict[Purpose | None, Probe] = {Purpose.MISSING: self.missing_page, Purpose.TRAP: self.trap_probe}

    def in_order(self) -> list[PageFollower]:
        """Return the followers that see each page, with the reason for their order."""
        asks = self._job.probe_after > 0
        return [
            self.site_names,  # first: the pages that it announces come before the stored page in the change feed
            self.template_sample,  # reads the page alone, so its place is free
            self.copies,  # before `near_copies`, which need not announce a page that is announced already
            self.near_copies,  # before all that check whether a page has new content
            *self.added,  # those of extensions: what they queue comes before what the probes below queue
            self.revisits,  # checks only whether the page has changed
            self.trap_yield,  # after `near_copies`: a near copy has no new content
            *([self.missing_page] if asks else []),  # before the other probes: it is requested first
            self.trap_probe,  # after `trap_yield`: only a page with new content requests this probe
            self.second_fetch,  # after the other probes: what it requests comes last of its site
            *([self.stylesheets] if asks else []),  # last: a stored sheet lets pages be filtered again
        ]

    def rolled_back(self) -> None:
        """Forget what a transaction that was rolled back had put into memory."""
        for table in self._with_memory:
            table.rolled_back()
