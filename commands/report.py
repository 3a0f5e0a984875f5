"""How far is the crawl? Its numbers, from the tables themselves, so that they add up."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from commands.line.command import DONE, Command
from commands.line.opened import open_to_report
from commands.reporting.numbers import lines, proposed_lines
from commands.reporting.trap_report import as_json as traps_as_json
from commands.reporting.trap_report import lines as trap_lines
from commands.suggest import told as told_evidence
from commands.terminal.ink import ink

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from commands.line.settings import Settings
    from crawldb import CrawlDatabase


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "about", nargs="?", choices=["traps"], metavar="traps",
        help="what the rules about traps have caught, and how to undo it",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="one JSON object, with the latest run under last_run")


def run(arguments: Namespace, settings: Settings) -> int:
    """Print the numbers of the data folder."""
    from crawldb.aliases.evidence import gather  # noqa: PLC0415 - late, so that --help is quick
    from crawldb.frontier.partition.division import parts_in  # noqa: PLC0415 - the same
    from crawldb.report import report  # noqa: PLC0415 - the same

    parts = parts_in(settings.data_dir)
    if parts:
        from commands.reporting.part_report import report_on  # noqa: PLC0415 - the same

        return report_on(arguments, settings.data_dir, parts)
    with open_to_report(settings.data_dir) as database:
        if arguments.about:
            return _print_traps(database, settings, as_json=arguments.json)
        numbers = report(database)
        proposals = [told_evidence(evidence) for evidence in gather(database) if evidence.proposed]
    if arguments.json:
        print(json.dumps(numbers | {"proposals": proposals}, ensure_ascii=False))
    else:
        print(*lines(numbers, str(settings.data_dir), ink()), *proposed_lines(ink(), proposals), sep="\n")
    return DONE


def _print_traps(database: CrawlDatabase, settings: Settings, *, as_json: bool) -> int:
    if as_json:
        print(traps_as_json(database))
    else:
        print(*trap_lines(database, str(settings.data_dir), ink()), sep="\n")
    return DONE


COMMAND = Command(
    name="report",
    summary="the crawl in numbers",
    example="--json -s DATA_DIR=data",
    exits="0 printed, 1 a part of a divided crawl could not be read, 2 there is no crawl to report on",
    add_arguments=add_arguments,
    run=run,
)
