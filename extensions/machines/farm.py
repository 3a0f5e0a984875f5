"""How do several processes crawl together? Each has a share of the hosts, and hands over the URLs of other shares."""

from __future__ import annotations

import json
import sqlite3
import sys
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from commands.frame.command import PARENT_WATCH, Command, command_line
from commands.frame.data_folder import policy_under
from commands.frame.exits import DONE, INTERRUPTED, MISUSED, NO, CommandError, error_message
from commands.frame.terminal import pasteable, printable_lines
from extensions.machines.divided import add_crawl_arguments, added_arguments, check_before_parts, share_line, words_here
from indexer.remote import configured_index
from reports.wording import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator
    from pathlib import Path

    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from extensions.machines.driving.stages import PartProgress

DEFAULT_PARTS = 2
MAX_PROCESSES = 64  # on one machine, where each has its part


@dataclass(frozen=True, slots=True)
class Share:
    """The counts of one part of a divided crawl: `sites` have a page; `handed_over` URLs went to other parts."""

    part: str
    folder: str
    sites: int = 0
    pages: int = 0
    indexed: int = 0
    requests: int = 0
    queued: int = 0
    failed: int = 0
    behind: int = 0  # changes of the crawl that its index has not seen
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
    """Crawl with several processes; each completes its part's index, and a search covers all of them."""
    from commands.frame.follow_up import finish_stopped_work
    from crawldb.databases import folders_of
    from crawldb.lock import CrawlLock, FolderInUse
    from crawldb.parts.division import check_divides, parts_in
    from crawldb.parts.partition import Partition
    from extensions.machines.driving.driver import Driver
    from extensions.machines.driving.stages import PartProgress, given_up
    from extensions.machines.engines.side_by_side import SideBySide
    from urls.schedule import Mode

    number = len(parts_in(settings.data_dir)) or DEFAULT_PARTS if arguments.parts is None else arguments.parts
    if not 1 < number <= MAX_PROCESSES:
        raise CommandError(
            f"-n {number}: give 2 to {MAX_PROCESSES} processes; for one there is ./breadcrumb crawl site"
        )
    check_divides(settings.data_dir, number)
    if not arguments.seeds:
        folders_of(settings.data_dir)  # a part that is missing is fetched again from its seeds alone
    added = added_arguments(arguments)
    check_before_parts(arguments.seeds, added, settings, _tell)
    if not arguments.seeds and not has_seeds(settings):
        raise CommandError(
            f"{settings.data_dir} has no seeds yet: say where to begin, ./breadcrumb farm SEEDS -n {number}; SEEDS are "
            "addresses with commas between them, or a file with one a line"
        )
    try:
        lock = CrawlLock(settings.data_dir)
    except FolderInUse as use:
        raise CommandError(str(use)) from use
    finish_stopped_work(settings, settings.data_dir)
    words = words_here(arguments.seeds, added, settings)
    command = partial(command_line, program=PARENT_WATCH)
    engine = SideBySide(settings.data_dir, words, Mode(arguments.mode), command, _tell)
    driver = Driver(engine, [PartProgress(Partition(each, number)) for each in range(1, number + 1)], _tell)
    try:
        complete = driver.run()
        parts = driver.parts.values()
        if complete and not given_up(parts):
            complete = over_all_parts(settings)
    finally:
        lock.release()
    shares = [share_of(part, settings.data_dir) for part in parts]
    if arguments.json:
        print(json.dumps({"complete": complete, "parts": list(map(asdict, shares))}))
    else:
        print(*map(_line, shares), *map(pasteable, _together(shares)), sep="\n")
    if not complete:
        return INTERRUPTED
    if given_up(parts):
        return MISUSED
    follows = settings.getbool("INDEX_FOLLOW")
    wrong = any(share.faults or (follows and share.behind) for share in shares)
    return DONE if any(share.pages for share in shares) and not wrong else NO


