"""How do many machines crawl together? They take turns at the parts of the crawl, which a shared store keeps."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from commands.frame.command import Command
from commands.frame.data_folder import chosen_folder
from commands.frame.exits import DONE, INTERRUPTED, MISUSED, NO, CommandError
from extensions.machines.cluster_jobs import add_job_arguments, do_jobs_of_round, run_job
from extensions.machines.divided import (
    add_crawl_arguments,
    added_arguments,
    check_before_parts,
    share_line,
    words_elsewhere,
)
from extensions.machines.runner import add_runner_arguments, check_runner, runner_of, tell
from reports.shown_commands import by_next_turn
from urls.wording import PROGRAM, counted, shell_word

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Mapping

    from commands.frame.command_settings import CommandSettings
    from extensions.machines.driving.driver import Driver
    from extensions.machines.engines.staged import Standing
    from extensions.machines.store.epochs import OwnedEpoch
    from extensions.machines.store.shared_store import SharedStore
    from extensions.machines.tasks.task import Task

DEFAULT_PARTS = 16
LISTED = 16  # parts that are listed one by one, at most
ELSEWHERE = {  # values of an option for more than one machine
    "master": "with Spark it is spark://HOST:7077, yarn or k8s://…",
    "store": "for several machines it is a folder that all of them share, s3://… or hdfs://…",
}
HERE = "processes[2]"  # a master that every machine has


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    add_crawl_arguments(parser)
    add_runner_arguments(parser)
    parser.add_argument(
        "--parts", type=int, metavar="N", help=f"of a new store, some four an executor; {DEFAULT_PARTS}"
    )
    parser.add_argument("--stage", type=float, default=60.0, metavar="SECONDS", help="that a turn takes at most; 60")
    parser.add_argument("--pages", type=int, default=0, metavar="N", help="that a part fetches in a turn at most")
    add_job_arguments(parser)
    parser.add_argument("--yes", action="store_true", help="add what a cluster needs (750 MB) without asking")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Crawl to the end of the round, or until a person stops it; the store keeps the work that was done."""
    from extensions.machines.driving.driver import EngineError
    from extensions.machines.store.epochs import EpochHeld, EpochOver
    from extensions.machines.store.objects import StoreError
    from extensions.machines.store.shared_store import driver_message

    if arguments.yes and not (arguments.master or arguments.store):
        print("What a cluster needs is here; docs/cluster.md shows how to begin.")
        return DONE
    try:
        check_runner(arguments)
        if arguments.job or arguments.fetch:
            return run_job(arguments, settings)
        check(arguments, settings)
        return drive(arguments, settings)
    except EpochHeld as held:
        raise CommandError(driver_message(arguments.store, held)) from held
    except (EngineError, StoreError, EpochOver) as fault:
        raise CommandError(str(fault)) from fault


def check(arguments: Namespace, settings: CommandSettings) -> None:
    """Raise `CommandError` for mistakes that are known before the start."""
    for option in ("master", "store"):
        if not getattr(arguments, option):
            raise CommandError(f"--{option} is missing: {_begins(arguments)}; {ELSEWHERE[option]}")
    typed = set(settings.assignments).difference(chosen_folder(None, []))  # the variable may serve other commands
    if arguments.data_name is not None or any(each.startswith("DATA_DIR=") for each in typed):
        raise CommandError(
            "a data folder was named, and a cluster keeps its crawl in --store: leave --data and DATA_DIR out"
        )
    check_before_parts(arguments.seeds, added_arguments(arguments), settings, lambda line: tell(by_next_turn(line)))


def drive(arguments: Namespace, settings: CommandSettings) -> int:
    """Claim the store, give its parts their turns, and report how the round ended."""
    from extensions.machines.driving.driver import Driver
    from extensions.machines.driving.stages import given_up
    from extensions.machines.engines.staged import ROUND_OVER, Staged, driver_wait
    from extensions.machines.store.epochs import kept
    from extensions.machines.store.objects import check_one_writer
    from extensions.machines.tasks.task import name_of_this_process
    from urls.schedule import Mode

    store = open_store(arguments)
    check_one_writer(store.objects)  # also for a store that was moved, or made by a version without this check
    if wait := driver_wait(store.drivers, time.time()):
        tell(wait)
    term = store.drivers.claim(name_of_this_process(), arguments.lease)
    round_over = 0
    try:
        with kept(term) as over:
            store = open_store(arguments)  # again: another process may have split it before the claim
            example = task_of(arguments, settings, store, term)
            most_delay = settings.getfloat("MAX_CRAWL_DELAY")
            engine = Staged(store, runner_of(arguments), example, Mode(arguments.mode), over, tell, most_delay)
            driver = Driver(engine, engine.standing.progress(store.parts), tell)
            complete = driver.run()
            if complete and not given_up(driver.parts.values()):
                round_over = engine.standing.stage
                if arguments.jobs:
                    complete = do_jobs_of_round(arguments, settings)
                    engine.standing.newest = store.newest()
    finally:
        term.commit({ROUND_OVER: round_over})
    return ended(driver, engine.standing, arguments, complete=complete)


