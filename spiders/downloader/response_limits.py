"""How long may a response take, and how many bytes may be in memory at once?

The seconds of the server count; those in which we don't read its response do not. A large response waits, unread, until
there is memory for it. The server can't do anything about that, so this wait is no timeout and no sign of a slow
server.

Small responses are read as they come. A response that turns out to be large reserves the bytes that it may still bring:
sixty-four responses of ten megabytes would be 640. A reservation is granted whole or not at all. So a response with one
always ends, by its last byte or by its time limit.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from crawldb.clock import RUN_CLOCK

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping
    from types import TracebackType

SENT_AT = "sent_at"  # key of Request.meta: when the request left, in seconds since the epoch
CLOCK = "answer_clock"  # key of Request.meta: the clock of its response


class ResponseTimer:
    """Ends its block with `TimeoutError` after `seconds`; between `stop` and `go_on` it does not count."""

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
        """Pause."""
        end = self._limit.when()
        if self._runs and end is not None and not self.struck:
            now = asyncio.get_running_loop().time()
            self._stopped = now, end - now
            self._limit.reschedule(None)

    def go_on(self) -> None:
        """Continue, with the seconds that were left."""
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
    clock: ResponseTimer | None = meta.get(CLOCK)
    return max(now - sent_at - (0.0 if clock is None else clock.stood_still), 0.0)


LARGE_RESPONSE = 512 * 1024  # bytes: nineteen of twenty pages have fewer, and never wait

Who = TypeVar("Who", bound="Hashable")


class Reservations(Generic[Who]):
    """Grants bytes of memory, first come, first served, up to `total`. A larger request is granted when it is alone."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._granted: dict[Who, int] = {}
        self._waiting: OrderedDict[Who, int] = OrderedDict()

    @property
    def held(self) -> int:
        """Bytes that are granted."""
        return sum(self._granted.values())

    def ask(self, who: Who, size: int) -> bool:
        """Return whether `who` may continue now; otherwise a later `leave` returns it."""
        if self._waiting or not self._fits(size):
            self._waiting[who] = size
            return False
        self._granted[who] = size
        return True

    def leave(self, who: Who) -> list[Who]:
        """End the reservation or wait of `who`, and return those that may continue now."""
        self._waiting.pop(who, None)
        self._granted.pop(who, None)
        granted = []
        while self._waiting:
            first, size = next(iter(self._waiting.items()))
            if not self._fits(size):
                break
            del self._waiting[first]
            self._granted[first] = size
            granted.append(first)
        return granted

    def _fits(self, size: int) -> bool:
        return not self._granted or self.held + size <= self._total
