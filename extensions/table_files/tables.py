"""Which tables of a crawl are exported, and which columns have they? Each table is an iterator of rows.

    pages       a row for each stored page
    links       a row for each link between known URLs, with its words
    postings    a row for each term in a field of a page of the index (export.py)
    decisions   a row for each entry of the journal

docs/commands.md documents the columns. Times are in seconds since the epoch, as in every `--json`.

What a person took out with `forget` or `block` is in no table: no page, no link to it, no decision about it. Reasons
and samples do not name it either. A page that says noindex or has expired has no title.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING

from crawldb.database import stored_json
from crawldb.pages.pages import Pages
from crawldb.tables.blocks import blacklist
from crawldb.visited import FROM_VISITED, key_of
from urls.records import CanonicalUrl, FoundBy, reason_hidden
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from crawldb.database import CrawlDatabase

Cell = str | int | float | bool | tuple[int, ...] | tuple[str, ...] | None
Row = tuple[Cell, ...]


class ColumnType(Enum):
    """The type of a column. A text is never unknown: it is empty."""

    TEXT = "text"
    WHOLE = "whole number"
    REAL = "number"
    FLAG = "true or false"
    WHOLES = "whole numbers"
    TEXTS = "texts"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of an exported table."""

    name: str
    kind: ColumnType = ColumnType.TEXT


PAGES = (
    Column("url"),
    Column("site"),
    Column("depth", ColumnType.WHOLE),
    Column("fetched_at", ColumnType.REAL),
    Column("status", ColumnType.WHOLE),
    Column("content_type"),
    Column("size", ColumnType.WHOLE),
    Column("language"),
    Column("title"),
    Column("links", ColumnType.WHOLE),
    Column("indexed", ColumnType.FLAG),
    Column("rule"),
    Column("reason"),
    Column("duplicate_of"),
    Column("near_duplicate_of"),
)
LINKS = (Column("source"), Column("target"), Column("text"))
POSTINGS = (
    Column("term"),
    Column("url"),
    Column("field"),
    Column("frequency", ColumnType.WHOLE),
    Column("positions", ColumnType.WHOLES),
)
DECISIONS = (
    Column("time", ColumnType.REAL),
    Column("url"),
    Column("decision"),
    Column("reason"),
    Column("count", ColumnType.WHOLE),
    Column("samples", ColumnType.TEXTS),
)
COLUMNS = {"pages": PAGES, "links": LINKS, "postings": POSTINGS, "decisions": DECISIONS}

_TAKEN_OUT = (Rule.FORGOTTEN, Rule.BLOCKED)
_RULES = ", ".join(repr(str(rule)) for rule in _TAKEN_OUT)
_PAGES = (
    "SELECT url.id, url.url, site.name, depth, size, links FROM page JOIN url ON url.id = page.url "
    f"JOIN site ON site.id = url.site WHERE found_by != '{FoundBy.PROBE}' AND coalesce(rule, '') NOT IN ({_RULES}) "
    "ORDER BY url.id"
)
_LINKS = (
    "SELECT coalesce(origin.url, foreign_page.url), target.url, anchor.text FROM link "
    "JOIN url AS target ON target.id = link.target JOIN anchor ON anchor.id = link.anchor "
    "LEFT JOIN url AS origin ON origin.id = link.source LEFT JOIN foreign_page ON foreign_page.id = -link.source "
    f"WHERE coalesce(target.rule, '') NOT IN ({_RULES}) AND coalesce(origin.rule, '') NOT IN ({_RULES}) "
    "ORDER BY link.source, link.target, link.anchor"
)
_DECISIONS = (
    "SELECT at, coalesce(url.url, ''), journal.rule, reason, count, samples FROM journal "
    f"LEFT JOIN url ON url.id = journal.url WHERE journal.rule NOT IN ({_RULES}) "
    f"AND coalesce(url.rule, '') NOT IN ({_RULES}) ORDER BY journal.id"
)
MAX_REMEMBERED = 10_000  # URLs: those of a page come one after the other
TAKEN_OUT = "(a URL that was taken out)"
_URL = re.compile(r"https?://[^\s'\"<>“”]+")
_RULE_OF = f"SELECT url.rule FROM {FROM_VISITED}"


class TakenOut:
    """Finds out whether a person took a URL out of a crawl, by any of its databases."""

    def __init__(self, databases: Sequence[CrawlDatabase]) -> None:
        self._databases = databases
        self._blacklists = [blacklist(database) for database in databases]
        self.has = lru_cache(MAX_REMEMBERED)(self._has)

    def _has(self, url: str) -> bool:
        """Return whether `forget` or `block` took out a URL, which need not be known."""
        try:
            refused = any(each.refusal(CanonicalUrl(url)) is not None for each in self._blacklists)
        except ValueError:  # a sample that is no URL
            return False
        return refused or any(each.value(_RULE_OF, key_of(url), url) in _TAKEN_OUT for each in self._databases)

    def shown(self, url: str | None) -> str:
        """Return a URL, or "" for none and for one that was taken out."""
        return "" if url is None or self.has(url) else url

    def in_words(self, reason: str) -> str:
        """Return a reason without the URLs that were taken out."""
        return _URL.sub(lambda found: TAKEN_OUT if self.has(found[0].rstrip(".,:;)")) else found[0], reason)


def page_rows(database: CrawlDatabase, gone: TakenOut) -> Iterator[Row]:
    """Yield the stored pages, in the order of their discovery. Raises DatabaseError for a damaged one."""
    now, pages = datetime.fromtimestamp(time.time(), UTC), Pages(database)
    for identity, url, site, depth, size, links in database.connection.execute(_PAGES):
        page = pages.get(url, identity)
        if page is None or gone.has(url):
            continue
        hidden = reason_hidden(page.refusals, page.controls, now)
        is_withheld = hidden is not None and hidden.rule in {Rule.NOINDEX, Rule.EXPIRED}
        rule, reason = (str(hidden.rule), gone.in_words(hidden.reason)) if hidden else ("", "")
        copies = gone.shown(page.duplicate_of), gone.shown(page.near_duplicate_of)
        title = "" if is_withheld else page.title
        head = (url, site, depth, page.fetched_at, page.status, page.content_type, size, page.language)
        yield (*head, title, links, hidden is None, rule, reason, *copies)


def link_rows(database: CrawlDatabase, gone: TakenOut) -> Iterator[Row]:
    """Yield the links of stored pages, those of one page together."""
    for source, target, text in database.connection.execute(_LINKS):
        if source is not None and not gone.has(source) and not gone.has(target):
            yield source, target, text


def decision_rows(database: CrawlDatabase, gone: TakenOut) -> Iterator[Row]:
    """Yield the entries of the journal, the oldest first."""
    for at, url, rule, reason, count, samples in database.connection.execute(_DECISIONS):
        if not (url and gone.has(url)):
            named = tuple(each for each in map(str, stored_json(samples, list)) if not gone.has(each))
            yield at, url, rule, gone.in_words(reason), count, named


STORED: dict[str, Callable[[CrawlDatabase, TakenOut], Iterator[Row]]] = {
    "pages": page_rows,
    "links": link_rows,
    "decisions": decision_rows,
}
