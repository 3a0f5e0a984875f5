"""What is written where no page came? Not modified, moved, gone, refused, deferred or failed, each with its reason."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crawldb.tables.copies import take_out
from crawldb.tables.redirects import leads_back
from crawldb.tables.urls import Kind, State
from frontier.discovery import Origin
from frontier.endings.probe import is_probe, store_answer
from frontier.endings.sitemap import store_sitemap_move, store_unchanged
from frontier.endings.unmodified import store_unmodified
from urls.canonical import canonicalize, hidden_in
from urls.records import MAX_HOPS, Fate, FoundBy
from urls.rules import Rule

if TYPE_CHECKING:
    from frontier.endings.ledger import Ledger
    from urls.records import Outcome


def store_outcome(ledger: Ledger, outcome: Outcome) -> None:
    """End a lease without a page."""
    url, depth, hops = ledger.lease(outcome.url)
    if outcome.fate is not Fate.DEFERRED and is_probe(ledger, url):
        store_answer(ledger, url, outcome, outcome.size)
        return
    is_sitemap = ledger.urls.kind_of(url) is Kind.SITEMAP
    if is_sitemap and outcome.fate is Fate.NOT_MODIFIED:
        outcome = replace(outcome, rule=Rule.SITEMAP_UNCHANGED)  # so that it is not counted among the pages
    if outcome.requested:
        ledger.fetched(url, outcome, outcome.size, outcome.rule)
    if is_sitemap and outcome.fate is Fate.NOT_MODIFIED:
        store_unchanged(ledger, url, outcome)
    elif is_sitemap and outcome.fate is Fate.MOVED:
        store_sitemap_move(ledger, url, outcome, hops)
    elif outcome.fate is Fate.NOT_MODIFIED:
        store_unmodified(ledger, url, outcome)
    elif outcome.fate is Fate.MOVED:
        store_move(ledger, url, outcome, depth, hops)
    elif outcome.fate is Fate.DEFERRED:
        defer(ledger, url, outcome)
    else:
        _refuse_or_fail(ledger, url, outcome)


def _refuse_or_fail(ledger: Ledger, url: int, outcome: Outcome) -> None:
    row = ledger.journal.write(url, outcome.rule, outcome.reason)
    if outcome.fate is Fate.GONE:
        ledger.urls.miss(url)
    if outcome.rule == Rule.ROBOTS:
        _warn_of_hidden_noindex(ledger, url, outcome)
    if outcome.fate in {Fate.GONE, Fate.REFUSED}:
        take_out(ledger.database, ledger.journal, url, ledger.links)
    if outcome.fate is Fate.REFUSED:
        ledger.end(url, State.SUPPRESSED, outcome.rule, because=row)
    else:
        ledger.end(url, State.FAILED, outcome.rule)


def _warn_of_hidden_noindex(ledger: Ledger, url: int, outcome: Outcome) -> None:
    """Tell where a robots.txt keeps robots from seeing that a page wants to stay out of their indexes."""
    page = ledger.pages.get(outcome.url)
    if page is None or page.controls.index:
        return
    asked_by = page.controls.asked_by("noindex", "none") or "the page"
    reason = f"{asked_by} said noindex when it was last read, and robots.txt now keeps robots from seeing that"
    ledger.journal.write(url, Rule.HIDDEN_NOINDEX, f"{reason}: its address alone may show up elsewhere")


# -- What is written for a URL that has to wait? It is queued again, due later, and with it what waits for the same.


def defer(ledger: Ledger, url: int, outcome: Outcome) -> None:
    """Queue a URL again, not to be fetched before `outcome.retry_after` seconds have passed."""
    ledger.journal.write(url, outcome.rule, outcome.reason)
    due_at = outcome.fetched_at + (outcome.retry_after or 0)
    ledger.urls.defer(url, due_at, counts=outcome.requested)
    if outcome.whole_origin:
        ledger.urls.defer_origin(url, outcome.url.partition(":")[0], due_at)


# -- What is written for a redirect? Its target enters the frontier; where it ends nowhere, the journal says why.


def store_move(ledger: Ledger, url: int, outcome: Outcome, depth: int, hops: int) -> None:
    """End the lease of a URL that leads elsewhere, and take what was stored under it out of the results."""
    take_out(ledger.database, ledger.journal, url, ledger.links)
    rule, reason, target = outcome.rule, outcome.reason, None
    if hops >= MAX_HOPS:
        rule, reason = Rule.REDIRECT_LIMIT, f"it is the {hops + 1}th redirect in a row; {MAX_HOPS} are followed"
    else:
        shown = hidden_in(outcome.target or "")
        found = ledger.discovery.discover([outcome.target or ""], Origin(FoundBy.REDIRECT, url, depth, hops + 1))
        target = found.ids.get(outcome.target or "")
        if found.off_site:
            rule, reason = Rule.OFF_SITE, f"it redirects to {shown}, which is not on a seed's site"
        elif found.handed_over:
            reason += f"; another part of the crawl has its host, and was told of {shown}"
        elif target is None:
            rule, reason = Rule.BAD_LOCATION, f"it redirects to {shown!r}, which is refused"
        elif leads_back(ledger.database, target, url):
            rule, reason = Rule.REDIRECT_LOOP, f"its redirect to {shown} leads back to it"
            reason += _by_an_option(ledger, outcome.target or "")
    failed = rule in {Rule.REDIRECT_LIMIT, Rule.REDIRECT_LOOP, Rule.BAD_LOCATION}
    ledger.journal.write(url, rule, reason, [outcome.target or ""])
    ledger.end(url, State.FAILED if failed else State.DONE, rule, moved_to=target)


def _by_an_option(ledger: Ledger, target: str) -> str:
    """Return which option of the site makes a redirect's target the URL that was asked for, or nothing."""
    refusal = ledger.discovery.policy.options.refusal(canonicalize(target))
    return f": {refusal.reason}; ./breadcrumb suggest --off switches an option off" if refusal else ""
