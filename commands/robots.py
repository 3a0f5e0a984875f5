"""Which line of a robots.txt decides? A verdict for each URL, by one reading or by four, and the file, marked."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from commands.frame.command import Command
from commands.frame.exits import DONE, NO, Trouble
from commands.frame.terminal import Ink, ink, json_line, printable
from extension_points import called
from reports.wording import counted, sentence

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Sequence

    from commands.frame.command_settings import CommandSettings
    from extension_points import CommandOptions
    from reports.four_readings import JudgedUrl, RobotsSource
    from robots import Dialect, Finding

ALL = "all"
DIALECTS = ("rfc9309", "google", "1996", "book", ALL)  # written out, so that --help is quick


@dataclass(frozen=True, slots=True)
class JudgedFile:
    """A robots.txt with its verdicts on URLs; `findings` are those of a lint, None where none was asked for."""

    source: RobotsSource
    agent: str
    judged: Sequence[JudgedUrl]
    findings: Sequence[Finding] | None
    notes: Sequence[str]


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "source", nargs="?", metavar="FILE or URL or -", help="the robots.txt; of a site's address, its own one"
    )
    parser.add_argument("urls", nargs="*", metavar="URL", help="address, or path with its /, to be judged")
    parser.add_argument(
        "--agent",
        default="",
        metavar="A",
        help="the robot: its product token, or its whole User-Agent string (setting PRODUCT)",
    )
    parser.add_argument("--dialect", default=DIALECTS[0], choices=DIALECTS, help="which reading decides; all: compare")
    parser.add_argument("--lint", action="store_true", help="say what the owner of the site would want to know")
    parser.add_argument("--json", action="store_true", help="one JSON object with all verdicts and findings")
    for added in called("command_options", command="robots"):
        added.add_arguments(parser)


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Judge URLs by a robots.txt, or the file itself."""
    from commands.robots_txt.source import read_source
    from reports.four_readings import judge_urls, notes_on
    from robots import product_token

    added: CommandOptions
    for added in called("command_options", command="robots"):
        if (code := added.run(arguments, settings)) is not None:
            return code
    if arguments.source is None:
        raise Trouble("no robots.txt is named: give a file, an http(s) URL or -")
    if not arguments.urls and not arguments.lint:
        raise Trouble(f"{arguments.source}: no URL to judge by it; name one, such as /private/, or give --lint")
    source = read_source(arguments.source, settings)
    agent = product_token(arguments.agent) or settings["PRODUCT"]
    misspelt = [] if arguments.lint or arguments.dialect == ALL else _misspelt(source)
    found = JudgedFile(
        source,
        agent,
        judge_urls(source, agent, arguments.urls, _dialects(arguments.dialect)),
        _findings(source) if arguments.lint else None,
        [*_name_taken(arguments.agent, agent), *notes_on(source, arguments.urls), *misspelt],
    )
    if arguments.json:
        print(json_line(_as_dict(found)))
    else:
        print(*_lines(found, ink()), sep="\n")
    for note in found.notes:
        print(f"breadcrumb robots: {printable(note)}", file=sys.stderr)
    allowed = all(next(iter(one.verdicts.values())).allowed for one in found.judged)
    return DONE if allowed and not found.findings else NO


def _dialects(word: str) -> list[Dialect]:
    """Give the readings that are asked; the first of them decides about the exit code."""
    from robots import Dialect

    return list(Dialect) if word == ALL else [Dialect(word)]


def _findings(source: RobotsSource) -> list[Finding]:
    from robots import Access, lint

    if source.availability.access is Access.CLOSED:
        raise Trouble(f"{source.name} has no lines to judge: {source.availability.reason}; try again later")
    return lint(source.raw) if source.availability.file else []


def _as_dict(found: JudgedFile) -> dict[str, object]:
    from reports.four_readings import delay_meanings

    file = found.source.availability.file
    delay = file.delay(found.agent) if file else None
    rate = file.request_rate(found.agent) if file else None
    told: dict[str, object] = {
        "source": found.source.name,
        "answer": found.source.availability.reason,
        "agent": found.agent,
        "verdicts": [one.as_dict() for one in found.judged],
        "delay": delay,
        "delay_meanings": None if delay is None else delay_meanings(delay),
        "request_rate": rate and asdict(rate) | {"seconds_per_request": rate.seconds_per_request},
        "sitemaps": list(file.sitemaps) if file else [],
        "notes": found.notes,
    }
    return told if found.findings is None else told | {"findings": [asdict(finding) for finding in found.findings]}


def _lines(found: JudgedFile, pen: Ink) -> Iterator[str]:
    from commands.robots_txt.lines import finding_lines

    source = found.source
    if found.judged:
        yield from _verdict_lines(found, pen)
    if found.findings is not None:
        if found.judged:
            yield ""
        if source.availability.file is None:
            yield f"{printable(source.name)}: {source.availability.reason}, so there is nothing to find."
        else:
            yield from finding_lines(source.name, source.body, found.findings, pen)


def _verdict_lines(found: JudgedFile, pen: Ink) -> Iterator[str]:
    from commands.robots_txt.lines import delay_lines, lines_of_all, lines_of_one, marked_file

    source, agent = found.source, found.agent
    for one in found.judged:
        yield from lines_of_one(one, pen) if len(one.verdicts) == 1 else lines_of_all(one, pen)
    yield ""
    if source.availability.file is None:
        yield sentence(f"{printable(source.name)}: {source.availability.reason}")
        return
    delay = source.availability.file.delay(agent)
    asked = f"; it asks {printable(agent)} for {delay:g} s between two visits" if delay else ""
    yield f"{printable(source.name)} for {printable(agent)}{asked}:"
    deciding = {verdict.line for one in found.judged for verdict in one.verdicts.values()}
    yield from marked_file(source.body, deciding, pen)
    yield from delay_lines(source.availability.file, agent)


def _name_taken(given: str, agent: str) -> list[str]:
    """Return a note where a whole User-Agent string was given, of which a robots.txt knows only the product token."""
    return (
        [f"a robots.txt calls '{given.strip()}' by its product token, {agent}"]
        if given.strip() not in {"", agent}
        else []
    )


def _misspelt(source: RobotsSource) -> list[str]:
    """Return a note where a lint would find lines that mean nothing."""
    from reports.marked_robots import not_understood

    count = not_understood(source)
    verb = "is" if count == 1 else "are"
    return [f"{counted(count, 'line')} {verb} not understood; --lint tells"] if count else []


COMMAND = Command(
    name="robots",
    example="http://bakery.localhost:8400/ --agent Breadcrumb /kitchen/oven.html /breads/",
    exits="0 all allowed (or imported) and nothing found, 1 some not or something found, 2 none can be read",
    add_arguments=add_arguments,
    run=run,
)
