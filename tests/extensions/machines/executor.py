"""Who runs a task in a test? A process that can be stopped and killed like a machine, with a part's crawl below it."""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from extensions.machines.store.versions import Versions
from extensions.machines.tasks.task import Task, TaskFailed, crawl_part
from tests.child import child

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from subprocess import Popen

ROOT = Path(__file__).resolve().parents[3]


@contextmanager
def executor(task: Task, environment: Mapping[str, str] | None = None) -> Iterator[Popen[str]]:
    """Run a task without letters in a process of its own; kill it and its crawl with the block."""
    line = [sys.executable, "-m", __spec__.name, json.dumps(asdict(task))]
    with child(line, cwd=ROOT, env=os.environ | (environment or {})) as process:
        below: list[int] = []
        try:
            yield process
        finally:
            below = crawls_of(process)
            for each in below:
                with suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)


def crawls_of(process: Popen[str]) -> list[int]:
    """Return the numbers of the crawls that an executor has started and that go on."""
    with suppress(OSError):
        return [int(number) for number in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
    return []


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


def main(words: str) -> int:
    """Run the task that the words describe; print its outcome, or why there is none."""
    found = json.loads(words)
    found |= {"words": tuple(found["words"]), "versions": Versions(**found["versions"])}
    try:
        print(json.dumps(crawl_part(Task(**found), ()).as_json()))
    except TaskFailed as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
