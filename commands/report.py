"""How far is the crawl? Its numbers, from the tables themselves, so that they add up.

Of a divided crawl it tells the sums of all parts, then a line a part; one that can't be asked is named.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from commands.command import Command
from commands.data_folder import open_to_report
from commands.exits import DONE, NO
from commands.terminal import ink
from crawldb.database import CrawlDatabase, DatabaseError
from crawldb.parts.parts import Parts
from reports.alias_evidence import evidence_as_dict as told_evidence
from reports.alias_evidence import find_alias_evidence
from reports.divided_report import divided_report, part_rows
from reports.report_rows import proposed_lines, report_lines
from reports.trap_report import sum_of_traps, trap_lines, traps_as_json

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence
    from pathlib import Path

    from commands.command_settings import CommandSettings
    from crawldb.parts.partition import Partition


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "about", nargs="?", choices=["traps"], metavar="traps",
        help="what the rules about traps have caught, and how to undo it",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="one JSON object, with the latest run under last_run")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Print the numbers of the data folder."""
    from crawldb.parts.division import parts_in  # noqa: PLC0415 - the same
    from reports.alias_evidence import find_alias_evidence  # noqa: PLC0415 - late, so that --help is quick
    from reports.numbers import report  # noqa: PLC0415 - the same

    parts = parts_in(settings.data_dir)
    if parts:
        return report_on_parts(arguments, settings.data_dir, parts)
    with open_to_report(settings.data_dir) as database:
        if arguments.about:
            return _print_traps(database, settings, as_json=arguments.json)
        numbers = report(database)
        proposals = [told_evidence(evidence) for evidence in find_alias_evidence(database) if evidence.proposed]
    if arguments.json:
        print(json.dumps(numbers | {"proposals": proposals}, ensure_ascii=False))
    else:
        print(*report_lines(numbers, str(settings.data_dir), ink()), *proposed_lines(ink(), proposals), sep="\n")
    return DONE


def _print_traps(database: CrawlDatabase, settings: CommandSettings, *, as_json: bool) -> int:
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


def report_on_parts(arguments: Namespace, data_dir: Path, parts: Sequence[Partition]) -> int:
    """Print the numbers of a divided crawl, or what the rules about traps have caught in each part."""
    with Parts(data_dir, parts) as opened:
        there, missing = _readable_parts(opened)
        if arguments.about:
            _print_traps_of_parts(there, missing, as_json=arguments.json)
            return NO if missing else DONE
        numbers = divided_report(opened)
        proposals = [told_evidence(evidence) for evidence in find_alias_evidence(*there.values()) if evidence.proposed]
    if arguments.json:
        print(json.dumps(numbers | {"proposals": proposals}, ensure_ascii=False))
    else:
        pen = ink()
        told = [*report_lines(numbers, str(data_dir), pen), *part_rows(pen, numbers["parts"])]
        print(*told, *proposed_lines(pen, proposals), sep="\n")
    return NO if missing else DONE


def _readable_parts(opened: Parts) -> tuple[dict[str, CrawlDatabase], dict[str, str]]:
    """Return the parts that can be asked, by their folders, and the others with what is wrong. Raises if none can."""
    there: dict[str, CrawlDatabase] = {}
    missing: dict[str, str] = {}
    for part in opened.parts:
        try:
            open_to_report(opened.folder(part)).close()
            there[str(opened.folder(part))] = opened.of(part)
        except DatabaseError as fault:
            missing[str(part)] = str(fault)
            if len(missing) == len(opened.parts):
                raise
    return there, missing


def _print_traps_of_parts(there: dict[str, CrawlDatabase], missing: dict[str, str], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(sum_of_traps([json.loads(traps_as_json(each)) for each in there.values()], missing),
                         ensure_ascii=False))  # fmt: skip
        return
    for folder, database in there.items():
        print(*trap_lines(database, folder, ink()), sep="\n")
    for part, fault in missing.items():
        print(f"Part {part} is not among them: {fault}")
