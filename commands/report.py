"""`report`: the crawl in numbers, its traps, or its links.

For a divided crawl it shows the sums, then a line per part. Unreadable parts are named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commands.frame.command import Command
from commands.frame.data_folder import damping_under, open_to_report
from commands.frame.exits import DONE, NO, CommandError
from commands.frame.terminal import json_line, pasteable, printable, row_lines, terminal_style
from extension_points import call_extensions

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from crawldb.databases import Parts
    from extension_points import ReportSubject
    from reports.numbers import Report
    from reports.wording import Row

INDENT = 12  # columns for the name of a number
RULE_INDENT = 16  # columns for the name of a rule about traps
ABOUT = {
    "traps": "what the trap rules caught, and how to undo it",
    "links": "the top pages by links",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    about = ABOUT | {subject.name: subject.help for subject in call_extensions("report_subjects")}
    parser.add_argument(
        "about",
        nargs="?",
        choices=list(about),
        metavar="|".join(about),
        help="; ".join(about.values()),
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, with the latest run under last_run")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Print the numbers of the data folder."""
    from crawldb.databases import Parts

    with Parts.in_folder(settings.data_dir) as parts:
        if parts.divided:
            return report_on_parts(arguments, settings.data_dir, parts)
    if arguments.about and arguments.about not in ABOUT:
        return _print_subject(arguments.about, settings.data_dir, as_json=arguments.json)
    with open_to_report(settings.data_dir) as database:
        if arguments.about == "traps":
            return _print_traps(database, settings.data_dir, as_json=arguments.json)
        if arguments.about == "links":
            return _print_links(database, settings.data_dir, damping_under(settings), as_json=arguments.json)
        return _print_numbers(database, settings.data_dir, as_json=arguments.json)


def _print_numbers(database: CrawlDatabase, data_dir: Path, *, as_json: bool) -> int:
    from reports.numbers import report
    from reports.report_rows import proposal_rows, report_rows

    numbers = report(database)
    if as_json:
        _print_json(numbers, database)
    else:
        rows = [*report_rows(numbers, _complaints(database)), *proposal_rows(_proposals(database))]
        rows += [*_open_work_rows(database), *added_rows(database)]
        _print_rows(f"The crawl in {data_dir}", rows, INDENT)
    return DONE


def _print_json(numbers: Report, *databases: CrawlDatabase) -> None:
    from reports.health import complaint_need, needs_of
    from reports.summary import in_plain_words

    complaints = _complaints(*databases)
    needs = [*map(complaint_need, complaints), *needs_of(numbers, numbers["last_run"])]
    told = {"complaints": complaints, "proposals": _proposals(*databases), "open_work": _open_work(*databases)}
    if added := added_rows(*databases):
        told["extensions"] = [{"label": row.label, "text": row.text} for row in added]
    print(json_line(dict(numbers) | in_plain_words(numbers, needs) | told))


def _print_traps(database: CrawlDatabase, data_dir: Path, *, as_json: bool) -> int:
    from reports.traps import trap_rows, traps_as_dict

    if as_json:
        told = traps_as_dict(database)
        for trap in told["traps"]:
            trap["release"] = pasteable(trap["release"])
        print(json_line(told))
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


def _complaints(*databases: CrawlDatabase) -> list[dict[str, Any]]:
    """Return the open complaints, with their texts."""
    from reports.numbers import open_complaints

    return [each for database in databases for each in open_complaints(database)]


def _open_work(*databases: CrawlDatabase) -> dict[str, Any]:
    """Return the unfinished commands, and how many changes the index lacks."""
    from crawldb.tables.open_work import stopped_work
    from reports.health import pending_changes

    stopped = [{"command": str(work), "began_at": work.began_at} for work in stopped_work(databases)]
    return {"stopped": stopped, "changes_behind": pending_changes(databases)}


def _open_work_rows(*databases: CrawlDatabase) -> Iterable[Row]:
    from crawldb.tables.open_work import stopped_work
    from reports.health import pending_changes
    from reports.report_rows import open_work_rows

    return open_work_rows(stopped_work(databases), pending_changes(databases))


def added_rows(*databases: CrawlDatabase) -> list[Row]:
    """Return the rows of extensions for each database."""
    return [row for database in databases for row in call_extensions("report_rows", database=database)]


def _proposals(*databases: CrawlDatabase) -> list[dict[str, Any]]:
    """Return the proposed options of sites."""
    from reports.alias_evidence import evidence_as_dict, find_alias_evidence

    return [evidence_as_dict(evidence) for evidence in find_alias_evidence(*databases) if evidence.proposed]


def report_on_parts(arguments: Namespace, data_dir: Path, opened: Parts) -> int:
    """Print the numbers of a divided crawl, or the traps of each part."""
    if arguments.about == "links":
        raise CommandError("each part of a divided crawl ranks its own links: name one part with --data FOLDER")
    there, missing = _readable_parts(opened)
    if arguments.about and arguments.about not in ABOUT:
        _print_subject(arguments.about, data_dir, as_json=arguments.json)
    elif arguments.about:
        _print_traps_of_parts(there, missing, as_json=arguments.json)
    else:
        _print_numbers_of_parts(opened, there, data_dir, as_json=arguments.json)
    return NO if missing else DONE


def _readable_parts(opened: Parts) -> tuple[dict[Path, CrawlDatabase], dict[str, str]]:
    """Return the readable parts by folder, and the errors of the others. Raises if all are unreadable."""
    from crawldb.database import DatabaseError

    there: dict[Path, CrawlDatabase] = {}
    missing: dict[str, str] = {}
    for part in opened.parts:
        try:
            open_to_report(opened.folder(part)).close()
            there[opened.folder(part)] = opened.of(part)
        except DatabaseError as fault:
            missing[str(part)] = str(fault)
            if len(missing) == len(opened.parts):
                raise
    return there, missing


def _print_numbers_of_parts(
    opened: Parts, there: Mapping[Path, CrawlDatabase], data_dir: Path, *, as_json: bool
) -> None:
    from reports.numbers import divided_report
    from reports.report_rows import part_rows, proposal_rows, report_rows

    numbers, databases = divided_report(opened), there.values()
    if as_json:
        _print_json(numbers, *databases)
        return
    rows = [*report_rows(numbers, _complaints(*databases)), *part_rows(numbers["parts"])]
    rows += [*proposal_rows(_proposals(*databases)), *_open_work_rows(*databases), *added_rows(*databases)]
    _print_rows(f"The crawl in {data_dir}", rows, INDENT)


def _print_traps_of_parts(there: Mapping[Path, CrawlDatabase], missing: Mapping[str, str], *, as_json: bool) -> None:
    from reports.traps import sum_of_traps, traps_as_dict

    if as_json:
        told = sum_of_traps([traps_as_dict(database) for database in there.values()], missing)
        print(json_line(told))
        return
    for folder, database in there.items():
        _print_traps(database, folder, as_json=False)
    for part, fault in missing.items():
        print(f"Part {part} is not included: {printable(str(fault))}")


COMMAND = Command(
    name="report",
    example="--json --data demo",
    exits="0 printed, 1 a part of a divided crawl is unreadable, 2 no crawl",
    add_arguments=add_arguments,
    run=run,
)
