"""`robots`: which line of a robots.txt decides about a URL, by one dialect or by all four, and a lint of the file.

The robots.txt is a file, standard input, or the response of a server, which is requested as a crawl would do it.
"""

from __future__ import annotations

import re
import sys
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import urlsplit

from commands.frame.command import Command
from commands.frame.exits import DONE, NO, CommandError
from commands.frame.single_request import NoResponse, ask, check_identity
from commands.frame.terminal import Style, columns, hanging, json_line, printable, terminal_style, wrapped
from extension_points import call_extensions
from reports.robots_verdicts import LONGEST, RobotsSource, few_of_each, lines_of, lines_with_marks, requested_paces
from reports.wording import counted, sentence
from robots import MAX_ROBOTS_BYTES, Access, HttpResponse, origin_of, read_answer, robots_url
from spiders.downloader.address_policy import Identity, IdentityError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Collection, Iterator, Sequence

    from commands.frame.command_settings import CommandSettings
    from commands.frame.single_request import Response
    from extension_points import CommandOptions
    from reports.robots_verdicts import UrlVerdicts
    from robots import Dialect, Finding, RobotsFile, Verdict

# A host that was written without its http://
_HOST = re.compile(r"(?:[\w-]+\.)*[\w-]+:\d+(?:/.*)?|(?:[\w-]+\.)+(?!txt\b)[A-Za-z]{2,}(?:/.*)?")
ASKED_FOR = {"Accept": "text/plain", "Accept-Encoding": "identity"}


def read_source(text: str, settings: CommandSettings) -> RobotsSource:
    """Read a robots.txt from a file, from standard input (`-`) or from an http(s) URL; raise `CommandError`."""
    if text == "-":
        body = _all_of(sys.stdin.buffer)
        return RobotsSource.of_text("standard input", body, "read from standard input")
    if "://" in text:
        return _fetch(text, settings)
    try:
        with Path(text).open("rb") as file:
            body = _all_of(file)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        hint = f"did you mean http://{text}?" if _HOST.fullmatch(text) else "give a file, an http(s) URL, or -"
        raise CommandError(f"{text}: the file can't be read ({reason}); {hint}") from error
    return RobotsSource.of_text(text, body, f"read from {text}")


def _all_of(file: BinaryIO) -> bytes:
    return file.read(MAX_ROBOTS_BYTES + 1)  # one more than counts, so that the cut is seen


def _fetch(text: str, settings: CommandSettings) -> RobotsSource:
    try:
        identity = Identity(settings["PRODUCT"], settings["CONTACT"], settings["BOT_URL"])
        origin = origin_of(text)
    except IdentityError as error:
        raise CommandError(str(error)) from error
    except ValueError:
        raise CommandError(f"{text}: give an http:// or https:// URL, a file, or -") from None
    url = robots_url(origin) if urlsplit(text).path in {"", "/"} else text
    deadline = time.monotonic() + settings.getfloat("DOWNLOAD_TIMEOUT")
    hops = 0
    while True:
        check_identity(url, identity)
        reply = _get(url, identity, deadline)
        answer = read_answer(HttpResponse(url, reply.status, reply.headers, reply.body, datetime.now(UTC), hops=hops))
        if answer.access is not Access.MOVED:
            return RobotsSource(url, answer, reply.body, origin, reply.status)
        url, hops = answer.location, hops + 1


def _get(url: str, identity: Identity, deadline: float) -> Response:
    try:
        reply = ask(url, ASKED_FOR | identity.headers, deadline, MAX_ROBOTS_BYTES)
    except NoResponse as error:
        raise CommandError(f"{url} can't be read: {error}. A crawl waits until it can") from error
    coding = next((value for name, value in reply.headers if name.lower() == "content-encoding"), "").strip().lower()
    if coding not in {"", "identity"}:
        raise CommandError(f"{url} has the content coding {coding!r}, which was not requested; give the file instead")
    return reply


VERDICT_INDENT = 12  # columns for the word "disallowed"
NAME_WIDTH = 9  # columns for the name of a reading
ENGINE_INDENT = 8  # columns for the name of an engine


