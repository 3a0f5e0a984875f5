"""Which pages does a crawl write into a feed (`-o pages.jsonl`)? Each one that it stored, as a row of plain fields.

The row is read from the crawl database after the commit. So a feed holds what is stored: a page that a filter rejects
has its row with rule and reason, and a page that is unchanged since an earlier run has one, too. A URL without a page
(moved, gone, failed, forbidden) has none: `report` counts these, and `why` explains each.
"""

from __future__ import annotations

from dataclasses import InitVar, dataclass
from typing import TYPE_CHECKING

from crawldb.database import DatabaseError
from crawldb.pages.pages import Pages
from urls.records import Fate, Outcome, Page

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from frontier.session import Session


@dataclass
class PageRow:
    """One page of a feed, its fields in the order of their columns. Texts are empty where nothing may be kept.

    `fetched_at` is in seconds since 1970 (UTC). `indexed` is as of the moment when the page was stored:
    a page that repeats this one may later take its place. `rule` and `reason` say why it is not indexed.
    """

    url: str
    title: str
    text: str  # the main text, without menus
    language: str  # ISO 639-1; empty: not known
    fetched_at: float
    status: int
    content_type: str
    indexed: bool
    rule: str = ""
    reason: str = ""
    duplicate_of: str = ""
    near_duplicate_of: str = ""
    ending: InitVar[Page | Outcome | None] = None

    def __post_init__(self, ending: Page | Outcome | None) -> None:
        """Keep the item from which the row was made: it is no column."""
        self.ended = ending

    @classmethod
    def of(cls, page: Page, ending: Page | Outcome) -> PageRow:
        """Return the row of a stored page."""
        refusal = page.refusals[0] if page.refusals else None
        return cls(
            page.url,
            page.title,
            page.text,
            page.language,
            page.fetched_at,
            page.status,
            page.content_type,
            indexed=refusal is None,
            rule=refusal.rule if refusal else "",
            reason=refusal.reason if refusal else "",
            duplicate_of=page.duplicate_of or "",
            near_duplicate_of=page.near_duplicate_of or "",
            ending=ending,
        )


class PageRows:
    """Turns what was stored into rows for Scrapy's feeds; other items, and pages that were not stored, pass.

    Stands behind the stage that stores, where a crawl writes feeds.
    """

    def __init__(self, session: Session) -> None:
        self._pages = Pages(session.database)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PageRows:
        """Build the stage for a crawl of the site spider."""
        return cls(crawler.spider.session)  # type: ignore[union-attr]  # `crawl` names this stage for its own spider

    def process_item(self, item: object) -> object:
        """Return the row of a page that is stored or unchanged; anything else as it is."""
        if not (isinstance(item, Page) or (isinstance(item, Outcome) and item.fate is Fate.NOT_MODIFIED)):
            return item
        try:
            page = self._pages.get(item.url)
        except DatabaseError:
            return item  # the stage that stores tells of it
        return item if page is None else PageRow.of(page, item)
