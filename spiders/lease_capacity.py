"""How many more URLs may be handed out? The slots of the run, the host and its address, and a trial set the number.

Who holds a slot? Leases of hosts that answer, and those only for a few seconds: CONCURRENT_REQUESTS is for hosts that
answer. A host that has given no page yet in this run, or whose last word was silence, has one URL under way, and that
one is counted apart: so the dead, however many, never hold what the living need. As many of these are tried at once as
there are slots, each for some seconds; then it is the turn of the next.

How many more URLs of a host? Its connections and one in reserve, and its share of an address; of a host that has not
answered yet, one. Many hosts may be one machine: a thousand blogs on one address are not asked for a thousand pages at
once. Which address a host has is known from its first connection on. Until then it counts with all others that were
never met, so that an address may for a moment have twice its share.

How much of a trial is left? So many pages in all, or so many requests of each site; a crawl that is no trial has no
such end. A trial shows at a small price what a big run would do (the book, 9.5). It leaves its round open: the next
crawl goes on from there, and asks for nothing twice.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from typing import TYPE_CHECKING

from crawldb.tables.hosts import MAX_KNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from spiders.host_pace import PacePolicy


WAITING_SECONDS = 3.0  # a lease that is older waits: for a silent host, or for the delay of a slow one
SLOTS_EACH = 2  # that a lease outside may hold: its own, and that of the robots.txt that it waits for
MAX_OUTSIDE = 800  # leases outside the places: a connection each, and a process may open 1024 files by default
MAX_UNHEARD = 400  # … of them of hosts that have not answered, so that slow ones have room as well


class RequestSlots:
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
        return SLOTS_EACH * min(len(self._tried) + len(self._late), MAX_OUTSIDE)

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


QUEUED_PER_HOST = 1  # leases of a host beyond those under way, so that the next one is at hand
UNMET = frozenset({"not known yet"})  # the address of hosts that were never connected to
_NOWHERE: frozenset[str] = frozenset()


class HostCapacity:
    """Counts leases under way by host and by address; `addresses` tells what a host was last resolved to."""

    def __init__(self, paces: PacePolicy, addresses: Callable[[str], frozenset[str]], places: RequestSlots) -> None:
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


class TrialBudget:
    """Counts pages against `pages`, and requests by site against `each`; 0 limits nothing."""

    def __init__(self, pages: int = 0, each: int = 0) -> None:
        self._pages = pages
        self._each = each
        self._fetched = 0
        self._asked: Counter[str] = Counter()

    def leased(self, site: str) -> None:
        """Count a URL that is about to be asked for."""
        self._asked[site] += 1

    def not_asked(self, site: str) -> None:
        """Take back a count: the URL was refused before any request was sent."""
        self._asked[site] -= 1

    def fetched(self) -> None:
        """Count a page."""
        self._fetched += 1

    def limit(self, wanted: int, under_way: int) -> int:
        """Return how many of `wanted` leases may begin beside those under way."""
        return min(wanted, self._pages - self._fetched - under_way) if self._pages else wanted

    def room(self, site: str, wanted: int) -> int:
        """Return how many of `wanted` leases of a site may begin."""
        return min(wanted, self._each - self._asked[site]) if self._each else wanted

    def is_over(self) -> bool:
        """Return whether the pages in all have been fetched."""
        return bool(self._pages) and self._fetched >= self._pages

    def has_had(self, sites: Iterable[str]) -> bool:
        """Return whether each of `sites`, those that still have something due, has had its requests."""
        return bool(self._each) and all(self._asked[site] >= self._each for site in sites)
