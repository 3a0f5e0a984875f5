"""Who runs a task in a test? A process that can be stopped and killed like a machine, with a part's crawl below it."""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from extensions.machines.store.versions import Versions
from extensions.machines.tasks.task import Task, TaskFailed, crawl_part
from tests.extensions.machines.takeovers.processes import Role
from tests.extensions.machines.takeovers.processes import below as roles_below
from tests.forks import fork
from tests.forks_ahead import TASK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.forks import Fork, ForkServer


@contextmanager
def executor(task: Task, forks: ForkServer, **order: Any) -> Iterator[Fork]:
    """Run a task without letters in a process of its own; kill it and its crawl with the block."""
    with fork(forks, TASK, json.dumps(asdict(task)), entry=f"{__name__}:main", **order) as process:
        try:
            yield process
        finally:
            for each in crawls_of(process):
                with suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)


def crawls_of(process: Fork) -> list[int]:
    """Return the numbers of the crawls that an executor has started and that go on."""
    return [number for number, role in roles_below(process.pid).items() if role is Role.CRAWL]


def below(process: int) -> list[int]:
    """Return the numbers of the processes that a process has started, and of those that these have."""
    with suppress(OSError):
        lists = [(task / "children").read_text() for task in Path(f"/proc/{process}/task").iterdir()]
        found = [int(number) for each in lists for number in each.split()]
        return found + [deeper for each in found for deeper in below(each)]
    return []


def is_at_work(process: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def main(words: list[str]) -> int:
    """Run the task that the last word describes; print its outcome, or why there is none."""
    found = json.loads(words[-1])
    found |= {"words": tuple(found["words"]), "versions": Versions(**found["versions"])}
    try:
        print(json.dumps(crawl_part(Task(**found), ()).as_json()))
    except TaskFailed as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0
