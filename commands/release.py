"""What if a rule about traps was wrong? Then what it caught is let go, and the rule does not hold for that again."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from commands.command import DONE, Command, Trouble
from commands.terminal.amounts import counted
from commands.terminal.ink import printable

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commands.settings import Settings


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "targets", nargs="+", metavar="PATTERN or URL",
        help="a pattern as report traps shows it, a URL, or the beginning of URLs with * after it",
    )  # fmt: skip
    parser.add_argument("--site", default="", metavar="SITE", help="only there: bakery.localhost:8400; for patterns")
    parser.add_argument("--json", action="store_true", help="one JSON object with what was released")


def run(arguments: Namespace, settings: Settings) -> int:
    """Queue again what rules about traps hold back."""
    from crawldb import CrawlDatabase  # noqa: PLC0415 - late, so that --help is quick
    from crawldb.frontier.release import release  # noqa: PLC0415 - the same

    with CrawlDatabase(settings.data_dir, readonly=True):
        pass  # says so where there is no crawl, and makes none
    released = []
    with CrawlDatabase(settings.data_dir) as database:
        for target in arguments.targets:
            try:
                released.append(release(database, target, arguments.site))
            except LookupError as error:
                raise Trouble(str(error)) from error
    if arguments.json:
        print(json.dumps({"released": [asdict(found) for found in released]}, ensure_ascii=False))
    for found in () if arguments.json else released:
        print(f"{printable(found.target)}: released; the next crawl asks for {counted(found.urls, 'URL')} of it.")
    return DONE


COMMAND = Command(
    name="release",
    summary="undo what a rule about traps has caught",
    example="'/calendar?month&year' --site almanac.localhost:8400 -s DATA_DIR=data/demo",
    exits="0 released, 2 nothing of the kind was caught",
    add_arguments=add_arguments,
    run=run,
)
