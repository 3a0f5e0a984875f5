"""When may a request be sent to a host? After its delay, and not while the host rests.

**Delay.** The longest of three: the delay of our settings, of its robots.txt, and of its slowness. Crawl-delay and
Request-rate in robots.txt are obeyed on every machine, as a lower bound. A slow host gets fewer requests: a robot waits
a multiple of its last fetch time (Manning, Raghavan and Schütze, *Introduction to Information Retrieval*, 20.2.3).
Every delay lies between the starts of two requests. A request starts when it leaves this machine, on a connection that
stands. The next one waits for that, and then for the delay.

Pages, robots.txt files and sitemaps all wait here just before they are sent. So a delay holds between any two requests,
over a restart too, and no request escapes the limit of the run.

**Rest.** A host rests when it says that it is busy: for the time that it requests, at most MAX_HOST_REST. 429 and 503
mean the server and not the page (RFC 6585, 4; RFC 9110, 15.6.4), so the whole host rests. It also rests after any
response with a Retry-After (RFC 9110, 10.2.3 names 3xx as well). Each rest in a row is twice as long as the one before;
a good response ends the row. One request without a response may be the fault of the page; two in a row are the fault of
the host.

A 503 may concern one URL only: a program behind it fails while its server is well. If the response for another page is
good, only that URL waits for its Retry-After, and its host for the first rest. The next 503, with no good response
between, counts for the host. A 429 counts requests and not pages, so there is no such exception. A redirect's
Retry-After holds for the request that follows it, wherever that goes.

A robots.txt applies to its origin, not to its host, which may have other ports. The robots middleware closes the origin
for the time that the response requests (spiders/robots_gate.py). The host only has the first rest.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawldb.clock import RUN_CLOCK
from crawldb.tables.hosts import MAX_KNOWN
from robots.freshness import doubled
from spiders.downloader.address_policy import is_loopback
from spiders.downloader.epoch import OWN_EPOCH
from urls.canonical import host_of
from urls.records import Refusal
from urls.rules import Rule
from urls.wording import plain, rounded_time

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawldb.tables.hosts import Host
    from frontier.store import Store

MINUTE = 60.0  # seconds
# URLs under way to all hosts on one IP address: a thousand names may be one machine. Loopback has no such limit.
CONCURRENT_REQUESTS_PER_ADDRESS = 8
LEAVING_SECONDS = 0.01  # after which a request looks again whether the one before it has left
SMOOTHING = 1 / 8  # weight of the latest response, as for TCP's round trips (RFC 6298, 2.3)


@dataclass(frozen=True, slots=True)
class Pace:
    """The settings for a host: `delay` is in seconds, `concurrency` in requests under way; 0 sets no limit.

    `adaptive` is the seconds of pause for each second of a host's work.
    """

    delay: float
    concurrency: int
    per_minute: int = 0  # requests
    per_address: int = 0  # requests under way to all hosts of an address
    adaptive: float = 0.0


@dataclass(frozen=True, slots=True)
class PacePolicy:
    """The pace for hosts elsewhere, and the one for this machine; `most` bounds the delays of hosts, in seconds."""

    elsewhere: Pace
    loopback: Pace
    most: float = 60.0

    def of(self, host: str) -> Pace:
        """Return the pace for a host."""
        return self.loopback if is_loopback(host) else self.elsewhere


@dataclass(frozen=True, slots=True)
class HostDelay:
    """The seconds between two requests to a host, and the reason for them."""

    seconds: float
    reason: str


def delay_of(pace: Pace, *, asked: float, latency: float, most: float) -> HostDelay:
    """Return the delay of a host, from the `asked` seconds of its robots.txt and its `latency` in seconds.

    N requests a minute are sent evenly, one each 60/N seconds: no minute ever has more than N.
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


def cap_reason(origin: str, asked: float, most: float) -> str:
    """Return a sentence if a robots.txt has a longer delay than `most`, or else an empty string."""
    if asked <= most:
        return ""
    wish = f"the robots.txt of {origin} asks for {plain(asked)} s between two requests"
    return f"{wish}; MAX_CRAWL_DELAY={most:g} s are kept"


def smoothed(latency: float, seconds: float, *, failed: bool) -> float:
    """Return the latency of a host after a response that took `seconds`; a latency of 0 is not known yet.

    A server in trouble often fails quickly, so a failure never makes a host look faster.
    """
    if failed and seconds < latency:
        return latency
    return seconds if not latency else latency + SMOOTHING * (seconds - latency)


_SHOWN = 200  # characters of a URL in a reason


