"""Which requests were sent, and what did each bring? Table `fetch`, and the alarms of table `alarm`.

Table `fetch` has a row for each request. The row of a page has the time of its end, the row of a robots.txt the time of
its start. Table `alarm` has a row for each round and site in which most fetches fail (frontier/store.py).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, fields
from enum import StrEnum
from operator import attrgetter
from typing import TYPE_CHECKING

from urls.rules import Rule

if TYPE_CHECKING:
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
    rows = database.connection.execute(
        "SELECT url.url FROM fetch JOIN url ON url.id = fetch.url WHERE site = ? AND run = ? "
        "AND (status IS NULL OR status >= ?) ORDER BY fetch.id DESC LIMIT ?",
        (site, run, FAILING_STATUS, MAX_NAMED),
    )
    return [url for (url,) in rows]


def sites_with_alarm(database: CrawlDatabase, round_: int) -> set[int]:
    """Return the ids of the sites over which an alarm has sounded in a round."""
    rows = database.connection.execute("SELECT site FROM alarm WHERE round = ?", (round_,))
    return {site for (site,) in rows}


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
