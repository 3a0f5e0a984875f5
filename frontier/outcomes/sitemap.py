"""What is written for a sitemap? The pages that it lists enter the frontier; its dates say which of them changed.

A file may list the pages of its own site, and of the sites whose robots.txt name it (cross-submission, sitemaps.org):
other entries are counted in the journal and dropped. It is no page: it is never indexed, and it follows nobody's links.
Its pages are stored in slices, a transaction each, and the last one ends the lease. A crash before that has the file
read again, and what is known by then stays as it is.

`lastmod` is what the site says of itself, and some sites write today's date into every line. So a date moves a page
that changed to the front, and brings back one that had gone. It never keeps a page from being asked for, unless
TRUST_LASTMOD says that these sites are to be believed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.tables.journal import GrowingRows
from crawldb.tables.links import leads_back
from crawldb.tables.queue import is_wanted_as_page
from crawldb.tables.urls import Kind, State, Urls
from crawldb.tables.visits import ListedDates
from crawldb.visited import known_state
from frontier.discovery import Discovered, Provenance
from urls.canonical import UnusableUrl, canonicalize
from urls.records import MAX_HOPS, FoundBy
from urls.rules import Rule
from urls.schedule import Mode
from urls.site import site_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from crawldb.database import CrawlDatabase
    from frontier.discovery import Discovery
    from frontier.outcomes.lease import LeasedUrl, LeaseEnds
    from frontier.sitemap_discovery import SitemapDiscovery
    from urls.records import Outcome, Sitemap, SitemapEntry

SLICE = 100  # entries that one transaction stores: some 10 to 60 ms of work, and a file has up to 50,000 of them


def slices_of(sitemap: Sitemap) -> list[tuple[SitemapEntry, ...]]:
    """Return the entries of a sitemap in parts, each of which is stored in one transaction; one at least."""
    entries = sitemap.entries
    return [entries[start : start + SLICE] for start in range(0, len(entries), SLICE)] or [()]


class ListedPages:
    """What became of the pages of one sitemap so far, slice by slice."""

    def __init__(self, leased: LeasedUrl, sitemap: Sitemap, rows: GrowingRows) -> None:
        self.leased = leased
        self.sitemap = sitemap
        self.rows = rows
        self.found = Discovered()
        self.is_over = False  # a person blocked the sitemap meanwhile: the rest of it is not stored


class SitemapWriter:
    """Stores what sitemaps list, and ends their leases."""

    def __init__(
        self, database: CrawlDatabase, discovery: Discovery, ends: LeaseEnds, sitemaps: SitemapDiscovery
    ) -> None:
        self._database = database
        self._discovery = discovery
        self._ends = ends
        self._journal = ends.journal
        self._sitemaps = sitemaps
        self._urls = Urls(database)

    def begin(self, leased: LeasedUrl, sitemap: Sitemap) -> ListedPages:
        """Begin a sitemap, none of whose pages is stored yet."""
        return ListedPages(leased, sitemap, GrowingRows(self._journal, leased.id))

    def store(self, listed: ListedPages, entries: Sequence[SitemapEntry]) -> None:
        """Let some of the pages enter the frontier, with their dates."""
        url, rows = listed.leased.id, listed.rows
        sites = self._sitemaps.files.sites(url, listed.sitemap.url)
        own = _own(rows, sites, [entry.url for entry in entries])
        found = self._discovery.discover(own, Provenance(FoundBy.SITEMAP, url, depth=1), listed.found, rows)
        self._note_dates(rows, {found.ids[each.url]: each.lastmod for each in entries if each.url in found.ids})

    def end(self, listed: ListedPages) -> None:
        """End the lease of the sitemap, whose pages are all stored."""
        url, sitemap = listed.leased.id, listed.sitemap
        for warning in sitemap.warnings:
            self._journal.write(url, Rule.WARNING, warning)
        rule = Rule.SITEMAP if sitemap.form else Rule.NO_SITEMAP
        self._ends.note_request(listed.leased, sitemap, rule)
        if sitemap.form == "index":
            self._list_children(listed)
        self._sitemaps.files.put(url, sitemap, accepted=len(listed.found.ids), new=listed.found.new)
        self._ends.end(url, State.DONE, rule)
        if not sitemap.form and is_wanted_as_page(self._database, url):
            self._discovery.make_page(url)

    def _list_children(self, listed: ListedPages) -> None:
        """Queue the sitemaps that an index lists: those of the sites that it speaks for."""
        url, sitemap = listed.leased.id, listed.sitemap
        children = [entry.url for entry in sitemap.children]
        if min(self._sitemaps.files.speakers(url).values(), default=0) > 0:
            reason = "an index that stands in an index: the sitemaps that it lists are not followed"
            self._journal.write(url, Rule.SITEMAP_DEPTH, reason, children, count=len(children) + sitemap.beyond)
            children = []
        own = _own(listed.rows, self._sitemaps.files.sites(url, sitemap.url), children)
        self._sitemaps.list_children(url, own)

    # -- Where it has no new content

    def unchanged(self, leased: LeasedUrl, outcome: Outcome) -> None:
        """End the lease of a sitemap that is as it was when it was last read."""
        self._sitemaps.files.note_unchanged(leased.id, outcome.fetched_at)
        self._ends.end(leased.id, State.DONE, Rule.SITEMAP_UNCHANGED)

    def moved(self, leased: LeasedUrl, outcome: Outcome) -> None:
        """End the lease of a sitemap that is elsewhere; where it is now counts as named, whatever host that is."""
        url, hops = leased.id, leased.hops
        rule, reason, target = outcome.rule, outcome.reason, None
        accepted = self._sitemaps.accepted([outcome.target or ""], url)
        if hops >= MAX_HOPS:
            rule, reason = Rule.REDIRECT_LIMIT, f"it is the {hops + 1}th redirect in a row; {MAX_HOPS} are followed"
        elif not accepted:
            rule, reason = Rule.BAD_LOCATION, f"it redirects to {outcome.target!r}, which is refused"
        elif (known := known_state(self._database.connection, accepted[0])) is not None and known.kind == Kind.PAGE:
            rule, reason = Rule.NO_SITEMAP, f"it redirects to {accepted[0]}, which is a page"
        else:
            target = self._sitemaps.enqueue(accepted[0], FoundBy.REDIRECT, url, hops + 1)
            if leads_back(self._database, target, url):
                rule, reason = Rule.REDIRECT_LOOP, f"its redirect to {outcome.target} leads back to it"
        self._sitemaps.files.lead(url, [target] if target else [], by_index=False)
        self._journal.write(url, rule, reason, [outcome.target or ""])
        self._ends.end(url, State.DONE if rule == outcome.rule else State.FAILED, rule, moved_to=target)

    # -- The dates of the pages

    def _note_dates(self, rows: GrowingRows, dates: Mapping[int, float | None]) -> None:
        """Keep the dates that a sitemap gives to URLs, by their ids, and let them have their effect on this round."""
        run = self._ends.run
        listed = ListedDates(self._database, {url: date for url, date in dates.items() if date is not None})
        listed.note()
        self._give_another_chance(rows, listed)
        changed = listed.changed_since_fetched()
        for url in changed:
            self._urls.revisit_at(url, 0)
        if run.mode is Mode.DUE:
            self._urls.requeue(listed.changed_since_fetched(done_before=run.round))
        self._urls.hurry(changed)
        # After a change of the policy each page has to be read again, whatever its date.
        if self._sitemaps.rules.trust_lastmod and run.same_policy:
            self._skip_what_is_current(rows, listed)

    def _give_another_chance(self, rows: GrowingRows, listed: ListedDates) -> None:
        """Queue what was given up as gone, where a sitemap says that it changed after it was last requested."""
        gone = listed.changed_since_gone(self._ends.run.round)
        if gone:
            self._urls.give_another_chance([url for url, _ in gone])
            reason = (
                "they were given up as gone, and the sitemap lists them with a later date: they are asked for once more"
            )
            rows.write(Rule.SECOND_CHANCE, reason, [url for _, url in gone])

    def _skip_what_is_current(self, rows: GrowingRows, listed: ListedDates) -> None:
        """End, for this round, the pages whose stored copy is newer than their date (TRUST_LASTMOD)."""
        current = listed.not_changed_since_fetched()
        for url, _ in current:
            self._ends.end(url, State.DONE, Rule.LASTMOD)
        if current:
            reason = (
                "the stored copies are newer than the dates in the sitemap, and TRUST_LASTMOD is set: not asked for"
            )
            rows.write(Rule.LASTMOD, reason, [url for _, url in current])


def _own(rows: GrowingRows, sites: Collection[str], listed: Iterable[str]) -> list[str]:
    """Return the entries that a file may have, and journal the others."""
    starts = tuple(f"{scheme}://{site}/" for site in sites for scheme in ("http", "https"))
    own: list[str] = []
    foreign: list[str] = []
    for entry in listed:
        (own if entry.startswith(starts) or _site(entry) in {None, *sites} else foreign).append(entry)
    if foreign:
        reason = "a sitemap may list pages of its own site, and of those whose robots.txt names it: these are of others"
        rows.write(Rule.SITEMAP_FOREIGN, reason, foreign)
    return own


def _site(entry: str) -> str | None:
    """Return the site of an entry; None for what is no address, which the policy on URLs refuses by its own rule."""
    try:
        return site_of(canonicalize(entry))
    except UnusableUrl:
        return None