def marked_file(body: bytes, deciding: Collection[int], style: Style) -> Iterator[str]:
    """Yield the file with its lines numbered from 1, and those in `deciding` marked."""
    lines = len(lines_of(body))
    if not body:
        yield "  (the file is empty)"
        return
    width = len(str(lines))
    *_, last = shown = lines_with_marks(body, ((number, "") for number in deciding), ())
    for line in shown:
        if not line.number:
            yield style.dim(f"  {'…':>{width}}  {lines:,} lines in all" if line is last else f"  {'…':>{width}}")
        elif line.decides:
            yield style.bold(f"> {line.number:>{width}}  {printable(line.text)}")
        else:
            yield f"  {style.dim(f'{line.number:>{width}}')}  {printable(line.text)}".rstrip()


def finding_lines(name: str, body: bytes, findings: Sequence[Finding], style: Style) -> Iterator[str]:
    """Yield `findings`, which are in the order of the lines of `body`, the file as UTF-8."""
    if not findings:
        yield f"{printable(name)}: no findings."
        return
    yield f"{printable(name)}: {counted(len(findings), 'finding')}"
    lines = lines_of(body)
    indent = len(str(len(lines))) + 4
    before = None
    few, more = few_of_each(findings)
    for finding in few:
        if finding.line != before:
            text = lines[finding.line - 1] if finding.line else "the file as a whole"
            yield style.bold(f"  {finding.line or '':>{indent - 4}}  {printable(text[:LONGEST])}".rstrip())
            before = finding.line
        yield from hanging("", f"{finding.rule}: {printable(finding.sentence)}", indent)
    for rule, count in more.items():
        yield f"and {count:,} more of {rule}; --json has them all"


def lines_of_one(judged: UrlVerdicts, style: Style) -> Iterator[str]:
    """Yield the verdict of one dialect."""
    (verdict,) = judged.verdicts.values()
    line = f", line {verdict.line}" if verdict.line else ""
    first, *others = hanging(_word(verdict), printable(f"{judged.url}  ({verdict.reason}{line})"), VERDICT_INDENT)
    yield _inked(first, verdict, style)
    yield from others


def lines_of_all(judged: UrlVerdicts, style: Style) -> Iterator[str]:
    """Yield the verdicts side by side, and the rule on which they differ."""
    yield style.bold(printable(judged.url))
    for dialect, verdict in judged.verdicts.items():
        by = f"line {verdict.line}, {verdict.rule} " if verdict.line else ""
        name = f"  {dialect.value:<{NAME_WIDTH}}"
        label, text = name + _word(verdict), printable(f"{by}({verdict.reason})")
        first, *others = hanging(label, text, len(name) + VERDICT_INDENT)
        yield name + _inked(first.removeprefix(name), verdict, style)
        yield from others
    for parting in judged.parting_sentences():
        yield from (f"  {line}" for line in wrapped(printable(parting), columns() - 2))
    if not judged.partings:
        yield "  All four dialects agree."


def delay_lines(file: RobotsFile, agent: str) -> Iterator[str]:
    """Yield the meaning of Crawl-delay and Request-rate for `agent`; nothing if there are none."""
    for pace in requested_paces(file, agent):
        yield ""
        yield from wrapped(printable(pace.sentence), columns())
        for engine, meaning in pace.meanings.items():
            yield from hanging(engine, meaning, ENGINE_INDENT)


def _word(verdict: Verdict) -> str:
    return "allowed" if verdict.allowed else "disallowed"


def _inked(line: str, verdict: Verdict, style: Style) -> str:
    word = _word(verdict)
    return (style.good if verdict.allowed else style.bad)(word) + line[len(word) :]


