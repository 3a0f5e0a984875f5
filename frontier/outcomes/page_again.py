"""What is written for a page that was read and judged again? What has changed of it, and of that everything.

No request was sent, so the fetch, the visit and the validators stay as they are, and no lease ends. What the page leads
to enters the frontier only where that is new. Its copies stay copies until all of them had their turn, or each would
leave and come back: `settle_copies` lets go those which are none any longer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from crawldb.pages.clusters import settle
from crawldb.pages.copies import apply_canonical, outdated_originals, release_copies
from frontier.followers.near_copies import put_into_cluster
from frontier.outcomes.page import announce, lead_on, leads_of, moved_to, rule_of, set_aside
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawldb.pages.pages import Outgoing
    from frontier.outcomes.lease import LeasedUrl, Ledger
    from urls.records import Page


class StoredAgain(NamedTuple):
    """What was new about a page that was read again: its record, its links (URLs in scope), and URLs never met."""

    changed: bool = False
    gained: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()
    discovered: int = 0


def store_again(ledger: Ledger, page: Page, before: Callable[[], Page]) -> StoredAgain:
    """Put what reading and judging a stored page again has found in the place of its record.

    `before` reads that as it was: of most pages nobody asks. Writes within the caller's transaction.
    """
    leased = ledger.leased(page.url)
    url, reworded, found = leased.id, set[int](), StoredAgain()
    outgoing = ledger.pages.outgoing(url)
    if outgoing.leads != leads_of(page):
        old = ledger.links.targets(url)
        discovered, outgoing, reworded = lead_on(ledger, leased, page)
        new = ledger.links.targets(url)
        found = StoredAgain(old != new, frozenset(new - old), frozenset(old - new), discovered.new)
    changed = _put(ledger, leased, page, before, outgoing, reworded)
    return found._replace(changed=True) if changed else found


def store_reworded(ledger: Ledger, page: Page, before: Callable[[], Page]) -> bool:
    """Do so for a page that was judged again by its record; return whether it is another one.

    The record has no links: what it leads to stays as it is.
    """
    leased = ledger.leased(page.url)
    links = ledger.database.count("SELECT links FROM page WHERE url = ?", leased.id)
    page = replace(page, links=(), links_cut=links)
    return _put(ledger, leased, page, before, ledger.pages.outgoing(leased.id), set())


def _put(
    ledger: Ledger, leased: LeasedUrl, page: Page, before: Callable[[], Page], outgoing: Outgoing, reworded: set[int]
) -> bool:
    url = leased.id
    ledger.feed.announce(ledger.site_names.note(leased.site, page.title, again=True))
    page = set_aside(ledger, page, outgoing.canonical)
    ledger.templates.note(leased.site, url, page)
    cluster = ledger.clusters.of(url)
    put_into_cluster(ledger, url, page)
    if ledger.pages.holds(url, page, outgoing) and not reworded:
        return cluster != ledger.clusters.of(url)
    digest = ledger.pages.digest(url)
    after = ledger.pages.put_again(url, page, outgoing)
    if ledger.promises is not None:
        ledger.promises.look_again(url, leased.site, page)
    announce(ledger, url, digest, after, reworded, lets_copies_go=False)
    _journal(ledger, url, page, before())
    if rule_of(page) is not rule_of(before()):
        ledger.urls.end_otherwise(url, rule_of(page), moved_to(ledger, page), than=rule_of(before()))
    return True


def _journal(ledger: Ledger, url: int, page: Page, before: Page) -> None:
    """Journal what is new: the verdict, and what is odd about the page."""
    for warning in page.warnings:
        if warning not in before.warnings:
            ledger.journal.write(url, Rule.WARNING, warning)
    for refusal in page.refusals:
        if refusal not in before.refusals:
            ledger.journal.write(url, refusal.rule, refusal.reason)
    if rule_of(page) is not rule_of(before):
        was, now = (f"refused ({rule_of(one)})" if one.refusals else "kept" for one in (before, page))
        ledger.journal.write(url, Rule.REREAD, f"it was read and judged again without a fetch: {was} before, {now} now")


def settle_copies(ledger: Ledger) -> int:
    """Let go the copies of pages that say something else since, within the caller's transaction; return how many.

    Clusters choose their canonicals, as at the end of a run.
    """
    settle(ledger.database)
    released = 0
    for original in outdated_originals(ledger.database):
        for heir in release_copies(ledger.database, ledger.journal, original, stays=True):
            ledger.feed.announce([heir, *apply_canonical(ledger.database, ledger.journal, heir)])
            released += 1
    return released
