"""Which line of an access log is which request of the crawl? Lines and rows of the fetch log, one to one.

A line and a row belong together if they have the same URL, and begin within MATCH_SECONDS of each other: the clocks of
two machines differ a little. Of several rows the nearest is taken. What is left over on either side is shown as such.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from extensions.audit.log_reader import logged_host

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extensions.audit.log_reader import LoggedRequest
    from extensions.audit.tables import RequestRow

MATCH_SECONDS = 5.0
MAX_PAIRS = 100_000  # lines of the robot, and rows


@dataclass(frozen=True, slots=True)
class MatchedLine:
    """A line of the log with the request of the crawl that wrote it; None: the fetch log has no such request."""

    line: LoggedRequest
    sent: RequestRow | None

    @property
    def path(self) -> str:
        """The path; with its query only if the crawl has sent the request, and so knows it."""
        return self.line.path if self.sent is not None else urlsplit(self.line.path).path

    @property
    def same_status(self) -> bool:
        """Whether both have the same status."""
        return self.sent is not None and self.sent.status == self.line.status


@dataclass(slots=True)
class Matching:
    """All lines of our robot, and the requests of the crawl to the sites and within the time of the log."""

    lines: list[MatchedLine] = field(default_factory=list)
    unlogged: list[RequestRow] = field(default_factory=list)  # requests that no line shows
    matched: int = 0
    statuses_differ: int = 0
    by_site: Counter[str] = field(default_factory=Counter)  # lines


def pair_lines(lines: Iterable[LoggedRequest], sent: Iterable[RequestRow]) -> Matching:
    """Pair the lines of a robot with the requests that a crawl has sent."""
    found = Matching()
    in_order = list(lines)
    if not in_order:
        return found
    waiting = _by_url(sent, in_order)
    for line in in_order:
        request = _nearest(waiting, line)
        pair = MatchedLine(line, request)
        found.lines.append(pair)
        found.by_site[line.origin] += 1
        found.matched += request is not None
        found.statuses_differ += request is not None and not pair.same_status
    left = (request for requests in waiting.values() for request in requests)
    found.unlogged = sorted(left, key=lambda request: request.start)
    return found


def _by_url(sent: Iterable[RequestRow], lines: list[LoggedRequest]) -> defaultdict[tuple[str, str], list[RequestRow]]:
    """Return the requests to the sites of the log within its time, by origin and path."""
    sites = {origin for line in lines for origin in line.origins}
    begin = min(line.start for line in lines) - MATCH_SECONDS
    end = max(line.end for line in lines) + MATCH_SECONDS
    waiting: defaultdict[tuple[str, str], list[RequestRow]] = defaultdict(list)
    for request in sent:
        parts = urlsplit(request.url)
        named = logged_host(parts.netloc, parts.scheme)
        if named is not None and begin <= request.start <= end and sites.intersection(named.origins):
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            waiting[named.origins[0], path].append(request)
    return waiting


def _nearest(waiting: defaultdict[tuple[str, str], list[RequestRow]], line: LoggedRequest) -> RequestRow | None:
    """Take the request that wrote a line out of those that wait."""
    for origin in line.origins:
        requests = waiting.get((origin, line.path), [])
        near = [each for each in requests if abs(each.start - line.start) <= MATCH_SECONDS]
        if near:
            nearest = min(near, key=lambda request: abs(request.start - line.start))
            requests.remove(nearest)
            return nearest
    return None
