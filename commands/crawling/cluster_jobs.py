"""What is done with a whole store without crawling? Jobs over all parts, and a look into it.

`--job` computes something over all parts and puts it back into each; `--fetch` brings them into a data folder that
every command reads as a divided crawl: `report`, `why`, `search`, `serve`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from commands.frame.exits import DONE, Trouble
from urls.counted import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from cluster.jobs.pagerank import RankedPages
    from cluster.jobs.places import PartsPlace
    from cluster.part_change import PartsInStore
    from commands.frame.command_settings import CommandSettings

JOBS = ("pagerank", "copies", "reparse")


def add_job_arguments(parser: ArgumentParser) -> None:
    """Declare the options of jobs."""
    parser.add_argument("--job", choices=JOBS, help="compute this over all parts of the store, without crawling")
    parser.add_argument("--fetch", metavar="FOLDER", help="fetch the store into a data folder, for report, why, search")


def run_job(arguments: Namespace, settings: CommandSettings) -> int:
    """Do the job, then fetch."""
    from cluster.part_change import PartsInStore
    from cluster.store.terms import TermHeld
    from cluster.versions import Versions
    from indexer.faults import IndexFault

    if arguments.seeds:
        raise Trouble(f"{arguments.seeds}: --job and --fetch crawl nothing; leave the seeds out")
    if not arguments.store:
        raise Trouble("--store is missing: say where the parts are kept")
    place = PartsInStore(arguments.store, Versions.here(), arguments.lease, arguments.scratch)
    try:
        if arguments.job:
            _tell(do_job(arguments.job, place, settings, arguments.master or ""))
        if arguments.fetch:
            fetch_into(place, Path(arguments.fetch).absolute())
    except (IndexFault, TermHeld) as fault:
        raise Trouble(str(fault)) from fault
    return DONE


def fetch_into(place: PartsInStore, folder: Path) -> None:
    """Fetch the parts, and say how to look into them."""
    from cluster.jobs.fetching import fetch_all

    try:
        fetch_all(place, folder, _tell)
    except OSError as error:
        raise Trouble(str(error)) from error
    print(f"All commands read it with -s DATA_DIR={folder}: ./breadcrumb report -s DATA_DIR={folder}")


def do_job(name: str, place: PartsPlace, settings: CommandSettings, master: str = "") -> str:
    """Do a job over all parts; return what came of it. PageRank is a job of Spark where a Spark master is given."""
    from commands.frame.data_folder import damping_under

    if name == "pagerank":
        ranked = _rank(place, damping_under(settings), master)
        pages, links = counted(ranked.pages, "page"), counted(ranked.links, "link")
        return f"PageRank over all parts: {pages}, with those known from links alone, and {links}"
    if name == "copies":
        from cluster.jobs.copies import join_copies

        found = join_copies(place, settings.getfloat("NEAR_DUPLICATE_THRESHOLD"))
        if not found.joined:
            return "near copies: no page says nearly the same as one in another part"
        groups = f"{counted(found.joined, 'group')} of pages say nearly the same as one in another part"
        return f"near copies: {groups}; joined, they are {counted(found.clusters, 'group')}"
    from cluster.jobs.reparse import reparse_all

    reparse_all(place, [word for each in settings.assignments for word in ("-s", each)], _tell)
    return "all stored pages were read and judged again"


def _rank(place: PartsPlace, damping: float, master: str) -> RankedPages:
    if not master or master.startswith("processes"):
        from cluster.jobs.pagerank import rank_all

        return rank_all(place, damping)
    from cluster.engines.spark import DEFAULTS, check_can_run
    from cluster.jobs import spark_pagerank

    check_can_run(master)
    with spark_pagerank.session(master, DEFAULTS) as spark:
        return spark_pagerank.rank_all_on_spark(spark, place, damping)


def _tell(line: str) -> None:
    print(f"cluster: {line}", file=sys.stderr, flush=True)
