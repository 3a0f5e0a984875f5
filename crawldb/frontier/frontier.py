"""Which URL is next? Breadth first within a site, and the sites in turn, so that no site is hurried and none waits.

A lease is a promise that a URL is being worked on: until its page or outcome is stored, nobody else gets it. Leases
are rows in the database, so a crash leaves them there, and the next run queues them again (`rounds.begin_run`).
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.page import CanonicalUrl
from crawldb.state import State

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawldb.database import CrawlDatabase

READ_AHEAD = 32  # queued URLs of a site that are read at a time
SITES_SECONDS = 1.0  # how long the list of sites with queued URLs is believed


@dataclass(frozen=True, slots=True)
class Lease:
    """A URL to fetch, with what the fetch needs to know."""

    id: int
    url: CanonicalUrl
    site: str
    depth: int
    attempts: int  # failed requests in this round
    seed: bool  # in the root set: it may be anywhere its operator wants
    referer: str  # the page that it was found on, or ""
    etag: str
    last_modified: str


class Frontier:
    """Hands out leases; `clock` gives seconds since the epoch, `ticks` seconds that only go forward."""

    def __init__(
        self,
        database: CrawlDatabase,
        clock: Callable[[], float] = time.time,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._connection = database.connection
        self._clock = clock
        self._ticks = ticks  # the clock on the wall may be set back
        self._turn: deque[tuple[int, str]] = deque()  # sites, the one whose turn it is first
        self._ahead: dict[int, deque[int]] = {}
        self._sites_read_at = 0.0
        self._asleep: dict[int, float] = {}  # sites whose queued URLs are all put off, and when to look again

    def lease(self, limit: int, room: Callable[[str], int]) -> list[Lease]:
        """Lease at most `limit` due URLs, of each site at most as many as `room(site)` says it has place for."""
        chosen: list[int] = []
        self._read_sites()
        idle = 0
        taken: dict[int, int] = {}
        while len(chosen) < limit and idle < len(self._turn):
            site, name = self._turn[0]
            self._turn.rotate(-1)
            url = self._next(site, again=site in taken) if taken.get(site, 0) < room(name) else None
            if url is None:
                idle += 1
            else:
                idle = 0
                taken[site] = taken.get(site, 0) + 1
                chosen.append(url)
        if not chosen:
            return []
        with self._database.transaction():
            return [lease for lease in map(self._take, chosen) if lease is not None]

    def leased(self) -> int:
        """Return how many leases have not ended yet."""
        return self._database.count("SELECT count(*) FROM url WHERE state = ?", State.LEASED)

    def seconds_to_next(self) -> float | None:
        """Return how long until a queued URL is due (0: now), or None when none is queued."""
        due = self._database.value("SELECT min(due_at) FROM url INDEXED BY url_due WHERE state = 0")
        return max(0.0, due - self._clock()) if isinstance(due, (int, float)) else None

    def _read_sites(self) -> None:
        now = self._ticks()
        if self._turn and now - self._sites_read_at < SITES_SECONDS:
            return
        self._sites_read_at = now
        rows = self._connection.execute(
            "SELECT id, name FROM site WHERE EXISTS (SELECT 1 FROM url WHERE site = site.id AND state = 0)"
        ).fetchall()
        queued = set(rows)
        kept = [site for site in self._turn if site in queued]
        self._turn = deque(kept + sorted(queued.difference(kept)))

    def _next(self, site: int, *, again: bool) -> int | None:
        ahead = self._ahead.get(site)
        if not ahead and self._asleep.get(site, 0.0) > self._ticks():
            return None
        if not ahead and not again:  # what this call has chosen is still queued, and would be read twice
            rows = self._connection.execute(
                "SELECT id FROM url WHERE site = ? AND state = 0 AND due_at <= ? ORDER BY depth, id LIMIT ?",
                (site, self._clock(), READ_AHEAD),
            )
            ahead = self._ahead[site] = deque(identity for (identity,) in rows)
            if not ahead and self._is_put_off(site):
                self._asleep[site] = self._ticks() + SITES_SECONDS
        return ahead.popleft() if ahead else None

    def _is_put_off(self, site: int) -> bool:
        sql = "SELECT min(due_at) FROM url WHERE site = ? AND state = 0"
        due_at = self._database.value(sql, site)
        return isinstance(due_at, (int, float)) and due_at > self._clock() + SITES_SECONDS

    def _take(self, identity: int) -> Lease | None:
        sql = "UPDATE url SET state = ? WHERE id = ? AND state = ? AND due_at <= ?"
        if not self._connection.execute(sql, (State.LEASED, identity, State.QUEUED, self._clock())).rowcount:
            return None  # blocked, forgotten or put off since it was read
        row = self._connection.execute(
            "SELECT url.id, url.url, site.name, url.depth, url.attempts, url.seed, "
            "coalesce(parent.url, ''), coalesce(etag, ''), coalesce(last_modified, '') "
            "FROM url JOIN site ON site.id = url.site "
            "LEFT JOIN url AS parent ON parent.id = url.found_on LEFT JOIN page ON page.url = url.id WHERE url.id = ?",
            (identity,),
        ).fetchone()
        identity, url, site, depth, attempts, seed, referer, etag, last_modified = row
        return Lease(identity, CanonicalUrl(url), site, depth, attempts, bool(seed), referer, etag, last_modified)
