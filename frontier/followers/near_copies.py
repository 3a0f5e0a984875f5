"""What is written where a page says nearly what others say? Its place in their cluster, and why it has it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from urls.rules import Rule

if TYPE_CHECKING:
    from frontier.outcomes.lease import Ledger
    from urls.records import Page


def put_into_cluster(ledger: Ledger, url: int, page: Page, *, announced: bool = False) -> Page:
    """Return the page with what it is nearly a copy of; that it joined others is told once.

    `announced`: the feed has the page already.
    """
    kept = all(refusal.rule == Rule.CANONICAL for refusal in page.refusals)  # one that stands aside may come back
    near = ledger.clusters.place(url, page.signature if kept else b"")
    if near.moved and not announced:
        ledger.feed.announce([url])
    if near.canonical is None:
        return page
    if near.moved:
        why = (
            f"it says nearly the same as {near.canonical}, and a search shows one of them for both: resemblance "
            f"{near.similarity:.2f} (MinHash) to the page with which their cluster began; NEAR_DUPLICATE_THRESHOLD is "
            f"{ledger.clusters.threshold:g}"
        )
        ledger.journal.write(url, Rule.NEAR_DUPLICATE, why)
    return replace(page, near_duplicate_of=near.canonical, resemblance=near.similarity)
