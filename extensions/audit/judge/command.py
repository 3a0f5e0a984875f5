"""`demo --judge LOG`: prints a grade for each robot in a log of the practice web, with the reasons.

What should a robot know of the practice web? The robots.txt of each site, and the page that a URL means.

Which robots are in a log, and which grade does each get? Robots differ in their User-Agent or their IP address.

A robot without a fault gets an A, with one a B, with two a C, and with more a D. A robot that requested what robots.txt
disallows gets an F, whatever else it did.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from commands.demo import log_path
from commands.frame.exits import DONE, NO, CommandError
from commands.frame.terminal import Style, hanging, json_line, printable, terminal_style
from demo import load
from demo.virtual_hosts import VirtualHosts
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
from extensions.audit.judge.earlier_log import EarlierLog, read_log_before
from extensions.audit.log_audit import RobotsInForce
from extensions.audit.log_reader import NoLogError, read_log
from reports.wording import counted
from robots import Access, HttpResponse, read_answer, robots_url
from urls.canonical import canonical_or_none

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Iterator

    from commands.frame.command_settings import CommandSettings
    from extensions.audit.judge.checks import Check, Watcher
    from extensions.audit.log_reader import Form, Log, LoggedRequest
    from robots import Availability


ENDING = ".localhost"
DIRECTORY = "127.0.0.1"
ELSEWHERE = "no site of the practice web"


@dataclass(frozen=True, slots=True)
class Visit:
    """One request of a robot: `url` as it asked, and `page`, the one spelling by which the truth has it.

    `host` has its port.
    """

    request: LoggedRequest
    url: str
    page: str
    host: str


class Practice:
    """The practice web on one port. It is also the `Rules` of an audit: `of` returns the robots.txt in force."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.truth = load(port)
        self._hosts = VirtualHosts(port)
        self._page_of = {alias: url for url, aliases in self.truth.aliases.items() for alias in aliases}
        self._origins = {f"http://{self.host_of(name)}" for name in self._hosts.sites} | {f"http://{DIRECTORY}:{port}"}
        self._rules: dict[str, RobotsInForce] = {}

    def host_of(self, name: str) -> str:
        """Return host and port of a site."""
        return f"{name}{ENDING}:{self.port}"

    def visit(self, request: LoggedRequest) -> Visit:
        """Return a request with its page."""
        url = request.origin + request.path
        return Visit(request, url, self.page(url), request.origin.partition("://")[2])

    def page(self, url: str) -> str:
        """Return the spelling of a URL that the truth has, or the canonical one."""
        page = canonical_or_none(url) or url
        return self._page_of.get(url, self._page_of.get(page, page))

    def has(self, request: LoggedRequest) -> bool:
        """Return whether a request is for a site of the practice web."""
        return request.origin in self._origins

    def of(self, visit: LoggedRequest) -> RobotsInForce | str:
        """Return the robots.txt of the site, or why there is none."""
        return self._rules_of(visit.origin) if self.has(visit) else ELSEWHERE

    def allows(self, agent: str, url: str) -> bool:
        """Return whether the robots.txt of a site allows a full URL to the robot with this product token."""
        parts = urlsplit(url)
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        return self._rules_of(f"{parts.scheme}://{parts.netloc}").availability.decide(agent, path).allowed

    def _rules_of(self, origin: str) -> RobotsInForce:
        if origin not in self._rules:
            self._rules[origin] = RobotsInForce(self._availability(origin))
        return self._rules[origin]

    def _availability(self, origin: str) -> Availability:
        url, hops = robots_url(origin), 0
        while True:
            parts = urlsplit(url)
            response = self._hosts.respond(parts.netloc, parts.path, lambda _: 1)
            answer = HttpResponse(url, response.status, response.headers, response.body, datetime.now(UTC), hops=hops)
            found = read_answer(answer)
            if found.access is not Access.MOVED:
                return found
            url, hops = found.location, hops + 1


def port_of(requests: Iterable[LoggedRequest]) -> int | None:
    """Return the port of the practice web in a log: that of the first request for one of its names."""
    for request in requests:
        name, _, port = request.origin.partition("://")[2].rpartition(":")
        if name.endswith(ENDING) and port.isdecimal():
            return int(port)
    return None


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


OF_THE_DEMO = "-"  # the value of --judge without LOG
SHOWN = 5  # requests of a fault; --json has up to 200
ROBOTS_SHOWN = 20
LONGEST = 200  # characters of a URL or a User-Agent
INDENT = 14  # columns for the name of a check
COLUMNS = ("requests", "disallowed", "in traps", "missed", "grade")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--judge",
        nargs="?",
        const=OF_THE_DEMO,
        metavar="LOG",
        help="start nothing; grade each robot in a log of the practice web (default: requests.log of the demo)",
    )
    parser.add_argument("--agent", default="", metavar="A", help="with --judge: only robots with this product token")
    parser.add_argument("--json", action="store_true", help="with --judge: print one JSON object")


