"""Which waits follow a takeover? For the lease of an owner without a sign of life, and for hosts.

The crawl sends no request meanwhile, so a message says what it waits for, and until when. A killed machine can't report
that its epochs are over: they last as long as their leases (store/epochs.py). Its requests to new hosts are unknown
too. So these hosts rest for as long as any robots.txt may require (spiders/pace/host_pace.py).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from crawldb.parts.partition import Partition
from extensions.machines.driving.stages import named
from extensions.machines.store.epochs import ABANDONED, DRIFT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from extensions.machines.store.epochs import EpochClaim, EpochSequence
    from extensions.machines.store.shared_store import SharedStore


@dataclass(frozen=True, slots=True)
class PartWaits:
    """The waits of parts: `held` have an owner that has not ended; an earlier turn of `lost` was abandoned."""

    of: int
    held: dict[int, EpochClaim] = field(default_factory=dict)
    lost: tuple[int, ...] = ()

    @classmethod
    def read(cls, store: SharedStore, parts: Iterable[int]) -> Self:
        """Read from the store which of the newest epochs of parts have ended, and how."""
        held, lost = {}, []
        for part in parts:
            terms = store.terms(part)
            if claim := terms.unended():
                held[part] = claim
            elif (number := terms.newest()) and (terms.outcome(number) or {}).get("kind") == ABANDONED:
                lost.append(part)
        return cls(store.parts, held, tuple(lost))

    def told(self, now: float, most_delay: float) -> Iterator[str]:
        """Yield the messages; `now` is in seconds since the epoch, `most_delay` is MAX_CRAWL_DELAY in seconds."""
        lease = max((claim.lease * DRIFT for claim in self.held.values()), default=0.0)
        if self.held:
            holders = sorted({claim.holder for claim in self.held.values()})
            yield (
                f"{self._named(self.held)}: {holders[0]}{' and others have' if holders[1:] else ' has'} not ended; "
                f"a takeover needs {lease:.0f} s without a heartbeat, until {clock_time(now + lease)} if none comes"
            )
        if most_delay and (self.held or self.lost):
            yield (
                f"{self._named((*self.held, *self.lost))}: a lost turn may have asked hosts that nothing is stored of; "
                f"these rest for MAX_CRAWL_DELAY={most_delay:g} s first, until {clock_time(now + lease + most_delay)}"
            )

    def _named(self, parts: Iterable[int]) -> str:
        return named([str(Partition(part, self.of)) for part in sorted(parts)])


def driver_wait(drivers: EpochSequence, now: float) -> str:
    """Return why a driver can't begin at once; "" if it can."""
    claim = drivers.unended()
    if claim is None:
        return ""
    lease = claim.lease * DRIFT
    return (
        f"{claim.holder} drives this crawl and has not ended; if it sends no heartbeat for {lease:.0f} s, until "
        f"{clock_time(now + lease)}, this one continues"
    )


def clock_time(seconds: float) -> str:
    """Return the time of day here, as 14:03:20."""
    return time.strftime("%H:%M:%S", time.localtime(seconds))
