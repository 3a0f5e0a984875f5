"""What does a request read? One searcher that all threads share, and a crawl database of its own.

The index answers alone: with the crawl database taken away results, snippets and dates are still there. With it, what
was blocked, forgotten or refused since the last commit is hidden at once, and Why? and the cached copy have a source.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from flask import current_app, g

from crawldb import CrawlDatabase
from crawldb.database import FILE_NAME
from crawldb.requests import is_blocked_or_gone
from indexer import open_index

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from crawldb.frontier.policy import Policy
    from indexer.retrieval.searcher import Searcher

EXTENSION = "breadcrumb"  # under this name Flask keeps the holdings of an application


class Holdings:
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
                self._searcher = open_index(self._data_dir, blocked=self._is_hidden)
            return self._searcher

    def database(self) -> CrawlDatabase:
        """Return this request's connection. Raises DatabaseError where there is no crawl, or not a readable one."""
        if "database" not in g:
            g.database = CrawlDatabase(self._data_dir, readonly=True)
        database: CrawlDatabase = g.database
        return database

    def writable_database(self) -> CrawlDatabase:
        """Return a connection that a request of a person may be written by; the caller closes it."""
        self.database()  # where there is no crawl, none is made
        return CrawlDatabase(self._data_dir)

    def policy(self) -> Policy:
        """Return the policy on URLs as the next crawl would have it."""
        return self._policy_in(self.database())

    def _is_hidden(self, url: str) -> bool:
        # A database that is there and can't be read raises: better no answer than one that its owner took back.
        return (self._data_dir / FILE_NAME).exists() and is_blocked_or_gone(self.database(), url)


def whole(value: object) -> int:
    """Return a setting as a number: the command line hands over text."""
    return int(str(value))


def holdings() -> Holdings:
    """Return the holdings of the application that answers this request."""
    found: Holdings = current_app.extensions[EXTENSION]
    return found


def close_database(_error: BaseException | None = None) -> None:
    """Close this request's connection, if it needed one."""
    database: CrawlDatabase | None = g.pop("database", None)
    if database is not None:
        database.close()
