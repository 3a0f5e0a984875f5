"""Which pages are known from links alone? Pages that a robots.txt disallows, and to which crawled pages link.

"Links to pages that robots.txt lists may still appear in search results if a page that is crawled links to them" (the
encyclopedia's article on the robots exclusion standard). The rule forbids the fetch, not a mention. So the URL is a
result with the words of those links, and with nothing of its own. It goes when the page may be fetched, when no page
links to it with words, and when a person removes it.

A page with an earlier noindex is no result, even if it may not be fetched now: its author wanted that.
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
    """Return whether a result that is known from links alone must be hidden immediately, by a later decision."""
    row = find_row(database.connection, "id, state", url)
    if row is None:
        return True
    identity, state = row
    return state not in _TO_BE_JUDGED and not is_forbidden(database, identity)
