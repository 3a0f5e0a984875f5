"""Which pages are known from links alone? Those that a robots.txt forbids, and that pages of the crawl link to by name.

"Links to pages that robots.txt lists may still appear in search results if a page that is crawled links to them" (the
encyclopedia's article on the robots exclusion standard). The rule says that a page may not be fetched, not that nobody
may speak of it. So its address is a result with the words of those links, and with nothing of its own. It goes when the
page may be fetched, when nobody names it any longer, and when a person takes it out.

Of a page that once said noindex, and that may not be read any more, nothing is shown: its author wanted that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.tables.links import MAX_ANCHORS, anchors_of
from crawldb.tables.urls import Kind, State
from crawldb.visited import find_row
from robots import PageControls
from urls.records import CanonicalUrl, Page
from urls.rules import Rule

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase

NOT_FETCHED = "robots.txt forbids it"
# Of a row of `url`. A page that was a result, and then said noindex or is gone, was fetched: its state is another one.
FORBIDDEN = (
    f"state = {State.SUPPRESSED:d} AND rule = '{Rule.ROBOTS}' AND kind = {Kind.PAGE:d} AND NOT EXISTS "
    f"(SELECT 1 FROM journal WHERE journal.url = url.id AND journal.rule = '{Rule.HIDDEN_NOINDEX}')"
)
_TO_BE_JUDGED = frozenset({State.QUEUED, State.LEASED})  # in a new round: its robots.txt is about to be asked again
_CONTROLS = PageControls(archive=False)


def is_forbidden(database: CrawlDatabase, url: int) -> bool:
    """Return whether a URL is kept from being fetched by a robots.txt alone."""
    return database.value(f"SELECT 1 FROM url WHERE id = ? AND {FORBIDDEN}", url) is not None


def link_only_page(database: CrawlDatabase, url: CanonicalUrl, identity: int) -> Page | None:
    """Return a page that was never fetched as the index is to have it, None where it is no result."""
    anchors = anchors_of(database, identity, MAX_ANCHORS) if is_forbidden(database, identity) else ()
    return Page(url, "", "", anchors=anchors, not_fetched=NOT_FETCHED, controls=_CONTROLS) if anchors else None


def is_withdrawn(database: CrawlDatabase, url: str) -> bool:
    """Return whether a result that is known from links alone must be hidden at once: it is judged otherwise since."""
    row = find_row(database.connection, "id, state", url)
    if row is None:
        return True
    identity, state = row
    return state not in _TO_BE_JUDGED and not is_forbidden(database, identity)
