"""`audit`: proves from a log that the robot was polite, or that it was not, claim by claim."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError
from contextlib import ExitStack, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from commands.frame.command import Command
from commands.frame.exits import DONE, NO, CommandError
from commands.frame.terminal import Style, hanging, json_line, printable, terminal_style
from crawldb.databases import open_whole
from reports.wording import counted, sentence

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from extensions.audit.claims import AuditFinding
    from extensions.audit.log_audit import Audit
    from extensions.audit.log_reader import Log

NOT_PROVABLE = 3  # the exit code between yes and no
INDENT = 14  # columns for the words "not provable"
LONGEST = 500  # characters of a URL that a person gets to see; --json has all of it


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("log", nargs="?", metavar="LOG", help="an access log (default: the fetch log of the crawl)")
    parser.add_argument("--robots", metavar="FILE", help="the robots.txt in force (default: those stored by the crawl)")
    parser.add_argument("--delay", type=_seconds, metavar="S", help="seconds between two requests to a host")
    parser.add_argument("--ceiling", type=_count, metavar="N", help="requests that a host may get within a minute")
    parser.add_argument("--agent", type=_token, metavar="A", help="product token (setting PRODUCT)")
    parser.add_argument("--json", action="store_true", help="one JSON object with all claims")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Check a log and print the result."""
    from extensions.audit.claims import Proof
    from extensions.audit.log_reader import NoLogError

    agent = arguments.agent or settings["PRODUCT"]
    try:
        log, found = _audit(arguments, settings, agent)
    except NoLogError as error:
        raise CommandError(str(error)) from error
    if arguments.json:
        print(json_line(_as_dict(log, found, agent)))
    else:
        print(*_lines(log, found, agent, terminal_style()), sep="\n")
    return {Proof.PROVED: DONE, Proof.VIOLATED: NO}.get(found.proof, NOT_PROVABLE)


def _audit(arguments: Namespace, settings: CommandSettings, agent: str) -> tuple[Log, Audit]:
    from extensions.audit.log_audit import AuditLimits, NamedFile, StoredFiles, audit, known_from_before
    from extensions.audit.log_reader import read_fetches, read_log

    terms = AuditLimits(agent, arguments.delay, arguments.ceiling)
    with ExitStack() as opened:
        database = _database(settings, opened, needed=arguments.log is None)
        stored = StoredFiles(database)
        rules = NamedFile(_file(arguments.robots)) if arguments.robots else stored
        if arguments.log is None and database is not None:
            log, excuse = read_fetches(database)
            return log, audit(log, rules, terms, excuse=excuse)
        try:
            file = opened.enter_context(Path(arguments.log).open("rb"))
            log = read_log(file, arguments.log, agent)
        except (OSError, ValueError) as error:
            raise CommandError(_unreadable(arguments.log, error, "an access log")) from error
        return log, audit(log, rules, terms, excuse=known_from_before(stored))


def _database(settings: CommandSettings, opened: ExitStack, *, needed: bool) -> CrawlDatabase | None:
    """Return the crawl database as it is now, however much a crawl writes meanwhile."""
    from crawldb.database import FILE_NAME

    if not needed and not (settings.data_dir / FILE_NAME).exists():
        return None
    database = opened.enter_context(open_whole(settings.data_dir, readonly=True))
    opened.enter_context(database.one_state())
    return database


def _file(name: str) -> bytes:
    from robots import MAX_ROBOTS_BYTES

    try:
        with Path(name).open("rb") as file:
            return file.read(MAX_ROBOTS_BYTES + 1)  # one more than counts, so that the cut is seen
    except (OSError, ValueError) as error:
        raise CommandError(_unreadable(name, error, "a robots.txt")) from error


def _unreadable(name: str, error: Exception, wanted: str) -> str:
    return f"{name}: the file can't be read ({getattr(error, 'strerror', None) or error}); give {wanted}"


def _as_dict(log: Log, found: Audit, agent: str) -> dict[str, object]:
    return {
        "log": log.name,
        "form": log.form.name,
        "agent": agent,
        "requests": found.requests,
        "others": log.others,
        "unreadable": log.unreadable,
        "proof": found.proof.value,
        "doubts": list(found.doubts),
        "claims": [asdict(finding) | {"proof": finding.proof.value} for finding in found.findings],
    }


def _lines(log: Log, found: Audit, agent: str, style: Style) -> Iterator[str]:
    yield style.bold(
        f"{printable(log.name)} ({log.form.name}): {counted(found.requests, 'request')} of {printable(agent)}"
    )
    if log.others:
        yield f"{counted(log.others, 'request')} of other agents skipped."
    for doubt in found.doubts:
        yield from hanging("but", f"{doubt}.", INDENT)
    yield ""
    for finding in found.findings:
        yield from _finding(finding, log.form.unit, style)


def _finding(finding: AuditFinding, unit: str, style: Style) -> Iterator[str]:
    word = finding.proof.value
    first, *others = hanging(word, printable(sentence(f"{finding.claim}: {finding.reason}"))[: 4 * LONGEST], INDENT)
    marks = {"proved": style.good, "violated": style.bad}
    yield marks.get(word, style.dim)(word) + first[len(word) :]
    yield from others
    for sample in finding.samples:
        where = f"{unit} {sample.place}, {_moment(sample.at)}, {sample.url[:LONGEST]}: {sample.wrong}"
        yield from hanging("", printable(where), INDENT)
    left_out = finding.violations - len(finding.samples)
    if left_out > 0:
        yield from hanging("", f"and {left_out:,} more", INDENT)


def _moment(seconds: float) -> str:
    """Return a time to the millisecond, or as a number where no calendar has it."""
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return f"{seconds:.3f} s"
    return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03} UTC"


def _seconds(text: str) -> float:
    with suppress(ValueError):
        if math.isfinite(number := float(text)) and number >= 0:
            return number
    raise ArgumentTypeError(f"{text}: give a number of seconds, such as 0.5")


def _count(text: str) -> int:
    with suppress(ValueError):
        if (number := int(text)) > 0:
            return number
    raise ArgumentTypeError(f"{text}: give a number of requests per minute, such as 30")


def _token(text: str) -> str:
    if not text or not all(letter.isalnum() or letter in "-_" for letter in text):
        raise ArgumentTypeError(f"{text!r}: give a product token, such as Googlebot")
    return text


COMMAND = Command(
    name="audit",
    example="access.log --delay 1 --ceiling 60 --data demo",
    exits="0 all proved, 1 a claim violated, 2 log unreadable, 3 none violated, not all provable",
    add_arguments=add_arguments,
    run=run,
)
