"""How does a sitemap enter the frontier, and what is written for it? Its pages, and when they changed.

A sitemap is a URL that is fetched before the pages of its site. It may be on any host, since a robots.txt says where it
is (RFC 9309, 2.2.4): the scope is about pages. Ports, the blacklist and the length of a URL are checked as for a page,
private IP addresses at the connection. The file's own host has to allow it like any page. File types, depth and URL
patterns do not matter for a sitemap.

It may list the pages of its own site, and of the sites whose robots.txt name it (cross-submission, sitemaps.org). Other
entries are dropped, with their number in the journal. It is no page, so it is never indexed. Its entries are stored in
slices, a transaction each; the last one ends the lease. After a crash the file is read again.

Some sites write today's date into every `lastmod`. So a date only moves a changed page to the front, and brings back
one that was gone. It never keeps a page from being fetched, unless TRUST_LASTMOD is on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.pages.copies import take_out
from crawldb.tables.fetches import ListedDates
from crawldb.tables.journal import GrowingRows, by_reason
from crawldb.tables.links import leads_back
from crawldb.tables.queue import is_wanted_as_page
from crawldb.tables.sitemaps import Sitemaps
from crawldb.tables.urls import SITEMAP_URGENCY, Kind, NewUrl, State, Urls
from crawldb.visited import known_state
from frontier.discovery import Discovered, Provenance
from urls.canonical import UnusableUrl, canonical_or_none, canonicalize, site_of
from urls.policy import OF_SITES
from urls.records import MAX_HOPS, CanonicalUrl, FoundBy, Refusal
from urls.rules import Rule
from urls.schedule import Mode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.tables.runs import Run
    from crawldb.tables.sitemaps import SitemapRules
    from frontier.discovery import Discovery
    from frontier.store import LeasedUrl, LeaseWriter
    from urls.records import Outcome, Sitemap, SitemapEntry

SLICE = 100  # entries that one transaction stores: some 10 to 60 ms of work, and a file has up to 50,000 of them


def slices_of(sitemap: Sitemap) -> list[tuple[SitemapEntry, ...]]:
    """Return the entries of a sitemap in slices, each stored in one transaction; one slice at least."""
    entries = sitemap.entries
    return [entries[start : start + SLICE] for start in range(0, len(entries), SLICE)] or [()]


class ListedPages:
    """The pages that one sitemap has listed so far, slice by slice."""

    def __init__(self, leased: LeasedUrl, sitemap: Sitemap, rows: GrowingRows) -> None:
        self.leased = leased
        self.sitemap = sitemap
        self.rows = rows
        self.found = Discovered()
        self.is_over = False  # a person blocked the sitemap meanwhile: the rest of it is not stored


class SitemapWriter:
    """Stores the entries of sitemaps, and ends their leases."""

    def __init__(
        self, database: CrawlDatabase, discovery: Discovery, leases: LeaseWriter, sitemaps: SitemapDiscovery
    ) -> None:
        self._database = database
        self._discovery = discovery
        self._leases = leases
        self._journal = leases.journal
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
        self._leases.note_request(listed.leased, sitemap, rule)
        if sitemap.form == "index":
            self._list_children(listed)
        self._sitemaps.files.put(url, sitemap, accepted=len(listed.found.ids), new=listed.found.new)
        self._leases.end(url, State.DONE, rule)
        if not sitemap.form and is_wanted_as_page(self._database, url):
            self._discovery.make_page(url)

    def _list_children(self, listed: ListedPages) -> None:
        """Queue the sitemaps that an index lists, if they belong to its sites."""
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
        self._leases.end(leased.id, State.DONE, Rule.SITEMAP_UNCHANGED)

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
        self._leases.end(url, State.DONE if rule == outcome.rule else State.FAILED, rule, moved_to=target)

    # -- The dates of the pages

    def _note_dates(self, rows: GrowingRows, dates: Mapping[int, float | None]) -> None:
        """Keep the dates that a sitemap gives to URLs, by their ids, and let them have their effect on this round."""
        run = self._leases.run
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
        """Queue URLs given up as gone, if a sitemap says that they changed after their last request."""
        gone = listed.changed_since_gone(self._leases.run.round)
        if gone:
            self._urls.requeue_gone([url for url, _ in gone])
            reason = "they were gone, and the sitemap lists them with a later date: they are fetched once more"
            rows.write(Rule.SECOND_CHANCE, reason, [url for _, url in gone])

    def _skip_what_is_current(self, rows: GrowingRows, listed: ListedDates) -> None:
        """End, for this round, the pages whose stored copy is newer than their date (TRUST_LASTMOD)."""
        current = listed.not_changed_since_fetched()
        for url, _ in current:
            self._leases.end(url, State.DONE, Rule.LASTMOD)
        if current:
            reason = (
                "the stored copies are newer than the dates in the sitemap, and TRUST_LASTMOD is set: not requested"
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
    """Return the site of an entry; None for a text that is no URL, which the policy on URLs rejects by its own rule."""
    canonical = canonical_or_none(entry)
    return site_of(canonical) if canonical else None


MAX_SITEMAP_LINES = 10_000  # Sitemap lines of a robots.txt that are looked at: 500 KiB could hold 25,000
_STAYS_OUT = frozenset({Rule.BLOCKED, Rule.ROBOTS})  # suppressed for a reason that holds for a sitemap too


class SitemapDiscovery:
    """Queues sitemap files, and removes those from the queue that no robots.txt names any longer."""

    def __init__(self, database: CrawlDatabase, discovery: Discovery, run: Run, rules: SitemapRules) -> None:
        self._database = database
        self._urls = Urls(database)
        self._discovery = discovery
        self._journal = discovery.journal
        self._round = run.round
        self.rules = rules
        self.files = Sitemaps(database)

    def name(self, origin: str, urls: Sequence[str]) -> bool:
        """Take over the Sitemap lines of an origin's robots.txt; return whether they name other files than before."""
        if not self._discovery.policy.scope.covers(site_of(canonicalize(f"{origin}/"))):
            return False  # it was requested because another site's sitemap is there
        before = self.files.named_by(origin)
        accepted = self.accepted(urls[:MAX_SITEMAP_LINES])
        kept = accepted[: self.rules.files]
        self.over_budget(None, [*accepted[self.rules.files :], *urls[MAX_SITEMAP_LINES:]])
        if set(kept) == set(before):
            return False
        self.files.name(
            origin, [before[url] if url in before else self.enqueue(url, FoundBy.SITEMAP_LINE) for url in kept]
        )
        self._dismiss_unnamed()
        return True

    def list_children(self, index: int, urls: Iterable[str]) -> None:
        """Queue the files that an index lists, in the place of those that it listed before."""
        self.files.lead(index, [], by_index=True)
        accepted = self.accepted(urls, index)
        room = max(0, self.rules.files - self.files.count(self.files.speakers(index)))
        self.over_budget(index, accepted[room:])
        children = [self.enqueue(url, FoundBy.SITEMAP_INDEX, index) for url in accepted[:room]]
        self.files.lead(index, children, by_index=True)
        self._dismiss_unnamed()

    def over_budget(self, source: int | None, urls: Sequence[str]) -> None:
        """Journal the files that are more than a site may have."""
        if urls:
            reason = f"its site names more than {self.rules.files:,} sitemaps"
            self._journal.write(source, Rule.SITEMAP_BUDGET, reason, urls)

    def accepted(self, urls: Iterable[str], source: int | None = None) -> list[CanonicalUrl]:
        """Return the files that may be requested, canonical, each once; journal the others, a row for each rule."""
        kept: dict[CanonicalUrl, None] = {}
        refused: dict[Rule, list[tuple[str, str]]] = {}
        for url in urls:
            try:
                canonical = canonicalize(url)
                refusal = self._refusal(canonical)
            except UnusableUrl as error:
                refusal = error.refusal
            if refusal is None:
                kept[canonical] = None
            else:
                refused.setdefault(refusal.rule, []).append((url, refusal.reason))
        for rule, rows in refused.items():
            for reason, same in by_reason(rule, rows).items():
                self._journal.write(source, rule, f"a sitemap: {reason}", [url for url, _ in same])
        return list(kept)

    def _refusal(self, url: CanonicalUrl) -> Refusal | None:
        policy = self._discovery.policy
        if len(url) > policy.limits.max_url_length:
            reason = f"it has {len(url)} characters; the limit is {policy.limits.max_url_length}"
            return Refusal(Rule.URL_LENGTH, reason)
        if not self._discovery.exchange.owns(site_of(url)):
            reason = "another part of the crawl has its host, and asks it for what it needs: this is part "
            reason += self._discovery.exchange.part
            return Refusal(Rule.OTHER_PART, reason)
        return policy.port_refusal(url, site_of(url)) or policy.blacklist.refusal(url)

    def enqueue(self, url: CanonicalUrl, by: FoundBy, source: int | None = None, hops: int = 0) -> int:
        """Queue a file that may be requested, unless this round has seen it; return its id."""
        known = known_state(self._database.connection, url)
        if known is None:
            site = self._discovery.site(site_of(url))
            return self._urls.enqueue(
                NewUrl(url, site, by, source, hops=hops, kind=Kind.SITEMAP, urgency=SITEMAP_URGENCY)
            )
        if known.kind == Kind.PAGE:
            self._read_as_sitemap(known.url, known.state, known.rule)
        ended = known.state in {State.DONE, State.FAILED} and known.ended_in != self._round
        if ended or (known.state == State.SUPPRESSED and known.rule in OF_SITES):
            self._urls.requeue([known.url])
        return known.url

    def _read_as_sitemap(self, url: int, state: int, rule: str) -> None:
        """Turn a URL that was read as a page into a sitemap."""
        self._urls.turn_into(url, Kind.SITEMAP)
        take_out(self._database, self._journal, url)
        if state == State.SUPPRESSED and rule not in _STAYS_OUT:
            self._urls.requeue([url])
        self._journal.write(url, Rule.SITEMAP, "a robots.txt names it as a sitemap: it is no page")

    def _dismiss_unnamed(self) -> None:
        """End queued files that no robots.txt names any longer; each keeps its row, with the reason."""
        for url in self._urls.unnamed_sitemaps():
            row = self._journal.write(url, Rule.SITEMAP_UNNAMED, Rule.SITEMAP_UNNAMED.meaning)
            self._urls.end(url, State.DONE, Rule.SITEMAP_UNNAMED, self._round, because=row)
