"""How long between two requests to a host? As long as the most cautious asks: our settings, its file, its slowness.

A Crawl-delay or Request-rate in robots.txt is obeyed on every machine, as a lower bound. A host that takes long to
answer is asked more rarely: *Introduction to Information Retrieval* (Manning, Raghavan and Schütze, 20.2.3) has a robot
wait a multiple of the time that the last fetch took. All delays lie between the starts of two requests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spiders.address import is_loopback

if TYPE_CHECKING:
    from robots import RobotsFile

MINUTE = 60.0  # seconds
SMOOTHING = 1 / 8  # weight of the latest answer, as for TCP's round trips (RFC 6298, 2.3)


@dataclass(frozen=True, slots=True)
class Pace:
    """What the settings say of a host: `delay` in seconds, `concurrency` in requests under way; 0 limits nothing else.

    `adaptive` is how long a host is left alone for each second that it worked.
    """

    delay: float
    concurrency: int
    per_minute: int = 0  # requests
    per_address: int = 0  # requests under way to all hosts of an address
    adaptive: float = 0.0


@dataclass(frozen=True, slots=True)
class Paces:
    """The pace for hosts elsewhere, and the one for this machine; `most` bounds what hosts may ask for, in seconds."""

    elsewhere: Pace
    loopback: Pace
    most: float = 60.0

    def of(self, host: str) -> Pace:
        """Return the pace for a host."""
        return self.loopback if is_loopback(host) else self.elsewhere


@dataclass(frozen=True, slots=True)
class Delay:
    """Seconds between two requests to a host, and who asks for them."""

    seconds: float
    reason: str


def delay_of(pace: Pace, *, asked: float, latency: float, most: float) -> Delay:
    """Return the delay of a host whose robots.txt asks for `asked` seconds and which takes `latency` to answer.

    A ceiling a minute is kept by going evenly: one request each 60/N seconds, so that no minute ever has more than N.
    """
    delays = [Delay(pace.delay, "DOWNLOAD_DELAY")]
    if pace.per_minute:
        delays.append(Delay(MINUTE / pace.per_minute, f"REQUESTS_PER_MINUTE={pace.per_minute}"))
    if asked:
        delays.append(Delay(min(asked, most), "its robots.txt"))
    if pace.adaptive and latency:
        # From start to start: the work itself, and then the rest that it earns.
        delays.append(Delay(min(latency * (1 + pace.adaptive), most), f"its slowness: {latency:.1f} s for an answer"))
    return max(delays, key=lambda delay: delay.seconds)


def asked_by(file: RobotsFile | None, agent: str) -> float:
    """Return the seconds between two requests that a robots.txt asks of `agent`: its Crawl-delay, or its rate."""
    if file is None:
        return 0.0
    rate = file.request_rate(agent)
    return max(file.delay(agent) or 0.0, rate.seconds_per_request if rate else 0.0)


def capped(origin: str, asked: float, most: float) -> str:
    """Return the sentence about a robots.txt that asks for more than is kept, or "" where it asks for no more."""
    if asked <= most:
        return ""
    return f"the robots.txt of {origin} asks for {asked:g} s between two requests; MAX_CRAWL_DELAY={most:g} s are kept"


def smoothed(latency: float, seconds: float, *, failed: bool) -> float:
    """Return the latency of a host after an answer that took `seconds`; 0 knows nothing yet.

    A server in trouble says so quickly, so a failure never makes a host look faster.
    """
    if failed and seconds < latency:
        return latency
    return seconds if not latency else latency + SMOOTHING * (seconds - latency)