class RequestThrottle:
    """Gives turns to requests, and learns from responses. `clock` gives seconds since the epoch.

    `ceiling` is the number of requests of the run, 0 for no limit.
    """

    def __init__(
        self,
        store: Store,
        pace_policy: PacePolicy,
        rests: RestBounds,
        ceiling: int,
        clock: Callable[[], float] = RUN_CLOCK.now,
    ) -> None:
        self._store = store
        self._pace_policy = pace_policy
        self._rests = rests
        self._ceiling = ceiling
        self._clock = clock
        self._asked: dict[str, dict[str, float]] = {}  # seconds between requests, by host and origin
        self._well: set[str] = set()  # hosts whose last response for a page was good
        self._by_one_url: dict[str, str] = {}  # hosts that rest because of one URL, and its response
        self._leaving: dict[str, set[str]] = {}  # URLs that have had their turn and have not left, by host
        self.sent = 0

    @property
    def used_up(self) -> bool:
        """Whether the run has sent all the requests that it may."""
        return bool(self._ceiling) and self.sent >= self._ceiling

    async def take(self, url: str) -> Refusal | None:
        """Wait for the turn of `url` and return None, or return why there is no request now."""
        name = host_of(url)
        while True:
            refusal = self.refusal(name)
            if refusal is not None:
                return refusal
            wait = self._wait(name)
            if wait <= 0:
                break
            await asyncio.sleep(wait)
        self.sent += 1
        self._leaving.setdefault(name, set()).add(url)
        self._store.hosts.note(replace(self._store.hosts.of(name), last_request_at=self._clock()))
        return None

    def left(self, url: str) -> None:
        """Learn that a request has left this machine: the delay counts from now.

        Its turn may be seconds ago: a connection had to be made, or this process was busy.
        """
        name = host_of(url)
        self._store.hosts.note(replace(self._store.hosts.of(name), last_request_at=self._clock()))
        self.ended(url)

    def ended(self, url: str) -> None:
        """Learn that a request does not leave any more, or has left."""
        urls = self._leaving.get(name := host_of(url), set())
        urls.discard(url)
        if not urls:
            self._leaving.pop(name, None)

    def refusal(self, host: str) -> Refusal | None:
        """Return why nothing is sent to a host now, or None."""
        if self.used_up:
            return Refusal(
                Rule.MAX_REQUESTS, f"the run has sent MAX_REQUESTS={self._ceiling} requests; the next run continues"
            )
        reason, left = self._store.hosts.of(host).rest_reason, self.rest_left(host)
        return Refusal(Rule.HOST_RESTS, f"{reason}, of which {rounded_time(left)} are left") if left > 0 else None

    def rest_left(self, host: str) -> float:
        """Return the seconds for which a host still rests; 0 or less: it does not."""
        return self._store.hosts.of(host).rests_until - self._clock()

    def _wait(self, name: str) -> float:
        host, now = self._store.hosts.of(name), self._clock()
        if host.last_request_at > now:  # by a clock that was set back since: else the wait would never end
            host = replace(host, last_request_at=now)
            self._store.hosts.note(host)
        # The delay of an earlier run holds until this run knows the delay of the robots.txt.
        delay = self.delay(name).seconds if name in self._asked else max(host.delay, self.delay(name).seconds)
        if not host.last_request_at and OWN_EPOCH.after_abandoned and delay:
            # The former owner of the partition may have just sent it a request, and may know a delay of its robots.txt.
            host, delay = replace(host, last_request_at=OWN_EPOCH.begun_at), max(delay, self._pace_policy.most)
        if delay and name in self._leaving:  # from when the delay counts is not known yet
            return max(LEAVING_SECONDS, host.last_request_at + delay - now)
        return host.last_request_at + delay - now

    def delay(self, name: str) -> HostDelay:
        """Return the delay between two requests to a host."""
        asked = max(self._asked.get(name, {}).values(), default=0.0)
        latency = self._store.hosts.of(name).latency
        return delay_of(self._pace_policy.of(name), asked=asked, latency=latency, most=self._pace_policy.most)

    def asks(self, origin: str, seconds: float) -> None:
        """Note that the robots.txt of an origin requests so many seconds between two requests.

        A host with several origins has the largest of their delays. A delay that is too long is journaled.
        """
        name = host_of(origin)
        if len(self._asked) >= MAX_KNOWN:
            self._asked.clear()  # the table of hosts keeps the delays that follow from it
        self._asked.setdefault(name, {})[origin] = seconds
        self._note(self._store.hosts.of(name))
        reason = cap_reason(origin, seconds, self._pace_policy.most)
        if reason:
            self._store.hosts.cap(reason, self._store.journal)

    def answered(self, url: str, lease: int | None, status: int, asked: float | None, seconds: float) -> None:
        """Learn from a response: `asked` are the seconds of its Retry-After, `lease` is the id of a page's URL.

        Without a lease, the request was for a robots.txt. The gate closes its origin while it fails, or for its
        Retry-After. Other ports of the host are other origins, and have files of their own. So the host has the
        shortest rest, and no failure counts against it.
        """
        self.ended(url)
        host = self._store.hosts.of(host_of(url))
        # A request that took longer than is usual here may have left this machine late. The delay is a promise about
        # what the server sees, so it counts from the latest moment at which the request can have arrived there.
        arrived = self._clock() - min(seconds, host.latency or seconds)
        host = replace(host, last_request_at=max(host.last_request_at, arrived))
        host = replace(host, latency=smoothed(host.latency, seconds, failed=status >= FIRST_ERROR))
        retry = "" if asked is None else " with Retry-After"
        cause = f"answered {status}{retry} to {url[:_SHOWN]}"
        is_good = asked is None and status < FIRST_SERVER_ERROR and status != TOO_MANY
        if lease is None:
            short = rest_after_answer(status, asked, 0, replace(self._rests, most=self._rests.first))
            self._rest(host, None, replace(short, failures=host.failures), cause)
            return
        if host.rests_until > self._clock():
            self._answered_late(host, lease, Rest(asked or 0.0, host.failures), cause, is_good=is_good)
            return
        well = host.name in self._well
        rest = rest_after_answer(status, asked, host.failures, self._rests, others_answer=well)
        self._well.discard(host.name)
        self._by_one_url.pop(host.name, None)
        if is_good and len(self._well) < MAX_KNOWN:
            self._well.add(host.name)
        elif rest.failures <= 1 and status not in REDIRECTS and status != TOO_MANY:
            self._by_one_url[host.name] = cause
        self._rest(host, lease, rest, f"{cause}, and well to the page before" if well and rest.seconds else cause)

    def _answered_late(self, host: Host, lease: int, rest: Rest, cause: str, *, is_good: bool) -> None:
        """Learn from the response to a request from before the rest: it is no further failure."""
        said = self._by_one_url.pop(host.name, None)
        until = self._clock() + self._rests.first
        if is_good and said is not None and until < host.rests_until:
            self._well.add(host.name)
            reason = f"{host.name} {said}, and then {cause}: it gets no request for {rounded_time(self._rests.first)}"
            host = replace(host, rests_until=until, rest_reason=reason)
            self._store.hosts.put_to_rest(host, self._store.journal, lease)
        else:
            self._rest(host, lease, replace(rest, seconds=min(rest.seconds, self._rests.most)), cause)

    def silent(self, url: str, lease: int | None, reason: str, seconds: float) -> None:
        """Learn that no response came, for a `reason`."""
        host = self._store.hosts.of(host_of(url))
        host = replace(host, latency=smoothed(host.latency, seconds, failed=True))
        if lease is None or host.rests_until > self._clock():  # of a robots.txt: its origin is closed for now
            self._note(host)
            return
        self._well.discard(host.name)
        rest = rest_after_silence(host.failures, self._rests)
        self._rest(host, lease, rest, f"gave no answer to {url[:_SHOWN]} ({reason})", silent=True)

    def _rest(self, host: Host, lease: int | None, rest: Rest, cause: str, *, silent: bool = False) -> None:
        host = replace(host, failures=rest.failures)
        until = self._clock() + rest.seconds
        if not rest.seconds or until <= host.rests_until:
            self._note(host)
            return
        reason = f"{host.name} {cause}: it gets no request for {rounded_time(rest.seconds)}"
        host = replace(host, rests_until=until, rest_reason=reason, silent=silent)
        self._store.hosts.put_to_rest(host, self._store.journal, lease)

    def _note(self, host: Host) -> None:
        self._store.hosts.note(host)
        delay = self.delay(host.name)
        self._store.hosts.note(replace(host, delay=delay.seconds, delay_reason=delay.reason))


