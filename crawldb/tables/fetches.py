"""Which requests were sent, what did each bring, and when is the next visit? Tables `fetch`, `alarm` and `visit`.

Table `fetch` has a row for each request. The row of a page has the time of its end, the row of a robots.txt the time of
its start. Table `alarm` has a row for each round and site in which most fetches fail (frontier/store.py).

Table `visit` has a few numbers for each page: how often it was visited, and had changed. Column `url.lastmod` has the
date of the last change by a sitemap of its site. The next visit follows from both. A page that changed after its fetch
is due, and goes first.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, fields
from enum import StrEnum
from operator import attrgetter
from typing import TYPE_CHECKING

from crawldb.tables.urls import IS_QUEUED, Kind, State, Urls
from robots.freshness import http_date
from urls.rules import Rule
from urls.schedule import RevisitBounds, VisitHistory, first_visit, seconds_to_wait

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawldb.database import CrawlDatabase


ALARM_AFTER = 20  # fetches of a site that have ended in a round: fewer failures mean nothing
MAX_NAMED = 10  # URLs that failed, in the journal's row of an alarm
ALARM_FAILURES = 0.5  # share of them: more raise the alarm
FAILING_STATUS = 400  # this code and those above it: the page did not come (RFC 9110, 15)
# Fetches that we gave up ourselves, or of addresses that we made up: no sign of the site's health.
OUR_DOING = frozenset({Rule.STOPPED, Rule.SIZE, Rule.FAULT, Rule.PROBE})


class RobotsFetch(StrEnum):
    """The kind of a request for a robots.txt, in column `fetch.rule`: no rule of the journal applies to these."""

    ASKED = "robots.txt"  # the end of the way to a file
    MOVED = "robots.txt moved"  # a redirect on it
    CHECKED = "robots.txt checked"  # a page that tells what a failing robots.txt means


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request of a run: `at` in seconds since the epoch, `size` in bytes; no status: no answer came.

    `url` is the id of a URL. For a robots.txt it is None: then `origin` has the file, and `address` is the
    requested address.
    """

    run: int
    at: float
    seconds: float
    status: int | None
    size: int
    rule: Rule | RobotsFetch  # how it ended
    url: int | None = None
    address: str | None = None
    origin: str | None = None


_values = attrgetter(*(field.name for field in fields(SentRequest)))  # in a tenth of the time of `astuple`


def note_fetch(database: CrawlDatabase, sent: SentRequest) -> None:
    """Write down a request that has ended, within the caller's transaction."""
    database.connection.execute(
        "INSERT INTO fetch (run, at, seconds, status, size, rule, url, address, origin) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        _values(sent),
    )


@dataclass(frozen=True, slots=True)
class AlarmRule:
    """After how many ended fetches of a site in a round is it judged, and which share of failures is too much?"""

    after: int = ALARM_AFTER
    share: float = ALARM_FAILURES

    def sounds(self, failed: int, ended: int) -> bool:
        """Return whether so many failures among so many ended fetches are an alarm."""
        return ended >= max(1, self.after) and failed > self.share * ended


@dataclass(frozen=True, slots=True)
class Alarm:
    """A site that mostly fails: of `ended` fetches `failed` had failed at the time `at`, in seconds since the epoch.

    `url` is the last that had failed.
    """

    site: str
    at: float
    failed: int
    ended: int
    reason: str
    url: str


def is_failure(status: int | None, rule: str) -> bool | None:
    """Return whether a fetch failed by its site's doing; None: it says nothing about the site.

    `rule` is a Rule, or the word of one as the table has it.
    """
    if rule in OUR_DOING:
        return None
    return status is None or status >= FAILING_STATUS


def ended_in_round(database: CrawlDatabase, round_: int) -> list[tuple[int, int | None, str, int]]:
    """Return how many fetches of URLs have ended in a round, by site, status and rule."""
    return database.connection.execute(
        "SELECT site, status, fetch.rule, count(*) FROM fetch JOIN url ON url.id = fetch.url "
        "WHERE run IN (SELECT id FROM run WHERE round = ?) GROUP BY site, status, fetch.rule",
        (round_,),
    ).fetchall()


def newest_failed(database: CrawlDatabase, site: int, run: int) -> list[str]:
    """Return the URLs of a site whose fetches have failed in a run, the newest first."""
    sql = (
        "SELECT url.url FROM fetch JOIN url ON url.id = fetch.url WHERE site = ? AND run = ? "
        "AND (status IS NULL OR status >= ?) ORDER BY fetch.id DESC LIMIT ?"
    )
    return database.column(sql, site, run, FAILING_STATUS, MAX_NAMED)


def sites_with_alarm(database: CrawlDatabase, round_: int) -> set[int]:
    """Return the ids of the sites over which an alarm has sounded in a round."""
    return set(database.column("SELECT site FROM alarm WHERE round = ?", round_))


def put_alarm(database: CrawlDatabase, site: int, round_: int, failed: int, ended: int, reason: str) -> None:
    """Write down that a site mostly fails, within the caller's transaction."""
    database.connection.execute(
        "INSERT OR IGNORE INTO alarm (site, round, at, failed, ended, reason) VALUES (?, ?, ?, ?, ?, ?)",
        (site, round_, time.time(), failed, ended, reason),
    )


def alarms(database: CrawlDatabase, site: str = "") -> list[Alarm]:
    """Return the alarms of the latest round, the oldest first; with `site`, only that site's."""
    rows = database.connection.execute(
        "SELECT name, at, failed, ended, reason, coalesce((SELECT json_extract(samples, '$[0]') FROM journal "
        "WHERE rule = 'alarm' AND journal.reason = alarm.reason ORDER BY id DESC LIMIT 1), '') "
        "FROM alarm JOIN site ON site.id = alarm.site "
        "WHERE round = (SELECT max(id) FROM round) AND ? IN ('', name) ORDER BY at, name",
        (site,),
    )
    return [Alarm(*row) for row in rows]


_LISTED = f"id IN (SELECT value FROM json_each(:listed)) AND kind = {Kind.PAGE:d}"  # pages that a sitemap lists
_COPY = "(SELECT fetched_at FROM page WHERE page.url = url.id)"  # when the stored copy was fetched

_COLUMNS = tuple(field.name for field in fields(VisitHistory))
_visit_values = attrgetter(*_COLUMNS)


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
        served = http_date(last_modified) if last_modified else None
        dates = [date for date in (lastmod, served and served.timestamp()) if isinstance(date, (int, float))]
        interval = at - before.seen_at if before else 0.0
        seconds = seconds_to_wait(history, self._bounds, interval=interval, dated=max(dates, default=None))
        if outdated_at is not None:
            seconds = min(seconds, max(self._bounds.least, outdated_at - at))
        self._database.connection.execute(
            f"INSERT OR REPLACE INTO visit (url, {', '.join(_COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?)",
            (url, *_visit_values(history)),
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
