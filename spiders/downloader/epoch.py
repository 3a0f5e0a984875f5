"""Until when may this process send requests? While it owns its partition of a crawl; outside a cluster, always.

A process may be suspended or lose its network, while another process takes over its hosts. It must then send them no
more requests. So it checks the deadline of its epoch before each request, on the clock since the start of this machine.
After the deadline the process ends at once: it may no longer write an outcome.
"""

from __future__ import annotations

import math
import os

from crawldb.clock import RUN_CLOCK, boot_clock

EPOCH_OVER = 75  # the exit code: EX_TEMPFAIL of sysexits(3)


class OwnEpoch:
    """The epoch in which this process owns a partition: its `deadline`, and when the process learnt of it.

    With `after_abandoned`, the former owner may have sent requests that the last stored folder doesn't know.
    """

    def __init__(self) -> None:
        self.deadline = math.inf
        self.begun_at = RUN_CLOCK.now()
        self.after_abandoned = False

    def left(self) -> float:
        """Return the seconds until it ends."""
        return self.deadline - boot_clock()

    def check(self) -> None:
        """End this process at once after the deadline."""
        if self.left() <= 0:
            os._exit(EPOCH_OVER)


OWN_EPOCH = OwnEpoch()
