"""`release`: queues URLs again that a trap rule caught, and exempts them from that rule."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from commands.frame.command import Command
from commands.frame.exits import DONE, CommandError
from commands.frame.terminal import json_line, printable
from reports.wording import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commands.frame.command_settings import CommandSettings


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "targets",
        nargs="+",
        metavar="PATTERN or URL",
        help="a pattern from report traps, a URL, or a URL prefix with *",
    )
    parser.add_argument(
        "--site", default="", metavar="SITE", help="for patterns: only on this site, such as bakery.localhost:8400"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Queue the URLs that a trap rule caught."""
    from crawldb.databases import open_to_write
    from frontier.budgets import release_everywhere

    with open_to_write(settings.data_dir) as databases:
        try:
            released = [release_everywhere(databases, target, arguments.site) for target in arguments.targets]
        except LookupError as nothing:
            raise CommandError(str(nothing)) from nothing
    if arguments.json:
        print(json_line({"released": [asdict(found) for found in released]}))
    for found in () if arguments.json else released:
        print(f"{printable(found.target)}: released; the next crawl requests {counted(found.urls, 'URL')} of it.")
    return DONE


COMMAND = Command(
    name="release",
    example="'/calendar?month&year' --site almanac.localhost:8400 --data demo",
    exits="0 released, 2 no such catch",
    add_arguments=add_arguments,
    run=run,
)
