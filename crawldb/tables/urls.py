"""In which state is a URL, and how does the state change? Table `url`, whose rows only this module writes.

A discovered URL is in exactly one state, so discovered = queued + leased + done + failed + suppressed:

    (new) ── enqueue ──> QUEUED <── give_back_leases, defer ── LEASED
    (new) ── refuse ───> SUPPRESSED
    QUEUED ── lease ───> LEASED
    LEASED, QUEUED ── end ──> DONE | FAILED | SUPPRESSED
    any ── suppress ───> SUPPRESSED
    SUPPRESSED, DONE, FAILED ── requeue, reopen_round, defer ──> QUEUED
    QUEUED ── leave_not_due ──> DONE | FAILED        (as it last ended: without a request)

    transition        sets                                               clears
    enqueue           found_by, found_on, found_at, depth, hops, kind
    refuse            the same, and rule
    lease             nothing else
    give_back_leases  nothing else
    defer             due_at (never nearer than before), attempts
    end               rule, ended_in, moved_to, urgency, next_at (DONE)  misses (DONE), next_at (the others)
    suppress          rule                                               moved_to, but for an alias
    requeue           depth where it is given                            due_at, attempts; of what was suppressed
                                                                         also rule, moved_to, the pattern it waited for
    reopen_round      the same, for all URLs that are due; urgency, of what an earlier round deferred
    leave_not_due     nothing else
    correct_end       rule, moved_to, of a URL that is done: its page was forgotten by a person, or filtered again

`ended_in` is the round in which a URL's turn last ended: only `end` sets it, so NULL means that it never had a turn.
Table `explanation` has the journal row of each URL that a rule holds back. `requeue` removes it, or replaces it by the
row that says why the URL is queued again.

Everything here happens within the caller's transaction.
"""

from __future__ import annotations

import time
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from crawldb.tables.sitemaps import ALIVE
from crawldb.visited import find_row
from urls.rules import Rule
from urls.schedule import Mode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from crawldb.database import CrawlDatabase
    from urls.records import FoundBy

PAGE_URGENCY = 1  # of a page that was deferred, or changed since its fetch by its sitemap; 0: of others; -1: last
SITEMAP_URGENCY = 2  # of a sitemap: what it lists comes after it
ASKED_AGAIN = (Rule.ROBOTS,)  # rules that a new round asks again: the file may have changed since


class State(IntEnum):
    """The state of a discovered URL, as the column `url.state` has it."""

    QUEUED = 0
    LEASED = 1
    DONE = 2
    FAILED = 3
    SUPPRESSED = 4


class Kind(IntEnum):
    """Whether a URL is requested as a page or as a sitemap, as the column `url.kind` has it."""

    PAGE = 0
    SITEMAP = 1


# Written out as in the schema: a value that is bound would not let SQLite use the indexes on what is queued.
IS_QUEUED = f"state = {State.QUEUED:d}"
# What held a URL back is over; how it ended otherwise is still true.
_QUEUED_ANEW = (
    f"{IS_QUEUED}, due_at = 0, attempts = 0, rule = iif(state = {State.SUPPRESSED:d}, NULL, rule), "
    f"moved_to = iif(state = {State.SUPPRESSED:d}, NULL, moved_to)"
)


class NewUrl(NamedTuple):
    """A URL that was just discovered: `site` and `found_on` are ids, `depth` counts links from a seed."""

    url: str  # canonical, or `stored_name` of one that is overlong
    site: int
    found_by: FoundBy
    found_on: int | None = None
    depth: int = 0
    hops: int = 0  # redirects in a row that led to it
    kind: Kind = Kind.PAGE
    urgency: int = 0


class UnderWay(NamedTuple):
    """The row of a URL when its lease ends."""

    id: int
    site: int
    depth: int
    hops: int
    kind: int
    purpose: str | None  # of a probe
    state: int
    rule: str | None
    ended_in: int | None


_UNDER_WAY = (
    "url.id, site, depth, hops, kind, (SELECT purpose FROM probe WHERE probe.url = url.id), state, rule, ended_in"
)


