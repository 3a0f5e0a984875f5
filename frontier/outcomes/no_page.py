"""What is written for a lease without a page? It was not modified, moved, gone, refused, deferred or failed.

A URL that has to wait is queued again, due later, and with it all URLs that wait for the same reason. The target of a
redirect enters the frontier; if it can't, the journal says why.

For a page that was not modified, the visit is noted, and the X-Robots-Tag lines of the response. A 304 has no body and
can't change the text of the page, but these lines replace the earlier ones (RFC 9111, 3.2). So a header alone can take
a page out of the results. To come in again, a page has to be fetched as a whole: the text of a noindex page is not
kept.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from crawldb.learnt import Purpose
from crawldb.pages.clusters import leave
from crawldb.pages.copies import apply_canonical, release_copies, take_out
from crawldb.pages.feed import Feed
from crawldb.pages.pages import Pages
from crawldb.tables.links import leads_back
from crawldb.tables.urls import Kind, State, Urls
from frontier.discovery import Provenance
from robots import renewed_controls
from urls.canonical import canonicalize, mask_credentials
from urls.records import MAX_HOPS, FoundBy, LeaseEnd, Outcome, refusal_of_controls
from urls.rules import Rule

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from frontier.discovery import Discovery
    from frontier.followers.order import Followers
    from frontier.outcomes.sitemap import SitemapWriter
    from frontier.store import LeasedUrl, LeaseWriter
    from urls.records import Page, Refusal, Sitemap, Stylesheet

NOTHING_TO_READ = frozenset({204, 205})  # status codes by which a server says that a page has no content any longer


class OutcomeWriter:
    """Ends leases without a page: one method for each fate."""

    def __init__(
        self,
        database: CrawlDatabase,
        discovery: Discovery,
        leases: LeaseWriter,
        sitemaps: SitemapWriter,
        followers: Followers,
    ) -> None:
        self._database = database
        self._discovery = discovery
        self._leases = leases
        self._journal = leases.journal
        self._sitemaps = sitemaps
        self._revisits = followers.revisits
        self._second_fetch = followers.second_fetch
        self._sheets = followers.stylesheets
        self._probes = followers.probes
        self._feed = Feed(database)
        self._pages = Pages(database)
        self._urls = Urls(database)
        self._by_fate = {
            LeaseEnd.NOT_MODIFIED: self._not_modified,
            LeaseEnd.MOVED: self._moved,
            LeaseEnd.GONE: self._gone,
            LeaseEnd.REFUSED: self._refused,
            LeaseEnd.DEFERRED: self._deferred,
            LeaseEnd.FAILED: self._failed,
        }

    def store(self, leased: LeasedUrl, outcome: Outcome) -> None:
        """End a lease without a page: as a probe or a stylesheet, where it was one, else by its fate."""
        if outcome.fate is not LeaseEnd.DEFERRED:
            if leased.purpose in self._probes:
                self._probes[leased.purpose].response_stored(leased, outcome)
                return
            if leased.purpose is Purpose.STYLESHEET:
                self._sheets.no_sheet(leased, outcome)
                return
            self._second_fetch.no_page(leased)
        if leased.kind is Kind.SITEMAP and outcome.fate is LeaseEnd.NOT_MODIFIED:
            outcome = replace(outcome, rule=Rule.SITEMAP_UNCHANGED)  # it does not count as a page
        if outcome.requested:
            self._leases.note_request(leased, outcome, outcome.rule)
        self._by_fate[outcome.fate](leased, outcome)

    def refuse(self, leased: LeasedUrl, item: Page | Sitemap | Stylesheet, refusal: Refusal) -> None:
        """End the lease of a URL that was refused during its fetch; do not store the response."""
        refused = Outcome(item.url, LeaseEnd.REFUSED, refusal.rule, refusal.reason, item.status)
        self.store(leased, replace(refused, fetched_at=item.fetched_at, seconds=item.seconds, size=item.size))

    # -- The fates

    def _gone(self, leased: LeasedUrl, outcome: Outcome) -> None:
        self._journal.write(leased.id, outcome.rule, outcome.reason)
        self._urls.miss(leased.id)
        take_out(self._database, self._journal, leased.id)
        self._leases.end(leased.id, State.FAILED, outcome.rule)
        self._announce(leased, outcome)

    def _refused(self, leased: LeasedUrl, outcome: Outcome) -> None:
        row = self._journal.write(leased.id, outcome.rule, outcome.reason)
        if outcome.rule is Rule.ROBOTS:
            self._warn_of_hidden_noindex(leased, outcome)
        take_out(self._database, self._journal, leased.id)
        self._leases.end(leased.id, State.SUPPRESSED, outcome.rule, because=row)
        self._announce(leased, outcome)

    def _failed(self, leased: LeasedUrl, outcome: Outcome) -> None:
        self._journal.write(leased.id, outcome.rule, outcome.reason)
        if outcome.status in NOTHING_TO_READ:
            take_out(self._database, self._journal, leased.id)
        self._leases.end(leased.id, State.FAILED, outcome.rule)
        self._announce(leased, outcome)

    def _announce(self, leased: LeasedUrl, outcome: Outcome) -> None:
        """Announce a URL that may be a result by the links to it: now, or until now."""
        announce = self._feed.announce if outcome.rule is Rule.ROBOTS else self._feed.announce_again
        announce([leased.id])

    def _warn_of_hidden_noindex(self, leased: LeasedUrl, outcome: Outcome) -> None:
        """Journal where a robots.txt keeps robots from seeing that a page wants to stay out of their indexes."""
        page = self._pages.get(outcome.url)
        if page is None or page.controls.index:
            return
        asked_by = page.controls.asked_by("noindex", "none") or "the page"
        reason = f"{asked_by} said noindex when it was last read, and robots.txt now keeps robots from seeing that"
        self._journal.write(leased.id, Rule.HIDDEN_NOINDEX, f"{reason}: its address alone may show up elsewhere")

    def _deferred(self, leased: LeasedUrl, outcome: Outcome) -> None:
        """Queue a URL again, not to be fetched before `outcome.retry_after` seconds have passed.

        Without such a time it is due as before: a stopped run must leave its round open (frontier/rounds.py).
        """
        self._journal.write(leased.id, outcome.rule, outcome.reason)
        due_at = 0.0 if outcome.retry_after is None else outcome.fetched_at + outcome.retry_after
        self._urls.defer(leased.id, due_at, counts=outcome.requested)
        if outcome.whole_origin:
            self._urls.defer_origin(leased.id, outcome.url.partition(":")[0], due_at)

    def _moved(self, leased: LeasedUrl, outcome: Outcome) -> None:
        """End the lease of a URL that redirects, and take its stored page out of the results."""
        if leased.kind is Kind.SITEMAP:
            self._sitemaps.moved(leased, outcome)
            return
        take_out(self._database, self._journal, leased.id)
        named, hops = outcome.target or "", leased.hops + 1
        rule, reason, target = outcome.rule, outcome.reason, None
        if hops > MAX_HOPS:
            rule, reason = Rule.REDIRECT_LIMIT, f"it is the {hops}th redirect in a row; {MAX_HOPS} are followed"
        else:
            shown = mask_credentials(named)
            found = self._discovery.discover([named], Provenance(FoundBy.REDIRECT, leased.id, leased.depth, hops))
            target = found.ids.get(named)
            if found.off_site:
                rule, reason = Rule.OFF_SITE, f"it redirects to {shown}, which is not on a seed's site"
            elif found.handed_over:
                reason += f"; another part of the crawl has its host, and was sent {shown}"
            elif target is None:
                rule, reason = Rule.BAD_LOCATION, f"it redirects to {shown!r}, which is refused"
            elif leads_back(self._database, target, leased.id):
                why = f"its redirect to {shown} leads back to it"
                rule, reason = Rule.REDIRECT_LOOP, f"{why}{self._by_an_option(named)}"
        failed = rule in {Rule.REDIRECT_LIMIT, Rule.REDIRECT_LOOP, Rule.BAD_LOCATION}
        self._journal.write(leased.id, rule, reason, [named])
        self._leases.end(leased.id, State.FAILED if failed else State.DONE, rule, moved_to=target)
        self._feed.announce_again([leased.id])  # it may have been a result by the links to it

    def _by_an_option(self, target: str) -> str:
        """Return which option of the site makes a redirect's target the URL that was requested, or nothing."""
        refusal = self._discovery.policy.options.refusal(canonicalize(target))
        return f": {refusal.reason}" if refusal else ""

    def _not_modified(self, leased: LeasedUrl, outcome: Outcome) -> None:
        """End the lease of a page that has not changed.

        A server that says 304 to a request without any condition has failed: the response has no meaning (RFC 9110,
        15.4.5). The stored page stays.
        """
        if leased.kind is Kind.SITEMAP:
            self._sitemaps.unchanged(leased, outcome)
            return
        if not outcome.conditional:
            row = self._journal.write(leased.id, Rule.PROTOCOL, "it answers 304 to a request that set no condition")
            self._leases.end(leased.id, State.FAILED, Rule.PROTOCOL, because=row)
            return
        last_modified = self._pages.renew(leased.id, outcome.fetched_at)
        if last_modified is None:
            self._nothing_is_stored(leased, outcome)
            return
        page = None if outcome.wishes is None else self._pages.get(outcome.url)
        if page is not None and outcome.wishes is not None:
            controls = renewed_controls(page.controls, outcome.wishes)
            if controls != page.controls:
                self._renew_controls(leased, replace(page, controls=controls))
        self._leases.end(leased.id, State.DONE, outcome.rule)
        self._revisits.page_unchanged(leased.id, outcome.fetched_at, last_modified)

    def _nothing_is_stored(self, leased: LeasedUrl, outcome: Outcome) -> None:
        """Queue a page that left the store during its request; the next request has no condition."""
        reason = "its page is no longer stored: it is fetched again, as a whole"
        self._journal.write(leased.id, outcome.rule, reason)
        self._urls.defer(leased.id, 0.0, counts=True)

    def _renew_controls(self, leased: LeasedUrl, page: Page) -> None:
        """Store the new X-Robots-Tag directives of a page."""
        self._journal.write(leased.id, Rule.CONTROLS, "its X-Robots-Tag header differs from before")
        was_indexed = not page.refusals
        refusal = refusal_of_controls(page.controls, datetime.fromtimestamp(page.fetched_at, UTC))
        if refusal is not None and refusal.rule not in {old.rule for old in page.refusals}:
            page = replace(page, refusals=(*page.refusals, refusal))
            self._journal.write(leased.id, refusal.rule, refusal.reason)
        self._pages.amend(leased.id, page)
        changed = [leased.id]
        if was_indexed and page.refusals:
            changed += release_copies(self._database, self._journal, leased.id)
            changed += apply_canonical(self._database, self._journal, leased.id)
            leave(self._database, leased.id)
        self._feed.announce(changed)
