"""Which known URLs does a target of `block` or `forget` mean? A site, a URL, a folder or a pattern, in some states."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from crawldb.pages.link_only import FORBIDDEN
from crawldb.tables.urls import Kind, State
from crawldb.visited import find
from urls.blacklist import TargetKind
from urls.canonical import site_of
from urls.records import CanonicalUrl
from urls.rules import Rule

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from urls.blacklist import Target


class Which(Enum):
    """Of what a target means, which URLs: a condition on the row."""

    ALL = "1"
    STORED = "id IN (SELECT url FROM page)"
    WITH_BODY = "id IN (SELECT url FROM body)"
    RESULT_BY_LINKS = f"{FORBIDDEN} AND id IN (SELECT url FROM change)"  # no page of it is stored
    PAGES_IN_ROUND = f"state IN ({State.QUEUED:d}, {State.LEASED:d}) AND kind = {Kind.PAGE:d}"
    BLOCKED = f"rule = '{Rule.BLOCKED}'"
    NOT_BLOCKED = f"rule IS NOT '{Rule.BLOCKED}'"


def covered(database: CrawlDatabase, target: Target, which: Which) -> list[tuple[int, str]]:
    """Return id and URL of what a target means."""
    sql = f"SELECT id, url FROM url WHERE {which.value} AND "
    rows = database.connection.execute
    if target.kind is TargetKind.SITE:
        return rows(f"{sql} site = (SELECT id FROM site WHERE name = ?)", (target.name,)).fetchall()
    if folder := target.folder:  # by the index of its site, so the other sites are not read
        below = "site = (SELECT id FROM site WHERE name = ?) AND url >= ? AND url < ?"
        return rows(sql + below, (site_of(folder), folder, f"{folder[:-1]}0")).fetchall()  # 0 follows /
    if target.kind is TargetKind.PATTERN:  # read row by row: a crawl knows millions of URLs, and few of them are meant
        return [(identity, url) for identity, url in rows(f"{sql} 1") if target.covers(CanonicalUrl(url))]
    return rows(f"{sql} id = ?", (find(database.connection, target.name),)).fetchall()
