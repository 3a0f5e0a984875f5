"""Who holds a place? What is quick: URLs of hosts that answer, and those only for a few seconds.

CONCURRENT_REQUESTS is for hosts that answer. A host that has given no page yet in this run, or whose last word was
silence, has one URL under way, and that one is counted apart: so the dead, however many, never hold what the living
need. As many of these are tried at once as there are places, each for some seconds; then it is the turn of the next.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import TYPE_CHECKING

from crawldb.tables.hosts import MAX_KNOWN

if TYPE_CHECKING:
    from collections.abc import Callable

WAITING_SECONDS = 3.0  # a lease that is older waits: for a silent host, or for the delay of a slow one
PLACES_EACH = 2  # that a lease outside may hold: its own, and that of the robots.txt that it waits for
MAX_OUTSIDE = 800  # leases outside the places: a connection each, and a process may open 1024 files by default
MAX_UNHEARD = 400  # … of them of hosts that have not answered, so that slow ones have room as well


class Places:
    """Tells hosts that answer from the others, and counts the leases that hold none of the `total` places.

    `ticks` gives seconds that only go forward.
    """

    def __init__(self, total: int, ticks: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._ticks = ticks
        self._answering: set[str] = set()
        # When each lease was handed out, the oldest first; what is older than WAITING_SECONDS is late.
        self._inside: OrderedDict[int, float] = OrderedDict()
        self._tried: OrderedDict[int, float] = OrderedDict()
        self._late: set[int] = set()
        self._unheard: set[int] = set()  # leases of hosts that had not answered, late or not

    def heard(self, host: str) -> None:
        """Note that a host has answered: from now on it has what its pace allows."""
        if len(self._answering) >= MAX_KNOWN:
            self._answering.clear()  # each proves itself again, with its next page
        self._answering.add(host)

    def missed(self, host: str) -> None:
        """Note that a host was asked and gave no answer: it has to prove itself again."""
        self._answering.discard(host)

    def answers(self, host: str) -> bool:
        """Return whether the last that was heard of a host in this run was an answer."""
        return host in self._answering

    def enter(self, lease: int, host: str) -> None:
        """Count a lease that is handed out."""
        if self.answers(host):
            self._inside[lease] = self._ticks()
        else:
            self._tried[lease] = self._ticks()
            self._unheard.add(lease)

    def leave(self, lease: int) -> None:
        """Count a lease no longer."""
        self._inside.pop(lease, None)
        self._tried.pop(lease, None)
        self._late.discard(lease)
        self._unheard.discard(lease)

    @property
    def untaken(self) -> int:
        """How many more hosts that have not answered may be tried now."""
        self._let_go()
        return min(self._total - len(self._tried), MAX_UNHEARD - len(self._unheard))

    @property
    def lent(self) -> int:
        """How many requests may be under way beyond the total: those that leases outside may hold."""
        self._let_go()
        return PLACES_EACH * min(len(self._tried) + len(self._late), MAX_OUTSIDE)

    def is_late(self, lease: int) -> bool:
        """Return whether a lease has been under way for so long that it waits for its host."""
        self._let_go()
        return lease in self._late

    def _let_go(self) -> None:
        late = self._ticks() - WAITING_SECONDS
        for young in (self._inside, self._tried):
            while young and next(iter(young.values())) < late:
                lease, _ = young.popitem(last=False)
                self._late.add(lease)
