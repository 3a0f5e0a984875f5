"""What is written for a page that is as it was? That it was looked at, and what its server now asks in its headers.

A 304 has no page and can't change what the page says; its X-Robots-Tag lines take the place of the earlier ones (RFC
9111, 3.2). So a page leaves the results by a header alone. One that may come in again has to be read again as a whole:
the text of a noindex page is not kept.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from crawldb.tables.copies import release_copies, settle_canonical
from crawldb.tables.urls import State
from robots import renewed_controls
from urls.records import Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from frontier.endings.ledger import Ledger
    from urls.records import Outcome, Page


def store_unmodified(ledger: Ledger, url: int, outcome: Outcome) -> None:
    """End the lease of a page that has not changed."""
    sql = "UPDATE page SET fetched_at = ? WHERE url = ?"
    if not ledger.connection.execute(sql, (outcome.fetched_at, url)).rowcount:
        _nothing_is_stored(ledger, url, outcome)
        return
    last_modified = ledger.database.value("SELECT last_modified FROM page WHERE url = ?", url)
    ledger.visits.note(url, outcome.fetched_at, changed=False, last_modified=str(last_modified or ""))
    page = None if outcome.wishes is None else ledger.pages.get(outcome.url)
    if page is not None and outcome.wishes is not None:
        controls = renewed_controls(page.controls, outcome.wishes)
        if controls != page.controls:
            _renew(ledger, url, replace(page, controls=controls))
    ledger.end(url, State.DONE, outcome.rule)


def _nothing_is_stored(ledger: Ledger, url: int, outcome: Outcome) -> None:
    """Queue a page that was taken out while it was asked for; without its copy nothing is asked on a condition.

    A server that says 304 to a request without any condition has failed: there is nothing that it could mean.
    """
    if outcome.conditional:
        ledger.journal.write(url, outcome.rule, "nothing is stored of it any more: it is asked for again, as a whole")
        ledger.urls.defer(url, 0.0, counts=True)
        return
    row = ledger.journal.write(url, Rule.PROTOCOL, "it answers 304 though nothing is stored that it could mean")
    ledger.end(url, State.FAILED, Rule.PROTOCOL, because=row)


def _renew(ledger: Ledger, url: int, page: Page) -> None:
    ledger.journal.write(url, Rule.CONTROLS, "its X-Robots-Tag header asks for something else than before")
    was_indexed = not page.refusals
    refusal = _refusal(page)
    if refusal is not None and refusal.rule not in {old.rule for old in page.refusals}:
        page = replace(page, refusals=(*page.refusals, refusal))
        ledger.journal.write(url, refusal.rule, refusal.reason)
    ledger.pages.amend(url, page)
    changed = [url]
    if was_indexed and page.refusals:
        changed += release_copies(ledger.database, ledger.journal, url)
        changed += settle_canonical(ledger.database, ledger.journal, url)
    ledger.feed.announce(changed)


def _refusal(page: Page) -> Refusal | None:
    controls = page.controls
    if not controls.index:
        return Refusal(Rule.NOINDEX, f"{controls.asked_by('noindex', 'none')} says noindex")
    if controls.expires is not None and controls.expires <= datetime.fromtimestamp(page.fetched_at, UTC):
        return Refusal(Rule.EXPIRED, f"unavailable_after {controls.expires:%Y-%m-%d %H:%M} has passed")
    return None