def has_seeds(settings: CommandSettings) -> bool:
    """Return whether a part has stored seeds; True also if a part can't be read: its crawl then reports why."""
    from crawldb.database import CrawlDatabase, DatabaseError
    from crawldb.parts.division import folder_of, parts_in

    policy = policy_under(settings)
    try:
        for part in parts_in(settings.data_dir):
            with CrawlDatabase(folder_of(settings.data_dir, part), readonly=True) as database:
                if policy(database).scope.sites:
                    return True
    except (DatabaseError, sqlite3.Error):
        return True
    return False


def over_all_parts(settings: CommandSettings) -> bool:
    """Compute the results that need all parts, for a search over all; on failure each part keeps its own.

    Return False if a person stopped it before the end.
    """
    from crawldb.database import DatabaseError
    from extensions.machines.cluster_jobs import ENDED, OF_A_ROUND, do_job, not_computed
    from extensions.machines.jobs.each_part import PartsFailed
    from extensions.machines.tasks.places import PartsInFolder
    from indexer.faults import IndexFault

    left = list(OF_A_ROUND)
    try:
        while left:
            do_job(left[0], PartsInFolder(settings.data_dir), settings)
            left.pop(0)
    except PartsFailed as fault:
        _tell(not_computed(left, str(fault)))
    except (DatabaseError, IndexFault, sqlite3.Error, OSError) as fault:
        _tell(not_computed(left, str(error_message(fault))))
    except KeyboardInterrupt:
        _tell(f"{not_computed(left, ENDED)}. The same command computes it")
        return False
    return True


def share_of(progress: PartProgress, data_dir: Path) -> Share:
    """Return the counts of a part; 0 for each if its folder can't be read."""
    from crawldb.database import CrawlDatabase, DatabaseError
    from crawldb.parts.division import folder_of
    from extensions.machines.tables import urls_handed_over
    from extensions.machines.tasks.task import counts_of

    folder = folder_of(data_dir, progress.part)
    share = Share(str(progress.part), str(folder), turns=progress.turns, kills=progress.failures)
    try:
        with CrawlDatabase(folder, readonly=True) as database:
            counts, names = counts_of(database), Share.__dataclass_fields__
            held: dict[str, Any] = {name: count for name, count in counts.items() if name in names}
            handed_over = urls_handed_over(database)
            return replace(share, **held, behind=changes_unseen(folder, database), handed_over=handed_over)
    except DatabaseError:
        return share


def changes_unseen(folder: Path, database: CrawlDatabase) -> int:
    """Return how many changes of a part its index has not seen; all of them if it can't be read.

    All of them, too, if the index is ahead: it followed a later state of a database that was put back.
    """
    from crawldb.pages.feed import Feed
    from indexer.faults import IndexFault
    from indexer.segments.generation import indexed_position

    feed = Feed(database)
    try:
        position = indexed_position(folder)
    except IndexFault:
        position = 0
    return feed.waiting(0 if position > feed.last() else position)


def _tell(line: str) -> None:
    print(f"farm: {printable_lines(pasteable(line))}", file=sys.stderr, flush=True)


def _line(share: Share) -> str:
    return f"{share_line(asdict(share))}, {counted(share.handed_over, 'URL')} handed over."


def _together(shares: list[Share]) -> Iterator[str]:
    pages, indexed = sum(share.pages for share in shares), sum(share.indexed for share in shares)
    behind = sum(share.behind for share in shares)
    place = configured_index() or counted(len(shares), "index", "indexes")
    together = f"Together: {counted(pages, 'page')} stored, {indexed} {'for' if behind else 'in'} {place}."
    yield f"{together} Search them all: ./breadcrumb search WORDS, or ./breadcrumb serve" if pages else together
    if behind:
        yield f"{counted(behind, 'change')} of the crawl are not in the index: ./breadcrumb index brings it up to date."
    if any(share.queued or share.failed for share in shares):
        yield "What waits and what failed: ./breadcrumb report shows it, and ./breadcrumb why URL explains each."


COMMAND = Command(
    name="farm",
    example="-n 3 seeds.txt --data farm",
    exits="0 done, 1 nothing fetched or a fault of ours, 2 a part could not continue, 130 interrupted",
    add_arguments=add_arguments,
    run=run,
)
