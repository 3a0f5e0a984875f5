"""What is written for a stored page that was read and filtered again? Everything that has changed.

No request was sent, so the fetch, the visit and the validators stay as they are, and no lease ends. Only new links
enter the frontier. Copies stay copies until all of them were read again; otherwise each would leave and come back.
`settle_copies` then releases those that are copies no longer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from crawldb.learnt import SiteTemplates
from crawldb.pages.clusters import settle
from crawldb.pages.copies import apply_canonical, outdated_originals, release_copies
from crawldb.pages.feed import Feed
from crawldb.pages.pages import Pages
from crawldb.tables.urls import Urls
from frontier.outcomes.page import leads_of, moved_to, rule_of
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawldb.database import CrawlDatabase
    from crawldb.pages.pages import Outgoing
    from crawldb.tables.links import LinkGraph
    from frontier.followers.order import Followers
    from frontier.outcomes.page import PageLinks
    from frontier.store import LeasedUrl, LeaseWriter
    from urls.records import Page


class StoredAgain(NamedTuple):
    """The changes of a page that was read again: its record, its links (URLs in scope), and new URLs."""

    changed: bool = False
    gained: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()
    discovered: int = 0


class PageRewriter:
    """Replaces the records of stored pages that were read and filtered again."""

    def __init__(
        self, database: CrawlDatabase, leases: LeaseWriter, links: PageLinks, graph: LinkGraph, followers: Followers
    ) -> None:
        self._database = database
        self._leases = leases
        self._journal = leases.journal
        self._links = links
        self._graph = graph
        self._clusters = followers.clusters
        self._templates = SiteTemplates(database)
        self._site_names = followers.site_names
        self._copies = followers.copies
        self._near_copies = followers.near_copies
        self._added = followers.added
        self._feed = Feed(database)
        self._pages = Pages(database)
        self._urls = Urls(database)

    def store(self, page: Page, before: Callable[[], Page]) -> StoredAgain:
        """Store a page whose body was read again, within the caller's transaction.

        `before` reads the earlier record: for most pages it is not called.
        """
        leased = self._leases.leased(page.url)
        url, reworded, found = leased.id, set[int](), StoredAgain()
        outgoing = self._pages.outgoing(url)
        if outgoing.leads != leads_of(page):
            old = self._graph.targets(url)
            led = self._links.follow(leased, page)
            outgoing, reworded, new = led.outgoing, led.reworded, self._graph.targets(url)
            found = StoredAgain(old != new, frozenset(new - old), frozenset(old - new), led.found.new)
        changed = self._put(leased, page, before, outgoing, reworded)
        return found._replace(changed=True) if changed else found

    def store_record(self, page: Page, before: Callable[[], Page]) -> bool:
        """Store a page that was filtered again by its record; return whether the record has changed.

        The record has no links, so those of the page stay.
        """
        leased = self._leases.leased(page.url)
        page = replace(page, links=(), links_cut=self._pages.links_of(leased.id))
        return self._put(leased, page, before, self._pages.outgoing(leased.id), set())

    def _put(
        self, leased: LeasedUrl, page: Page, before: Callable[[], Page], outgoing: Outgoing, reworded: set[int]
    ) -> bool:
        url = leased.id
        self._feed.announce(self._site_names.note(leased.site, page.title, again=True))
        page = self._links.set_aside(page, outgoing.canonical)
        self._templates.note(leased.site, url, page)
        cluster = self._clusters.of(url)
        self._near_copies.place(url, page)
        if self._pages.holds(url, page, outgoing) and not reworded:
            return cluster != self._clusters.of(url)
        digest = self._pages.digest(url)
        after = self._pages.put_again(url, page, outgoing)
        for follower in self._added:
            follower.page_read_again(leased, page)
        self._copies.announce(url, reworded, has_changed=after != digest)
        self._explain(url, page, before())
        if rule_of(page) is not rule_of(before()):
            self._urls.correct_end(url, rule_of(page), moved_to(self._database, page), than=rule_of(before()))
        return True

    def _explain(self, url: int, page: Page, before: Page) -> None:
        """Journal the changes: the verdict, and the oddities of the page."""
        for warning in page.warnings:
            if warning not in before.warnings:
                self._journal.write(url, Rule.WARNING, warning)
        for refusal in page.refusals:
            if refusal not in before.refusals:
                self._journal.write(url, refusal.rule, refusal.reason)
        if rule_of(page) is not rule_of(before):
            was, now = (f"refused ({rule_of(one)})" if one.refusals else "kept" for one in (before, page))
            reason = f"it was read and judged again without a fetch: {was} before, {now} now"
            self._journal.write(url, Rule.REREAD, reason)

    def settle_copies(self) -> list[int]:
        """Release the copies of pages with another text since, within the caller's transaction; return their ids.

        Clusters choose their canonicals, as at the end of a run.
        """
        settle(self._database)
        released = []
        for original in outdated_originals(self._database):
            for heir in release_copies(self._database, self._journal, original, stays=True):
                self._feed.announce([heir, *apply_canonical(self._database, self._journal, heir)])
                released.append(heir)
        return released
