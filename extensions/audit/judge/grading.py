"""Which robots are in a log, and which grade does each get? Robots differ in their User-Agent or their IP address.

A robot without a fault gets an A, with one a B, with two a C, and with more a D. A robot that requested what robots.txt
disallows gets an F, whatever else it did.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from extensions.audit.judge.checks import (
    Budget,
    CheckResult,
    Disallowed,
    Errors,
    Heads,
    HostPaces,
    MissedPages,
    NofollowLinks,
    OffLimits,
    RobotsRead,
    Traps,
    Twice,
    WhoItIs,
)
from extensions.audit.judge.earlier_log import EarlierLog

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extensions.audit.judge.checks import Check, Watcher
    from extensions.audit.judge.practice import Practice, Visit
    from extensions.audit.log_reader import Form, LoggedRequest

MAX_ROBOTS = 100  # judged; the requests of more are counted
MAX_PAGES = 1_000_000  # remembered for all robots together, in some 300 MB
GRADES = "ABCD"  # by the number of faults
FAILED = "F"
NOTHING_EARLIER = EarlierLog()
DECISIVE = "allowed"  # the check whose fault fails a robot


@dataclass(frozen=True, slots=True)
class HostVisits:
    """What one site saw of a robot. Times are in seconds; `delay` is what its robots.txt asks for, 0 for nothing."""

    host: str
    requests: int
    per_second: float
    delay: float


@dataclass(frozen=True, slots=True)
class GradedRobot:
    """The judgement of one robot."""

    agent: str
    client: str
    requests: int
    findings: tuple[CheckResult, ...]
    traps: dict[str, int]  # requests into each
    hosts: tuple[HostVisits, ...]

    @property
    def faults(self) -> list[str]:
        """Return the names of the checks that found a fault."""
        return [finding.name for finding in self.findings if finding.is_fault]

    @property
    def grade(self) -> str:
        """Return a letter."""
        faults = self.faults
        return FAILED if DECISIVE in faults else GRADES[min(len(faults), len(GRADES) - 1)]

    def count(self, name: str) -> int:
        """Return what a check counted."""
        return next(finding.count for finding in self.findings if finding.name == name)


@dataclass(frozen=True, slots=True)
class GradedLog:
    """All robots of a log, the one with most requests first, and the number of requests by further ones."""

    robots: tuple[GradedRobot, ...]
    unjudged: int


def grade_robots(
    requests: Iterable[LoggedRequest],
    practice: Practice,
    form: Form,
    *,
    earlier: EarlierLog = NOTHING_EARLIER,
    max_robots: int = MAX_ROBOTS,
    max_pages: int = MAX_PAGES,
) -> GradedLog:
    """Judge each robot of a log; `requests` come in the order of their starts, those of `earlier` came before."""
    robots: dict[tuple[str, str], _Robot] = {}
    budget = Budget(max_pages)
    unjudged = 0
    for request in requests:
        key = request.head.agent, request.client
        robot = robots.get(key)
        if robot is None:
            if len(robots) >= max_robots:
                unjudged += 1
                continue
            robot = robots[key] = _Robot(request, practice, form, earlier, budget)
        robot.see(practice.visit(request))
    judged = sorted((robot.judged() for robot in robots.values()), key=lambda robot: -robot.requests)
    return GradedLog(tuple(judged), unjudged)


class _Robot:
    """One robot, while its requests come in."""

    def __init__(
        self, request: LoggedRequest, practice: Practice, form: Form, earlier: EarlierLog, budget: Budget
    ) -> None:
        self._agent, self._client = agent, _ = request.head.agent, request.client
        self._practice = practice
        self._requests = 0
        self._traps = Traps(practice)
        self._pace = HostPaces(practice, form, agent)
        self._twice = Twice(budget)
        self._off_limits = OffLimits(practice)
        self._first: tuple[Check, ...] = (
            RobotsRead(practice, form, earlier),
            Disallowed(practice, agent),
            NofollowLinks(practice),
        )
        self._last: tuple[Check, ...] = (Errors(budget), Heads(), WhoItIs(agent), MissedPages(practice, agent))
        self._checks: tuple[Watcher, ...] = (*self._first, self._traps, self._pace, self._twice, *self._last)

    def see(self, visit: Visit) -> None:
        """Take the next request."""
        self._requests += 1
        self._off_limits.see(visit)
        if self._practice.has(visit.request):
            for check in self._checks:
                check.see(visit)

    def judged(self) -> GradedRobot:
        """Return the judgement."""
        findings = (
            *(check.finding() for check in self._first),
            self._off_limits.finding(),
            self._traps.finding(),
            self._pace.finding(),
            self._twice.once,
            self._twice.spellings,
            *(check.finding() for check in self._last),
        )
        hosts = tuple(
            HostVisits(name, host.requests, round(host.per_second, 3), host.asked)
            for name, host in sorted(self._pace.hosts.items())
        )
        return GradedRobot(self._agent, self._client, self._requests, findings, self._traps.counts, hosts)
