"""Which runner runs the tasks of `cluster`? Processes of this machine or Spark, as `--master` says."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from commands.frame.exits import CommandError
from commands.frame.terminal import printable_lines

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from extensions.machines.engines.staged import TaskRunner

LEASTS, MOST = {"stage": 1.0, "pages": 0.0, "lease": 1.0}, 1e6  # of options that are numbers
PROCESSES = re.compile(r"processes\[([1-9]\d{0,2})\]")


def add_runner_arguments(parser: ArgumentParser) -> None:
    """Declare the options for the store of the parts and for the runner of their tasks."""
    parser.add_argument("--master", metavar="URL", help="spark://HOST:7077, yarn, k8s://…; processes[N]: without Spark")
    parser.add_argument("--store", metavar="URI", help="where the parts are kept: s3://…, hdfs://…, a shared folder")
    parser.add_argument(
        "--lease", type=float, default=30.0, metavar="SECONDS", help="who gives no sign so long is gone; 30"
    )
    parser.add_argument("--scratch", default="", metavar="FOLDER", help="where an executor keeps a part that it crawls")
    parser.add_argument(
        "--conf", action="append", default=[], metavar="NAME=VALUE", help="for Spark, as for spark-submit"
    )


def check_runner(arguments: Namespace) -> None:
    """Raise `CommandError` for options that are wrong before the start, and `EngineError` for the master."""
    for option, least in LEASTS.items():
        if not least <= getattr(arguments, option) < MOST:
            raise CommandError(f"--{option} {getattr(arguments, option):g}: give {least:g} to {MOST:,.0f}")
    for each in arguments.conf:
        if not re.fullmatch(r"spark\.[^=\s]+=.*", each):
            raise CommandError(f"--conf {each}: give spark.NAME=VALUE, such as spark.executor.memory=2g")
    if arguments.master and not PROCESSES.fullmatch(arguments.master):
        from extensions.machines.engines.spark import check_can_run

        check_can_run(arguments.master)


def runner_of(arguments: Namespace) -> TaskRunner:
    """Return what runs the tasks: processes of this machine, or Spark. Raises `EngineError`."""
    if here := PROCESSES.fullmatch(arguments.master):
        from extensions.machines.engines.processes import Processes

        return Processes(int(here[1]))
    from extensions.machines.engines.spark import SparkTasks

    tell(f"starting Spark with {arguments.master}")
    return SparkTasks(arguments.master, dict(each.split("=", 1) for each in arguments.conf), tell)


def tell(line: str) -> None:
    """Print a progress message to standard error."""
    print(f"cluster: {printable_lines(line)}", file=sys.stderr, flush=True)
