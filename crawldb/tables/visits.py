"""When did a page change, by its visits and by its sitemap? Its next visit follows from this.

Table `visit` has a few numbers for each page. Column `url.lastmod` has the date of the last change by a sitemap of its
site. A page that changed after its fetch is due, and goes first.
"""

from __future__ import annotations

import json
from dataclasses import fields
from operator import attrgetter
from typing import TYPE_CHECKING

from crawldb.tables.urls import IS_QUEUED, Kind, State, Urls
from urls.schedule import RevisitBounds, VisitHistory, first_visit, seconds_to_wait, time_of_header

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawldb.database import CrawlDatabase


_LISTED = f"id IN (SELECT value FROM json_each(:listed)) AND kind = {Kind.PAGE:d}"  # pages that a sitemap lists
_COPY = "(SELECT fetched_at FROM page WHERE page.url = url.id)"  # when the stored copy was fetched

_COLUMNS = tuple(field.name for field in fields(VisitHistory))
_values = attrgetter(*_COLUMNS)


class Visits:
    """The table `visit`, within the caller's transaction."""

    def __init__(self, database: CrawlDatabase, bounds: RevisitBounds) -> None:
        self._database = database
        self._bounds = bounds

    def note(
        self, url: int, at: float, *, changed: bool, last_modified: str = "", outdated_at: float | None = None
    ) -> float:
        """Note a visit to a page that is there; return when the next one is due: by `outdated_at`, where it is given.

        All three times are in seconds since the epoch.
        """
        lastmod, *row = self._database.connection.execute(
            f"SELECT lastmod, {', '.join(_COLUMNS)} FROM url LEFT JOIN visit ON visit.url = url.id WHERE url.id = ?",
            (url,),
        ).fetchone()
        before = None if None in row else VisitHistory(*row)
        history = first_visit(at) if before is None else before.after(at, changed=changed)
        dates = [date for date in (lastmod, time_of_header(last_modified)) if isinstance(date, (int, float))]
        interval = at - before.seen_at if before else 0.0
        seconds = seconds_to_wait(history, self._bounds, interval=interval, dated=max(dates, default=None))
        if outdated_at is not None:
            seconds = min(seconds, max(self._bounds.least, outdated_at - at))
        self._database.connection.execute(
            f"INSERT OR REPLACE INTO visit (url, {', '.join(_COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?)",
            (url, *_values(history)),
        )
        return at + seconds


class ListedDates:
    """The dates that one sitemap gives to pages, by the ids of their URLs, within the caller's transaction."""

    def __init__(self, database: CrawlDatabase, dates: Mapping[int, float]) -> None:
        self._connection = database.connection
        self._urls = Urls(database)
        self._dates = dates
        self._listed = json.dumps(list(dates))

    def note(self) -> None:
        """Keep the dates."""
        self._urls.date(self._dates)

    def changed_since_fetched(self, *, done_before: int | None = None) -> list[int]:
        """Return the pages that changed after they were fetched, by their dates.

        `done_before`: only those whose turn ended well before that round.
        """
        done = "" if done_before is None else f"AND state = {State.DONE:d} AND ended_in < :round"
        sql = f"SELECT id FROM url WHERE {_LISTED} AND lastmod > {_COPY} {done}"
        rows = self._connection.execute(sql, {"listed": self._listed, "round": done_before})
        return [url for (url,) in rows]

    def not_changed_since_fetched(self) -> list[tuple[int, str]]:
        """Return ids and URLs of the pages that wait for their turn with a copy that is up to date."""
        sql = f"SELECT id, url FROM url WHERE {_LISTED} AND {IS_QUEUED} AND attempts = 0 AND lastmod <= {_COPY}"
        return self._connection.execute(sql, {"listed": self._listed}).fetchall()

    def changed_since_gone(self, round_: int) -> list[tuple[int, str]]:
        """Return ids and URLs of the pages that were given up as gone, and changed since their last request.

        A URL that is gone and not given up was queued with its round; one that was requested in this round had it.
        """
        sql = (
            f"SELECT id, url FROM url WHERE {_LISTED} AND state = :failed AND misses > 0 AND ended_in < :round "
            "AND lastmod > (SELECT max(at) FROM fetch WHERE fetch.url = url.id)"
        )
        values = {"listed": self._listed, "failed": State.FAILED, "round": round_}
        return self._connection.execute(sql, values).fetchall()
