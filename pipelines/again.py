"""What if a rule has changed since a page was stored? The page is read and judged again from its body, without a fetch.

`reparse` does so with every page that has a body. A judge that has learnt something about a site lets the pages of that
site be judged again with `judge_site_again`. What comes out is written like a crawl's: pages, links that are new,
journal and feed together in one transaction, and nothing at all for a page that says what it said.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from frontier.endings.again import StoredAgain, store_again
from frontier.endings.page import rule_of
from urls.records import refusal_of_controls
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from crawldb.database import CrawlDatabase
    from crawldb.pages.bodies import StoredAnswer
    from frontier.endings.ledger import Ledger
    from pipelines.judges import Judges
    from urls.records import Page

SLICE = 50  # pages of a transaction, where a crawl goes on beside it


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
    before = ledger.pages.get(page.url)
    if before is None:
        return None
    expired = refusal_of_controls(page.controls, datetime.now(UTC))
    if expired is not None and expired.rule is Rule.EXPIRED and not page.refusals:
        page = replace(page, refusals=(expired,))
    judged = judges.judge(page)
    if judged.duplicate_of and judged.duplicate_of == before.duplicate_of and rule_of(before) is Rule.DUPLICATE:
        judged = replace(judged, refusals=before.refusals)  # it may tell which of the two a robots.txt prefers
    stored = store_again(ledger, judged, before)
    return JudgedAgain(before, ledger.pages.get(page.url) or judged, stored) if stored.changed else None


def judge_site_again(
    database: CrawlDatabase,
    begin: Callable[[], AbstractContextManager[Ledger]],
    judges: Judges,
    read: Callable[[StoredAnswer], Page],
    site: str,
) -> Iterator[int]:
    """Read and judge all stored pages of a site again, a slice a transaction; yield how many have changed in each.

    In a crawl `begin` is `Store.judging_again`, and `read` is `SiteSpider.read_again`; other work may be done between
    two slices. Pages in the index come first, so that their copies meet them as they now read.
    """
    rows = database.connection.execute(
        "SELECT url.url FROM url JOIN page ON page.url = url.id JOIN body ON body.url = url.id "
        "WHERE site = (SELECT id FROM site WHERE name = ?) ORDER BY refusals != '[]', url.id",
        (site,),
    ).fetchall()
    for start in range(0, len(rows), SLICE):
        with begin() as ledger:
            answers = [ledger.pages.answer(url) for (url,) in rows[start : start + SLICE]]
            changes = [judge_again(ledger, judges, read(answer)) for answer in answers if answer is not None]
        yield sum(change is not None for change in changes)
