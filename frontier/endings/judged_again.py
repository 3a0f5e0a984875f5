"""What is written for a stored page that was judged again? What was learnt since may keep it out of the results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.pages.copies import apply_canonical, release_copies
from crawldb.visited import find
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.endings.ledger import Ledger
    from urls.records import Page

PAGES_AT_A_TIME = 50  # in one transaction: some 50 ms, for which everything else waits


def judge_stored(ledger: Ledger, judge: Callable[[Page], Page]) -> None:
    """Judge some of the pages again that wait for it."""
    for url, page in ledger.lessons.pages_to_judge(PAGES_AT_A_TIME):
        judged = judge(page)
        if judged.fingerprint != page.fingerprint:
            ledger.connection.execute("UPDATE page SET fingerprint = ? WHERE url = ?", (judged.fingerprint, url))
        if judged.refusals != page.refusals:
            _keep_out(ledger, url, judged)


def _keep_out(ledger: Ledger, url: int, page: Page) -> None:
    for refusal in page.refusals:
        ledger.journal.write(url, refusal.rule, refusal.reason)
        ledger.urls.end_otherwise(url, refusal.rule, than=Rule.FETCHED)
    ledger.pages.amend(url, page)
    if page.duplicate_of is not None:
        of = find(ledger.connection, page.duplicate_of)
        ledger.connection.execute("UPDATE page SET duplicate_of = ? WHERE url = ?", (of, url))
    changed = [url, *release_copies(ledger.database, ledger.journal, url)]
    ledger.feed.announce([*changed, *apply_canonical(ledger.database, ledger.journal, url)])