def open_store(arguments: Namespace) -> SharedStore:
    """Open the store; make it if it does not exist and there are seeds."""
    from extensions.machines.store.shared_store import ABOUT, SharedStore, objects_at

    if objects_at(arguments.store).read(ABOUT) is None:
        if not arguments.seeds:
            raise CommandError(f"{arguments.store} holds no crawl yet: {_begins(arguments)} makes one")
        return SharedStore.make(arguments.store, DEFAULT_PARTS if arguments.parts is None else arguments.parts)
    store = SharedStore.open(arguments.store)
    return store if arguments.parts is None else SharedStore.make(arguments.store, arguments.parts)


def _begins(arguments: Namespace) -> str:
    """Return the command that begins a crawl, with the options given."""
    master, store = shell_word(arguments.master or HERE), shell_word(arguments.store or "./crawl")
    seeds = shell_word(arguments.seeds) if arguments.seeds else "SEEDS"
    return f"./breadcrumb cluster --master {master} --store {store} {seeds}"


def task_of(arguments: Namespace, settings: CommandSettings, store: SharedStore, term: OwnedEpoch) -> Task:
    """Return the task that all tasks of this driver are copied from."""
    from extensions.machines.store.versions import Versions
    from extensions.machines.tasks.task import Task

    return Task(
        store=store.objects.uri,
        part=1,
        stage=0,
        words=tuple(words_elsewhere(arguments.seeds, added_arguments(arguments), settings, store.objects, term.number)),
        versions=Versions.here(),
        seconds=arguments.stage,
        pages=arguments.pages,
        lease=arguments.lease,
        scratch=arguments.scratch,
    )


def ended(driver: Driver, standing: Standing, arguments: Namespace, *, complete: bool) -> int:
    """Print the counts of the parts; return the exit code."""
    from extensions.machines.driving.stages import TurnEnd, given_up

    parts = list(driver.parts.values())
    lost = given_up(parts)
    shares = [_share(number, driver, standing) for number in driver.parts]
    if arguments.json:
        print(json.dumps({"complete": complete and not lost, "stage": standing.stage, "parts": shares}))
    else:
        print(*(map(_line, shares) if len(shares) <= LISTED else ()), f"Together: {standing.sums()}.", sep="\n")
        if any(share.get("queued") or share.get("failed") for share in shares):
            fetch = f"{PROGRAM} cluster --store {shell_word(arguments.store)} --fetch FOLDER"
            print(f"What waits and what failed: {fetch} brings all parts into a data folder, for report and why")
    for part in (each for each in lost if each.latest is not TurnEnd.MISTAKEN):  # reported, and it would fail again
        tell(f"part {part.part} could not continue: {part.told}. The same command tries it again")
    if not complete:
        return INTERRUPTED
    if lost:
        return MISUSED
    counts = [each.counts for each in standing.newest.values()]
    wrong = any(each["faults"] or each.get("behind") for each in counts)
    return DONE if any(each["pages"] for each in counts) and not wrong else NO


def _share(number: int, driver: Driver, standing: Standing) -> dict[str, Any]:
    part, outcome = driver.parts[number], standing.newest.get(number)
    held = {"term": outcome.term, "stage": outcome.stage, "ending": outcome.ending} | outcome.counts if outcome else {}
    return {"part": str(part.part), "turns": part.turns, "failures": part.failures, "told": part.told} | held


def _line(share: Mapping[str, Any]) -> str:
    if "term" not in share:
        return f"Part {share['part']}: nothing was put into the store."
    return f"{share_line(share)}, {counted(share['turns'], 'turn')}."


COMMAND = Command(
    name="cluster",
    example="--master spark://cluster:7077 --store s3://bucket/crawl --parts 64 seeds.txt",
    exits="0 done, 1 nothing fetched or a fault of ours, 2 a part could not continue, 130 interrupted",
    add_arguments=add_arguments,
    run=run,
)
