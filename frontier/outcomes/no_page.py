"""What is written where no page came? Not modified, moved, gone, refused, deferred or failed, each with its reason.

A URL that has to wait is queued again, due later, and with it what waits for the same.

The target of a redirect enters the frontier; where it ends nowhere, the journal says why.

Of a page that is as it was, it is noted that it was looked at, and what its server now asks in its headers. A 304 has
no page and can't change what the page says; its X-Robots-Tag lines take the place of the earlier ones (RFC 9111, 3.2).
So a page leaves the results by a header alone. One that may come in again has to be read again as a whole: the text of
a noindex page is not kept.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from crawldb.learnt.probes import Purpose
from crawldb.pages.clusters import leave
from crawldb.pages.copies import apply_canonical, release_copies, take_out
from crawldb.tables.links import leads_back
from crawldb.tables.urls import Kind, State
from frontier.discovery import Provenance
from frontier.followers.probes import is_made_up, store_answer
from frontier.followers.stylesheets import store_no_sheet
from frontier.outcomes.sitemap import store_sitemap_move, store_unchanged
from robots import renewed_controls
from urls.canonical import canonicalize, hidden_in
from urls.records import MAX_HOPS, Fate, FoundBy, Outcome, refusal_of_controls
from urls.rules import Rule

if TYPE_CHECKING:
    from frontier.outcomes.lease import LeasedUrl, Ledger
    from urls.records import Page, Refusal
    from urls.sitemap_records import Sitemap
    from urls.stylesheet_record import Stylesheet

NOTHING_TO_READ = frozenset({204, 205})  # status codes by which a server says that a page has no content any longer


def store_outcome(ledger: Ledger, leased: LeasedUrl, outcome: Outcome) -> None:
    """End a lease without a page."""
    if is_made_up(leased) and outcome.fate is not Fate.DEFERRED:
        store_answer(ledger, leased, outcome)
        return
    if leased.purpose is Purpose.STYLESHEET and outcome.fate is not Fate.DEFERRED:
        store_no_sheet(ledger, leased, outcome)
        return
    if leased.purpose is Purpose.TWICE and outcome.fate is not Fate.DEFERRED:
        ledger.probes.remove(leased.id)  # there is nothing to compare: it ends as any other URL
    is_sitemap = leased.kind is Kind.SITEMAP
    if is_sitemap and outcome.fate is Fate.NOT_MODIFIED:
        outcome = replace(outcome, rule=Rule.SITEMAP_UNCHANGED)  # so that it is not counted among the pages
    if outcome.requested:
        ledger.note_fetch(leased, outcome, outcome.rule)
    if outcome.fate is Fate.NOT_MODIFIED:
        (store_unchanged if is_sitemap else store_unmodified)(ledger, leased, outcome)
    elif outcome.fate is Fate.MOVED:
        (store_sitemap_move if is_sitemap else store_move)(ledger, leased, outcome)
    elif outcome.fate is Fate.DEFERRED:
        defer(ledger, leased, outcome)
    else:
        _refuse_or_fail(ledger, leased, outcome)


def store_refusal(ledger: Ledger, leased: LeasedUrl, item: Page | Sitemap | Stylesheet, refusal: Refusal) -> None:
    """End the lease of a URL that was refused while it was fetched: what came is not kept."""
    refused = Outcome(item.url, Fate.REFUSED, refusal.rule, refusal.reason, item.status)
    store_outcome(ledger, leased, replace(refused, fetched_at=item.fetched_at, seconds=item.seconds, size=item.size))


def _refuse_or_fail(ledger: Ledger, leased: LeasedUrl, outcome: Outcome) -> None:
    row = ledger.journal.write(leased.id, outcome.rule, outcome.reason)
    if outcome.fate is Fate.GONE:
        ledger.urls.miss(leased.id)
    if outcome.rule is Rule.ROBOTS:
        _warn_of_hidden_noindex(ledger, leased, outcome)
    if outcome.fate in {Fate.GONE, Fate.REFUSED} or outcome.status in NOTHING_TO_READ:
        take_out(ledger.database, ledger.journal, leased.id)
    if outcome.fate is Fate.REFUSED:
        ledger.end(leased.id, State.SUPPRESSED, outcome.rule, because=row)
    else:
        ledger.end(leased.id, State.FAILED, outcome.rule)
    if outcome.rule is Rule.ROBOTS:
        ledger.feed.announce([leased.id])  # those who link to it may make it a result
    else:
        ledger.feed.announce_again([leased.id])  # by which it may have been one until now


def _warn_of_hidden_noindex(ledger: Ledger, leased: LeasedUrl, outcome: Outcome) -> None:
    """Tell where a robots.txt keeps robots from seeing that a page wants to stay out of their indexes."""
    page = ledger.pages.get(outcome.url)
    if page is None or page.controls.index:
        return
    asked_by = page.controls.asked_by("noindex", "none") or "the page"
    reason = f"{asked_by} said noindex when it was last read, and robots.txt now keeps robots from seeing that"
    ledger.journal.write(leased.id, Rule.HIDDEN_NOINDEX, f"{reason}: its address alone may show up elsewhere")


def defer(ledger: Ledger, leased: LeasedUrl, outcome: Outcome) -> None:
    """Queue a URL again, not to be fetched before `outcome.retry_after` seconds have passed."""
    ledger.journal.write(leased.id, outcome.rule, outcome.reason)
    due_at = outcome.fetched_at + (outcome.retry_after or 0)
    ledger.urls.defer(leased.id, due_at, counts=outcome.requested)
    if outcome.whole_origin:
        ledger.urls.defer_origin(leased.id, outcome.url.partition(":")[0], due_at)


def store_move(ledger: Ledger, leased: LeasedUrl, outcome: Outcome) -> None:
    """End the lease of a URL that leads elsewhere, and take what was stored under it out of the results."""
    take_out(ledger.database, ledger.journal, leased.id)
    named, hops = outcome.target or "", leased.hops + 1
    rule, reason, target = outcome.rule, outcome.reason, None
    if hops > MAX_HOPS:
        rule, reason = Rule.REDIRECT_LIMIT, f"it is the {hops}th redirect in a row; {MAX_HOPS} are followed"
    else:
        shown = hidden_in(named)
        found = ledger.discovery.discover([named], Provenance(FoundBy.REDIRECT, leased.id, leased.depth, hops))
        target = found.ids.get(named)
        if found.off_site:
            rule, reason = Rule.OFF_SITE, f"it redirects to {shown}, which is not on a seed's site"
        elif found.handed_over:
            reason += f"; another part of the crawl has its host, and was told of {shown}"
        elif target is None:
            rule, reason = Rule.BAD_LOCATION, f"it redirects to {shown!r}, which is refused"
        elif leads_back(ledger.database, target, leased.id):
            rule, reason = Rule.REDIRECT_LOOP, f"its redirect to {shown} leads back to it{_by_an_option(ledger, named)}"
    failed = rule in {Rule.REDIRECT_LIMIT, Rule.REDIRECT_LOOP, Rule.BAD_LOCATION}
    ledger.journal.write(leased.id, rule, reason, [named])
    ledger.end(leased.id, State.FAILED if failed else State.DONE, rule, moved_to=target)
    ledger.feed.announce_again([leased.id])  # it may have been a result by the links to it


def _by_an_option(ledger: Ledger, target: str) -> str:
    """Return which option of the site makes a redirect's target the URL that was asked for, or nothing."""
    refusal = ledger.discovery.policy.options.refusal(canonicalize(target))
    return f": {refusal.reason}; ./breadcrumb suggest --off switches an option off" if refusal else ""


