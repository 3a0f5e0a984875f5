"""Until when may this process send requests? While the term lasts in which it crawls a part; outside a cluster, always.

A process that was stopped and goes on, or whose network was gone, must not ask a host that has another owner by now.
So the deadline, on the clock since the start of this machine, is looked at before each request leaves, and the process
ends at once where it has passed: what it has stored counts only with an outcome, and that is not for it to write.
"""

from __future__ import annotations

import math
import os

from crawldb.clock import RUN_CLOCK, boot_clock

EPOCH_OVER = 75  # the exit code: EX_TEMPFAIL of sysexits(3)


class OwnEpoch:
    """The term of this process: its `deadline`, and when it was told of one.

    With `after_abandoned`, whoever crawled the part before may have asked hosts that its last folder knows nothing of.
    """

    def __init__(self) -> None:
        self.deadline = math.inf
        self.begun_at = RUN_CLOCK.now()
        self.after_abandoned = False

    def left(self) -> float:
        """Return for how many seconds it lasts."""
        return self.deadline - boot_clock()

    def check(self) -> None:
        """End this process at once where its term is over."""
        if self.left() <= 0:
            os._exit(EPOCH_OVER)


OWN_EPOCH = OwnEpoch()