def under_way(database: CrawlDatabase, url: str) -> UnderWay | None:
    """Return the row of a URL whose lease ends; None where the crawl has never met it."""
    row = find_row(database.connection, _UNDER_WAY, url)
    return None if row is None else UnderWay(*row)


class Urls:
    """The rows of table `url`, by their ids. No other code writes them."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._connection = database.connection

    def enqueue(self, new: NewUrl) -> int:
        """Let a URL wait for its turn; return its id."""
        return self._insert(new, State.QUEUED, None)

    def refuse(self, new: NewUrl, rule: Rule) -> int:
        """Keep a URL that a rule refuses; return its id. `explain` follows once the journal has the row."""
        return self._insert(new, State.SUPPRESSED, rule)

    def _insert(self, new: NewUrl, state: State, rule: Rule | None) -> int:
        cursor = self._connection.execute(
            "INSERT INTO url (url, site, found_by, found_on, depth, hops, kind, urgency, seed, found_at, state, rule) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*new, new.found_by.is_root_set, time.time(), state, rule),
        )
        return int(cursor.lastrowid or 0)

    def lease(self, url: int, now: float, columns: str = "id") -> tuple[Any, ...] | None:
        """Promise that a URL is worked on; return columns of its row: None where it is not due, or its host rests."""
        row: tuple[Any, ...] | None = self._connection.execute(
            "UPDATE url SET state = ? WHERE id = ? AND state = ? AND due_at <= ? "
            f"AND (SELECT rests_until FROM site WHERE id = url.site) <= ? RETURNING {columns}",
            (State.LEASED, url, State.QUEUED, now, now),
        ).fetchone()
        return row

    def give_back_leases(self) -> None:
        """Queue what is leased: the run that had promised it is over."""
        self._connection.execute("UPDATE url SET state = ? WHERE state = ?", (State.QUEUED, State.LEASED))

    def end(
        self,
        url: int,
        state: State,
        rule: Rule,
        round_: int,
        *,
        moved_to: int | None = None,
        because: int | None = None,
        next_at: float | None = None,
    ) -> None:
        """End the turn of a URL in a round: `because` of a row of the journal, and with a page's next visit."""
        done = state is State.DONE  # what failed is due in each round
        self._connection.execute(
            "UPDATE url SET state = ?, rule = ?, ended_in = ?, moved_to = ?, urgency = kind * ?, "
            "misses = iif(?, 0, misses), next_at = iif(?, coalesce(?, next_at), 0) WHERE id = ?",
            (state, rule, round_, moved_to, SITEMAP_URGENCY, done, done, next_at, url),
        )
        if because is not None:
            self.explain([url], because)

    def correct_end(self, url: int, rule: Rule, moved_to: int | None = None, *, than: Rule | None = None) -> None:
        """Note that the page of a URL that is done was taken out, or filtered again; `than`: only where it ended so."""
        sql = "UPDATE url SET rule = ?, moved_to = ? WHERE id = ? AND state = ? AND rule = coalesce(?, rule)"
        self._connection.execute(sql, (rule, moved_to, url, State.DONE, than))

    def defer(self, url: int, due_at: float, *, counts: bool, last: bool = False) -> None:
        """Let a URL wait until `due_at`, seconds since the epoch; `counts`: as an attempt, `last`: after its site's."""
        later = "due_at = max(due_at, ?), attempts = attempts + ?, urgency = urgency - ?"
        row = (State.QUEUED, due_at, counts, last, url)
        self._connection.execute(f"UPDATE url SET state = ?, {later} WHERE id = ?", row)

    def suppress(
        self, urls: Collection[int], rule: Rule, because: int, *, moved_to: Mapping[int, int | None] | None = None
    ) -> None:
        """Let a rule hold URLs back, whatever their states. `moved_to`: of aliases, the ids that they are known by."""
        known = moved_to or {}
        self._connection.executemany(
            "UPDATE url SET state = ?, rule = ?, moved_to = ? WHERE id = ?",
            [(State.SUPPRESSED, rule, known.get(url), url) for url in urls],
        )
        self.explain(urls, because)

    def requeue(self, urls: Collection[int], *, because: int | None = None, depth: int | None = None) -> None:
        """Queue URLs again: what held them back holds no longer. How they last ended stays, but for what held them."""
        self._connection.executemany(
            f"UPDATE url SET {_QUEUED_ANEW}, depth = coalesce(?, depth) WHERE id = ?", [(depth, url) for url in urls]
        )
        rows = [(url,) for url in urls]
        self._connection.executemany("DELETE FROM trapped WHERE url = ?", rows)
        if because is None:
            self._connection.executemany("DELETE FROM explanation WHERE url = ?", rows)
        else:
            self.explain(urls, because)

    def requeue_gone(self, urls: Collection[int]) -> None:
        """Queue URLs that were given up as gone, for one more request."""
        self.requeue(urls)
        self._connection.executemany("UPDATE url SET misses = misses - 1 WHERE id = ?", [(url,) for url in urls])

    def reopen_round(self, mode: Mode, stale_after: int, now: float) -> None:
        """Queue every URL that a new round asks for: those that are due by `mode`, and those not gone for long.

        A URL that is queued already goes first. Otherwise a site that rests half way would never be finished.
        A sitemap is requested as long as a robots.txt names it, even one that was not there.
        """
        self._connection.execute(f"UPDATE url SET urgency = max(urgency, {PAGE_URGENCY:d}) WHERE {IS_QUEUED}")
        asked, held = _asked_by_a_round(mode, stale_after, now), f"state = {State.SUPPRESSED:d}"
        self._connection.execute(f"DELETE FROM explanation WHERE url IN (SELECT id FROM url WHERE {held} AND {asked})")
        self._connection.execute(f"UPDATE url SET {_QUEUED_ANEW} WHERE {asked}")

    def is_asked_by_a_round(self, url: int, stale_after: int) -> bool:
        """Return whether a new round would request a URL as it is now (mode=all)."""
        sql = f"SELECT 1 FROM url WHERE id = ? AND {_asked_by_a_round(Mode.ALL, stale_after, 0.0)}"
        return self._connection.execute(sql, (url,)).fetchone() is not None

    def leave_not_due(self, now: float) -> int:
        """Leave pages that an earlier run has queued as they last ended, since they are not due; return their number.

        Only a page that was found has a time for its next visit: whatever failed since is due (`end`).
        """
        sql = (
            "UPDATE url SET state = ? WHERE state = ? AND kind = ? AND ended_in IS NOT NULL AND next_at > ? "
            "AND id IN (SELECT url FROM page)"
        )
        return self._connection.execute(sql, (State.DONE, State.QUEUED, Kind.PAGE, now)).rowcount

    def explain(self, urls: Iterable[int], row: int) -> None:
        """Let a row of the journal say why URLs stand as they do."""
        self._connection.executemany("INSERT OR REPLACE INTO explanation VALUES (?, ?)", [(url, row) for url in urls])

    # -- What else a row says, in whatever state it is

    def join_root_set(self, urls: Collection[int], *, forgive: bool = True) -> None:
        """Make URLs part of the root set; `forgive`: it does not count any longer how often they were not found."""
        self._connection.executemany(
            "UPDATE url SET seed = 1, depth = 0, misses = iif(?, 0, misses) WHERE id = ?",
            [(forgive, url) for url in urls],
        )

    def turn_into(self, url: int, kind: Kind) -> None:
        """Ask for a URL as something else from now on."""
        urgency = SITEMAP_URGENCY if kind is Kind.SITEMAP else 0
        self._connection.execute("UPDATE url SET kind = ?, urgency = ? WHERE id = ?", (kind, urgency, url))

    def miss(self, url: int) -> None:
        """Count one more 404 or 410 in a row."""
        self._connection.execute("UPDATE url SET misses = misses + 1 WHERE id = ?", (url,))

    def revisit_at(self, url: int, at: float) -> None:
        """Note when a page is due again."""
        self._connection.execute("UPDATE url SET next_at = ? WHERE id = ?", (at, url))

    def date(self, dates: Mapping[int, float]) -> None:
        """Keep when pages changed, as a sitemap says."""
        sql = "UPDATE url SET lastmod = ?2 WHERE id = ?1 AND lastmod IS NOT ?2"
        self._connection.executemany(sql, list(dates.items()))

    def hurry(self, urls: Collection[int]) -> None:
        """Let queued pages go before the others of their site: they changed since they were fetched."""
        sql = f"UPDATE url SET urgency = ? WHERE id = ? AND {IS_QUEUED}"
        self._connection.executemany(sql, [(PAGE_URGENCY, url) for url in urls])

    def defer_origin(self, url: int, scheme: str, due_at: float) -> None:
        """Let all that is queued of a URL's scheme, host and port wait until `due_at`."""
        self._connection.execute(
            "UPDATE url SET due_at = max(due_at, ?) WHERE state = ? AND site = (SELECT site FROM url WHERE id = ?) "
            "AND substr(url, 1, ?) = ?",
            (due_at, State.QUEUED, url, len(scheme) + 1, f"{scheme}:"),
        )

    def bound_waits(self, latest: float) -> None:
        """Let nothing wait beyond `latest`: a later time is that of a clock that was set back since."""
        self._connection.execute(f"UPDATE url SET due_at = ?1 WHERE {IS_QUEUED} AND due_at > ?1", (latest,))

    def take_to_this_clock(self, then: float, now: float) -> None:
        """Let every wait, and every time until a revisit, last as long as it had to at `then`: it is `now` instead."""
        for column, which in (("due_at", f"{IS_QUEUED} AND"), ("next_at", "")):
            later = f"max({column} - :then + :now, :now)"
            sql = f"UPDATE url SET {column} = {later} WHERE {which} {column} > :now"
            self._connection.execute(sql, {"then": then, "now": now})

    def end_waits(self, site: str) -> None:
        """Let what is queued of a site, and was not requested in this round, be due immediately."""
        self._connection.execute(
            f"UPDATE url SET due_at = 0 WHERE {IS_QUEUED} AND attempts = 0 "
            "AND site = (SELECT id FROM site WHERE name = ?)",
            (site,),
        )

    # -- Questions

    def is_forgotten(self, url: int) -> bool:
        """Return whether a person took the page of a URL out with `forget`, and it was not requested since."""
        sql = "SELECT 1 FROM url WHERE id = ? AND state = ? AND rule = ?"
        return self._connection.execute(sql, (url, State.DONE, Rule.FORGOTTEN)).fetchone() is not None

    def unnamed_sitemaps(self) -> list[int]:
        """Return the sitemaps that wait for their turn although no robots.txt names them any more."""
        sql = f"SELECT id FROM url WHERE kind = ? AND {IS_QUEUED} AND id NOT IN ({ALIVE.format(where='')})"
        return [url for (url,) in self._connection.execute(sql, (Kind.SITEMAP,))]


def _asked_by_a_round(mode: Mode, stale_after: int, now: float) -> str:
    """Return the condition on a row under which a new round asks for it."""
    due = {Mode.ALL: "1", Mode.DUE: f"(next_at <= {now!r} OR id NOT IN (SELECT url FROM page))"}
    wanted = f"CASE kind WHEN {Kind.SITEMAP:d} THEN id IN ({ALIVE.format(where='')}) ELSE {due.get(mode, '0')} END"
    ended = f"state IN ({State.DONE:d}, {State.FAILED:d}) AND (kind = {Kind.SITEMAP:d} OR misses < {stale_after:d})"
    held = f"state = {State.SUPPRESSED:d} AND rule IN ({', '.join(map(repr, map(str, ASKED_AGAIN)))})"
    return f"(({ended}) OR ({held})) AND {wanted}"
