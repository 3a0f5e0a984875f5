"""The clock of an answer: only the seconds of the server count."""

import asyncio
from contextlib import suppress

import pytest

from crawldb.clock import RUN_CLOCK
from spiders.downloader.response_limits import CLOCK, SENT_AT, ResponseTimer, seconds_since_sent

ROUNDING = 1e-6  # seconds
SHORT, LONG = 0.05, 0.4  # seconds: less and more than those of the first clocks


class OwnTime(asyncio.SelectorEventLoop):
    """A loop that skips the time in which nothing happens: on a busy machine, more would pass."""

    now = 0.0

    def time(self) -> float:
        return self.now

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:  # type: ignore[attr-defined]  # private names
            self.now = max(self.now, self._scheduled[0].when())  # type: ignore[attr-defined]
        super()._run_once()  # type: ignore[misc]


def clock_after(seconds: float, *, stands_still: bool) -> ResponseTimer:
    """Return a clock for which a short time has passed, and a long one, in which it may have stood still."""
    with asyncio.Runner(loop_factory=OwnTime) as runner:
        return runner.run(_clock_after(seconds, stands_still=stands_still))


async def _clock_after(seconds: float, *, stands_still: bool) -> ResponseTimer:
    clock = ResponseTimer(seconds)
    with suppress(TimeoutError):
        async with clock:
            await asyncio.sleep(SHORT)
            if stands_still:
                clock.stop()
            await asyncio.sleep(LONG)
            clock.go_on()
            await asyncio.sleep(SHORT)
    return clock


def test_a_clock_strikes_after_its_seconds() -> None:
    assert clock_after(LONG / 2, stands_still=False).struck


def test_while_a_clock_stands_still_no_time_passes_for_the_answer() -> None:
    clock = clock_after(LONG / 2, stands_still=True)
    assert not clock.struck
    assert clock.stood_still == pytest.approx(LONG)
    now = RUN_CLOCK.now()
    seconds = seconds_since_sent({SENT_AT: now - 2 * LONG, CLOCK: clock})
    passed = RUN_CLOCK.now() - now  # on a busy machine, more than nothing
    assert LONG - ROUNDING <= seconds <= LONG + passed + ROUNDING


def test_a_clock_that_stood_still_has_the_seconds_that_were_left() -> None:
    assert clock_after(1.5 * SHORT, stands_still=True).struck


def test_a_clock_whose_answer_has_come_can_be_stopped_and_started_without_harm() -> None:
    clock = clock_after(2 * LONG, stands_still=False)
    clock.stop()
    clock.go_on()
    assert clock.stood_still == 0


def test_what_was_not_sent_has_taken_no_time() -> None:
    assert seconds_since_sent({}) == 0
