"""Which requests were sent, and what came of each? And does a site mostly fail?

Table `fetch` has a row a request, written with what it taught. The row of a page has the time of its end, that of a
robots.txt the time of its start.

A site that mostly fails may be down, moved, or shutting us out, so a person should look (*HTTP: The Definitive Guide*,
9.5). Fetches that ended are counted by site and round. Once enough of them have ended and too many of those failed,
there is one row in table `alarm` and one in the journal. The crawl goes on: whether to leave a site alone is for a
person to say (`block`).
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, fields
from enum import StrEnum
from operator import attrgetter
from typing import TYPE_CHECKING

from urls.counted import counted
from urls.rules import Rule
from urls.shell_word import shell_word

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from crawldb.tables.journal import Journal
    from crawldb.tables.runs import Run


FAILING_STATUS = 400  # this code and those above it: the page did not come (RFC 9110, 15)
# Fetches that we gave up ourselves, or of addresses that we made up: no sign of the site's health.
OUR_DOING = frozenset({Rule.STOPPED, Rule.SIZE, Rule.FAULT, Rule.PROBE})


class RobotsFetch(StrEnum):
    """What a request for a robots.txt was, in the column `fetch.rule`: no rule of the journal decides about these."""

    ASKED = "robots.txt"  # the end of the way to a file
    MOVED = "robots.txt moved"  # a redirect on it
    CHECKED = "robots.txt checked"  # a page that tells what a failing robots.txt means


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request of a run: `at` in seconds since the epoch, `size` in bytes; no status: no answer came.

    `url` is the id of a URL. For a robots.txt it is None: then `origin` says whose file it is, `address` where it was
    asked for.
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

    after: int = 20
    share: float = 0.5

    def sounds(self, failed: int, ended: int) -> bool:
        """Return whether so many failures among so many ended fetches are an alarm."""
        return ended >= max(1, self.after) and failed > self.share * ended


@dataclass(frozen=True, slots=True)
class Alarm:
    """A site that mostly fails: of `ended` fetches `failed` had failed at the time `at`, in seconds since the epoch."""

    site: str
    at: float
    failed: int
    ended: int
    reason: str


def is_failure(status: int | None, rule: str) -> bool | None:
    """Return whether a fetch failed by its site's doing; None: it says nothing about the site.

    `rule` is a Rule, or the word of one as the table has it.
    """
    if rule in OUR_DOING:
        return None
    return status is None or status >= FAILING_STATUS


class Alarms:
    """Counts the fetches of this round by site, within the transaction that ends each of them."""

    def __init__(self, database: CrawlDatabase, run: Run, journal: Journal, rule: AlarmRule) -> None:
        self._database = database
        self._run = run
        self._journal = journal
        self._rule = rule
        self._counted: tuple[Counter[int], Counter[int]] | None = None  # ended and failed, by site
        self._sounded: set[int] = set()

    def rolled_back(self) -> None:
        """Forget what a transaction that came to nothing had counted."""
        self._counted = None

    def note(self, site: int, status: int | None, rule: str) -> None:
        """Count a fetch of a site (by its id) that has just been written down.

        Sound the alarm where it is the one too many.
        """
        failed = is_failure(status, rule)
        if failed is None:
            return
        if self._counted is None:
            self._counted = self._count()
        else:
            self._counted[0][site] += 1
            self._counted[1][site] += failed
        ended, failures = self._counted[0][site], self._counted[1][site]
        if failed and site not in self._sounded and self._rule.sounds(failures, ended):
            self._sound(site, failures, ended)

    def _count(self) -> tuple[Counter[int], Counter[int]]:
        """Count what the runs of this round before this one, and this one, have fetched so far."""
        sounded = self._database.connection.execute("SELECT site FROM alarm WHERE round = ?", (self._run.round,))
        self._sounded = {site for (site,) in sounded}
        ended: Counter[int] = Counter()
        failed: Counter[int] = Counter()
        rows = self._database.connection.execute(
            "SELECT site, status, fetch.rule, count(*) FROM fetch JOIN url ON url.id = fetch.url "
            "WHERE run IN (SELECT id FROM run WHERE round = ?) GROUP BY site, status, fetch.rule",
            (self._run.round,),
        )
        for site, status, rule, count in rows:
            failure = is_failure(status, rule)
            if failure is not None:
                ended[site] += count
                failed[site] += count * failure
        return ended, failed

    def _sound(self, site: int, failed: int, ended: int) -> None:
        name = self._database.value("SELECT name FROM site WHERE id = ?", site)
        fetches = counted(ended, "fetch", "fetches")
        block = f"./breadcrumb block --site {shell_word(str(name))}"
        reason = f"{failed} of {fetches} of {name} failed in this round; {block} leaves it alone"
        samples = self._database.connection.execute(
            "SELECT url.url FROM fetch JOIN url ON url.id = fetch.url WHERE site = ? AND run = ? "
            "AND (status IS NULL OR status >= ?) ORDER BY fetch.id DESC LIMIT 10",
            (site, self._run.id, FAILING_STATUS),
        )
        self._database.connection.execute(
            "INSERT OR IGNORE INTO alarm (site, round, at, failed, ended, reason) VALUES (?, ?, ?, ?, ?, ?)",
            (site, self._run.round, time.time(), failed, ended, reason),
        )
        self._journal.write(None, Rule.ALARM, reason, [url for (url,) in samples], count=failed)
        self._sounded.add(site)


def alarms(database: CrawlDatabase, site: str = "") -> list[Alarm]:
    """Return the alarms of the latest round, the oldest first; with `site`, only that site's."""
    rows = database.connection.execute(
        "SELECT name, at, failed, ended, reason FROM alarm JOIN site ON site.id = alarm.site "
        "WHERE round = (SELECT max(id) FROM round) AND ? IN ('', name) ORDER BY at, name",
        (site,),
    )
    return [Alarm(*row) for row in rows]
