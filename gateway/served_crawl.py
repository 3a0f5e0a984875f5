"""What does a request read? One searcher that all threads share, and a crawl database of its own, or one a part.

The index answers alone: with the crawl database taken away results, snippets and dates are still there. With it, what
was blocked, forgotten or refused since the last commit is hidden at once, and Why? and the cached copy have a source.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from flask import current_app, g

from crawldb.database import FILE_NAME, CrawlDatabase
from crawldb.parts.division import parts_in
from crawldb.parts.parts import Parts
from crawldb.tables.pages import is_blocked_or_gone
from frontier.submission import handed_in
from indexer import open_index
from reports.divided_report import divided_report
from reports.numbers import report

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from indexer.retrieval.searcher import Searcher
    from urls.policy import Policy

EXTENSION = "breadcrumb"  # under this name Flask keeps the holdings of an application


class ServedCrawl:
    """The data folder of one gateway, and what the gateway was told about the crawl."""

    def __init__(
        self, data_dir: Path, product: str, contact: str, bot_url: str, crawl_settings: Mapping[str, object],
        policy: Callable[[CrawlDatabase], Policy],
    ) -> None:  # fmt: skip
        self.product = product
        self.contact = contact
        self.bot_url = bot_url
        self.crawl_settings = crawl_settings
        self._data_dir = data_dir
        self._policy_in = policy
        self._opening = threading.Lock()
        self._searcher: Searcher | None = None

    @property
    def searcher(self) -> Searcher:
        """The searcher, opened by the first request that needs it. Raises IndexFault where there is nothing to open."""
        with self._opening:
            if self._searcher is None:
                self._searcher = open_index(self._data_dir, blocked=self._is_hidden, copies=self._copies)
            return self._searcher

    def database(self, url: str) -> CrawlDatabase:
        """Return this request's connection; of a divided crawl, to the part that has `url`.

        Raises DatabaseError where there is no crawl, or not a readable one.
        """
        parts = self._parts()
        return self._whole() if parts is None else parts.home(url)

    def writable_database(self, url: str) -> CrawlDatabase:
        """Return a connection by which a person's request about `url` may be written; the caller closes it."""
        return CrawlDatabase(self.database(url).path.parent)  # where there is no crawl, none is made

    def policy(self, url: str) -> Policy:
        """Return the policy on URLs as the next crawl of `url` would have it."""
        return self._policy_in(self.database(url))

    def report(self) -> dict[str, Any]:
        """Return the crawl in numbers."""
        parts = self._parts()
        return dict(report(self._whole()) if parts is None else divided_report(parts))

    def handed_in_elsewhere(self, database: CrawlDatabase) -> int:
        """Return how many addresses visitors handed in to other parts than that of `database` within the hour."""
        return sum(handed_in(other) for other in self._parts() or () if other.path != database.path)

    def _whole(self) -> CrawlDatabase:
        if "database" not in g:
            g.database = CrawlDatabase(self._data_dir, readonly=True)
        database: CrawlDatabase = g.database
        return database

    def _parts(self) -> Parts | None:
        """Return this request's connections to the parts of a divided crawl; None where it is whole."""
        if "parts" not in g:
            parts = parts_in(self._data_dir)
            g.parts = Parts(self._data_dir, parts) if parts else None
        found: Parts | None = g.parts
        return found

    def _is_hidden(self, url: str) -> bool:
        # A database that is there and can't be read raises: better no answer than one that its owner took back.
        parts = self._parts()
        if parts is not None:
            return parts.is_hidden(url)
        return (self._data_dir / FILE_NAME).exists() and is_blocked_or_gone(self._whole(), url)

    def _copies(self, url: str) -> tuple[str, ...]:
        parts = self._parts()
        return () if parts is None else parts.copies(url)


def whole_number(value: object) -> int:
    """Return a setting as a number: the command line hands over text."""
    return int(str(value))


def served_crawl() -> ServedCrawl:
    """Return the holdings of the application that answers this request."""
    found: ServedCrawl = current_app.extensions[EXTENSION]
    return found


def close_databases(_error: BaseException | None = None) -> None:
    """Close this request's connections, if it needed any."""
    for name in ("database", "parts"):
        opened: CrawlDatabase | Parts | None = g.pop(name, None)
        if opened is not None:
            opened.close()
