"""Which URL is next? Breadth first within a site. The sites take turns, so each gets requests and none gets too many.

Another order may hold within a site (`url_orders.py`), and `Mode` leaves out the URLs that a run does not want.

A site whose host rests has no turn: its URLs stay queued until the rest is over.

A lease reserves a URL for one request: until its page or outcome is stored, it is not leased again. Leases are rows in
the database. After a crash, the next run queues them again (`rounds.begin_run`).
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

from crawldb.clock import RUN_CLOCK
from crawldb.tables.queue import Lease, Queue, leased
from frontier.url_orders import UrlOrder
from urls.schedule import Mode

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawldb.database import CrawlDatabase

READ_AHEAD = 32  # queued URLs of a site that are read at a time
SITES_SECONDS = 1.0  # how long the list of sites with queued URLs is believed
MAX_IDLE = 200  # sites in a row without a URL to lease, after which a choice ends; the next one begins there


class Frontier:
    """Hands out leases; `clock` gives seconds since the epoch, `ticks` seconds that only go forward."""

    def __init__(
        self,
        database: CrawlDatabase,
        clock: Callable[[], float] = RUN_CLOCK.now,
        ticks: Callable[[], float] = time.monotonic,
        *,
        mode: Mode = Mode.ALL,
        order: UrlOrder | None = None,
    ) -> None:
        self._order = order or UrlOrder(database)
        self._order.begin()
        self._database = database
        self._queue = Queue(database, mode, self._order.order_by)
        self._clock = clock
        self._ticks = ticks  # the clock on the wall may be set back
        self._turn: deque[tuple[int, str]] = deque()  # sites, the one whose turn it is first
        self._ahead: dict[int, deque[int]] = {}
        self._sites_read_at = 0.0
        self._asleep: dict[int, float] = {}  # sites whose queued URLs are all put off, and when to look again

    def lease(
        self, limit: int, room: Callable[[str], int], taking: Callable[[str], None] = lambda _: None
    ) -> list[Lease]:
        """Lease at most `limit` due URLs, of each site at most `room(site)`.

        `taking(site)` is called for each choice, since several sites may share their room.
        """
        chosen: list[int] = []
        if not self._order.reads_ahead:
            self._ahead.clear()
        self._read_sites()
        idle = 0
        taken: dict[int, int] = {}
        most = min(len(self._turn), MAX_IDLE)
        while len(chosen) < limit and idle < most:
            site, name = self._turn[0]
            self._turn.rotate(-1)
            url = self._next(site, again=site in taken) if taken.get(site, 0) < room(name) else None
            if url is None:
                idle += 1
            else:
                idle = 0
                taken[site] = taken.get(site, 0) + 1
                taking(name)
                chosen.append(url)
        if not chosen:
            return []
        with self._database.transaction():
            return [lease for lease in map(self._take, chosen) if lease is not None]

    def look_again(self) -> None:
        """Drop the URLs that were read ahead: one that has come in goes before them."""
        self._ahead.clear()
        self._asleep.clear()
        self._sites_read_at = 0.0

    def leased(self) -> int:
        """Return how many leases have not ended yet."""
        return leased(self._database)

    def seconds_to_next(self) -> float | None:
        """Return how long until a queued URL is due and its host awake (0: now), or None when none is queued."""
        due_at = self._queue.first_due_of_all()
        return None if due_at is None else max(0.0, due_at - self._clock())

    def sites_due(self, within: float) -> list[str]:
        """Return the sites that have a queued URL which is due within so many seconds."""
        return self._queue.sites_due(self._clock() + within)

    def _read_sites(self) -> None:
        now = self._ticks()
        if self._turn and now - self._sites_read_at < SITES_SECONDS:
            return
        self._sites_read_at = now
        queued = self._queue.sites(self._clock())
        kept = [site for site in self._turn if site in queued]
        self._turn = deque(kept + sorted(queued.difference(kept)))

    def _next(self, site: int, *, again: bool) -> int | None:
        ahead = self._ahead.get(site)
        if not ahead and self._asleep.get(site, 0.0) > self._ticks():
            return None
        if not ahead and not again:  # what this call has chosen is still queued, and would be read twice
            self._order.prepare_site(site)
            ahead = self._ahead[site] = deque(self._queue.next_of(site, self._clock(), READ_AHEAD))
            if not ahead and self._is_put_off(site):
                self._asleep[site] = self._ticks() + SITES_SECONDS
        return ahead.popleft() if ahead else None

    def _is_put_off(self, site: int) -> bool:
        due_at = self._queue.first_due(site)
        return due_at is not None and due_at > self._clock() + SITES_SECONDS

    def _take(self, identity: int) -> Lease | None:
        now = self._clock()
        lease = self._queue.take(identity, now)
        if lease is not None:  # else it was blocked, forgotten or deferred since the read, or its host rests now
            self._order.leased(identity, self._queue.due(now))
        return lease
