"""What does a run of the crawl go on with? With the round that is open, or with a new one in which every page is due.

A round ends when no URL is queued. A run that was stopped, killed or cut short by `pages=N` leaves its round open, and
the next run goes on from there: nothing that was committed is fetched again.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.tables.hosts import asked_at_a_kill, silent_sites, wake_the_silent
from crawldb.tables.journal import Journal
from crawldb.tables.sitemaps import ALIVE
from crawldb.tables.urls import FORGOTTEN, Kind, State
from frontier.discovery import Discovery, Found, Origin
from robots.freshness import MAX_RETRY
from urls.blacklist import Blacklist
from urls.canonical import canonicalize
from urls.revisit import Bounds, Mode
from urls.site import site_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crawldb.database import CrawlDatabase
    from urls.policy import Policy

# Rules that a new round asks again: the file may have changed since.
_ASKED_AGAIN = ("robots",)
WAITING_ROUND = 20 * 3600.0  # seconds: less than a day, so that a nightly crawl begins a round of its own
REVISIT = "revisit"  # the rule of what was queued and is not due yet
BY_ITSELF = "finished"  # the ending of a run that had nothing left to do


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the crawl, within one round; `resumed` tells that the round was open before."""

    id: int
    round: int
    resumed: bool
    same_policy: bool = True  # as the run before it; True for the first
    mode: Mode = Mode.ALL


def begin_run(
    database: CrawlDatabase, *, stale_after: int, policy: str = "", mode: Mode = Mode.ALL, bounds: Bounds | None = None
) -> Run:
    """Begin a run: go on with the open round, or open one in which every page is due that `mode` asks for.

    Those long gone never are. `policy` is the digest of the policy that holds (`frontier.review.digest_of`).
    """
    now = time.time()
    with database.transaction() as connection:
        asked_at_a_kill(database, now)
        connection.execute("UPDATE url SET state = ? WHERE state = ?", (State.QUEUED, State.LEASED))
        connection.execute("UPDATE run SET ended_at = ?, ending = 'killed' WHERE ended_at IS NULL", (now,))
        _let_nothing_wait_longer_than_a_day(database, now)
        _close_a_round_that_only_waits(database, now)
        if mode is Mode.DUE:
            _close_a_round_with_pages_due_again(database, now, bounds or Bounds())
        _ask_again_who_gave_no_answer(database)
        row = connection.execute("SELECT id FROM round WHERE closed_at IS NULL").fetchone()
        if row is None:
            _everything_is_due(database, stale_after, mode, now)
            number = connection.execute("INSERT INTO round (opened_at) VALUES (?)", (now,)).lastrowid
        else:
            (number,) = row
        before = connection.execute("SELECT policy FROM run ORDER BY id DESC LIMIT 1").fetchone()
        run = connection.execute(
            "INSERT INTO run (round, pid, policy, started_at) VALUES (?, ?, ?, ?)", (number, os.getpid(), policy, now)
        ).lastrowid
        if mode is Mode.DUE:
            _put_aside_what_is_not_due(database, run, now)
    return Run(int(run or 0), int(number or 0), row is not None, same_policy=before in {None, (policy,)}, mode=mode)


def _close_a_round_with_pages_due_again(database: CrawlDatabase, now: float, bounds: Bounds) -> None:
    """Close an open round whose first pages may be due again, though some of its URLs are queued: they stay so."""
    database.connection.execute(
        "UPDATE round SET closed_at = ? WHERE closed_at IS NULL AND opened_at <= ?", (now, now - bounds.least)
    )


