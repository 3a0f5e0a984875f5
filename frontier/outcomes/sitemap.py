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
from crawldb.tables.urls import Kind, State
from crawldb.tables.visits import ListedDates
from crawldb.visited import find_row
from frontier.discovery import Discovered, Provenance
from urls.canonical import UnusableUrl, canonicalize
from urls.records import MAX_HOPS, FoundBy
from urls.rules import Rule
from urls.schedule import Mode
from urls.site import site_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from frontier.outcomes.lease import LeasedUrl, Ledger
    from urls.records import CanonicalUrl, Outcome
    from urls.sitemap_records import Sitemap, SitemapEntry


SLICE = 100  # entries that one transaction stores: some 10 to 60 ms of work, and a file has up to 50,000 of them
_LEADS_TO_PAGES = (FoundBy.LINK, FoundBy.REFRESH, FoundBy.CANONICAL, FoundBy.SITEMAP)


def slices_of(sitemap: Sitemap) -> list[tuple[SitemapEntry, ...]]:
    """Return the entries of a sitemap in parts, each of which is stored in one transaction; one at least."""
    entries = sitemap.entries
    return [entries[start : start + SLICE] for start in range(0, len(entries), SLICE)] or [()]


class ListedPages:
    """What became of the pages of one sitemap, slice by slice."""

    def __init__(self, ledger: Ledger, leased: LeasedUrl, sitemap: Sitemap) -> None:
        self.found = Discovered()
        self._rows = GrowingRows(ledger.journal, leased.id)
        self._sitemap = sitemap

    def store(self, ledger: Ledger, leased: LeasedUrl, entries: Sequence[SitemapEntry]) -> None:
        """Let some of the pages enter the frontier, with their dates."""
        sites = ledger.sitemaps.files.sites(leased.id, self._sitemap.url)
        own = _own(self._rows, sites, [entry.url for entry in entries])
        found = ledger.discovery.discover(own, Provenance(FoundBy.SITEMAP, leased.id, depth=1), self.found, self._rows)
        note_dates(ledger, self._rows, {found.ids[each.url]: each.lastmod for each in entries if each.url in found.ids})

    def end(self, ledger: Ledger, leased: LeasedUrl) -> None:
        """End the lease of the sitemap, whose pages are all stored."""
        url, sitemap = leased.id, self._sitemap
        for warning in sitemap.warnings:
            ledger.journal.write(url, Rule.WARNING, warning)
        rule = Rule.SITEMAP if sitemap.form else Rule.NO_SITEMAP
        ledger.note_fetch(leased, sitemap, rule)
        if sitemap.form == "index":
            _list_children(ledger, self._rows, url, sitemap)
        ledger.sitemaps.files.put(url, sitemap, accepted=len(self.found.ids), new=self.found.new)
        ledger.end(url, State.DONE, rule)
        if not sitemap.form:
            _page_after_all(ledger, url)


def store_unchanged(ledger: Ledger, leased: LeasedUrl, outcome: Outcome) -> None:
    """End the lease of a sitemap that is as it was when it was last read."""
    ledger.connection.execute("UPDATE sitemap SET read_at = ? WHERE url = ?", (outcome.fetched_at, leased.id))
    ledger.end(leased.id, State.DONE, Rule.SITEMAP_UNCHANGED)


def store_sitemap_move(ledger: Ledger, leased: LeasedUrl, outcome: Outcome) -> None:
    """End the lease of a sitemap that is elsewhere; where it is now counts as named, whatever host that is."""
    url, hops = leased.id, leased.hops
    rule, reason, target = outcome.rule, outcome.reason, None
    accepted = ledger.sitemaps.accepted([outcome.target or ""], url)
    if hops >= MAX_HOPS:
        rule, reason = Rule.REDIRECT_LIMIT, f"it is the {hops + 1}th redirect in a row; {MAX_HOPS} are followed"
    elif not accepted:
        rule, reason = Rule.BAD_LOCATION, f"it redirects to {outcome.target!r}, which is refused"
    elif _is_page(ledger, accepted[0]):
        rule, reason = Rule.NO_SITEMAP, f"it redirects to {accepted[0]}, which is a page"
    else:
        target = ledger.sitemaps.enqueue(accepted[0], FoundBy.REDIRECT, url, hops + 1)
        if leads_back(ledger.database, target, url):
            rule, reason = Rule.REDIRECT_LOOP, f"its redirect to {outcome.target} leads back to it"
    ledger.sitemaps.files.lead(url, [target] if target else [], by_index=False)
    ledger.journal.write(url, rule, reason, [outcome.target or ""])
    ledger.end(url, State.DONE if rule == outcome.rule else State.FAILED, rule, moved_to=target)


