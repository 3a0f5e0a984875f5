"""What did each visit to a page find? Kept as a few numbers a page, from which its next visit follows."""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING

from crawldb.tables.urls import Urls
from urls.revisit import History, first_visit, seconds_to_wait, time_of_header

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
from urls.revisit import Bounds


class Visits:
    """The table `visit`, within the caller's transaction."""

    def __init__(self, database: CrawlDatabase, bounds: Bounds) -> None:
        self._database = database
        self._bounds = bounds

    def of(self, url: int) -> History | None:
        """Return what the visits to a page have told, or None where it was never fetched."""
        row = self._database.connection.execute(
            "SELECT visits, unchanged, seconds, seen_at, still_since FROM visit WHERE url = ?", (url,)
        ).fetchone()
        return None if row is None else History(*row)

    def note(self, url: int, at: float, *, changed: bool, last_modified: str = "") -> None:
        """Note a visit to a page that is there, and when the next one is due."""
        before = self.of(url)
        history = first_visit(at) if before is None else before.after(at, changed=changed)
        lastmod = self._database.value("SELECT lastmod FROM url WHERE id = ?", url)
        told = [date for date in (lastmod, time_of_header(last_modified)) if isinstance(date, (int, float))]
        interval = at - before.seen_at if before else 0.0
        seconds = seconds_to_wait(history, self._bounds, interval=interval, dated=max(told, default=None))
        self._database.connection.execute(
            "INSERT OR REPLACE INTO visit (url, visits, unchanged, seconds, seen_at, still_since) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (url, *astuple(history)),
        )
        Urls(self._database).revisit_at(url, at + seconds)
