"""What if a rule has changed since a page was stored? The page is read and judged again from its body, without a fetch.

`reparse` does so with every page that has a body. Where something was learnt of a site, its pages are judged again by
their records, which takes a fifth of the time. What comes out is written like a crawl's: pages, links that are new,
journal and feed together in one transaction, and nothing at all for a page that says what it said.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from crawldb.pages.signals import with_trait
from frontier.outcomes.page import rule_of
from frontier.outcomes.page_again import StoredAgain, store_again, store_reworded
from urls.records import refusal_of_controls
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawldb.pages.bodies import StoredAnswer
    from frontier.outcomes.lease import Ledger
    from pipelines.judges import Judges
    from urls.records import Page

_OF_THE_TEXT = frozenset({Rule.DUPLICATE, Rule.NEAR_DUPLICATE, Rule.SOFT_404})  # what a page is refused for by its text


@dataclass(frozen=True, slots=True)
class JudgedAgain:
    """A page that is another one since: its record before and after, and what it leads to."""

    before: Page
    after: Page
    stored: StoredAgain


def judge_again(ledger: Ledger, judges: Judges, page: Page) -> JudgedAgain | None:
    """Judge `page`, as it was read in its stored body, and store what is new, within the caller's transaction.

    None where nothing is, or where the page is stored no longer. A page that its owner has given a date is refused once
    that has passed, whenever it was fetched.
    """
    before = ledger.pages.unread(page.url)
    if before is None:
        return None
    expired = refusal_of_controls(page.controls, datetime.now(UTC))
    if expired is not None and expired.rule is Rule.EXPIRED and not page.refusals:
        page = replace(page, refusals=(expired,))
    judged = judges.judge(page)
    if judged.duplicate_of and judged.duplicate_of == before().duplicate_of and rule_of(before()) is Rule.DUPLICATE:
        judged = replace(judged, refusals=before().refusals)  # it may tell which of the two a robots.txt prefers
    stored = store_again(ledger, judged, before)
    return JudgedAgain(before(), ledger.pages.get(page.url) or judged, stored) if stored.changed else None


def judge_record_again(
    ledger: Ledger, judges: Judges, read: Callable[[StoredAnswer], Page], url: int, before: Page
) -> bool:
    """Judge a stored page after something was learnt of its site; return whether it is another one now.

    `before` is its record, with the names of its links. What is learnt changes what its lines mean, and the lines are
    in the record. The body is read only where more follows: where the page was refused for something else than its
    text, or is a page of its own now, whose links count.
    """
    page = _judged_by_record(ledger, judges, url, before)
    if page is None or (before.refusals and not page.refusals):
        answer = ledger.pages.answer(before.url)
        if answer is not None:
            return judge_again(ledger, judges, read(answer)) is not None
    return page is not None and store_reworded(ledger, page, lambda: before)  # else its owner wants no copy of it kept


def _judged_by_record(ledger: Ledger, judges: Judges, url: int, before: Page) -> Page | None:
    """Judge the record of a page; None where that is not enough to judge by."""
    page = with_trait(ledger.connection, url, before)
    if page is None or any(refusal.rule not in _OF_THE_TEXT for refusal in before.refusals):
        return None
    title = str(ledger.database.value("SELECT title FROM page WHERE url = ?", url))  # with the name of the site
    return judges.judge(replace(page, title=title, refusals=(), duplicate_of=None, near_duplicate_of=None))