def _list_children(ledger: Ledger, rows: GrowingRows, url: int, sitemap: Sitemap) -> None:
    """Queue the sitemaps that an index lists: those of the sites that it speaks for."""
    listed = [entry.url for entry in sitemap.children]
    if min(ledger.sitemaps.files.speakers(url).values(), default=0) > 0:
        reason = "an index that stands in an index: the sitemaps that it lists are not followed"
        ledger.journal.write(url, Rule.SITEMAP_DEPTH, reason, listed, count=len(listed) + sitemap.beyond)
        listed = []
    ledger.sitemaps.list_children(url, _own(rows, ledger.sitemaps.files.sites(url, sitemap.url), listed))


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


def _is_page(ledger: Ledger, url: CanonicalUrl) -> bool:
    return find_row(ledger.connection, "kind", url) == (Kind.PAGE,)


def _page_after_all(ledger: Ledger, url: int) -> None:
    """Ask for a URL as a page that is no sitemap, where anything else than a sitemap leads to it."""
    wanted = ledger.database.value(
        "SELECT 1 FROM url WHERE id = ? AND (seed = 1 OR found_by IN (?, ?, ?, ?) "
        "OR EXISTS (SELECT 1 FROM link WHERE target = url.id))",
        url,
        *_LEADS_TO_PAGES,
    )
    if wanted is not None:
        ledger.discovery.make_page(url)


def note_dates(ledger: Ledger, rows: GrowingRows, dates: Mapping[int, float | None]) -> None:
    """Keep the dates that a sitemap gives to URLs, by their ids, and let them have their effect on this round."""
    listed = ListedDates(ledger.database, {url: date for url, date in dates.items() if date is not None})
    listed.note()
    _give_another_chance(ledger, rows, listed)
    changed = listed.changed_since_fetched()
    for url in changed:
        ledger.urls.revisit_at(url, 0)
    if ledger.run.mode is Mode.DUE:
        ledger.urls.requeue(listed.changed_since_fetched(done_before=ledger.run.round))
    ledger.urls.hurry(changed)
    # After a change of the policy each page has to be read again, whatever its date.
    if ledger.sitemaps.rules.trust_lastmod and ledger.run.same_policy:
        _leave_what_is_current(ledger, rows, listed)


def _give_another_chance(ledger: Ledger, rows: GrowingRows, listed: ListedDates) -> None:
    """Queue what was given up as gone, where a sitemap says that it changed after it was last asked for."""
    gone = listed.changed_since_gone(ledger.run.round)
    if gone:
        ledger.urls.give_another_chance([url for url, _ in gone])
        reason = (
            "they were given up as gone, and the sitemap lists them with a later date: they are asked for once more"
        )
        rows.write(Rule.SECOND_CHANCE, reason, [url for _, url in gone])


def _leave_what_is_current(ledger: Ledger, rows: GrowingRows, listed: ListedDates) -> None:
    """End, for this round, the pages whose stored copy is newer than their date (TRUST_LASTMOD)."""
    current = listed.not_changed_since_fetched()
    for url, _ in current:
        ledger.end(url, State.DONE, Rule.LASTMOD)
    if current:
        reason = "the stored copies are newer than the dates in the sitemap, and TRUST_LASTMOD is set: not asked for"
        rows.write(Rule.LASTMOD, reason, [url for _, url in current])
