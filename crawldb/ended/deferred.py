"""What is written for a URL that has to wait? It is queued again, due later, and with it what waits for the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.state import State

if TYPE_CHECKING:
    from crawldb.ended.ledger import Ledger
    from crawldb.page import Outcome


def defer(ledger: Ledger, url: int, outcome: Outcome) -> None:
    """Queue a URL again, not to be fetched before `outcome.retry_after` seconds have passed."""
    ledger.journal.write(url, outcome.rule, outcome.reason)
    due_at = outcome.fetched_at + (outcome.retry_after or 0)
    ledger.connection.execute(
        "UPDATE url SET state = ?, due_at = max(due_at, ?), attempts = attempts + ? WHERE id = ?",
        (State.QUEUED, due_at, outcome.requested, url),
    )
    if outcome.whole_origin:
        scheme = outcome.url.partition(":")[0]
        ledger.connection.execute(
            "UPDATE url SET due_at = max(due_at, ?) WHERE state = ? AND site = (SELECT site FROM url WHERE id = ?) "
            "AND substr(url, 1, ?) = ?",
            (due_at, State.QUEUED, url, len(scheme) + 1, f"{scheme}:"),
        )
