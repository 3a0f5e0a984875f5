"""How long may an answer take? The server's seconds count. Those in which we don't read its answer do not.

A large answer waits, unread, until there is memory for it (`spiders/downloader/reservation.py`). The server can't do
anything about that. So this wait must not look like silence, and it is no sign that the server is slow.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from crawldb.clock import RUN_CLOCK

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

SENT_AT = "sent_at"  # key of Request.meta: when the request left, in seconds since the epoch
CLOCK = "answer_clock"  # key of Request.meta: the clock of its answer


class AnswerClock:
    """Ends the block that it guards with `TimeoutError` after `seconds`; it stands still from `stop` to `go_on`."""

    def __init__(self, seconds: float) -> None:
        self.stood_still = 0.0  # seconds
        self._limit = asyncio.timeout(seconds)
        self._runs = False  # whether the block is under way, and its time not over
        self._stopped: tuple[float, float] | None = None  # when, and the seconds that were left

    @property
    def struck(self) -> bool:
        """Whether the time is over."""
        return self._limit.expired()

    async def __aenter__(self) -> None:
        """Start."""
        await self._limit.__aenter__()
        self._runs = True

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End; `stop` and `go_on` do nothing from now on."""
        self.go_on()
        self._runs = False
        await self._limit.__aexit__(kind, error, trace)

    def stop(self) -> None:
        """Stand still."""
        end = self._limit.when()
        if self._runs and end is not None and not self.struck:
            now = asyncio.get_running_loop().time()
            self._stopped = now, end - now
            self._limit.reschedule(None)

    def go_on(self) -> None:
        """Run again, with the seconds that were left."""
        if self._stopped is not None and self._runs:
            at, left = self._stopped
            now = asyncio.get_running_loop().time()
            self.stood_still += now - at
            self._stopped = None
            self._limit.reschedule(now + left)


def seconds_since_sent(meta: Mapping[str, Any]) -> float:
    """Return the seconds since a request left, without those in which we did not read; 0 if it did not leave.

    `meta` is the request's Request.meta.
    """
    now = RUN_CLOCK.now()
    sent_at: float = meta.get(SENT_AT, now)
    clock: AnswerClock | None = meta.get(CLOCK)
    return max(now - sent_at - (0.0 if clock is None else clock.stood_still), 0.0)
