"""What is written for a sitemap? The pages that it lists enter the frontier; its dates say which of them changed.

A file may list the pages of its own site, and of the sites whose robots.txt name it (cross-submission, sitemaps.org):
other entries are counted in the journal and dropped. It is no page: it is never indexed, and it follows nobody's links.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.ended.lastmod import note_dates
from crawldb.ended.moved import MAX_HOPS, leads_back
from crawldb.frontier.canonical import UnusableUrl, canonicalize
from crawldb.frontier.discovery import NO_SITEMAP, Found, Origin
from crawldb.frontier.site import site_of
from crawldb.state import Kind, State
from crawldb.visited.lookup import find_row

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from crawldb.ended.ledger import Ledger
    from crawldb.page import CanonicalUrl, Outcome, Sitemap

READ = "sitemap"  # the rule of one that was read
UNCHANGED = "sitemap-unchanged"  # … and of one that is as it was, as its server says


def store_sitemap(ledger: Ledger, sitemap: Sitemap) -> Found:
    """Store what a sitemap lists and end its lease; return what became of the pages."""
    url, _, _ = ledger.lease(sitemap.url)
    for warning in sitemap.warnings:
        ledger.journal.write(url, "warning", warning)
    rule = READ if sitemap.form else NO_SITEMAP
    ledger.fetched(url, sitemap, sitemap.size, rule)
    sites = ledger.enrolment.tables.sites(url, sitemap.url)
    if sitemap.form == "index":
        _list_children(ledger, url, sitemap, sites)
    own = _own(ledger, url, sites, [entry.url for entry in sitemap.entries])
    found = ledger.discovery.discover(own, Origin("sitemap", url, depth=1))
    ledger.enrolment.tables.put(url, sitemap, accepted=len(found.ids), new=found.new)
    dates = {found.ids[entry.url]: entry.lastmod for entry in sitemap.entries if entry.url in found.ids}
    note_dates(ledger, url, dates)
    ledger.end(url, State.DONE, rule)
    if not sitemap.form:
        _page_after_all(ledger, url)
    return found


def store_unchanged(ledger: Ledger, url: int, outcome: Outcome) -> None:
    """End the lease of a sitemap that is as it was when it was last read."""
    ledger.connection.execute("UPDATE sitemap SET read_at = ? WHERE url = ?", (outcome.fetched_at, url))
    ledger.end(url, State.DONE, UNCHANGED)


def store_sitemap_move(ledger: Ledger, url: int, outcome: Outcome, hops: int) -> None:
    """End the lease of a sitemap that is elsewhere; where it is now counts as named, whatever host that is."""
    rule, reason, target = outcome.rule, outcome.reason, None
    accepted = ledger.enrolment.accepted([outcome.target or ""], url)
    if hops >= MAX_HOPS:
        rule, reason = "redirect-limit", f"it is the {hops + 1}th redirect in a row; {MAX_HOPS} are followed"
    elif not accepted:
        rule, reason = "bad-location", f"it redirects to {outcome.target!r}, which is refused"
    elif _is_page(ledger, accepted[0]):
        rule, reason = NO_SITEMAP, f"it redirects to {accepted[0]}, which is a page"
    else:
        target = ledger.enrolment.enrol(accepted[0], "redirect", url, hops + 1)
        if leads_back(ledger, target, url):
            rule, reason = "redirect-loop", f"its redirect to {outcome.target} leads back to it"
    ledger.enrolment.tables.lead(url, [target] if target else [], by_index=False)
    ledger.journal.write(url, rule, reason, [outcome.target or ""])
    ledger.end(url, State.DONE if rule == outcome.rule else State.FAILED, rule, moved_to=target)


def _list_children(ledger: Ledger, url: int, sitemap: Sitemap, sites: Collection[str]) -> None:
    """Enrol the sitemaps that an index lists: those of the sites that it speaks for."""
    listed = [entry.url for entry in sitemap.children]
    if min(ledger.enrolment.tables.speakers(url).values(), default=0) > 0:
        reason = "an index that stands in an index: the sitemaps that it lists are not followed"
        ledger.journal.write(url, "sitemap-depth", reason, listed, count=len(listed) + sitemap.beyond)
        listed = []
    ledger.enrolment.list_children(url, _own(ledger, url, sites, listed))


def _own(ledger: Ledger, url: int, sites: Collection[str], listed: Iterable[str]) -> list[str]:
    """Return the entries that a file may have, and journal the others."""
    starts = tuple(f"{scheme}://{site}/" for site in sites for scheme in ("http", "https"))
    own: list[str] = []
    foreign: list[str] = []
    for entry in listed:
        (own if entry.startswith(starts) or _site(entry) in {None, *sites} else foreign).append(entry)
    if foreign:
        reason = "a sitemap may list pages of its own site, and of those whose robots.txt names it: these are of others"
        ledger.journal.write(url, "sitemap-foreign", reason, foreign, count=len(foreign))
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
        "SELECT 1 FROM url WHERE id = ? AND (seed = 1 OR found_by IN ('link', 'refresh', 'canonical', 'sitemap') "
        "OR EXISTS (SELECT 1 FROM link WHERE target = url.id))",
        url,
    )
    if wanted is not None:
        ledger.discovery.make_page(url)
