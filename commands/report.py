"""How far is the crawl? Its numbers, from the tables themselves, so that they add up."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from commands.command import DONE, Command
from commands.terminal.columns import COLUMNS, hanging
from commands.terminal.ink import Ink, ink, printable

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Mapping

    from commands.settings import Settings
    from crawldb.report import Report

INDENT = 12
SITES_SHOWN = 10
_LEFT_OUT = ("duplicates", "near_duplicates", "noindex")  # kinds of pages that are stored and not indexed
_UNITS = ("bytes", "kB", "MB", "GB", "TB")
_STEP = 1000  # from one unit to the next, as networks and disks count


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--json", action="store_true", help="one JSON object, with the latest run under last_run")


def run(arguments: Namespace, settings: Settings) -> int:
    """Print the numbers of the data folder."""
    from crawldb import CrawlDatabase  # noqa: PLC0415 - late, so that --help is quick
    from crawldb.report import report  # noqa: PLC0415 - the same

    with CrawlDatabase(settings.data_dir, readonly=True) as database:
        numbers = report(database)
    if arguments.json:
        print(json.dumps(numbers, ensure_ascii=False))
    else:
        print(*_lines(numbers, str(settings.data_dir), ink()), sep="\n")
    return DONE


def _lines(numbers: Report, folder: str, pen: Ink) -> Iterator[str]:
    urls, pages = numbers["urls"], numbers["pages"]
    yield pen.bold(f"The crawl in {folder}")
    parts = " + ".join(f"{count:,} {state}" for state, count in urls.items() if state != "discovered")
    yield from _row(pen, "URLs", f"{urls['discovered']:,} discovered = {parts}")
    yield from _rules(pen, "suppressed", numbers["suppressed"])
    yield from _rules(pen, "failed", numbers["failed"])
    yield from _row(pen, "pages", f"{pages['stored']:,} stored, {pages['indexed']:,} of them fit for the index")
    yield from _rules(pen, "left out", {kind.replace("_", " "): pages[kind] for kind in _LEFT_OUT if pages[kind]})
    yield from _row(pen, "requests", _requests(numbers))
    yield from _rules(pen, "answers", numbers["status"])
    rounds = numbers["rounds"]
    yield from _row(pen, "rounds", f"{rounds['begun']:,} begun, {rounds['open']:,} of them open")
    yield from _sites(pen, numbers["sites"])
    if numbers["last_run"]:
        yield from _row(pen, "last run", _last_run(numbers["last_run"]))


def _row(pen: Ink, label: str, text: str) -> Iterator[str]:
    for number, line in enumerate(hanging(label, printable(text), INDENT)):
        yield line if number else pen.dim(line[:INDENT]) + line[INDENT:]


def _rules(pen: Ink, label: str, counts: Mapping[str, int]) -> Iterator[str]:
    if counts:
        yield from _row(pen, label, ", ".join(f"{rule}: {count:,}" for rule, count in counts.items()))


def _sites(pen: Ink, sites: Mapping[str, int]) -> Iterator[str]:
    largest = sorted(sites.items(), key=lambda site: -site[1])
    width = max((len(name) for name, _ in largest[:SITES_SHOWN]), default=0)
    label = "sites"
    for name, pages in largest[:SITES_SHOWN]:
        shown = printable(name)[: COLUMNS - INDENT - INDENT]
        yield pen.dim(f"{label:<{INDENT}}") + f"{shown:<{min(width, COLUMNS - 2 * INDENT)}}  {pages:>9,} pages".rstrip()
        label = ""
    if len(largest) > SITES_SHOWN:
        yield from _row(pen, "", f"and {len(largest) - SITES_SHOWN:,} more; --json has them all")


def _requests(counts: Mapping[str, Any]) -> str:
    return f"{counts['requests']:,}, {_size(counts['bytes'])} of bodies, {_duration(counts['seconds'])} of crawling"


def _last_run(run: Mapping[str, Any]) -> str:
    began = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(run["started_at"]))
    if run["running"]:
        return f"number {run['run']} is at work as process {run['pid']}, since {began}: {_requests(run)}"
    ending = run["ending"] or "killed"
    waiting = f"; {run['waiting']:,} URLs wait for the next one" if run["waiting"] else ""
    return f"number {run['run']}, {began}, {ending}: {_requests(run)}{waiting}"


def _size(number: float) -> str:
    unit = 0
    while number >= _STEP and unit < len(_UNITS) - 1:
        number /= _STEP
        unit += 1
    return f"{number:,.1f} {_UNITS[unit]}" if unit else f"{number:,} bytes"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{seconds:.1f} s"


COMMAND = Command(
    name="report",
    summary="the crawl in numbers",
    example="--json -s DATA_DIR=data",
    exits="0 printed, 2 there is no crawl to report on",
    add_arguments=add_arguments,
    run=run,
)
