"""What is written for a sitemap? The pages that it lists enter the frontier; its dates say which of them changed.

A file may list the pages of its own site, and of the sites whose robots.txt name it (cross-submission, sitemaps.org):
other entries are counted in the journal and dropped. It is no page: it is never indexed, and it follows nobody's links.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from crawldb.tables.urls import PAGE_URGENCY, Kind, State, leads_back
from crawldb.visited import find_row
from frontier.discovery import NO_SITEMAP, Found, Origin
from urls.canonical import UnusableUrl, canonicalize
from urls.records import MAX_HOPS
from urls.revisit import Mode
from urls.site import site_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from frontier.endings.ledger import Ledger
    from urls.records import CanonicalUrl, Outcome, Sitemap


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
        if leads_back(ledger.database, target, url):
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


# -- What follows from the dates of a sitemap? Pages that changed go first, and one that went may come back.
#
# `lastmod` is what the site says of itself, and some sites write today's date into every line. So it moves pages to
# the front and never keeps one from being asked for, unless TRUST_LASTMOD says that these sites are to be believed.

CURRENT = "lastmod"  # the rule of a page that was not asked for, since it has not changed
_LISTED = "url.id IN (SELECT value FROM json_each(:listed)) AND url.kind = :page"
_COPY = "(SELECT fetched_at FROM page WHERE page.url = url.id)"


def note_dates(ledger: Ledger, sitemap: int, dates: Mapping[int, float | None]) -> None:
    """Keep the dates that a sitemap gives to URLs, by their ids, and let them have their effect on this round."""
    ledger.connection.executemany(
        "UPDATE url SET lastmod = ?2 WHERE id = ?1 AND lastmod IS NOT ?2",
        [(url, lastmod) for url, lastmod in dates.items() if lastmod is not None],
    )
    listed = json.dumps([url for url, lastmod in dates.items() if lastmod is not None])
    _give_another_chance(ledger, sitemap, listed)
    _make_due(ledger, listed)
    ledger.connection.execute(
        f"UPDATE url SET urgency = :urgency WHERE {_LISTED} AND state = :queued AND lastmod > {_COPY}",
        {"listed": listed, "page": Kind.PAGE, "urgency": PAGE_URGENCY, "queued": State.QUEUED},
    )
    # After a change of the policy each page has to be read again, whatever its date.
    if ledger.enrolment.rules.trust_lastmod and ledger.run.same_policy:
        _leave_what_is_current(ledger, sitemap, listed)


def _give_another_chance(ledger: Ledger, sitemap: int, listed: str) -> None:
    """Queue what was given up as gone, where a sitemap says that it changed after it was last asked for."""
    # A URL that is gone and not given up was queued with its round; one that was asked for in this round has had it.
    rows = ledger.connection.execute(
        f"SELECT id, url FROM url WHERE {_LISTED} AND state = :failed AND misses > 0 AND ended_in < :round "
        "AND lastmod > (SELECT max(at) FROM fetch WHERE fetch.url = url.id)",
        {"listed": listed, "page": Kind.PAGE, "failed": State.FAILED, "round": ledger.run.round},
    ).fetchall()
    if not rows:
        return
    ledger.connection.executemany(
        "UPDATE url SET state = ?, due_at = 0, attempts = 0, misses = misses - 1 WHERE id = ?",
        [(State.QUEUED, url) for url, _ in rows],
    )
    reason = "they were given up as gone, and the sitemap lists them with a later date: they are asked for once more"
    ledger.journal.write(sitemap, "second-chance", reason, [url for _, url in rows], count=len(rows))


def _make_due(ledger: Ledger, listed: str) -> None:
    """Let the pages that changed since they were fetched be due, whatever their earlier visits let expect."""
    values = {
        "listed": listed, "page": Kind.PAGE, "queued": State.QUEUED, "done": State.DONE, "round": ledger.run.round,
    }  # fmt: skip
    ledger.connection.execute(f"UPDATE url SET next_at = 0 WHERE {_LISTED} AND lastmod > {_COPY}", values)
    if ledger.run.mode is Mode.DUE:
        ledger.connection.execute(
            "UPDATE url SET state = :queued, due_at = 0, attempts = 0 "
            f"WHERE {_LISTED} AND state = :done AND ended_in < :round AND lastmod > {_COPY}",
            values,
        )


def _leave_what_is_current(ledger: Ledger, sitemap: int, listed: str) -> None:
    """End, for this round, the pages whose stored copy is newer than their date (TRUST_LASTMOD)."""
    rows = ledger.connection.execute(
        f"SELECT id, url FROM url WHERE {_LISTED} AND state = :queued AND attempts = 0 AND lastmod <= {_COPY}",
        {"listed": listed, "page": Kind.PAGE, "queued": State.QUEUED},
    ).fetchall()
    for url, _ in rows:
        ledger.end(url, State.DONE, CURRENT)
    if rows:
        reason = "the stored copies are newer than the dates in the sitemap, and TRUST_LASTMOD is set: not asked for"
        ledger.journal.write(sitemap, CURRENT, reason, [url for _, url in rows], count=len(rows))
