"""How many more URLs of a host may be handed out? Its connections and one in reserve, and its share of an address.

Many hosts may be one machine: a thousand blogs on one address are not asked for a thousand pages at once. Which address
a host has is known from its first connection on. Until then it counts with all others that were never met, so that
an address may for a moment have twice its share.
"""

from __future__ import annotations

import time
from collections import Counter
from itertools import islice, takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from spiders.pace.delay import Paces

QUEUED_PER_HOST = 1  # leases of a host beyond those under way, so that the next one is at hand
WAITING_SECONDS = 3.0  # a lease that is older waits: for a silent host, or for the delay of a slow one
PLACES_EACH = 2  # that a waiting lease may hold: its own, and that of the robots.txt that it waits for
MAX_WAITING = 1000  # such leases whose places others may have: some kilobytes and at most a connection each
UNMET = frozenset({"not known yet"})  # the address of hosts that were never connected to


class Room:
    """Counts leases under way by host and by address; `addresses` tells what a host was last resolved to.

    `ticks` gives seconds that only go forward.
    """

    def __init__(
        self, paces: Paces, addresses: Callable[[str], frozenset[str]], ticks: Callable[[], float] = time.monotonic
    ) -> None:
        self._ticks = ticks
        self._since: dict[int, float] = {}  # when each lease was handed out, the oldest first
        self._paces = paces
        self._addresses = addresses
        self._hosts: Counter[str] = Counter()
        self._shared: Counter[str] = Counter()
        self._at: dict[int, frozenset[str]] = {}  # the addresses under which a lease was counted
        self._promised: Counter[str] = Counter()  # by address: leases that are being chosen just now

    @property
    def under_way(self) -> int:
        """How many leases have been handed out and have no answer yet."""
        return len(self._at)

    @property
    def waiting(self) -> int:
        """How many places are held by leases that are under way for so long that others shall have as many besides.

        Else those of a few dozen dead hosts, or of hosts with long delays, would hold all the places that there are.
        """
        late = self._ticks() - WAITING_SECONDS
        old = takewhile(lambda since: since < late, islice(self._since.values(), MAX_WAITING))
        return PLACES_EACH * sum(1 for _ in old)

    def left(self, host: str) -> int:
        """Return how many more leases a host has place for."""
        pace = self._paces.of(host)
        left = pace.concurrency + QUEUED_PER_HOST - self._hosts[host]
        if not pace.per_address:
            return left
        most = max(self._shared[address] + self._promised[address] for address in self._addresses(host) or UNMET)
        return min(left, pace.per_address - most)

    def promise(self, host: str) -> None:
        """Keep place for a lease of a host, until the choice is over: hosts on its address have one place less."""
        self._promised.update(self._addresses(host) or UNMET)

    def chosen(self) -> None:
        """End a choice: what was promised has entered, or never will."""
        self._promised.clear()

    def enter(self, lease: int, host: str) -> None:
        """Count a lease that is handed out."""
        self._since[lease] = self._ticks()
        self._at[lease] = self._addresses(host) or UNMET
        self._hosts[host] += 1
        self._shared.update(self._at[lease])

    def leave(self, lease: int, host: str) -> None:
        """Count a lease no longer: its answer is here."""
        del self._since[lease]
        for counter, key in ((self._hosts, host), *((self._shared, address) for address in self._at.pop(lease))):
            counter[key] -= 1
            if not counter[key]:
                del counter[key]