def _put_aside_what_is_not_due(database: CrawlDatabase, run: int | None, now: float) -> None:
    """End, as they last ended, the pages that an earlier run has queued and that have stood still by all experience."""
    aside = "state = ? AND kind = ? AND ended_in IS NOT NULL AND next_at > ? AND id IN (SELECT url FROM page)"
    values = (State.QUEUED, Kind.PAGE, now)
    pages = database.count(f"SELECT count(*) FROM url WHERE {aside}", *values)
    if pages:
        # Only a page that was found has a time for its next visit: whatever failed since is due (Ledger.end).
        database.connection.execute(f"UPDATE url SET state = ? WHERE {aside}", (State.DONE, *values))
        reason = "they were queued by an earlier run, and their time has not come: mode=due leaves them as they are"
        Journal(database, run).write(None, REVISIT, reason, count=pages)


def _everything_is_due(database: CrawlDatabase, stale_after: int, mode: Mode, now: float) -> None:
    due = {Mode.ALL: "1", Mode.DUE: f"(next_at <= {now!r} OR id NOT IN (SELECT url FROM page))"}
    again = ", ".join("?" * len(_ASKED_AGAIN))
    # A sitemap is asked for as long as a robots.txt names it, even one that was not there.
    wanted = f"CASE kind WHEN {Kind.SITEMAP:d} THEN id IN ({ALIVE.format(where='')}) ELSE {due.get(mode, '0')} END"
    database.connection.execute(
        f"DELETE FROM suppression WHERE url IN (SELECT id FROM url WHERE state = ? AND rule IN ({again}) AND {wanted})",
        (State.SUPPRESSED, *_ASKED_AGAIN),
    )
    database.connection.execute(
        "UPDATE url SET state = ?, due_at = 0, attempts = 0 "
        f"WHERE ((state IN (?, ?) AND (kind = ? OR misses < ?)) OR (state = ? AND rule IN ({again}))) AND {wanted}",
        (State.QUEUED, State.DONE, State.FAILED, Kind.SITEMAP, stale_after, State.SUPPRESSED, *_ASKED_AGAIN),
    )


def _let_nothing_wait_longer_than_a_day(database: CrawlDatabase, now: float) -> None:
    """Bound what was put off: no answer asks for more, so a later time is that of a clock that was set back since."""
    database.connection.execute(
        "UPDATE url SET due_at = ? WHERE state = ? AND due_at > ?", (now + MAX_RETRY, State.QUEUED, now + MAX_RETRY)
    )


def _close_a_round_that_only_waits(database: CrawlDatabase, now: float) -> None:
    """Close an open round in which nothing is left but what was put off, once it is most of a day old.

    Else one site that fails for weeks would keep all the others from ever being looked at again.
    """
    ready = database.value(
        "SELECT 1 FROM site WHERE rests_until <= ? "
        "AND EXISTS (SELECT 1 FROM url WHERE site = site.id AND state = ? AND due_at = 0) LIMIT 1",
        now,
        State.QUEUED,
    )
    if ready is None:
        database.connection.execute(
            "UPDATE round SET closed_at = ? WHERE closed_at IS NULL AND opened_at < ?", (now, now - WAITING_ROUND)
        )


def _silent_sites(database: CrawlDatabase) -> dict[str, str]:
    """Return the origins that gave no answer at all when they were last asked, with the sites that they belong to."""
    rows = database.connection.execute("SELECT origin FROM robots WHERE state = 'CLOSED' AND status IS NULL").fetchall()
    return {origin: site_of(canonicalize(f"{origin}/")) for (origin,) in rows}


def _ask_again_who_gave_no_answer(database: CrawlDatabase) -> None:
    """Ask a host that could not be reached at once: whoever starts a run anew may just have mended it.

    What a server said, its Retry-After included, is kept. Of silence only the wait is dropped: since when the host has
    failed and its last good copy stay (robots/access_state.py).
    """
    wake_the_silent(database)
    for origin, site in _silent_sites(database).items():
        database.connection.execute("UPDATE robots SET expires_at = 0 WHERE origin = ?", (origin,))
        database.connection.execute(
            "UPDATE url SET due_at = 0 WHERE state = ? AND attempts = 0 "
            "AND site = (SELECT id FROM site WHERE name = ?)",
            (State.QUEUED, site),
        )


