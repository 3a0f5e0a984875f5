"""Which jobs run on a whole store without crawling? Computations over all parts, and a local copy to look into.

`--job` computes something over all parts and writes the result into each. `--fetch` copies them into a data folder.
Every command reads that folder as a divided crawl: `report`, `why`, `search`, `serve`.
"""

from __future__ import annotations

from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from commands.frame.data_folder import folder_option
from commands.frame.exits import DONE, CommandError
from extensions.machines.runner import runner_of, tell
from urls.wording import PROGRAM, counted

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from commands.frame.command_settings import CommandSettings
    from extensions.machines.engines.spark import SparkTasks
    from extensions.machines.engines.staged import TaskRunner
    from extensions.machines.jobs.copies import JoinedClusters
    from extensions.machines.jobs.pagerank import RankedPages
    from extensions.machines.tasks.part_change import PartsInStore
    from extensions.machines.tasks.places import PartsPlace

SPLIT = "split"
JOBS = ("pagerank", "copies", "reparse", SPLIT)
OF_A_ROUND = {"copies": "near copies", "pagerank": "PageRank"}  # at its end, in this order: PageRank uses the clusters
ENDED = "ended before it was done"


def add_job_arguments(parser: ArgumentParser) -> None:
    """Declare the options of jobs."""
    parser.add_argument(
        "--job", choices=JOBS, help="compute this over all parts of the store, without crawling; split: into --parts N"
    )
    parser.add_argument(
        "--no-jobs", dest="jobs", action="store_false", help="leave out what is computed over all parts after a round"
    )
    parser.add_argument("--fetch", metavar="FOLDER", help="fetch the store into a data folder, for report, why, search")


def run_job(arguments: Namespace, settings: CommandSettings) -> int:
    """Do the job, then fetch."""
    from extensions.machines.jobs.each_part import PartsFailed
    from indexer.faults import IndexFault

    if arguments.seeds:
        raise CommandError(f"{arguments.seeds}: --job and --fetch crawl nothing; leave the seeds out")
    if not arguments.store:
        raise CommandError("--store is missing: say where the parts are kept")
    place = _place_of(arguments)
    try:
        if arguments.job:
            _do_named_job(arguments, place, settings)
        if arguments.fetch:
            fetch_into(place, Path(arguments.fetch).absolute())
    except (IndexFault, PartsFailed) as fault:
        raise CommandError(str(fault)) from fault
    return DONE


def _do_named_job(arguments: Namespace, place: PartsInStore, settings: CommandSettings) -> None:
    try:
        with closing(runner_of(arguments)) if arguments.master else nullcontext() as runner:
            if arguments.job == SPLIT:
                tell(split(arguments, place, settings, runner))
            else:
                tell(do_job(arguments.job, place, settings, runner))
    except KeyboardInterrupt:
        tell(f"--job {arguments.job} {ENDED}: the same command does it")
        raise


def do_jobs_of_round(arguments: Namespace, settings: CommandSettings) -> bool:
    """Compute the results that need all parts; return False if a person stopped it before the end.

    A failed job is reported, and the crawl still counts as done.
    """
    from extensions.machines.driving.driver import EngineError
    from extensions.machines.jobs.each_part import PartsFailed
    from extensions.machines.store.objects import StoreError

    left = list(OF_A_ROUND)
    try:
        with closing(runner_of(arguments)) as runner:
            while left:
                tell(do_job(left[0], _place_of(arguments), settings, runner))
                left.pop(0)
    except (EngineError, PartsFailed, StoreError) as fault:
        tell(f"{not_computed(left, str(fault))}. {_jobs_again(left)}")
    except KeyboardInterrupt:
        tell(f"{not_computed(left, ENDED)}. {_jobs_again(left)}")
        return False
    return True


def not_computed(jobs: Sequence[str], why: str) -> str:
    """Return the message that some jobs of a round were not done."""
    names = " and ".join(OF_A_ROUND[job] for job in jobs)
    return f"{names} over all parts: not computed ({why})"


def _jobs_again(jobs: Sequence[str]) -> str:
    return f"To compute: {' and then '.join(f'--job {job}' for job in jobs)}"


