"""Which tables does the extension keep? How each page was rendered, and what became of the requests of its scripts.

`rendering_page` has a row for the latest rendering of a page, and `rendering_request` its requests, each URL, kind and
rule once. The transaction that stores the page writes them. They go with the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.visited import find
from extension_points import RecorderNotes
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawldb.database import CrawlDatabase
    from urls.records import CanonicalUrl

MAKE_TABLES = """
CREATE TABLE rendering_page (
  url INTEGER PRIMARY KEY REFERENCES url,
  at REAL NOT NULL,
  trouble TEXT NOT NULL,                 -- why it was not rendered, or not to its end; '' else
  rendered INTEGER NOT NULL,             -- 0: it is stored as it came
  shell INTEGER NOT NULL,                -- 1: it said nothing without its scripts
  text_before TEXT NOT NULL,             -- the beginning of what it said
  words_before INTEGER NOT NULL,
  words_after INTEGER NOT NULL,
  seconds REAL NOT NULL,
  cpu REAL NOT NULL,                     -- seconds of the browser
  beyond INTEGER NOT NULL                -- requests that are in no row
) STRICT;
CREATE TABLE rendering_request (
  page INTEGER NOT NULL REFERENCES url,
  url TEXT NOT NULL,
  kind TEXT NOT NULL,                    -- the browser's word
  rule TEXT NOT NULL,                    -- why it was refused; '' if it was answered
  reason TEXT NOT NULL,
  status INTEGER,
  size INTEGER NOT NULL,                 -- bytes
  reused INTEGER NOT NULL,               -- 1: the run had it already
  times INTEGER NOT NULL
) STRICT;
CREATE INDEX rendering_request_page ON rendering_request (page);
CREATE TRIGGER rendering_gone AFTER DELETE ON page BEGIN
  DELETE FROM rendering_request WHERE page = old.url;
  DELETE FROM rendering_page WHERE url = old.url;
END;
"""


@dataclass(frozen=True, slots=True)
class NotedRequest:
    """What became of a request: `rule` is empty if it was sent, or taken from this run's copy (`reused`)."""

    url: str
    kind: str
    rule: str = ""
    reason: str = ""
    status: int | None = None
    size: int = 0  # bytes of the body
    reused: bool = False
    times: int = 1


@dataclass(frozen=True, slots=True)
class Rendering:
    """How a page was rendered."""

    url: CanonicalUrl
    at: float  # seconds since the epoch
    trouble: str
    rendered: bool
    shell: bool
    text_before: str
    words_before: int
    words_after: int
    seconds: float
    cpu: float
    requests: tuple[NotedRequest, ...]
    beyond: int
    bytes_after: int = 0  # of the markup that is stored, as read; 0: none is


class RenderingNotes(RecorderNotes[Rendering]):
    """The renderings that a crawl's next transaction must write: the one that stores the page."""

    def write_rows(self, rows: Sequence[Rendering]) -> None:
        """Write renderings, within the caller's transaction."""
        for each in rows:
            self._write(each)

    def not_kept(self, url: CanonicalUrl) -> None:
        """Remove the rendering of a URL: its response is not stored."""
        remove_rendering(self.database, url)

    def _write(self, one: Rendering) -> None:
        url = find(self.database.connection, one.url)
        if url is None:
            return
        remove_rendering(self.database, one.url)
        execute = self.database.connection.execute
        execute(
            "INSERT INTO rendering_page (url, at, trouble, rendered, shell, text_before, words_before, words_after, "
            "seconds, cpu, beyond) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (url, one.at, one.trouble, one.rendered, one.shell, one.text_before, one.words_before, one.words_after,
             one.seconds, one.cpu, one.beyond),
        )  # fmt: skip
        for each in one.requests:
            execute(
                "INSERT INTO rendering_request (page, url, kind, rule, reason, status, size, reused, times) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (url, each.url, each.kind, each.rule, each.reason, each.status, each.size, each.reused, each.times),
            )


def remove_rendering(database: CrawlDatabase, url: CanonicalUrl) -> None:
    """Remove what is kept about the rendering of a page, within the caller's transaction."""
    identity = find(database.connection, url)
    database.connection.execute("DELETE FROM rendering_request WHERE page = ?", (identity,))
    database.connection.execute("DELETE FROM rendering_page WHERE url = ?", (identity,))


def rendering_of(database: CrawlDatabase, url: CanonicalUrl) -> Rendering | None:
    """Return how a page was last rendered, if it was; None also for a folder that no such crawl has opened."""
    identity = find(database.connection, url)
    if identity is None or not _has_tables(database):
        return None
    row = database.connection.execute(
        "SELECT at, trouble, rendered, shell, text_before, words_before, words_after, seconds, cpu, beyond, "
        "coalesce((SELECT size FROM page WHERE page.url = rendering_page.url AND rendered), 0) "
        "FROM rendering_page WHERE url = ?",
        (identity,),
    ).fetchone()
    if row is None:
        return None
    at, trouble, rendered, shell, before, words_before, words_after, seconds, cpu, *counts = row
    requests = database.connection.execute(
        "SELECT url, kind, rule, reason, status, size, reused, times FROM rendering_request WHERE page = ? "
        "ORDER BY rowid",
        (identity,),
    )
    noted = tuple(NotedRequest(*each) for each in requests)
    words = (before, words_before, words_after)
    return Rendering(url, at, trouble, bool(rendered), bool(shell), *words, seconds, cpu, noted, *counts)


def sites_of_shells(database: CrawlDatabase) -> set[str]:
    """Return the sites with a page that said nothing without its scripts, rendered or rejected for that."""
    sql = (
        "SELECT DISTINCT site.name FROM url JOIN site ON site.id = url.site "
        "WHERE url.rule = ? OR url.id IN (SELECT url FROM rendering_page WHERE shell)"
    )
    return set(database.column(sql, Rule.SCRIPT_SHELL))


def _has_tables(database: CrawlDatabase) -> bool:
    found = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'rendering_page'"
    return database.connection.execute(found).fetchone() is not None