def add_seeds(
    database: CrawlDatabase, policy: Policy, run: Run | None, seeds: Sequence[str], *, by: str = "seed"
) -> Found:
    """Put `seeds` into the root set; return which were accepted, by the spelling given."""
    with database.transaction() as connection:
        journal = Journal(database, run.id if run else None)
        found = Discovery(database, policy, journal).discover(seeds, Origin(by))
        connection.executemany(
            "UPDATE url SET seed = 1, depth = 0, misses = 0 WHERE id = ?",
            [(identity,) for identity in found.ids.values()],
        )
        if by == "submit":
            _remember(database, found.ids.values())
    return found


def _remember(database: CrawlDatabase, urls: Iterable[int]) -> None:
    """Queue what `forget` has taken out or put off in this round: a person asks for it again."""
    last = (
        "SELECT rule FROM journal WHERE url = :url OR id = (SELECT journal FROM suppression WHERE url = :url) "
        "ORDER BY id DESC LIMIT 1"
    )
    database.connection.executemany(
        "UPDATE url SET state = :queued, due_at = 0, attempts = 0 WHERE id = :url AND state = :done "
        f"AND id NOT IN (SELECT url FROM page) AND :forgotten = ({last})",
        [{"url": url, "queued": State.QUEUED, "done": State.DONE, "forgotten": FORGOTTEN} for url in urls],
    )


def seed_sites(database: CrawlDatabase) -> frozenset[str]:
    """Return the sites of the root set: what the scope is made of."""
    sql = "SELECT DISTINCT name FROM url JOIN site ON site.id = url.site WHERE seed = 1"
    own = {name for (name,) in database.connection.execute(sql)}
    # Those of the other parts of a divided crawl: links to them are in scope, wherever they stand.
    handed_over = "SELECT url FROM outbox WHERE found_by IN ('seed', 'submit')"
    return frozenset(own | {site_of(url) for (url,) in database.connection.execute(handed_over)})


def seed_urls(database: CrawlDatabase) -> list[str]:
    """Return the root set."""
    return [url for (url,) in database.connection.execute("SELECT url FROM url WHERE seed = 1 ORDER BY id")]


def blacklist(database: CrawlDatabase) -> Blacklist:
    """Return the blacklist as it now stands."""
    rows = database.connection.execute("SELECT kind, target, reason FROM block").fetchall()
    return Blacklist(
        {target: reason for kind, target, reason in rows if kind == "site"},
        {target: reason for kind, target, reason in rows if kind == "url"},
        {target: reason for kind, target, reason in rows if kind == "pattern"},
    )


def end_run(database: CrawlDatabase, run: Run, ending: str) -> bool:
    """End a run: what is still leased is queued again. Return whether the round ended with it."""
    now = time.time()
    with database.transaction() as connection:
        connection.execute("UPDATE url SET state = ? WHERE state = ?", (State.QUEUED, State.LEASED))
        waiting = database.count("SELECT count(*) FROM url WHERE state = ?", State.QUEUED)
        connection.execute(
            "UPDATE run SET ended_at = ?, ending = ?, waiting = ? WHERE id = ?", (now, ending, waiting, run.id)
        )
        held = waiting - (_waiting_in_silence(database) if ending == BY_ITSELF else 0)
        if not held:
            connection.execute("UPDATE round SET closed_at = ? WHERE id = ?", (now, run.round))
    return not held


def _waiting_in_silence(database: CrawlDatabase) -> int:
    """Return how many URLs wait for hosts that do not answer at all: they do not hold up the round of the others."""
    now = time.time()
    return sum(
        database.count(
            "SELECT count(*) FROM url JOIN site ON site.id = url.site "
            "WHERE state = ? AND name = ? AND (due_at > 0 OR rests_until > ?)",
            State.QUEUED,
            site,
            now,
        )
        for site in set(_silent_sites(database).values()) | silent_sites(database, now)
    )
