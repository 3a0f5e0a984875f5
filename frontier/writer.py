"""What happens to a URL when its lease ends? One method for each item, each within the caller's transaction.

An item is a page, an outcome (no page came), a sitemap or a stylesheet. Each method reads the leased row and calls the
writer that ends such a lease.

    page        of a probe: the follower that made the probe; else: CrawledPageWriter, then the followers in order
    outcome     OutcomeWriter: deferred, refused, gone, moved, failed or not modified
    sitemap     SitemapWriter, slice by slice
    stylesheet  SiteStylesheets

A person may block or forget a URL while it is fetched. A blocked URL ends as refused, a forgotten one waits for the
next round; the response is not stored.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from crawldb.learnt import Purpose
from crawldb.tables.links import LinkGraph
from crawldb.tables.urls import Kind
from frontier.delivery import DeliveryWriter
from frontier.discovery import Discovered, Discovery
from frontier.followers.order import Followers
from frontier.outcomes.no_page import OutcomeWriter
from frontier.outcomes.page import CrawledPageWriter, PageLinks
from frontier.outcomes.page_again import PageRewriter
from frontier.outcomes.sitemap import SitemapDiscovery, SitemapWriter
from frontier.url_orders import order_of
from urls.records import LeaseEnd
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawldb.database import CrawlDatabase
    from extension_points import RecorderNotes
    from frontier.job import CrawlJob
    from frontier.outcomes.sitemap import ListedPages
    from frontier.store import LeasedUrl, LeaseWriter
    from urls.policy import Policy
    from urls.records import CanonicalUrl, Outcome, Page, Refusal, Sitemap, SitemapEntry, Stylesheet


class CrawlWriter:
    """Ends leases, on the crawl's own connection. The caller holds a transaction."""

    def __init__(self, database: CrawlDatabase, policy: Policy, job: CrawlJob, leases: LeaseWriter) -> None:
        self.database = database
        self.leases = leases
        self.journal = leases.journal
        self.discovery = discovery = Discovery(database, policy, leases.journal)
        self.sitemap_names = SitemapDiscovery(database, discovery, leases.run, job.sitemaps)
        self.recorded: list[RecorderNotes[Any]] = []
        self.followers = followers = Followers(database, job, discovery, leases)
        self._graph = graph = LinkGraph(database)
        links = PageLinks(database, discovery, graph, order_of(database, job))
        self.pages = CrawledPageWriter(database, links, leases, followers.second_fetch, followers.in_order())
        self.pages_again = PageRewriter(database, leases, links, graph, followers)
        self._sitemaps = SitemapWriter(database, discovery, leases, self.sitemap_names)
        self.outcomes = OutcomeWriter(database, discovery, leases, self._sitemaps, followers)
        self.deliveries = DeliveryWriter(database, discovery, graph)

    def page(self, page: Page) -> Discovered:
        """Store a page and end its lease; return the URLs that it links to."""
        leased, refusal = self._leased(page.url)
        if leased.is_forgotten:
            self.leases.note_request(leased, page, Rule.FORGOTTEN)
        elif refusal is not None:
            self.outcomes.refuse(leased, page, refusal)
        elif leased.purpose in self.followers.probes:
            self.followers.probes[leased.purpose].response_stored(leased, page)
        else:
            return self.pages.store(leased, page)
        return Discovered()

    def outcome(self, outcome: Outcome) -> None:
        """Store how a lease ended without a page."""
        leased, refusal = self._leased(outcome.url)
        if leased.is_forgotten:
            if outcome.requested:
                self.leases.note_request(leased, outcome, Rule.FORGOTTEN)
            return
        if refusal is not None:
            outcome = replace(outcome, fate=LeaseEnd.REFUSED, rule=refusal.rule, reason=refusal.reason)
        self.outcomes.store(leased, outcome)

    def sitemap_slice(
        self, sitemap: Sitemap, listed: ListedPages | None, entries: Sequence[SitemapEntry], *, is_last: bool
    ) -> ListedPages:
        """Store some of the pages that a sitemap lists, after those `listed` so far; the last slice ends its lease.

        Return the pages that are listed by then.
        """
        leased, refusal = self._leased(sitemap.url, has_options=False)
        listed = listed or self._sitemaps.begin(leased, sitemap)
        if refusal is not None:
            self.outcomes.refuse(leased, sitemap, refusal)
            listed.is_over = True
            return listed
        self._sitemaps.store(listed, entries)
        if is_last:
            self._sitemaps.end(listed)
        return listed

    def stylesheet(self, sheet: Stylesheet) -> bool:
        """Store a stylesheet and end its lease; return whether others are requested because of it."""
        leased, refusal = self._leased(sheet.url, has_options=False)
        if leased.is_forgotten:
            self.leases.note_request(leased, sheet, Rule.FORGOTTEN)
        elif refusal is not None:
            self.outcomes.refuse(leased, sheet, refusal)
        else:
            return self.followers.stylesheets.sheet_stored(leased, sheet)
        return False

    def _leased(self, url: CanonicalUrl, *, has_options: bool = True) -> tuple[LeasedUrl, Refusal | None]:
        """Return the row of a URL, and why its response is not stored: the URL was blocked, or has another name now.

        An option of its site gives a page another name. Sitemaps and stylesheets keep the URL that was given.
        """
        leased, policy = self.leases.leased(url), self.discovery.policy
        refusal = policy.blacklist.refusal(url)
        has_options = has_options and leased.kind is not Kind.SITEMAP and leased.purpose is not Purpose.STYLESHEET
        if refusal is None and has_options:
            refusal = policy.options.refusal(url)
        for notes in self.recorded if leased.is_forgotten or refusal is not None else ():
            notes.not_kept(url)
        return leased, refusal

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold a transaction; if it is rolled back, so are the tables in memory."""
        try:
            with self.database.transaction():
                yield
        except BaseException:
            self.rolled_back()
            raise

    def rolled_back(self) -> None:
        """Forget what a transaction that was rolled back had put into memory."""
        for table in (self.discovery, self._graph, self.followers, self.leases):
            table.rolled_back()
