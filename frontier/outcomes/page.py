"""What is written for a page? Its links, the page itself, and the end of its lease; then its followers are called.

`CrawledPageWriter.store` has the steps, `frontier/followers/order.py` the list of the followers and the reason for
their order. All of it is one transaction, which the caller holds.

The canonical URL that a page names enters the frontier, and replaces the page in the results. That URL is checked like
a link: an off-site one is only journaled, and private IP addresses and ports fall under the same rules. A chain of
canonical URLs has the same limit as a chain of redirects.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from crawldb.learnt import Purpose
from crawldb.pages.copies import is_shown_as_canonical, note_named, reason_to_stand_aside, stands_elsewhere
from crawldb.pages.pages import Outgoing, Pages
from crawldb.tables.urls import Kind, State, Urls
from crawldb.visited import find
from frontier.discovery import Discovered, Provenance
from frontier.followers.order import WrittenPage
from robots.page_controls import HTML_TYPES
from urls.canonical import canonical_or_none, canonicalize
from urls.records import MAX_HOPS, FoundBy, Refusal
from urls.rules import Rule
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.tables.links import LinkGraph
    from frontier.discovery import Discovery
    from frontier.followers.order import PageFollower
    from frontier.followers.probes import SecondFetch
    from frontier.store import LeasedUrl, LeaseWriter
    from frontier.url_orders import UrlOrder
    from urls.records import Page

LEADS_BYTES = 16  # of a digest
_LINKS_FOLLOWED_DESPITE = frozenset({
    Rule.NOINDEX, Rule.EXPIRED, Rule.EMPTY, Rule.FRAMES, Rule.CANONICAL, Rule.MOVED, Rule.FEED, Rule.LOGIN_WALL,
    Rule.SCRIPT_SHELL,
})  # fmt: skip


class CrawledPageWriter:
    """Stores pages and ends their leases."""

    def __init__(
        self,
        database: CrawlDatabase,
        links: PageLinks,
        leases: LeaseWriter,
        second_fetch: SecondFetch,
        followers: Sequence[PageFollower],
    ) -> None:
        self._database = database
        self._links = links
        self._leases = leases
        self._journal = leases.journal
        self._pages = Pages(database)
        self._second_fetch = second_fetch
        self._followers = [follower.page_stored for follower in followers]

    def store(self, leased: LeasedUrl, page: Page) -> Discovered:
        """Store a page and end its lease; return the URLs found on it."""
        if leased.kind is Kind.SITEMAP and not self._is_page_after_all(leased, page):
            return Discovered()
        is_visit = not (leased.purpose is Purpose.TWICE and self._second_fetch.is_one(leased, page))
        record_before = None if is_visit else self._pages.get(page.url)
        led = self._links.follow(leased, page)
        page = self._links.set_aside(page, led.outgoing.canonical)
        self._explain(leased.id, page)
        before = self._pages.digest(leased.id)
        after = self._pages.put(leased.id, page, led.outgoing)
        rule, target = rule_of(page), moved_to(self._database, page)
        self._leases.note_request(leased, page, Rule.FETCHED if is_visit else Rule.PROBE)
        self._leases.end(leased.id, State.DONE, rule, moved_to=target)
        stored = WrittenPage(
            leased,
            leased.id,
            leased.site,
            page,
            before,
            after,
            is_new=before is None,
            has_changed=before != after,
            is_visit=is_visit,
            record_before=record_before,
            links=led.links,
            reworded=led.reworded,
        )
        for page_stored in self._followers:
            page_stored(stored)
        led.found.asks = stored.asks
        return led.found

    def _is_page_after_all(self, leased: LeasedUrl, page: Page) -> bool:
        """Handle a response to a page request when a robots.txt has just named the URL as a sitemap.

        HTML is a page, whatever names it; anything else waits for the next round, which reads it as a sitemap.
        """
        if page.content_type in HTML_TYPES:
            self._journal.write(leased.id, Rule.NO_SITEMAP, "it is named as a sitemap and is HTML: a page")
            Urls(self._database).turn_into(leased.id, Kind.PAGE)
            return True
        reason = "it was fetched as a page before a robots.txt named it as a sitemap: the next round reads the sitemap"
        self._journal.write(leased.id, Rule.SITEMAP, reason)
        self._leases.note_request(leased, page, Rule.SITEMAP)
        self._leases.end(leased.id, State.DONE, Rule.SITEMAP)
        return False

    def _explain(self, url: int, page: Page) -> None:
        """Journal why a page is rejected, and its oddities."""
        for refusal in page.refusals:
            self._journal.write(url, refusal.rule, refusal.reason)
        for warning in page.warnings:
            self._journal.write(url, Rule.WARNING, warning)
        if page.cut_off:
            reason = (
                "its connection was cut before the server had said that the answer was whole, so more may be missing: "
                "the next visit requests all of it"
            )
            self._journal.write(url, Rule.CUT_OFF, reason)
        if page.links_cut:
            reason = f"{counted(page.links_cut, 'link')} beyond the limit a page not read"
            self._journal.write(url, Rule.LINKS_CUT, reason)


def rule_of(page: Page) -> Rule:
    """Return the rule by which the lease of a page ends."""
    return page.refusals[0].rule if page.refusals else Rule.FETCHED


def moved_to(database: CrawlDatabase, page: Page) -> int | None:
    """Return the id of the URL that a page refreshes to, if it is known and the refresh is why it is rejected."""
    target = canonical_or_none(page.refresh[1]) if page.refresh and rule_of(page) is Rule.MOVED else None
    return find(database.connection, target) if target else None


@dataclass(frozen=True, slots=True)
class FollowedLinks:
    """The links of a page: the URLs found, and the stored links."""

    found: Discovered
    outgoing: Outgoing
    links: set[tuple[int, str]]  # that are followed: the ids of their targets, with their words
    reworded: set[int]  # pages to which links have other words by this page


class PageLinks:
    """Lets all URLs on a page enter the frontier, and puts its links into the graph."""

    def __init__(self, database: CrawlDatabase, discovery: Discovery, graph: LinkGraph, order: UrlOrder) -> None:
        self._database = database
        self._discovery = discovery
        self._journal = discovery.journal
        self._graph = graph
        self._order = order

    def follow(self, leased: LeasedUrl, page: Page) -> FollowedLinks:
        """Follow the links of a page, its refresh and its canonical address."""
        found = self._follow_links(leased, page)
        canonical, elsewhere = self._follow_canonical(leased, page)
        followed = [link for link in page.links if link.url in found.ids and not link.nofollow]
        links = {(found.ids[link.url], link.words) for link in followed}
        reworded = self._graph.replace(leased.id, links)
        if (exchange := self._discovery.exchange).divides:
            note_named(self._database, leased.id, elsewhere)
            exchange.hand_over_links(page.url, leased.depth + 1, _followed_elsewhere(found, page))
        if self._order.counts_links:
            self._order.links_found(found.ids.values())
        return FollowedLinks(found, Outgoing(leads_of(page), found.off_site, canonical), links, reworded)

    def set_aside(self, page: Page, canonical: int | None) -> Page:
        """Return the page as it is to be stored: refused where it is a copy by its own word, of a page in the index."""
        if page.refusals:
            return page
        if canonical is None:
            divides = page.canonical and self._discovery.exchange.divides
            address = stands_elsewhere(self._database, page.url) if divides else None
        else:
            address = page.canonical if is_shown_as_canonical(self._database, canonical) else None
        if not address:
            return page
        return replace(page, refusals=(Refusal(Rule.CANONICAL, reason_to_stand_aside(address)),))

    def _follow_links(self, leased: LeasedUrl, page: Page) -> Discovered:
        """Let the links of a page enter the frontier, and where it refreshes to."""
        url, journal = leased.id, self._journal
        unfollowed = [link.url for link in page.links if link.nofollow]
        followed = [link.url for link in page.links if not link.nofollow]
        if not _is_followed(page):
            if followed:
                journal.write(url, Rule.LINKS_NOT_FOLLOWED, Rule.LINKS_NOT_FOLLOWED.meaning, followed)
            return Discovered()
        if unfollowed:
            journal.write(url, Rule.NOFOLLOW, Rule.NOFOLLOW.meaning, unfollowed)
        texts = {link.url: link.words for link in reversed(page.links)}  # of several, the words of the first
        found = self._discovery.discover(followed, Provenance(FoundBy.LINK, url, leased.depth + 1, texts=texts))
        if page.refresh:
            self._follow_refresh(leased, page.refresh[1], follow=page.controls.follow)
        return found

    def _follow_refresh(self, leased: LeasedUrl, target: str, *, follow: bool) -> None:
        url, hops = leased.id, leased.hops + 1
        if follow and hops <= MAX_HOPS:
            found = self._discovery.discover([target], Provenance(FoundBy.REFRESH, url, leased.depth + 1, hops))
            if found.ids.get(target) == url:
                reason = "its refresh leads back to itself: it is not followed"
                self._journal.write(url, Rule.REFRESH, reason, [target])
            return
        why = f"it is the {hops}th in a row" if follow else "the page says nofollow"
        self._journal.write(url, Rule.REFRESH, f"its refresh is not followed: {why}", [target])

    def _follow_canonical(self, leased: LeasedUrl, page: Page) -> tuple[int | None, str | None]:
        """Return the id of the other URL in scope that a page names as its canonical address, which may be a new one.

        Where another part has it, return its name, which comes second.
        """
        named, url, hops = page.canonical, leased.id, leased.hops + 1
        if not named or named == page.url:
            return None, None
        if hops > MAX_HOPS and find(self._database.connection, named) is None:
            why = f"the canonical address is not followed: it is the {hops}th in a row"
            self._journal.write(url, Rule.CANONICAL, why, [named])
            return None, None
        found = self._discovery.discover([named], Provenance(FoundBy.CANONICAL, url, leased.depth, hops))
        where = "not on a seed's site" if found.off_site else ""
        where = "in another part: both are in the index until all parts were compared" if found.handed_over else where
        if where:
            why = f"the page names {named[:200]} as its canonical address, which is {where}"
            self._journal.write(url, Rule.WARNING, why)
        target = found.ids.get(named)
        return None if target == url else target, canonicalize(named) if found.handed_over else None


def _followed_elsewhere(found: Discovered, page: Page) -> dict[int, set[tuple[str, str]]]:
    """Return the links of a page that other partitions follow, by the number of the partition."""
    links: dict[int, set[tuple[str, str]]] = {}
    for link in page.links:
        if link.url in found.handed_over and not link.nofollow:
            links.setdefault(found.handed_over[link.url], set()).add((canonicalize(link.url), link.words))
    return links


def leads_of(page: Page) -> bytes:
    """Return a digest of all links of a page, and of whether they are followed."""
    links = [(link.url, link.words, link.nofollow) for link in page.links]
    leads = (_is_followed(page), page.controls.follow, links, page.links_cut, page.refresh, page.canonical)
    return blake2b(repr(leads).encode(), digest_size=LEADS_BYTES).digest()


def _is_followed(page: Page) -> bool:
    despite = _LINKS_FOLLOWED_DESPITE | {Rule.DUPLICATE} if page.own_menu else _LINKS_FOLLOWED_DESPITE
    return all(refusal.rule in despite for refusal in page.refusals)
