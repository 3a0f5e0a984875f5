"""A crawl whose pages were read under older rules: real bodies, and records that say something else than those."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pages import FetchedBody, parse_page
from pipelines.filters import FilterSettings, PageFilters
from tests.samples import lease_all
from urls.canonical import canonicalize
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from crawldb.database import CrawlDatabase
    from frontier.session import Session
    from urls.records import CanonicalUrl

OLD_TITLE = "As an older rule read it"
HTML = (("content-type", "text/html"),)
FETCHED = 1_000_000.0


def html(title: str, *links: str, head: str = "", text: str = "") -> bytes:
    """The bytes of a page of its own words."""
    anchors = " ".join(f'<a href="{link}">to {link}</a>' for link in links)
    return f"<title>{title}</title>{head}<p>{text or f'All that {title} has to say.'}</p>{anchors}".encode()


def crawl_bodies(session: Session, pages: Mapping[CanonicalUrl, bytes]) -> None:
    """Store pages as a crawl does."""
    filters = PageFilters(session.database, FilterSettings())
    for url, body in pages.items():
        lease_all(session)
        read = parse_page(FetchedBody(body, canonicalize(url), HTML, fetched_at=FETCHED))
        session.store.page(filters.apply(read))


def age_title(database: CrawlDatabase, urls: Iterable[str]) -> None:
    """Let the records of pages have a title that no rule finds any longer."""
    _set(database, urls, "title = ?", OLD_TITLE)


def age_verdict(database: CrawlDatabase, urls: Iterable[str], rule: Rule = Rule.FRAMES) -> None:
    """Let pages be refused by what is no rule any longer."""
    _set(database, urls, "refusals = ?", json.dumps([[rule, "an older rule said so"]]))
    for url in urls:
        database.connection.execute("UPDATE url SET rule = ? WHERE url = ?", (rule, url))


def _set(database: CrawlDatabase, urls: Iterable[str], assigned: str, value: str) -> None:
    for url in urls:
        sql = f"UPDATE page SET {assigned} WHERE url = (SELECT id FROM url WHERE url = ?)"
        assert database.connection.execute(sql, (value, url)).rowcount == 1


def everything(database: CrawlDatabase) -> dict[str, list[tuple[object, ...]]]:
    """The rows of all tables that reading again might touch."""
    tables = (
        *("url", "page", "body", "cluster", "link", "change", "fetch", "journal", "visit", "explanation", "pattern"),
        *("rereading", "to_read_again"),
    )
    return {table: database.connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables}
