"""How is an origin asked for its robots.txt? Along its redirects, each hop judged and noted, to an answer or to none.

Every request is one `Hop` and so one row of the fetch log. Where we have a copy, its own address is asked whether the
copy still holds (RFC 9110, 13): a file of 500 KiB need not come again each day.

Which origins' rules are at hand? Those asked for last, within a bound; the others are read from the database again. A
parsed file takes some ten times the memory of its text, so it is the text that is counted: ten thousand origins with a
file of usual length fit, and of files as long as they may be some thirty do.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from crawldb.tables.robots_files import Hop
from robots import Access, Availability, no_answer, read_answer, robots_url

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from robots import AccessState


@dataclass(frozen=True, slots=True)
class RobotsResponse:
    """What came for one request, or what went wrong: `trouble` says so, and `ours` that the refusal was our own."""

    sent_at: float | None  # None: nothing was sent
    seconds: float = 0.0
    status: int = 0
    headers: Sequence[tuple[str, str]] = ()
    body: bytes = b""
    trouble: str = ""
    ours: bool = False


class RobotsFetcher(Protocol):
    """What an inquiry needs of the crawl around it."""

    async def fetch(self, url: str, conditions: dict[str, str]) -> RobotsResponse:
        """Ask for `url`; `conditions` are headers."""

    def refusal(self, url: str) -> str:
        """Say why the address of a redirect is not asked, or ""."""

    def redirected(self, origin: str, hop: Hop) -> None:
        """Note a request that was answered with a redirect."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """How it ended: the standing from now on, the last answer, the last request, and all addresses that were asked."""

    standing: AccessState
    answer: Availability
    hop: Hop | None  # None: the last request was not sent
    way: tuple[str, ...]


async def inquire(
    origin: str,
    before: AccessState,
    asker: RobotsFetcher,
    *,
    denial_closes: bool,
    clock: Callable[[], float] = time.time,
) -> Inquiry:
    """Ask `origin` for its robots.txt; `clock` gives seconds since the epoch."""
    way = [robots_url(origin)]
    while True:
        url = way[-1]
        conditions = _conditions(before, url)
        got = await asker.fetch(url, conditions)
        now = clock()
        hop = None
        if got.sent_at is not None:
            hop = Hop(url, got.sent_at, got.seconds, None if got.trouble else got.status, len(got.body))
        if got.trouble:
            answer = no_answer(got.trouble, ours=got.ours)
        else:
            answer = read_answer(
                url, got.status, got.headers, got.body, now=datetime.fromtimestamp(now, UTC), hops=len(way) - 1,
                conditional=bool(conditions), denial_closes=denial_closes,
            )  # fmt: skip
        if answer.access is Access.MOVED:
            if hop is not None:
                asker.redirected(origin, hop)
            refusal = asker.refusal(answer.location)
            way.append(answer.location)
            if not refusal:
                continue
            hop = None
            answer = no_answer(f"it is at {answer.location[:200]}, and {refusal}", ours=True)
        return Inquiry(before.after(answer, now), answer, hop, tuple(way))


def _conditions(standing: AccessState, url: str) -> dict[str, str]:
    """Return the headers that ask whether our copy still holds; only the address that gave it can tell."""
    copy = standing.copy
    if copy is None or copy.address != url:
        return {}
    headers = {"If-None-Match": copy.etag, "If-Modified-Since": copy.last_modified}
    return {name: value for name, value in headers.items() if value}


MAX_CACHED_ORIGINS = 10_000  # at hand at once
MAX_CACHED_BYTES = 16 * 1024 * 1024  # of their files' text: 1.6 kB each, where the median in the wild is 347 bytes


class RobotsCache:
    """Standings by origin; the one that was not asked for longest goes first."""

    def __init__(self, origins: int = MAX_CACHED_ORIGINS, size: int = MAX_CACHED_BYTES) -> None:
        self._origins = origins
        self._size = size
        self._standings: OrderedDict[str, AccessState] = OrderedDict()
        self._bytes = 0

    def get(self, origin: str) -> AccessState | None:
        """Return what is at hand for an origin."""
        standing = self._standings.get(origin)
        if standing is not None:
            self._standings.move_to_end(origin)
        return standing

    def put(self, origin: str, standing: AccessState) -> None:
        """Take in what is known of an origin, and let go of others where it gets too much."""
        self._drop(origin)
        self._standings[origin] = standing
        self._bytes += _text_bytes(standing)
        while len(self._standings) > 1 and (len(self._standings) > self._origins or self._bytes > self._size):
            self._drop(next(iter(self._standings)))

    def _drop(self, origin: str) -> None:
        dropped = self._standings.pop(origin, None)
        if dropped is not None:
            self._bytes -= _text_bytes(dropped)

    def __len__(self) -> int:
        return len(self._standings)


def _text_bytes(standing: AccessState) -> int:
    return 0 if standing.copy is None else len(standing.copy.body)