def _place_of(arguments: Namespace) -> PartsInStore:
    from extensions.machines.store.versions import Versions
    from extensions.machines.tasks.part_change import PartsInStore

    return PartsInStore(arguments.store, Versions.here(), arguments.lease, arguments.scratch)


def fetch_into(place: PartsInStore, folder: Path) -> None:
    """Fetch the parts, and print how to read them."""
    from extensions.machines.jobs.fetching import fetch_all

    try:
        fetch_all(place, folder, tell)
    except OSError as error:
        of_disk = f"--fetch {folder}: {error.strerror}; give a folder that you may write, with room on its disk"
        raise CommandError(of_disk if error.strerror else str(error)) from error
    option = folder_option(folder)
    print(f"All commands read it with{option}: {PROGRAM} report{option}")


def do_job(name: str, place: PartsPlace, settings: CommandSettings, runner: TaskRunner | None = None) -> str:
    """Do a job over all parts, by the tasks of a runner if there is one; return its summary.

    Raises `PartsFailed` if a part could not be read or changed.
    """
    from commands.frame.data_folder import damping_under

    if name == "pagerank":
        ranked = _ranked(place, damping_under(settings), runner)
        pages, links = counted(ranked.pages, "page"), counted(ranked.links, "link")
        return f"PageRank over all parts: {pages}, with those known from links alone, and {links}"
    if name == "copies":
        return _copies(place, settings.getfloat("NEAR_DUPLICATE_THRESHOLD"), runner)
    from extensions.machines.jobs.each_part import reparse_all

    reparse_all(place, [word for each in settings.assignments for word in ("-s", each)], tell, runner)
    return "all stored pages were read and judged again"


def split(arguments: Namespace, place: PartsInStore, settings: CommandSettings, runner: TaskRunner | None) -> str:
    """Split the crawl in a store into more parts; return a summary."""
    from extensions.machines.jobs.splitting import split_all
    from extensions.machines.tasks.part_index import index_in

    if arguments.parts is None:
        raise CommandError(f"--parts is missing: --job split --parts N splits {place.store} into N parts")
    before = split_all(place, arguments.parts, index_in(settings.assignments), runner, tell)
    again = "near copies and PageRank over all parts are computed again by --job copies and --job pagerank"
    return f"split: {counted(before, 'part')} are {arguments.parts:,} now; {again}"


def _copies(place: PartsPlace, threshold: float, runner: TaskRunner | None) -> str:
    from extensions.machines.jobs.copies import fold_canonicals

    aside = fold_canonicals(place, runner)  # first: pages that leave the index are in no shown cluster
    found = _joined(place, threshold, runner)
    pages = counted(aside, "page")
    moved = f"{pages} aside for the one of another part that is named as the canonical address; " if aside else ""
    if not found.joined:
        return f"{moved}near copies: no page has a near copy in another part"
    groups = f"{counted(found.joined, 'group')} of pages have a near copy in another part"
    return f"{moved}near copies: {groups}; joined, they are {counted(found.clusters, 'group')}"


def _ranked(place: PartsPlace, damping: float, runner: TaskRunner | None) -> RankedPages:
    if spark := _spark(runner):
        from extensions.machines.jobs.spark_pagerank import rank_all_on_spark

        return spark.on_tables(lambda session: rank_all_on_spark(session, place, damping))
    from extensions.machines.jobs.pagerank import rank_all

    return rank_all(place, damping, runner)


def _joined(place: PartsPlace, threshold: float, runner: TaskRunner | None) -> JoinedClusters:
    if spark := _spark(runner):
        from extensions.machines.jobs.spark_copies import join_copies_on_spark

        return spark.on_tables(lambda session: join_copies_on_spark(session, place, threshold))
    from extensions.machines.jobs.copies import join_copies

    return join_copies(place, threshold, runner)


def _spark(runner: TaskRunner | None) -> SparkTasks | None:
    """Return the runner if it is Spark, whose tables then join the data of all parts."""
    from extensions.machines.engines.spark import SparkTasks

    return runner if isinstance(runner, SparkTasks) else None
