"""How is an origin asked for its robots.txt? Along its redirects, each hop judged and noted, to an answer or to none.

Every request is one `Hop` and so one row of the fetch log. Where we have a copy, its own address is asked whether the
copy still holds (RFC 9110, 13): a file of 500 KiB need not come again each day.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from crawldb.tables.robots_files import Hop
from robots import Access, Availability, no_answer, read_answer, robots_url

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from robots import Standing


@dataclass(frozen=True, slots=True)
class Answer:
    """What came for one request, or what went wrong: `trouble` says so, and `ours` that the refusal was our own."""

    sent_at: float | None  # None: nothing was sent
    seconds: float = 0.0
    status: int = 0
    headers: Sequence[tuple[str, str]] = ()
    body: bytes = b""
    trouble: str = ""
    ours: bool = False


class Asker(Protocol):
    """What an inquiry needs of the crawl around it."""

    async def fetch(self, url: str, conditions: dict[str, str]) -> Answer:
        """Ask for `url`; `conditions` are headers."""

    def refusal(self, url: str) -> str:
        """Say why the address of a redirect is not asked, or ""."""

    def redirected(self, origin: str, hop: Hop) -> None:
        """Note a request that was answered with a redirect."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """How it ended: the standing from now on, the last answer, the last request, and all addresses that were asked."""

    standing: Standing
    answer: Availability
    hop: Hop | None  # None: the last request was not sent
    way: tuple[str, ...]


async def inquire(
    origin: str, before: Standing, asker: Asker, *, denial_closes: bool, clock: Callable[[], float] = time.time
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


def _conditions(standing: Standing, url: str) -> dict[str, str]:
    """Return the headers that ask whether our copy still holds; only the address that gave it can tell."""
    copy = standing.copy
    if copy is None or copy.address != url:
        return {}
    headers = {"If-None-Match": copy.etag, "If-Modified-Since": copy.last_modified}
    return {name: value for name, value in headers.items() if value}
