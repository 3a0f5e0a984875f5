"""How long is a host left alone? Between two requests as its delay says, and after trouble for a rest.

The delay is as long as the most cautious asks: our settings, its robots.txt, its slowness. A Crawl-delay or
Request-rate in robots.txt is obeyed on every machine, as a lower bound. A host that takes long to answer is asked more
rarely: *Introduction to Information Retrieval* (Manning, Raghavan and Schütze, 20.2.3) has a robot wait a multiple of
the time that the last fetch took. All delays lie between the starts of two requests.

A host rests when it says that it is busy, for as long as it asks. 429 and 503 mean the server, not the page (RFC 6585,
4; RFC 9110, 15.6.4), so the whole host rests; and so it does after any answer with a Retry-After (RFC 9110, 10.2.3
names 3xx as well). Each rest in a row is twice as long as the one before; a good answer ends the row. One request
without an answer may be the page's own fault, two in a row not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spiders.address_policy import is_loopback

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
class PacePolicy:
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


def robots_delay(file: RobotsFile | None, agent: str) -> float:
    """Return the seconds between two requests that a robots.txt asks of `agent`: its Crawl-delay, or its rate."""
    if file is None:
        return 0.0
    rate = file.request_rate(agent)
    return max(file.delay(agent) or 0.0, rate.seconds_per_request if rate else 0.0)


def cap_reason(origin: str, asked: float, most: float) -> str:
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


MAX_REST = 24 * 3600.0  # seconds: whoever is busy for longer is asked again tomorrow
BUSY = frozenset({429, 503})
# Rules of spiders/lease_outcome.py: nothing came, or nothing that could be read.
SILENCE = frozenset({"timeout", "refused-connection", "dns", "network", "tls", "protocol"})
_MAX_DOUBLINGS = 20  # of the first rest: a million times as long, and over a day for any that makes sense


@dataclass(frozen=True, slots=True)
class Rest:
    """What an answer means for its host: `seconds` to leave it alone (0: none), and its failures in a row from now."""

    seconds: float
    failures: int


def rest_after_answer(status: int, asked: float | None, failures: int, first: float) -> Rest:
    """Return what an answer means after so many `failures` in a row.

    `asked` are the seconds of its Retry-After, `first` those of the first rest.
    """
    if status in BUSY:
        return Rest(min(max(_doubled(first, failures), asked or 0.0), MAX_REST), failures + 1)
    failures = failures if status >= 500 else 0  # noqa: PLR2004 - a server error is no good answer
    return Rest(min(asked or 0.0, MAX_REST), failures)


def rest_after_silence(failures: int, first: float) -> Rest:
    """Return what it means that no answer came, after so many `failures` in a row."""
    return Rest(min(_doubled(first, failures - 1), MAX_REST) if failures else 0.0, failures + 1)


def _doubled(first: float, times: int) -> float:
    return first * 2.0 ** min(times, _MAX_DOUBLINGS)
