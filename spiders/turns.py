"""When may a request be sent? When its host's delay is over, the host does not rest, and the run may still send.

Everything that is sent takes its turn here just before it leaves: pages, robots.txt and sitemaps. So a delay holds
between any two of them, over a restart as well, and no request escapes the ceiling of the run.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from crawldb.tables.hosts import MAX_KNOWN
from spiders.host_pace import (
    FIRST_ERROR,
    Rest,
    cap_reason,
    delay_of,
    rest_after_answer,
    rest_after_silence,
    smoothed,
)
from urls.records import Refusal
from urls.rules import Rule
from urls.site import host_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawldb.tables.hosts import Host
    from frontier.store import Store
    from spiders.host_pace import HostDelay, PacePolicy

_SHOWN = 200  # characters of a URL in a reason


class Turns:
    """Gives turns to requests, and learns from answers. `clock` gives seconds since the epoch.

    `first_rest` is in seconds; `ceiling` is the number of requests of the run, 0 for no limit.
    """

    def __init__(
        self,
        store: Store,
        pace_policy: PacePolicy,
        first_rest: float,
        ceiling: int,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._pace_policy = pace_policy
        self._first_rest = first_rest
        self._ceiling = ceiling
        self._clock = clock
        self._asked: dict[str, dict[str, float]] = {}  # seconds between requests, by host and origin
        self.sent = 0

    @property
    def used_up(self) -> bool:
        """Whether the run has sent all the requests that it may."""
        return bool(self._ceiling) and self.sent >= self._ceiling

    async def take(self, url: str) -> Refusal | None:
        """Wait until `url` may be sent, and return None; or return why it may not be sent now."""
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
        self._store.hosts.note(replace(self._store.hosts.of(name), last_request_at=self._clock()))
        return None

    def refusal(self, host: str) -> Refusal | None:
        """Return why nothing is sent to a host now, or None."""
        if self.used_up:
            return Refusal(
                Rule.MAX_REQUESTS, f"the run has sent MAX_REQUESTS={self._ceiling} requests; the next one goes on"
            )
        known = self._store.hosts.of(host)
        left = known.rests_until - self._clock()
        return Refusal(Rule.HOST_RESTS, f"{known.rest_reason}, of which {left:.0f} s are left") if left > 0 else None

    def _wait(self, name: str) -> float:
        host = self._store.hosts.of(name)
        # The delay of an earlier run holds until this run knows what the robots.txt asks for.
        delay = self.delay(name).seconds if name in self._asked else max(host.delay, self.delay(name).seconds)
        # A clock that is set back must not hold a host for longer than its delay.
        return min(delay, host.last_request_at + delay - self._clock())

    def delay(self, name: str) -> HostDelay:
        """Return the delay between two requests to a host."""
        asked = max(self._asked.get(name, {}).values(), default=0.0)
        latency = self._store.hosts.of(name).latency
        return delay_of(self._pace_policy.of(name), asked=asked, latency=latency, most=self._pace_policy.most)

    def asks(self, origin: str, seconds: float) -> None:
        """Note that the robots.txt of an origin asks for so many seconds between two requests.

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
        """Learn from an answer: `asked` are the seconds of its Retry-After, `lease` is the id of a page's URL."""
        host = self._store.hosts.of(host_of(url))
        # A request that took longer than is usual here may have left this machine late. The delay is a promise about
        # what the server sees, so it counts from the latest moment at which the request can have arrived there.
        arrived = self._clock() - min(seconds, host.latency or seconds)
        host = replace(host, last_request_at=max(host.last_request_at, arrived))
        host = replace(host, latency=smoothed(host.latency, seconds, failed=status >= FIRST_ERROR))
        retry = "" if asked is None else " with Retry-After"
        cause = f"answered {status}{retry} to {url[:_SHOWN]}"
        if host.rests_until > self._clock():  # it was under way when the rest began, so it is no further failure
            self._rest(host, lease, Rest(asked or 0.0, host.failures), cause)
        else:
            self._rest(host, lease, rest_after_answer(status, asked, host.failures, self._first_rest), cause)

    def silent(self, url: str, lease: int | None, reason: str, seconds: float) -> None:
        """Learn that no answer came, for a `reason`."""
        host = self._store.hosts.of(host_of(url))
        host = replace(host, latency=smoothed(host.latency, seconds, failed=True))
        if host.rests_until > self._clock():
            self._note(host)
            return
        rest = rest_after_silence(host.failures, self._first_rest)
        self._rest(host, lease, rest, f"gave no answer to {url[:_SHOWN]} ({reason})", silent=True)

    def _rest(self, host: Host, lease: int | None, rest: Rest, cause: str, *, silent: bool = False) -> None:
        host = replace(host, failures=rest.failures)
        until = self._clock() + rest.seconds
        if not rest.seconds or until <= host.rests_until:
            self._note(host)
            return
        reason = f"{host.name} {cause}: nothing is asked of it for {rest.seconds:g} s"
        host = replace(host, rests_until=until, rest_reason=reason, silent=silent)
        self._store.hosts.put_to_rest(host, self._store.journal, lease)

    def _note(self, host: Host) -> None:
        self._store.hosts.note(host)
        delay = self.delay(host.name)
        self._store.hosts.note(replace(host, delay=delay.seconds, delay_reason=delay.reason))