MAX_HOST_REST = 3600.0  # seconds: one wrong number must not cost more than an hour of a host's pages
TOO_MANY, UNAVAILABLE = 429, 503
BUSY = frozenset({TOO_MANY, UNAVAILABLE})
# The rules of spiders/outcome.py for no response, or none that could be read.
SILENCE = frozenset({Rule.TIMEOUT, Rule.REFUSED_CONNECTION, Rule.DNS, Rule.NETWORK, Rule.TLS, Rule.PROTOCOL})
FIRST_ERROR, FIRST_SERVER_ERROR = 400, 500  # status codes
REDIRECTS = range(300, 400)


@dataclass(frozen=True, slots=True)
class Rest:
    """How long a host rests after a response, in `seconds` (0: it does not), and its failures in a row so far."""

    seconds: float
    failures: int


@dataclass(frozen=True, slots=True)
class RestBounds:
    """How long a host rests, in seconds: the first time in a row, and at most."""

    first: float = 2.0
    most: float = MAX_HOST_REST


def rest_after_answer(
    status: int, asked: float | None, failures: int, bounds: RestBounds, *, others_answer: bool = False
) -> Rest:
    """Return the rest of a host after a response that follows so many `failures` in a row.

    `asked` are the seconds of its Retry-After; `others_answer`: the host's response for another page was good.
    """
    if others_answer and status != TOO_MANY and status not in REDIRECTS:
        asked = None if asked is None else min(asked, bounds.first)
    if status in BUSY:
        return Rest(min(max(doubled(bounds.first, failures), asked or 0.0), bounds.most), failures + 1)
    failures = failures if status >= FIRST_SERVER_ERROR else 0
    return Rest(min(asked or 0.0, bounds.most), failures)


def rest_after_silence(failures: int, bounds: RestBounds) -> Rest:
    """Return the rest of a host after a request without a response that follows so many `failures` in a row."""
    return Rest(min(doubled(bounds.first, failures - 1), bounds.most) if failures else 0.0, failures + 1)
