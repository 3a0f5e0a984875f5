"""Which line of a robots.txt decides? The verdict for each URL, and the file with the deciding lines marked."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from commands.command import DONE, NO, Command
from commands.terminal.columns import hanging
from commands.terminal.ink import Ink, ink, printable

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Sequence

    from commands.robots_source import Source
    from commands.settings import Settings
    from robots import Verdict

INDENT = 12  # columns for the word "disallowed"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("source", metavar="FILE or URL or -", help="the robots.txt; of a site's address, its own one")
    parser.add_argument("urls", nargs="+", metavar="URL", help="address, or path with its /, to be judged")
    parser.add_argument("--agent", default="", metavar="A", help="product token of the robot (setting PRODUCT)")
    parser.add_argument("--json", action="store_true", help="one JSON object with all verdicts")


def run(arguments: Namespace, settings: Settings) -> int:
    """Judge URLs by a robots.txt."""
    from commands.robots_source import read_source  # noqa: PLC0415 - late, so that --help is quick

    source = read_source(arguments.source, settings)
    agent = arguments.agent or settings["PRODUCT"]
    verdicts = [(url, source.availability.decide(agent, url)) for url in arguments.urls]
    if arguments.json:
        print(json.dumps(_as_dict(source, agent, verdicts), ensure_ascii=False))
    else:
        print(*_lines(source, agent, verdicts, ink()), sep="\n")
    for note in _notes(source, arguments.urls):
        print(f"breadcrumb robots: {printable(note)}", file=sys.stderr)
    return DONE if all(verdict.allowed for _, verdict in verdicts) else NO


def _as_dict(source: Source, agent: str, verdicts: Sequence[tuple[str, Verdict]]) -> dict[str, object]:
    file = source.availability.file
    return {
        "source": source.name,
        "answer": source.availability.reason,
        "agent": agent,
        "verdicts": [{"url": url} | asdict(verdict) for url, verdict in verdicts],
        "delay": file.delay(agent) if file else None,
        "sitemaps": list(file.sitemaps) if file else [],
        "notes": _notes(source, [url for url, _ in verdicts]),
    }


def _lines(source: Source, agent: str, verdicts: Sequence[tuple[str, Verdict]], pen: Ink) -> Iterator[str]:
    from commands.terminal.marked_file import marked_file  # noqa: PLC0415 - late, so that --help is quick

    for url, verdict in verdicts:
        word = "allowed" if verdict.allowed else "disallowed"
        line = f", line {verdict.line}" if verdict.line else ""
        first, *others = hanging(word, printable(f"{url}  ({verdict.reason}{line})"), INDENT)
        yield (pen.good if verdict.allowed else pen.bad)(word) + first[len(word) :]
        yield from others
    yield ""
    if source.availability.file is None:
        yield f"{printable(source.name)}: {source.availability.reason}."
        return
    delay = source.availability.file.delay(agent)
    asked = f"; it asks {printable(agent)} for {delay:g} s between two visits" if delay else ""
    yield f"{printable(source.name)} for {printable(agent)}{asked}:"
    yield from marked_file(source.body, {verdict.line for _, verdict in verdicts}, pen)


def _notes(source: Source, urls: Sequence[str]) -> list[str]:
    """Return what a person should know about the answer."""
    from robots import origin_of  # noqa: PLC0415 - late, so that --help is quick

    notes = list(source.availability.file.notes) if source.availability.file else []
    for url in urls:
        if url.startswith("/"):
            continue
        try:
            origin = origin_of(url)
        except ValueError:
            notes.append(f"{url} is no http or https address, nor a path that begins with /")
            continue
        if source.origin and origin != source.origin:
            notes.append(f"{url} is not of {source.origin}: this file does not speak for it")
    return notes


COMMAND = Command(
    name="robots",
    summary="which line of a robots.txt decides about a URL",
    example="http://bakery.localhost:8400/ --agent Breadcrumb /ovens/ /bread.html",
    exits="0 all allowed, 1 some are not, 2 the robots.txt can't be read",
    add_arguments=add_arguments,
    run=run,
)
