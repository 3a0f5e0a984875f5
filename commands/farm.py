"""How do several processes crawl together? Each has a share of the hosts, and hands over what belongs to another."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from commands.crawling.divided import add_crawl_arguments, check_crawl_arguments, words_here
from commands.frame.command import TETHER, Command, command_line
from commands.frame.data_folder import folder_option
from commands.frame.exits import DONE, INTERRUPTED, MISUSED, NO, Trouble
from reports.shown_commands import in_folder
from reports.wording import counted
from urls.rules import Rule

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from pathlib import Path

    from cluster.driving.stages import PartProgress
    from commands.frame.command_settings import CommandSettings

DEFAULT_PARTS = 2
MAX_PROCESSES = 64  # on one machine, where each has its part


@dataclass(frozen=True, slots=True)
class Share:
    """What one part of a divided crawl holds: `handed_over` are the URLs that it gave to other parts."""

    part: str
    folder: str
    sites: int = 0
    pages: int = 0
    indexed: int = 0
    requests: int = 0
    queued: int = 0
    faults: int = 0  # URLs that Breadcrumb itself could not read or store
    handed_over: int = 0
    turns: int = 0
    kills: int = 0


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    add_crawl_arguments(parser)
    parser.add_argument(
        "-n",
        type=int,
        metavar="N",
        dest="parts",
        help=f"how many processes: as many as the folder has parts, and {DEFAULT_PARTS} for a new one",
    )


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Crawl with several processes; each part's index is complete when it ends, and all are searched as one."""
    from cluster.driving.driver import Driver
    from cluster.driving.stages import PartProgress, given_up
    from cluster.engines.side_by_side import SideBySide
    from crawldb.parts.division import check_divides, parts_in
    from crawldb.parts.partition import Partition
    from urls.schedule import Mode

    number = len(parts_in(settings.data_dir)) or DEFAULT_PARTS if arguments.parts is None else arguments.parts
    if not 1 < number <= MAX_PROCESSES:
        raise Trouble(f"-n {number}: give 2 to {MAX_PROCESSES} processes; for one there is ./breadcrumb crawl")
    check_divides(settings.data_dir, number)
    check_crawl_arguments(arguments.seeds, arguments.topic, settings)
    words = words_here(arguments.seeds, arguments.topic, settings)
    command = partial(command_line, program=TETHER)
    engine = SideBySide(settings.data_dir, words, Mode(arguments.mode), command, _tell)
    driver = Driver(engine, [PartProgress(Partition(each, number)) for each in range(1, number + 1)], _tell)
    complete = driver.run()
    parts = driver.parts.values()
    if complete and not given_up(parts):
        over_all_parts(settings)
    shares = [share_of(part, settings.data_dir) for part in parts]
    if arguments.json:
        print(json.dumps({"complete": complete, "parts": list(map(asdict, shares))}))
    else:
        print(*map(_line, shares), _total(shares, settings.data_dir), sep="\n")
    if not complete:
        return INTERRUPTED
    if given_up(parts):
        return MISUSED
    return DONE if any(share.pages for share in shares) and not any(share.faults for share in shares) else NO


def over_all_parts(settings: CommandSettings) -> None:
    """Compute what the parts can only tell together, so that they answer as one crawl; else each goes by its own."""
    from cluster.jobs.each_part import PartsFailed
    from cluster.jobs.places import PartsInFolder
    from commands.crawling.cluster_jobs import do_job

    try:
        for job in ("copies", "pagerank"):
            do_job(job, PartsInFolder(settings.data_dir), settings)
    except PartsFailed as fault:
        _tell(f"near copies and PageRank over all parts are not computed: {fault}")


def share_of(progress: PartProgress, data_dir: Path) -> Share:
    """Return what a part holds; of one whose folder can't be read, nothing."""
    from crawldb.database import CrawlDatabase, DatabaseError
    from crawldb.parts.division import folder_of
    from reports.numbers import report

    folder = folder_of(data_dir, progress.part)
    share = Share(str(progress.part), str(folder), turns=progress.turns, kills=progress.failures)
    try:
        with CrawlDatabase(folder, readonly=True) as database:
            numbers = report(database)
            return replace(
                share,
                sites=database.count("SELECT count(DISTINCT site) FROM url"),
                pages=numbers["pages"]["stored"],
                indexed=numbers["pages"]["indexed"],
                requests=numbers["requests"],
                queued=numbers["urls"]["queued"],
                faults=numbers["failed"].get(Rule.FAULT, 0),
                handed_over=database.count("SELECT count(*) FROM outbox WHERE links IS NULL"),
            )
    except DatabaseError:
        return share


def _tell(line: str) -> None:
    print(f"farm: {line}", file=sys.stderr, flush=True)


def _line(share: Share) -> str:
    return (
        f"Part {share.part}: {counted(share.sites, 'site')}, {counted(share.pages, 'page')} stored, "
        f"{share.indexed} in the index, {counted(share.requests, 'request')}, {share.queued} queued, "
        f"{counted(share.handed_over, 'URL')} handed over."
    )


def _total(shares: list[Share], data_dir: Path) -> str:
    pages, indexed = sum(share.pages for share in shares), sum(share.indexed for share in shares)
    text = (
        f"Together: {counted(pages, 'page')} stored, {indexed} in {counted(len(shares), 'index', 'indexes')}. "
        "Search them all: ./breadcrumb search WORDS, or ./breadcrumb serve"
    )
    return in_folder(text, folder_option(data_dir))


COMMAND = Command(
    name="farm",
    example="-n 3 seeds.txt --data farm",
    exits="0 done, 1 nothing could be fetched or a fault of ours, 2 a part could not go on, 130 interrupted",
    add_arguments=add_arguments,
    run=run,
)
