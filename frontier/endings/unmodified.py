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
from crawldb.tables.urls import FORGOTTEN, State
from robots import renewed_controls
from urls.records import Refusal

if TYPE_CHECKING:
    from frontier.endings.ledger import Ledger
    from urls.records import Outcome, Page

RENEWED = "controls"  # the rule of a page whose server asks for something else than before


def store_unmodified(ledger: Ledger, url: int, outcome: Outcome) -> None:
    """End the lease of a page that has not changed."""
    sql = "UPDATE page SET fetched_at = ? WHERE url = ?"
    if not ledger.connection.execute(sql, (outcome.fetched_at, url)).rowcount and _was_taken_out(ledger, url):
        _ask_for_it_whole(ledger, url, outcome)
        return
    last_modified = ledger.database.value("SELECT last_modified FROM page WHERE url = ?", url)
    ledger.visits.note(url, outcome.fetched_at, changed=False, last_modified=str(last_modified or ""))
    page = None if outcome.wishes is None else ledger.pages.get(outcome.url)
    if page is not None and outcome.wishes is not None:
        controls = renewed_controls(page.controls, outcome.wishes)
        if controls != page.controls:
            _renew(ledger, url, replace(page, controls=controls))
    ledger.end(url, State.DONE, outcome.rule)


def _was_taken_out(ledger: Ledger, url: int) -> bool:
    """Return whether a person took a page out, by forget or block, and in again, while it was asked for."""
    taken_out = "SELECT 1 FROM url WHERE id = ? AND ended_in IS NOT NULL AND (rule IS NULL OR rule = ?)"
    return ledger.database.value(taken_out, url, FORGOTTEN) is not None


def _ask_for_it_whole(ledger: Ledger, url: int, outcome: Outcome) -> None:
    """Queue a page of which nothing is stored, without which nothing is asked on a condition.

    A server that says 304 to that too has failed.
    """
    if ledger.database.count("SELECT attempts FROM url WHERE id = ?", url):
        ledger.journal.write(url, "protocol", "it answers 304 though nothing is stored that it could mean")
        ledger.end(url, State.FAILED, "protocol")
        return
    ledger.journal.write(url, outcome.rule, "nothing is stored of it any more: it is asked for again, as a whole")
    ledger.connection.execute("UPDATE url SET state = ?, attempts = 1 WHERE id = ?", (State.QUEUED, url))


def _renew(ledger: Ledger, url: int, page: Page) -> None:
    ledger.journal.write(url, RENEWED, "its X-Robots-Tag header asks for something else than before")
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
        return Refusal("noindex", f"{controls.asked_by('noindex', 'none')} says noindex")
    if controls.expires is not None and controls.expires <= datetime.fromtimestamp(page.fetched_at, UTC):
        return Refusal("expired", f"unavailable_after {controls.expires:%Y-%m-%d %H:%M} has passed")
    return None
