"""Which results has the operator marked as right? Rows of `tune_judgement`: query, page and time.

`forget` and `block` remove the rows of a page with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.visited import find

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crawldb.database import CrawlDatabase

MAKE_TABLES = """
CREATE TABLE tune_judgement (
    query TEXT NOT NULL,
    url   INTEGER NOT NULL REFERENCES url (id),
    at    REAL NOT NULL,                        -- seconds since the epoch
    PRIMARY KEY (query, url)
) WITHOUT ROWID;
CREATE INDEX tune_judgement_by_url ON tune_judgement (url);
CREATE TRIGGER tune_page_gone AFTER DELETE ON page BEGIN
    DELETE FROM tune_judgement WHERE url = old.url;
END;
"""


@dataclass(frozen=True, slots=True)
class MarkedResult:
    """A page that is right for a query; `at` in seconds since the epoch."""

    query: str
    url: str
    at: float


def mark_right(databases: Iterable[CrawlDatabase], query: str, url: str, now: float) -> bool:
    """Mark a page as right for a query, in each part that has it; return whether one has."""
    sql = (
        "INSERT INTO tune_judgement SELECT ?, url, ? FROM page WHERE url = ? "
        "ON CONFLICT (query, url) DO UPDATE SET at = excluded.at"
    )
    return _changes_rows(databases, sql, (query, now), url)


def remove_mark(databases: Iterable[CrawlDatabase], query: str, url: str) -> bool:
    """Remove the mark of a page for a query; return whether there was one."""
    return _changes_rows(databases, "DELETE FROM tune_judgement WHERE query = ? AND url = ?", (query,), url)


def _changes_rows(databases: Iterable[CrawlDatabase], sql: str, values: tuple[object, ...], url: str) -> bool:
    changed = 0
    for database in databases:
        with database.transaction() as connection:
            changed += connection.execute(sql, (*values, find(connection, url))).rowcount
    return changed > 0


def marked_results(databases: Iterable[CrawlDatabase]) -> Sequence[MarkedResult]:
    """Return all marked results, the newest first."""
    sql = "SELECT query, url.url, at FROM tune_judgement JOIN url ON url.id = tune_judgement.url"
    found = {  # both sides of a split have the rows from before it
        (query, url): MarkedResult(query, url, at)
        for database in databases
        for query, url, at in database.connection.execute(sql)
    }
    return sorted(found.values(), key=lambda each: (-each.at, each.query, each.url))
