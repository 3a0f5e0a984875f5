"""What is written where no page came? Not modified, moved, gone, refused, deferred or failed, each with its reason."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crawldb.ended.deferred import defer
from crawldb.ended.moved import store_move
from crawldb.ended.probe import is_probe, store_answer
from crawldb.ended.sitemap import UNCHANGED, store_sitemap_move, store_unchanged
from crawldb.ended.unmodified import store_unmodified
from crawldb.page import Fate
from crawldb.state import State
from crawldb.tables.removal import take_out

if TYPE_CHECKING:
    from crawldb.ended.ledger import Ledger
    from crawldb.page import Outcome


DISALLOWED = "robots"  # the rule of what a robots.txt disallows


def store_outcome(ledger: Ledger, outcome: Outcome) -> None:
    """End a lease without a page."""
    url, depth, hops = ledger.lease(outcome.url)
    if outcome.fate is not Fate.DEFERRED and is_probe(ledger, url):
        store_answer(ledger, url, outcome, outcome.size)
        return
    is_sitemap = ledger.enrolment.tables.is_sitemap(url)
    if is_sitemap and outcome.fate is Fate.NOT_MODIFIED:
        outcome = replace(outcome, rule=UNCHANGED)  # so that it is not counted among the pages
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
        ledger.connection.execute("UPDATE url SET misses = misses + 1 WHERE id = ?", (url,))
    if outcome.rule == DISALLOWED:
        _warn_of_hidden_noindex(ledger, url, outcome)
    if outcome.fate in {Fate.GONE, Fate.REFUSED}:
        take_out(ledger.database, ledger.journal, url, ledger.links)
    if outcome.fate is Fate.REFUSED:
        ledger.connection.execute("INSERT OR REPLACE INTO suppression VALUES (?, ?)", (url, row))
        ledger.end(url, State.SUPPRESSED, outcome.rule)
    else:
        ledger.end(url, State.FAILED, outcome.rule)


def _warn_of_hidden_noindex(ledger: Ledger, url: int, outcome: Outcome) -> None:
    """Tell where a robots.txt keeps robots from seeing that a page wants to stay out of their indexes."""
    page = ledger.pages.get(outcome.url)
    if page is None or page.controls.index:
        return
    asked_by = page.controls.asked_by("noindex", "none") or "the page"
    reason = f"{asked_by} said noindex when it was last read, and robots.txt now keeps robots from seeing that"
    ledger.journal.write(url, "hidden-noindex", f"{reason}: its address alone may show up elsewhere")
