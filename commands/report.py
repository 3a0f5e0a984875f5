"""`report`: the crawl in numbers, its traps, or its links.

For a divided crawl it shows the sums, then a line per part. Unreadable parts are named.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from commands.frame.command import Command
from commands.frame.data_folder import damping_under
from commands.frame.exits import DONE, NO, CommandError
from commands.frame.terminal import json_line, pasteable, printable, row_lines, terminal_style
from extension_points import call_extensions

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from crawldb.databases import Parts
    from extension_points import ReportSubject
    from reports.numbers import Report
    from reports.wording import Row

INDENT = 12  # columns for the name of a number
RULE_INDENT = 16  # columns for the name of a rule about traps
ABOUT = {"traps": "what the trap rules caught, and how to undo it", "links": "the top pages by links"}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    about = ABOUT | {subject.name: subject.help for subject in call_extensions("report_subjects")}
    parser.add_argument(
        "about", nargs="?", choices=list(about), metavar="|".join(about), help="; ".join(about.values())
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, with the latest run under last_run")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Print the numbers of the data folder."""
    from crawldb.databases import Parts, open_whole
    from reports.numbers import report

    with Parts.in_folder(settings.data_dir) as parts:
        if parts.divided:
            return report_on_parts(arguments, settings.data_dir, parts)
    if arguments.about and arguments.about not in ABOUT:
        return _print_subject(arguments.about, settings.data_dir, as_json=arguments.json)
    with open_whole(settings.data_dir, readonly=True) as database:
        if arguments.about == "traps":
            return _print_traps(database, settings.data_dir, as_json=arguments.json)
        if arguments.about == "links":
            return _print_links(database, settings.data_dir, damping_under(settings), as_json=arguments.json)
        rows = [*_index_rows(settings.data_dir, database)]
        _print_numbers(report(database), [database], settings.data_dir, as_json=arguments.json, parts=rows)
        return NO if rows else DONE


def _index_rows(data_dir: Path, database: CrawlDatabase) -> Iterator[Row]:
    """Yield a row if the index is of another crawl: its numbers then say nothing of this one."""
    from crawldb.pages.feed import Feed
    from indexer.faults import OtherCrawl
    from indexer.segments.generation import check_same_crawl
    from reports.wording import Row

    try:
        check_same_crawl(data_dir, Feed(database))
    except OtherCrawl as fault:
        yield Row("index", str(fault))


def _print_numbers(
    numbers: Report, databases: Sequence[CrawlDatabase], data_dir: Path, *, as_json: bool, parts: Iterable[Row] = ()
) -> None:
    """Print the numbers of a crawl, and what its operator should know: as JSON, or as rows."""
    from crawldb.tables.open_work import stopped_work
    from reports.health import complaint_need, needs_of, pending_changes
    from reports.numbers import open_complaints
    from reports.report_rows import open_work_rows, proposal_rows, report_rows
    from reports.summary import in_plain_words

    complaints = [each for database in databases for each in open_complaints(database)]
    proposals = [each.as_dict() for each in call_extensions("option_proposals", databases=databases)]
    stopped, behind = stopped_work(databases), pending_changes(databases)
    added = [row for database in databases for row in call_extensions("report_rows", database=database)]
    if as_json:
        needs = [*map(complaint_need, complaints), *needs_of(numbers, numbers["last_run"])]
        unfinished = [{"command": str(work), "began_at": work.began_at} for work in stopped]
        further = {
            "complaints": complaints,
            "proposals": proposals,
            "open_work": {"stopped": unfinished, "changes_behind": behind},
        }
        if added:
            further["extensions"] = [asdict(row) for row in added]
        print(json_line(dict(numbers) | in_plain_words(numbers, needs) | further))
        return
    rows = [*report_rows(numbers, complaints), *parts, *proposal_rows(proposals)]
    _print_rows(f"The crawl in {data_dir}", [*rows, *open_work_rows(stopped, behind), *added], INDENT)


def _print_traps(database: CrawlDatabase, data_dir: Path, *, as_json: bool) -> int:
    from reports.traps import trap_rows, traps_as_dict

    if as_json:
        traps = traps_as_dict(database)
        for trap in traps["traps"]:
            trap["release"] = pasteable(trap["release"])
        print(json_line(traps))
    else:
        _print_rows(f"Traps in {data_dir}", trap_rows(database), RULE_INDENT)
    return DONE


def _print_links(database: CrawlDatabase, data_dir: Path, damping: float, *, as_json: bool) -> int:
    from reports.links import link_report

    found = link_report(database, damping)
    if as_json:
        print(json_line(found.as_dict()))
    else:
        _print_rows(f"Links in {data_dir}", found.rows(), INDENT)
    return DONE


def _print_subject(name: str, data_dir: Path, *, as_json: bool) -> int:
    """Print a report that an extension adds."""
    subject: ReportSubject = next(each for each in call_extensions("report_subjects") if each.name == name)
    found, rows = subject.read(data_dir)
    if as_json:
        print(json_line(found))
    else:
        _print_rows(f"{subject.heading} in {data_dir}", rows, INDENT)
    return DONE


def _print_rows(heading: str, rows: Iterable[Row], indent: int) -> None:
    style = terminal_style()
    print(style.bold(heading), *row_lines(rows, indent, style), sep="\n")


def report_on_parts(arguments: Namespace, data_dir: Path, opened: Parts) -> int:
    """Print the numbers of a divided crawl, or the traps of each part."""
    if arguments.about == "links":
        raise CommandError("each part of a divided crawl ranks its own links: name one part with --data FOLDER")
    from reports.numbers import divided_report
    from reports.report_rows import part_rows

    there, missing = opened.ask(lambda database: database)
    if arguments.about and arguments.about not in ABOUT:
        _print_subject(arguments.about, data_dir, as_json=arguments.json)
    elif arguments.about:
        _print_traps_of_parts([*there.values()], missing, as_json=arguments.json)
    else:
        numbers = divided_report(opened)
        rows = part_rows(numbers["parts"])
        _print_numbers(numbers, [*there.values()], data_dir, as_json=arguments.json, parts=rows)
    return NO if missing else DONE


def _print_traps_of_parts(there: Sequence[CrawlDatabase], missing: Mapping[str, str], *, as_json: bool) -> None:
    from reports.traps import sum_of_traps, traps_as_dict

    if as_json:
        traps = sum_of_traps([traps_as_dict(database) for database in there], missing)
        print(json_line(traps))
        return
    for database in there:
        _print_traps(database, database.path.parent, as_json=False)
    for part, fault in missing.items():
        print(f"Part {part} is not included: {printable(str(fault))}")


COMMAND = Command(
    name="report",
    example="--json --data demo",
    exits="0 printed, 1 a part is unreadable, or the index is of another crawl, 2 no crawl",
    add_arguments=add_arguments,
    run=run,
)
