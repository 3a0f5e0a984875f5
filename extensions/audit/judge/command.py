"""`demo --judge LOG`: prints a grade for each robot in a log of the practice web, with the reasons."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from commands.demo import log_path
from commands.frame.exits import DONE, NO, CommandError
from commands.frame.terminal import Style, hanging, json_line, printable, terminal_style
from extensions.audit.judge.earlier_log import read_log_before
from extensions.audit.judge.grading import grade_robots
from extensions.audit.judge.practice import Practice, port_of
from extensions.audit.log_reader import NoLogError, read_log
from reports.wording import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from commands.frame.command_settings import CommandSettings
    from extensions.audit.judge.checks import CheckResult
    from extensions.audit.judge.grading import GradedLog, GradedRobot
    from extensions.audit.log_reader import Log

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
