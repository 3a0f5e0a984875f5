"""How many more URLs may be leased? The slots of the run, the host and its address, and the budget of a trial decide.

**Slots.** CONCURRENT_REQUESTS is the number of slots. Only leases of hosts that respond hold one, for a few seconds. A
host without a response in this run, or to its last request, may have one URL under way, which holds no slot. So silent
hosts never take the slots of the others, however many there are. The run tries as many of them at once as there are
slots, each for some seconds, and then the next ones.

**Hosts.** A host may have as many URLs under way as it has connections, and one in reserve. Its IP address may allow
fewer. A host that has not responded yet may have one. Many hosts may be one machine: a thousand blogs on one IP address
don't get a thousand requests at once. The IP address of a host is known from its first connection on. Until then the
host counts with all others without a known IP address, so one may briefly get twice its share.

**Trials.** A trial ends after so many pages in all, or so many requests to each site. It shows at a small price what a
big run would do (the book, 9.5). It leaves its round open: the next crawl continues it, and fetches no URL twice.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from typing import TYPE_CHECKING

from crawldb.tables.hosts import MAX_KNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from spiders.pace.host_pace import PacePolicy


WAITING_SECONDS = 3.0  # a lease that is older waits: for a silent host, or for the delay of a slow one
REQUESTS_EACH = 2  # of a lease without a slot: its own, and one for the robots.txt that it waits for
MAX_WITHOUT_SLOT = 800  # leases: each is a connection, and a process may open 1024 files by default
MAX_UNHEARD = 400  # … of which hosts without a response yet may have so many; the others are for slow hosts


class RequestSlots:
    """Separates hosts that respond from the others, and counts the leases that hold none of the `total` slots."""

    def __init__(self, total: int, ticks: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._ticks = ticks
        self._answering: set[str] = set()
        # The time at which each lease began, the oldest first: those with a slot, and those of hosts on trial.
        self._in_slots: OrderedDict[int, float] = OrderedDict()
        self._tried: OrderedDict[int, float] = OrderedDict()
        self._late: set[int] = set()  # leases older than WAITING_SECONDS: they hold no slot any more
        self._unheard: set[int] = set()  # leases of hosts that had not responded, late or not

    def responded(self, host: str) -> None:
        """Note that a host has responded: from now on it may have what its pace allows."""
        if len(self._answering) >= MAX_KNOWN:
            self._answering.clear()  # each counts again after its next response
        self._answering.add(host)

    def failed(self, host: str) -> None:
        """Note that a host did not respond to a request: it may have one URL at a time until it responds again."""
        self._answering.discard(host)

    def responds(self, host: str) -> bool:
        """Return whether a host responded to the last request of this run."""
        return host in self._answering

    def enter(self, lease: int, host: str) -> None:
        """Count a lease that is handed out."""
        if self.responds(host):
            self._in_slots[lease] = self._ticks()
        else:
            self._tried[lease] = self._ticks()
            self._unheard.add(lease)

    def leave(self, lease: int) -> None:
        """Count a lease no longer."""
        self._in_slots.pop(lease, None)
        self._tried.pop(lease, None)
        self._late.discard(lease)
        self._unheard.discard(lease)

    @property
    def free_trials(self) -> int:
        """How many more hosts without a response yet may be tried now."""
        self._age()
        return min(self._total - len(self._tried), MAX_UNHEARD - len(self._unheard))

    @property
    def beyond_total(self) -> int:
        """How many requests may be under way beyond the total: those of leases without a slot."""
        self._age()
        return REQUESTS_EACH * min(len(self._tried) + len(self._late), MAX_WITHOUT_SLOT)

    def is_late(self, lease: int) -> bool:
        """Return whether a lease has been under way for so long that it waits for its host."""
        self._age()
        return lease in self._late

    def _age(self) -> None:
        oldest = self._ticks() - WAITING_SECONDS
        for young in (self._in_slots, self._tried):
            while young and next(iter(young.values())) < oldest:
                lease, _ = young.popitem(last=False)
                self._late.add(lease)


QUEUED_PER_HOST = 1  # leases of a host beyond those under way: the next one is then at hand
UNMET = frozenset({"not known yet"})  # in place of the IP address of all hosts without a connection yet
_NOWHERE: frozenset[str] = frozenset()


class HostCapacity:
    """Counts leases under way by host and by IP address; `addresses` returns the last IP addresses of a host."""

    def __init__(
        self, pace_policy: PacePolicy, addresses: Callable[[str], frozenset[str]], slots: RequestSlots
    ) -> None:
        self._pace_policy = pace_policy
        self._addresses = addresses
        self._slots = slots
        self._hosts: Counter[str] = Counter()
        self._by_address: Counter[str] = Counter()
        self._addresses_of: dict[int, frozenset[str]] = {}  # the addresses under which a lease is counted
        self._unmet: dict[int, str] = {}  # by lease: hosts whose IP address is not known yet
        # While leases are being chosen: how many by IP address, and how many of hosts without a response yet.
        self._promised: Counter[str] = Counter()
        self._reserved_trials = 0

    @property
    def under_way(self) -> int:
        """How many leases have begun and not ended yet."""
        return len(self._addresses_of)

    @property
    def hosts(self) -> int:
        """How many hosts have a lease under way."""
        return sum(count > 0 for count in self._hosts.values())

    def left(self, host: str) -> int:
        """Return how many more leases a host may have."""
        pace = self._pace_policy.of(host)
        if self._slots.responds(host):
            left = pace.concurrency + QUEUED_PER_HOST - self._hosts[host]
        else:
            left = min(1 - self._hosts[host], self._slots.free_trials - self._reserved_trials)
        if left <= 0 or not pace.per_address:
            return left
        addresses = self._addresses(host)
        if not addresses:
            self._count_where_they_are(pace.per_address)
        most = max(self._by_address[address] + self._promised[address] for address in addresses or UNMET)
        return min(left, pace.per_address - most)

    def reserve(self, host: str) -> None:
        """Count a lease of a host ahead, until the choice is over: hosts on its address may have one lease less."""
        self._promised.update(self._addresses(host) or UNMET)
        self._reserved_trials += not self._slots.responds(host)

    def chosen(self) -> None:
        """End a choice: each promised lease has entered, or never will."""
        self._promised.clear()
        self._reserved_trials = 0

    def enter(self, lease: int, host: str) -> None:
        """Count a lease that is handed out."""
        self._slots.enter(lease, host)
        self._hosts[host] += 1
        self._addresses_of[lease] = _NOWHERE
        addresses = self._addresses(host)
        if not addresses:
            self._unmet[lease] = host
        self._move(lease, addresses or UNMET)

    def leave(self, lease: int, host: str) -> None:
        """Count a lease no longer: it has ended."""
        self._slots.leave(lease)
        self._unmet.pop(lease, None)
        self._move(lease, _NOWHERE)
        del self._addresses_of[lease]
        self._hosts[host] -= 1
        if not self._hosts[host]:
            del self._hosts[host]

    def _count_where_they_are(self, share: int) -> None:
        """Count leases under their host's IP address once it is known: they no longer take the share of new hosts.

        They stay among the unmet while their IP address has its share already. Otherwise its hosts, met one after
        another, could have any number. Leases with a slow DNS look-up are counted nowhere.
        """
        for lease, host in list(self._unmet.items()):
            addresses = self._addresses(host)
            if addresses and max(self._by_address[address] for address in addresses) >= share:
                continue
            if addresses or self._slots.is_late(lease):
                del self._unmet[lease]
                self._move(lease, addresses)

    def _move(self, lease: int, addresses: frozenset[str]) -> None:
        for address in self._addresses_of[lease]:
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]
        self._by_address.update(addresses)
        self._addresses_of[lease] = addresses


class TrialBudget:
    """Counts pages against `pages`, and requests by site against `each`; 0 limits nothing."""

    def __init__(self, pages: int = 0, each: int = 0) -> None:
        self._pages = pages
        self._each = each
        self._fetched = 0
        self._asked: Counter[str] = Counter()

    def leased(self, site: str) -> None:
        """Count a URL that is about to be requested."""
        self._asked[site] += 1

    def not_asked(self, site: str) -> None:
        """Take back a count: a URL ended before any request was sent."""
        self._asked[site] -= 1

    def fetched(self) -> None:
        """Count a page."""
        self._fetched += 1

    def limit(self, wanted: int, under_way: int) -> int:
        """Return how many of `wanted` leases may begin in addition to those under way."""
        return min(wanted, self._pages - self._fetched - under_way) if self._pages else wanted

    def left(self, site: str, wanted: int) -> int:
        """Return how many of `wanted` leases of a site may begin."""
        return min(wanted, self._each - self._asked[site]) if self._each else wanted

    def is_over(self) -> bool:
        """Return whether all pages of the trial have been fetched."""
        return bool(self._pages) and self._fetched >= self._pages

    def has_had(self, sites: Iterable[str]) -> bool:
        """Return whether each of `sites`, which still have something due, has had all its requests."""
        return bool(self._each) and all(self._asked[site] >= self._each for site in sites)