def run(arguments: Namespace, settings: CommandSettings) -> int | None:
    """Judge a log. Return 0 if all robots got an A, else 1; None without `--judge`. Raises `CommandError`."""
    if arguments.judge is None:
        if arguments.agent or arguments.json:
            raise CommandError("--agent and --json need --judge: ./breadcrumb demo --judge --json")
        return None
    if arguments.once:
        raise CommandError("--judge starts no demo: leave out --once")
    path = log_path(settings, arguments.port) if arguments.judge == OF_THE_DEMO else Path(arguments.judge)
    try:
        log, judgement = _judge(path, arguments.agent)
    except NoLogError as error:
        raise CommandError(str(error)) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CommandError(
            f"{path}: the file can't be read ({reason}). "
            f"./breadcrumb demo writes {log_path(settings, arguments.port)}, python -m demo --log FILE writes FILE"
        ) from error
    if arguments.json:
        print(json_line(_as_dict(log, judgement)))
    else:
        print(*_lines(log, judgement, terminal_style()), sep="\n")
    return NO if any(robot.faults for robot in judgement.robots) else DONE


def _judge(path: Path, agent: str) -> tuple[Log, GradedLog]:
    with path.open("rb") as file:
        port = port_of(read_log(file, str(path), agent).visits)
    if port is None:
        whose = f" of {agent}" if agent else ""
        raise CommandError(
            f"{path}: no request{whose} for a site of the practice web, whose names end in .localhost. "
            "Send a robot there, or give another log"
        )
    with path.open("rb") as file:
        log = read_log(file, str(path), agent)
        return log, grade_robots(log.visits, Practice(port), log.form, earlier=read_log_before(path))


def _as_dict(log: Log, judgement: GradedLog) -> dict[str, object]:
    robots = [asdict(robot) | {"grade": robot.grade, "faults": robot.faults} for robot in judgement.robots]
    return {"log": log.name, "doubts": log.doubts(), "unjudged": judgement.unjudged, "robots": robots}


def _lines(log: Log, judgement: GradedLog, style: Style) -> Iterator[str]:
    robots = judgement.robots
    total = sum(robot.requests for robot in robots)
    yield style.bold(f"{printable(log.name)}: {counted(total, 'request')} of {counted(len(robots), 'robot')}")
    for doubt in log.doubts():
        yield from hanging("but", f"{doubt}.", INDENT)
    if judgement.unjudged:
        yield from hanging("but", f"{counted(judgement.unjudged, 'request')} of further robots not judged.", INDENT)
    yield ""
    names = [_name(robot, robots) for robot in robots[:ROBOTS_SHOWN]]
    width = max(map(len, names))
    yield style.dim(f"{'robot':<{width}}  " + "  ".join(COLUMNS))
    for name, robot in zip(names, robots, strict=False):
        cells = (f"{cell:>{len(head)}}" for head, cell in zip(COLUMNS, _cells(robot), strict=True))
        yield f"{name:<{width}}  " + "  ".join(cells)
    for name, robot in zip(names, robots, strict=False):
        yield ""
        yield from _robot(name, robot, style)
    if len(robots) > ROBOTS_SHOWN:
        yield f"and {len(robots) - ROBOTS_SHOWN} more robots; --json has them all"


def _cells(robot: GradedRobot) -> tuple[str, ...]:
    in_traps = sum(robot.traps.values())
    numbers = (robot.requests, robot.count("allowed"), in_traps, robot.count("coverage"))
    return (*(f"{number:,}" for number in numbers), robot.grade)


def _name(robot: GradedRobot, robots: tuple[GradedRobot, ...]) -> str:
    """Return the User-Agent, with the IP address where several robots share it."""
    name = printable(robot.agent or "(no User-Agent)")
    name = name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
    shared = sum(other.agent == robot.agent for other in robots) > 1
    return f"{name} at {printable(robot.client)}" if shared else name


def _robot(name: str, robot: GradedRobot, style: Style) -> Iterator[str]:
    faults = ", ".join(robot.faults) or "no fault"
    yield style.bold(f"{name}: {robot.grade} ({faults})")
    for finding in sorted(robot.findings, key=lambda finding: not finding.is_fault):
        first, *others = hanging(finding.name, printable(finding.found), INDENT)
        mark = style.bad if finding.is_fault else style.good
        yield mark(finding.name) + first[len(finding.name) :]
        yield from others
        if finding.is_fault:
            yield from _samples(finding)


def _samples(finding: CheckResult) -> Iterator[str]:
    for sample in finding.samples[:SHOWN]:
        where = f"line {sample.line}: " if sample.line else ""
        yield from hanging("", printable(f"{where}{sample.url[:LONGEST]} ({sample.wrong})"), INDENT)
    if finding.count > SHOWN and finding.samples:
        yield from hanging("", f"and {finding.count - SHOWN:,} more; --json has more of them", INDENT)