def store_unmodified(ledger: Ledger, leased: LeasedUrl, outcome: Outcome) -> None:
    """End the lease of a page that has not changed.

    A server that says 304 to a request without any condition has failed: there is nothing that it could mean (RFC 9110,
    15.4.5). What is stored stays as it was fetched.
    """
    if not outcome.conditional:
        row = ledger.journal.write(leased.id, Rule.PROTOCOL, "it answers 304 to a request that set no condition")
        ledger.end(leased.id, State.FAILED, Rule.PROTOCOL, because=row)
        return
    sql = "UPDATE page SET fetched_at = ? WHERE url = ? RETURNING last_modified"
    rows = ledger.connection.execute(sql, (outcome.fetched_at, leased.id)).fetchall()
    if not rows:
        _nothing_is_stored(ledger, leased, outcome)
        return
    ((last_modified,),) = rows
    next_at = ledger.visits.note(leased.id, outcome.fetched_at, changed=False, last_modified=str(last_modified or ""))
    page = None if outcome.wishes is None else ledger.pages.get(outcome.url)
    if page is not None and outcome.wishes is not None:
        controls = renewed_controls(page.controls, outcome.wishes)
        if controls != page.controls:
            _renew(ledger, leased, replace(page, controls=controls))
    ledger.end(leased.id, State.DONE, outcome.rule, next_at=next_at)


def _nothing_is_stored(ledger: Ledger, leased: LeasedUrl, outcome: Outcome) -> None:
    """Queue a page that was taken out while it was asked for; without its copy nothing is asked on a condition."""
    reason = "nothing is stored of it any more: it is asked for again, as a whole"
    ledger.journal.write(leased.id, outcome.rule, reason)
    ledger.urls.defer(leased.id, 0.0, counts=True)


def _renew(ledger: Ledger, leased: LeasedUrl, page: Page) -> None:
    ledger.journal.write(leased.id, Rule.CONTROLS, "its X-Robots-Tag header asks for something else than before")
    was_indexed = not page.refusals
    refusal = refusal_of_controls(page.controls, datetime.fromtimestamp(page.fetched_at, UTC))
    if refusal is not None and refusal.rule not in {old.rule for old in page.refusals}:
        page = replace(page, refusals=(*page.refusals, refusal))
        ledger.journal.write(leased.id, refusal.rule, refusal.reason)
    ledger.pages.amend(leased.id, page)
    changed = [leased.id]
    if was_indexed and page.refusals:
        changed += release_copies(ledger.database, ledger.journal, leased.id)
        changed += apply_canonical(ledger.database, ledger.journal, leased.id)
        leave(ledger.database, leased.id)
    ledger.feed.announce(changed)
