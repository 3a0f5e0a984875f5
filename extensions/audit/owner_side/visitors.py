"""Which robots are in an access log, and which of them used robots.txt as a guide to what it forbids?

A visitor is an IP address with a User-Agent. It counts as a robot if it requested a robots.txt, or if its User-Agent
does not begin as those of browsers do. A robot that passes for a browser and reads no robots.txt is not told from a
person.

RFC 9309 protects nothing: a robots.txt tells everybody which paths its owner wants to keep robots from. So a robot that
has read it, and then requests a path of a Disallow line itself, has the file for a guide. Another forbidden path shows
only that it does not obey: a link may have led there.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from robots import product_token

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extensions.audit.log_audit import Rules
    from extensions.audit.log_reader import LoggedRequest

MAX_VISITORS = 1_000  # robots whose requests are counted one by one
MAX_FORBIDDEN = 100  # forbidden requests of a robot that are kept; all are counted
BROWSERS = "Mozilla/"
COMPATIBLE = "compatible;"


@dataclass(frozen=True, slots=True)
class ForbiddenRequest:
    """A request for a path that the robots.txt forbids, `seconds` after the robot had read the file; None: never.

    `is_named`: a Disallow line has this very path.
    """

    line: int  # of the log
    path: str  # without its query
    rule: str
    rule_line: int  # of the robots.txt
    seconds: float | None
    is_named: bool


@dataclass(slots=True)
class Robot:
    """A robot in the log, with what it requested. Its IP address is not kept."""

    agent: str
    first_line: int
    requests: int = 0
    robots_files: int = 0
    sites: set[str] = field(default_factory=set)
    unknown_rules: int = 0  # requests for which no robots.txt is known
    forbidden: list[ForbiddenRequest] = field(default_factory=list)
    forbidden_count: int = 0
    after_reading: int = 0  # of them, those on a site whose robots.txt it had read
    guided: int = 0  # of these, those for the path of a Disallow line itself
    statuses: Counter[int | None] = field(default_factory=Counter)
    _read_at: dict[tuple[str, ...], float] = field(default_factory=dict)

    @property
    def token(self) -> str:
        """The product token, by which a robots.txt names the robot."""
        return product_token(self.agent)

    @property
    def verdict(self) -> str:
        """What the log shows of its manners."""
        if self.guided:
            return "used robots.txt as a guide"
        if self.after_reading:
            return "did not obey the robots.txt that it had read"
        if self.forbidden_count:
            return "requested forbidden paths without reading robots.txt"
        if not self.robots_files:
            return "never requested a robots.txt"
        return "requested no forbidden path"

    def see(self, request: LoggedRequest, rules: Rules) -> None:
        """Take the next request."""
        self.requests += 1
        self.sites.add(request.origin)
        self.statuses[request.status] += 1
        if request.robots:
            self.robots_files += 1
            if request.status is not None:
                self._read_at.setdefault(request.origins, request.end)
            return
        copy = rules.of(request)
        if isinstance(copy, str):
            self.unknown_rules += 1
            return
        verdict = copy.availability.decide(self.token, request.path)
        if not verdict.allowed:
            self._forbidden(request, verdict.rule, verdict.line)

    def _forbidden(self, request: LoggedRequest, rule: str, line: int) -> None:
        read_at = self._read_at.get(request.origins)
        seconds = None if read_at is None else max(request.start - read_at, 0.0)
        path = urlsplit(request.path).path
        is_named = rule.partition(":")[2].strip() in {path, request.path}
        self.forbidden_count += 1
        if seconds is not None:
            self.after_reading += 1
            self.guided += is_named
        if len(self.forbidden) < MAX_FORBIDDEN:
            self.forbidden.append(ForbiddenRequest(request.place, path, rule, line, seconds, is_named))


@dataclass(slots=True)
class Visitors:
    """The robots of a log, and the lines of all others."""

    robots: list[Robot] = field(default_factory=list)  # in the order of their first lines
    lines: int = 0
    others: int = 0  # lines of people, and of robots that can't be told from them
    left_out: int = 0  # lines of robots beyond MAX_VISITORS


def visitors(requests: Iterable[tuple[str, LoggedRequest]], rules: Rules) -> Visitors:
    """Return who is in a log: each request with its User-Agent, in the order of the lines."""
    found = Visitors()
    by_visitor: dict[tuple[str, str], Robot] = {}
    for agent, request in requests:
        found.lines += 1
        visitor = (request.client, agent)
        robot = by_visitor.get(visitor)
        if robot is None:
            if not request.robots and not names_a_robot(agent):
                found.others += 1
                continue
            if len(by_visitor) >= MAX_VISITORS:
                found.left_out += 1
                continue
            robot = by_visitor[visitor] = Robot(agent, request.place)
        robot.see(request, rules)
    found.robots = list(by_visitor.values())
    return found


def names_a_robot(agent: str) -> bool:
    """Return whether a User-Agent says that it is a program, and no browser."""
    return not agent.startswith(BROWSERS) or COMPATIBLE in agent
