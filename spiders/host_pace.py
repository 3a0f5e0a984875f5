"""How long is a host left alone? Its delay lies between two requests, and after trouble it rests.

The delay is the longest of three: that of our settings, that of its robots.txt, and that of its slowness. A Crawl-delay
or Request-rate in robots.txt is obeyed on every machine, as a lower bound. A host that takes long to answer is asked
more rarely: *Introduction to Information Retrieval* (Manning, Raghavan and Schütze, 20.2.3) has a robot wait a multiple
of the time that the last fetch took. Every delay lies between the starts of two requests.

A host rests when it says that it is busy, for as long as it asks. 429 and 503 mean the server and not the page (RFC
6585, 4; RFC 9110, 15.6.4), so the whole host rests; so it does after any answer with a Retry-After (RFC 9110, 10.2.3
names 3xx as well). Each rest in a row is twice as long as the one before; a good answer ends the row. One request
without an answer may be the fault of the page; two in a row are the fault of the host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from robots.freshness import doubled
from spiders.address_policy import is_loopback
from urls.rules import Rule

if TYPE_CHECKING:
    from robots import RobotsFile


MINUTE = 60.0  # seconds
SMOOTHING = 1 / 8  # weight of the latest answer, as for TCP's round trips (RFC 6298, 2.3)


@dataclass(frozen=True, slots=True)
class Pace:
    """What the settings say of a host: `delay` is in seconds, `concurrency` in requests under way; 0 sets no limit.

    `adaptive` is how many seconds a host is left alone for each second that it worked.
    """

    delay: float
    concurrency: int
    per_minute: int = 0  # requests
    per_address: int = 0  # requests under way to all hosts of an address
    adaptive: float = 0.0


@dataclass(frozen=True, slots=True)
class PacePolicy:
    """The pace for hosts elsewhere, and the one for this machine; `most` bounds what hosts may ask for, in seconds."""

    elsewhere: Pace
    loopback: Pace
    most: float = 60.0

    def of(self, host: str) -> Pace:
        """Return the pace for a host."""
        return self.loopback if is_loopback(host) else self.elsewhere


@dataclass(frozen=True, slots=True)
class HostDelay:
    """The seconds between two requests to a host, and who asks for them."""

    seconds: float
    reason: str


def delay_of(pace: Pace, *, asked: float, latency: float, most: float) -> HostDelay:
    """Return the delay of a host whose robots.txt asks for `asked` seconds and which takes `latency` to answer.

    N requests a minute are sent evenly, one each 60/N seconds, so that no minute ever has more than N.
    """
    delays = [HostDelay(pace.delay, "DOWNLOAD_DELAY")]
    if pace.per_minute:
        delays.append(HostDelay(MINUTE / pace.per_minute, f"REQUESTS_PER_MINUTE={pace.per_minute}"))
    if asked:
        delays.append(HostDelay(min(asked, most), "its robots.txt"))
    if pace.adaptive and latency:
        # From start to start: the time of the work, and then the pause after it.
        delays.append(
            HostDelay(min(latency * (1 + pace.adaptive), most), f"its slowness: {latency:.1f} s for an answer")
        )
    return max(delays, key=lambda delay: delay.seconds)


def robots_delay(file: RobotsFile | None, agent: str) -> float:
    """Return the seconds between two requests that a robots.txt asks of `agent`: its Crawl-delay, or its rate."""
    if file is None:
        return 0.0
    rate = file.request_rate(agent)
    return max(file.delay(agent) or 0.0, rate.seconds_per_request if rate else 0.0)


def cap_reason(origin: str, asked: float, most: float) -> str:
    """Return a sentence where a robots.txt asks for a longer delay than is kept, else an empty string."""
    if asked <= most:
        return ""
    return f"the robots.txt of {origin} asks for {asked:g} s between two requests; MAX_CRAWL_DELAY={most:g} s are kept"


def smoothed(latency: float, seconds: float, *, failed: bool) -> float:
    """Return the latency of a host after an answer that took `seconds`; a latency of 0 is not known yet.

    A server in trouble often fails quickly, so a failure never makes a host look faster.
    """
    if failed and seconds < latency:
        return latency
    return seconds if not latency else latency + SMOOTHING * (seconds - latency)


MAX_REST = 24 * 3600.0  # seconds: a host that is busy for longer is asked again tomorrow
BUSY = frozenset({429, 503})
# The rules of spiders/lease_outcome.py by which nothing came, or nothing that could be read.
SILENCE = frozenset({Rule.TIMEOUT, Rule.REFUSED_CONNECTION, Rule.DNS, Rule.NETWORK, Rule.TLS, Rule.PROTOCOL})
FIRST_ERROR, FIRST_SERVER_ERROR = 400, 500  # status codes


@dataclass(frozen=True, slots=True)
class Rest:
    """What an answer means for its host: how many `seconds` it rests (0: none), and its failures in a row so far."""

    seconds: float
    failures: int


def rest_after_answer(status: int, asked: float | None, failures: int, first: float) -> Rest:
    """Return what an answer means after so many `failures` in a row.

    `asked` are the seconds of its Retry-After, `first` those of the first rest.
    """
    if status in BUSY:
        return Rest(min(max(doubled(first, failures), asked or 0.0), MAX_REST), failures + 1)
    failures = failures if status >= FIRST_SERVER_ERROR else 0
    return Rest(min(asked or 0.0, MAX_REST), failures)


def rest_after_silence(failures: int, first: float) -> Rest:
    """Return what a request without an answer means after so many `failures` in a row."""
    return Rest(min(doubled(first, failures - 1), MAX_REST) if failures else 0.0, failures + 1)