ALL = "all"
DIALECTS = ("rfc9309", "google", "1996", "book", ALL)  # written out, so that --help is quick


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A robots.txt with its verdicts; `findings` of the lint are None without --lint."""

    source: RobotsSource
    agent: str
    judged: Sequence[UrlVerdicts]
    findings: Sequence[Finding] | None
    notes: Sequence[str]


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "source",
        nargs="?",
        metavar="FILE or URL or -",
        help="the robots.txt: a file, the URL of a site, or - for standard input",
    )
    parser.add_argument("urls", nargs="*", metavar="URL", help="a URL or a path, such as /private/")
    parser.add_argument(
        "--agent",
        default="",
        metavar="A",
        help="the robot: product token or User-Agent string (default: setting PRODUCT)",
    )
    parser.add_argument(
        "--dialect", default=DIALECTS[0], choices=DIALECTS, help="the dialect that decides; all: compare them"
    )
    parser.add_argument("--lint", action="store_true", help="list problems of the file for its owner")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    for added in call_extensions("command_options", command="robots"):
        added.add_arguments(parser)


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Check URLs against a robots.txt, or lint the file."""
    from reports.robots_verdicts import check_urls, notes_on
    from robots import product_token

    added: CommandOptions
    for added in call_extensions("command_options", command="robots"):
        if (code := added.run(arguments, settings)) is not None:
            return code
    if arguments.source is None:
        raise CommandError("no robots.txt: give a file, an http(s) URL or -")
    if not arguments.urls and not arguments.lint:
        raise CommandError(f"{arguments.source}: no URL: give one, such as /private/, or --lint")
    source = read_source(arguments.source, settings)
    agent = product_token(arguments.agent) or settings["PRODUCT"]
    misspelt = [] if arguments.lint or arguments.dialect == ALL else _misspelt(source)
    found = CheckedFile(
        source,
        agent,
        check_urls(source, agent, arguments.urls, _dialects(arguments.dialect)),
        _findings(source) if arguments.lint else None,
        [*_name_taken(arguments.agent, agent), *notes_on(source, arguments.urls), *misspelt],
    )
    if arguments.json:
        print(json_line(_as_dict(found)))
    else:
        print(*_lines(found, terminal_style()), sep="\n")
    for note in found.notes:
        print(f"breadcrumb robots: {printable(note)}", file=sys.stderr)
    allowed = all(next(iter(one.verdicts.values())).allowed for one in found.judged)
    return DONE if allowed and not found.findings else NO


def _dialects(word: str) -> list[Dialect]:
    """Return the dialects to check; the first one determines the exit code."""
    from robots import Dialect

    return list(Dialect) if word == ALL else [Dialect(word)]


def _findings(source: RobotsSource) -> list[Finding]:
    from robots import Access, lint

    if source.availability.access is Access.CLOSED:
        raise CommandError(f"{source.name} has no lines: {source.availability.reason}; try again later")
    return lint(source.raw) if source.availability.file else []


def _as_dict(found: CheckedFile) -> dict[str, object]:
    from reports.robots_verdicts import delay_meanings

    file = found.source.availability.file
    delay = file.delay(found.agent) if file else None
    rate = file.request_rate(found.agent) if file else None
    verdict: dict[str, object] = {
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
    return (
        verdict if found.findings is None else verdict | {"findings": [asdict(finding) for finding in found.findings]}
    )


def _lines(found: CheckedFile, style: Style) -> Iterator[str]:

    source = found.source
    if found.judged:
        yield from _verdict_lines(found, style)
    if found.findings is not None:
        if found.judged:
            yield ""
        if source.availability.file is None:
            yield f"{printable(source.name)}: {source.availability.reason}, so there are no findings."
        else:
            yield from finding_lines(source.name, source.body, found.findings, style)


def _verdict_lines(found: CheckedFile, style: Style) -> Iterator[str]:

    source, agent = found.source, found.agent
    for one in found.judged:
        yield from lines_of_one(one, style) if len(one.verdicts) == 1 else lines_of_all(one, style)
    yield ""
    if source.availability.file is None:
        yield sentence(f"{printable(source.name)}: {source.availability.reason}")
        return
    delay = source.availability.file.delay(agent)
    asked = f", Crawl-delay {delay:g} s" if delay else ""
    yield f"{printable(source.name)} for {printable(agent)}{asked}:"
    deciding = {verdict.line for one in found.judged for verdict in one.verdicts.values()}
    yield from marked_file(source.body, deciding, style)
    yield from delay_lines(source.availability.file, agent)


def _name_taken(given: str, agent: str) -> list[str]:
    """Return a note if a User-Agent string was given: robots.txt uses only the product token."""
    return [f"the product token of '{given.strip()}' is {agent}"] if given.strip() not in {"", agent} else []


def _misspelt(source: RobotsSource) -> list[str]:
    """Return a note if the file has invalid lines."""
    from reports.robots_verdicts import not_understood

    count = not_understood(source)
    verb = "is" if count == 1 else "are"
    return [f"{counted(count, 'line')} {verb} invalid; --lint shows {'it' if count == 1 else 'them'}"] if count else []


COMMAND = Command(
    name="robots",
    example="http://bakery.localhost:8400/ --agent Breadcrumb /kitchen/oven.html /breads/",
    exits="0 all allowed (or imported), no findings, 1 some disallowed or findings, 2 unreadable",
    add_arguments=add_arguments,
    run=run,
)
