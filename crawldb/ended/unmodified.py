"""What is written for a page that is as it was? That it was looked at, and what its server now asks in its headers.

A 304 has no page and can't change what the page says; its X-Robots-Tag lines take the place of the earlier ones (RFC
9111, 3.2). So a page leaves the results by a header alone. One that may come in again has to be read again as a whole:
the text of a noindex page is not kept.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from crawldb.page import Refusal
from crawldb.state import State
from crawldb.tables.canonicals import settle
from crawldb.tables.copies import release
from robots import renewed

if TYPE_CHECKING:
    from crawldb.ended.ledger import Ledger
    from crawldb.page import Outcome, Page

RENEWED = "controls"  # the rule of a page whose server asks for something else than before


def store_unmodified(ledger: Ledger, url: int, outcome: Outcome) -> None:
    """End the lease of a page that has not changed."""
    ledger.connection.execute("UPDATE page SET fetched_at = ? WHERE url = ?", (outcome.fetched_at, url))
    last_modified = ledger.database.value("SELECT last_modified FROM page WHERE url = ?", url)
    ledger.visits.note(url, outcome.fetched_at, changed=False, last_modified=str(last_modified or ""))
    page = None if outcome.wishes is None else ledger.pages.get(outcome.url)
    if page is not None and outcome.wishes is not None:
        controls = renewed(page.controls, outcome.wishes)
        if controls != page.controls:
            _renew(ledger, url, replace(page, controls=controls))
    ledger.end(url, State.DONE, outcome.rule)


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
        changed += release(ledger.database, ledger.journal, url)
        changed += settle(ledger.database, ledger.journal, url)
    ledger.feed.announce(changed)


def _refusal(page: Page) -> Refusal | None:
    controls = page.controls
    if not controls.index:
        return Refusal("noindex", f"{controls.asked_by('noindex', 'none')} says noindex")
    if controls.expires is not None and controls.expires <= datetime.fromtimestamp(page.fetched_at, UTC):
        return Refusal("expired", f"unavailable_after {controls.expires:%Y-%m-%d %H:%M} has passed")
    return None
