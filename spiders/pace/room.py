"""How many more URLs of a host may be handed out? Its connections and one in reserve, and its share of an address.

A host that has not answered yet has place for one: see spiders/pace/places.py.

Many hosts may be one machine: a thousand blogs on one address are not asked for a thousand pages at once. Which address
a host has is known from its first connection on. Until then it counts with all others that were never met, so that
an address may for a moment have twice its share.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from spiders.pace.delay import Paces
    from spiders.pace.places import Places

QUEUED_PER_HOST = 1  # leases of a host beyond those under way, so that the next one is at hand
UNMET = frozenset({"not known yet"})  # the address of hosts that were never connected to
_NOWHERE: frozenset[str] = frozenset()


class Room:
    """Counts leases under way by host and by address; `addresses` tells what a host was last resolved to."""

    def __init__(self, paces: Paces, addresses: Callable[[str], frozenset[str]], places: Places) -> None:
        self._paces = paces
        self._addresses = addresses
        self._places = places
        self._hosts: Counter[str] = Counter()
        self._shared: Counter[str] = Counter()
        self._at: dict[int, frozenset[str]] = {}  # the addresses under which a lease was counted
        self._unmet: dict[int, str] = {}  # the hosts of leases that are counted as never met
        # While leases are being chosen: how many by address, and how many of hosts that have not answered.
        self._promised: Counter[str] = Counter()
        self._tries = 0

    @property
    def under_way(self) -> int:
        """How many leases have been handed out and have no answer yet."""
        return len(self._at)

    def left(self, host: str) -> int:
        """Return how many more leases a host has place for."""
        pace = self._paces.of(host)
        if self._places.answers(host):
            left = pace.concurrency + QUEUED_PER_HOST - self._hosts[host]
        else:
            left = min(1 - self._hosts[host], self._places.untaken - self._tries)
        if left <= 0 or not pace.per_address:
            return left
        addresses = self._addresses(host)
        if not addresses:
            self._meet(pace.per_address)
        most = max(self._shared[address] + self._promised[address] for address in addresses or UNMET)
        return min(left, pace.per_address - most)

    def promise(self, host: str) -> None:
        """Keep place for a lease of a host, until the choice is over: hosts on its address have one place less."""
        self._promised.update(self._addresses(host) or UNMET)
        self._tries += not self._places.answers(host)

    def chosen(self) -> None:
        """End a choice: what was promised has entered, or never will."""
        self._promised.clear()
        self._tries = 0

    def enter(self, lease: int, host: str) -> None:
        """Count a lease that is handed out."""
        self._places.enter(lease, host)
        self._hosts[host] += 1
        self._at[lease] = _NOWHERE
        addresses = self._addresses(host)
        if not addresses:
            self._unmet[lease] = host
        self._move(lease, addresses or UNMET)

    def leave(self, lease: int, host: str) -> None:
        """Count a lease no longer: its answer is here."""
        self._places.leave(lease)
        self._unmet.pop(lease, None)
        self._move(lease, _NOWHERE)
        del self._at[lease]
        self._hosts[host] -= 1
        if not self._hosts[host]:
            del self._hosts[host]

    def _meet(self, share: int) -> None:
        """Count leases where their hosts turned out to be, so that a few which never answer don't keep out all others.

        They stay among the never met while their address has its share: else hosts of one address, met one after
        the other, could have any number. Those whose name is looked up for long are counted nowhere.
        """
        for lease, host in list(self._unmet.items()):
            addresses = self._addresses(host)
            if addresses and max(self._shared[address] for address in addresses) >= share:
                continue
            if addresses or self._places.is_late(lease):
                del self._unmet[lease]
                self._move(lease, addresses)

    def _move(self, lease: int, addresses: frozenset[str]) -> None:
        for address in self._at[lease]:
            self._shared[address] -= 1
            if not self._shared[address]:
                del self._shared[address]
        self._shared.update(addresses)
        self._at[lease] = addresses
