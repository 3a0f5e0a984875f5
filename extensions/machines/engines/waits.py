"""What does a crawl wait for when another goes on with it? For the lease of whoever gave no sign, and for hosts.

Nothing is asked meanwhile, so a person has to be told: what is waited for, and until when. A machine that was killed
can't say that its terms are over: they last as long as their leases (store/epochs.py). And which new hosts
it has asked nobody knows, so these rest for as long as any robots.txt may ask for (spiders/pace/host_pace.py).
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
    """What parts wait for: `held` have an owner that has not ended, of `lost` a turn came to nothing before."""

    of: int
    held: dict[int, EpochClaim] = field(default_factory=dict)
    lost: tuple[int, ...] = ()

    @classmethod
    def read(cls, store: SharedStore, parts: Iterable[int]) -> Self:
        """Read from the store how the newest terms of parts ended, if they did."""
        held, lost = {}, []
        for part in parts:
            terms = store.terms(part)
            if claim := terms.unended():
                held[part] = claim
            elif (number := terms.newest()) and (terms.outcome(number) or {}).get("kind") == ABANDONED:
                lost.append(part)
        return cls(store.parts, held, tuple(lost))

    def told(self, now: float, most_delay: float) -> Iterator[str]:
        """Say it; `now` is in seconds since the epoch, `most_delay` are the seconds of MAX_CRAWL_DELAY."""
        lease = max((claim.lease * DRIFT for claim in self.held.values()), default=0.0)
        if self.held:
            holders = sorted({claim.holder for claim in self.held.values()})
            yield (
                f"{self._named(self.held)}: {holders[0]}{' and others have' if holders[1:] else ' has'} not ended; "
                f"who takes over waits until nothing was heard for {lease:.0f} s, until {clock_time(now + lease)} if "
                "nothing is"
            )
        if most_delay and (self.held or self.lost):
            yield (
                f"{self._named((*self.held, *self.lost))}: a lost turn may have asked hosts that nothing is stored of; "
                f"these rest for MAX_CRAWL_DELAY={most_delay:g} s first, until {clock_time(now + lease + most_delay)}"
            )

    def _named(self, parts: Iterable[int]) -> str:
        return named([str(Partition(part, self.of)) for part in sorted(parts)])


def driver_wait(drivers: EpochSequence, now: float) -> str:
    """Say why a driver can't begin at once; "" where it can."""
    claim = drivers.unended()
    if claim is None:
        return ""
    lease = claim.lease * DRIFT
    return (
        f"{claim.holder} drives this crawl and has not ended; if nothing is heard of it for {lease:.0f} s, until "
        f"{clock_time(now + lease)}, this one goes on"
    )


def clock_time(seconds: float) -> str:
    """Return the time of day here, as 14:03:20."""
    return time.strftime("%H:%M:%S", time.localtime(seconds))
