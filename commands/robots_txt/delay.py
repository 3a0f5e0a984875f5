"""How long does it ask a robot to wait? Crawl-delay as three engines read it, since no text says what it means.

And Request-rate, which had a meaning from its first day, in a proposal of 1996, and few robots that learnt it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from commands.terminal.columns import hanging
from commands.terminal.ink import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from robots import RobotsFile

INDENT = 8  # columns for the name of an engine
A_DAY = 24 * 3600.0  # seconds
EVERYBODY = ""  # a robot without a name is told what everybody is told


def meanings(delay: float) -> Mapping[str, str]:
    """Say what each engine makes of a Crawl-delay of so many seconds, which is no less than 0."""
    visits = f"at most {A_DAY / delay:,.0f} visits a day" if delay else "no limit"
    return {
        "Yandex": f"at least {delay:g} s from one visit to the next: {visits} (it stopped reading the line in 2018)",
        "Bing": f"time is cut into windows of {delay:g} s with one visit in each: {visits}, and the last of one window "
        "may be close to the first of the next",
        "Google": "no part of the file: its robots pass the line over and find a pace themselves",
    }


def delay_lines(file: RobotsFile, agent: str) -> Iterator[str]:
    """Yield what is to be known about the Crawl-delay and Request-rate for `agent`; nothing where there are none."""
    yield from _of_delay(file, agent)
    yield from _of_rate(file, agent)


def _of_delay(file: RobotsFile, agent: str) -> Iterator[str]:
    delay = file.delay(agent)
    if delay is not None:
        yield ""
        yield f"Crawl-delay: {delay:g} for {printable(agent)} has three readings:"
        for engine, meaning in meanings(delay).items():
            yield from hanging(engine, meaning, INDENT)
    elif (others := file.delay(EVERYBODY)) is not None:
        yield ""
        yield f"Crawl-delay: {others:g} is not for {printable(agent)}: a robot with a group of its own inherits"
        yield "nothing from the one for *."


def _of_rate(file: RobotsFile, agent: str) -> Iterator[str]:
    rate = file.request_rate(agent)
    if rate is not None:
        yield ""
        pages = f"{rate.requests:,} page{'s' * (rate.requests > 1)} in {rate.seconds:g} s"
        yield f"Request-rate for {printable(agent)}: at most {pages}, at any hour; evenly spaced,"
        yield f"{rate.seconds_per_request:g} s from one visit to the next."
    elif file.request_rate(EVERYBODY) is not None:
        yield ""
        yield f"Request-rate is not for {printable(agent)}: a robot with a group of its own inherits nothing from"
        yield "the one for *."
