"""What does an audit look at? The requests of a log, in the order in which they began.

A log has them as they ended; an audit needs them as they began. They wait in a heap until nothing earlier can come: as
long as the longest answer may take. So a log of any length is read once, in memory that does not grow with it.

A log shows a host and a path, hardly ever the scheme: a request may then belong to the origin of http or of https. Its
form says what it can show and how exactly.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from functools import lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple

from reports.wording import counted
from robots import origin_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True, slots=True)
class Form:
    """What a kind of log can show. Times are in seconds."""

    name: str
    unit: str  # what a place counts: lines or fetches
    forgiven: float  # for the way from the robot to the one that writes the log
    doubt: float  # a time between two starts is known no better than this, either way
    answers: bool  # it shows when a request was answered, not only that it was made
    rounds: bool  # it shows to which round of the crawl a request belongs


# 10 ms for the way is what a busy loopback needs; a log of another machine adds only how much its way varies.
FETCH_LOG = Form("Breadcrumb's own fetch log", "fetch", 0.01, 0.0, answers=True, rounds=True)
JSON_LOG = Form("JSON access log", "line", 0.01, 0.0, answers=True, rounds=False)
# A whole second is cut off, and it is that of the end (nginx) or of the start (Apache): answers may take a second more.
COMBINED_LOG = Form("combined log", "line", 0.0, 2.0, answers=False, rounds=False)


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """One request. `place` is its line or fetch number, `path` what a robots.txt is compared with.

    `origins` are those that it may belong to: one, two where the log does not show http or https, none where it
    shows no host. `rules_of` is the origin whose robots.txt it asks for, "" for every other request.
    """

    place: int
    start: float  # seconds since the epoch
    end: float
    url: str  # as far as the log shows it
    path: str
    host: str  # without the port: the machine that is spared
    origins: tuple[str, ...]
    status: int | None  # None: no answer
    rules_of: str = ""
    robots: bool = False
    round: int = 0
    moved: bool = False  # a step on the way to what the robots.txt says, such as a redirect, and not the end of it
    again: bool = False  # what came lets the URL be asked for once more: a retry
    timed: bool = True  # False: `start` is not known, only `end`

    @property
    def origin(self) -> str:
        """The key of its origin, as exact as the log allows."""
        return self.origins[0] if self.origins else ""


_CLIENT_CLOSED = 499  # nginx: the robot went before an answer came
_RETRIED = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS, _CLIENT_CLOSED})


def may_be_asked_again(status: int | None) -> bool:
    """Say whether an answer with this status lets the URL be asked for again at once."""
    return status is None or status in _RETRIED or status >= HTTPStatus.INTERNAL_SERVER_ERROR


HOSTS_KEPT = 4096  # names whose origins are remembered
MAX_AUTHORITY = 300  # characters: a name in the DNS has 253 at most, then a port
_SCHEMES = ("http", "https")


class LoggedHost(NamedTuple):
    """A host as a log names it: without its port, and the origins that it may stand for."""

    host: str
    origins: tuple[str, ...]


@lru_cache(HOSTS_KEPT)
def logged_host(authority: str, scheme: str = "") -> LoggedHost | None:
    """Return what a Host header stands for; None where no host has such a name."""
    if not authority:
        return LoggedHost("", ())
    if len(authority) > MAX_AUTHORITY:
        return None
    try:
        origins = tuple(origin_of(f"{known}://{authority}/") for known in ([scheme] if scheme else _SCHEMES))
    except ValueError:
        return None
    return LoggedHost(origins[0].partition("://")[2].rpartition(":")[0], origins)


ROBOTS_PATH = "/robots.txt"


def logged_request(
    authority: str, target: str, place: int, *, start: float, end: float, status: int | None, again: bool
) -> LoggedRequest | None:
    """Return the visit that a request line asks for; None where it asks for no URL.

    `target` is a path, or a whole URL as a request to a proxy has it (RFC 9112, 3.2).
    """
    scheme, path = "", target
    if target[:1] != "/":
        scheme, mark, rest = target.partition("://")
        scheme = scheme.lower()
        authority, slash, path = rest.partition("/")
        path = slash + path or "/"
        if not mark or scheme not in _SCHEMES:
            return None
    named = logged_host(authority, scheme)
    if named is None:
        return None
    robots = path.partition("#")[0] == ROBOTS_PATH
    at = f"//{authority}" if authority or scheme else ""
    url = f"{scheme}:{at}{path}" if scheme else f"{at}{path}"
    return LoggedRequest(
        place,
        start,
        end,
        url=url,
        path=path,
        host=named.host,
        origins=named.origins,
        status=status,
        rules_of=named.origins[0] if robots and named.origins else "",
        robots=robots,
        again=again,
    )


LONGEST_ANSWER = 600.0  # seconds; our own requests end after DOWNLOAD_TIMEOUT, servers' logs know slower robots
MAX_HELD = 100_000  # visits that wait at once, some 50 MB


@dataclass(slots=True)
class Log:
    """A log as an audit takes it: `visits` in the order of their starts. When they have ended, the counts are final."""

    name: str
    form: Form
    visits: Iterable[LoggedRequest] = ()
    lines: int = 0  # that are not empty
    others: int = 0  # requests of other robots and of people
    unreadable: int = 0
    first_unreadable: int = 0  # its line
    late: int = 0  # visits too far out of order
    unlogged: list[str] = field(default_factory=list)  # sentences: why requests may have been made that are not in it

    def doubts(self) -> list[str]:
        """Say what this log may hide: sentences, none where it tells everything."""
        found = list(self.unlogged)
        if self.unreadable:
            found.append(f"{counted(self.unreadable, 'line')} can't be read, the first is line {self.first_unreadable}")
        if self.late:
            late = counted(self.late, "request")
            found.append(f"{late} stood over {LONGEST_ANSWER:g} s out of order and were left out: sort the log")
        return found

    def cannot_read(self, line: int) -> None:
        """Count a line that can't be read."""
        self.first_unreadable = self.first_unreadable or line
        self.unreadable += 1

    def in_order(self, visits: Iterable[LoggedRequest]) -> Iterator[LoggedRequest]:
        """Yield `visits`, which come as they ended, as they began; those of the same moment as they come."""
        heap: list[tuple[float, int, LoggedRequest]] = []
        newest, released = float("-inf"), float("-inf")
        for visit in visits:
            if visit.start < released:
                self.late += 1
                continue
            heapq.heappush(heap, (visit.start, visit.place, visit))
            newest = max(newest, visit.end)
            while heap[0][0] < newest - LONGEST_ANSWER or len(heap) > MAX_HELD:
                released = heap[0][0]
                yield heapq.heappop(heap)[2]
                if not heap:
                    break
        while heap:
            yield heapq.heappop(heap)[2]
