"""How do tasks run without Spark? In processes of this machine, over the same store and by the same rules.

Each task has a process of its own, so killing one leaves the others running: one machine can try what a cluster does. A
file for each part holds the messages to it, one stage at a time.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, cast

from extensions.machines.driving.driver import EndedTurn
from extensions.machines.driving.stages import TurnEnd
from extensions.machines.store.objects import StoreError
from extensions.machines.store.shared_store import objects_at
from extensions.machines.tasks.messages import LostMessages, read_messages
from extensions.machines.tasks.task import TaskFailed, TaskRefused
from spiders.own_folders import ROOMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from crawldb.parts.mailbox import SentMessage
    from extensions.machines.engines.staged import Heard, PartTask
    from extensions.machines.store.outcomes import MessageFile


class Processes:
    """Runs `at_once` tasks side by side, each in a process of its own."""

    def __init__(self, at_once: int) -> None:
        self._pool = ThreadPoolExecutor(at_once + 1)  # one of them sorts the messages into files
        self._heard: SimpleQueue[Heard] = SimpleQueue()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._killed = False

    def begin(self, tasks: Sequence[PartTask], letters: Sequence[MessageFile]) -> None:
        """Begin the tasks of a stage, each with the messages to its part."""
        self._pool.submit(self._stage, tasks, letters)

    def _stage(self, tasks: Sequence[PartTask], letters: Sequence[MessageFile]) -> None:
        with TemporaryDirectory(prefix="letters-") as folder:
            try:
                lay_out(tasks, letters, Path(folder), self._heard.put)
            except OSError as error:
                for task in tasks:
                    self._heard.put(failed(task, f"its letters can't be laid out: {error}"))
                return
            running = [self._pool.submit(self._run, task, _letters_of(task, Path(folder))) for task in tasks]
            for each in running:
                each.result()

    def _run(self, task: PartTask, letters: Path) -> None:
        try:
            self._heard.put(failed(task, "it was ended") if self._killed else self._outcome(task, letters))
        except OSError as error:
            self._heard.put(failed(task, f"no process could be started: {error}"))

    def _outcome(self, task: PartTask, letters: Path) -> Heard:
        line = [sys.executable, "-P", "-m", __name__]
        environment = os.environ | {"PYTHONPATH": str(ROOMS)}
        with subprocess.Popen(
            line, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        ) as process:
            self._processes.add(process)
            stdin, stdout = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
            if self._killed:
                process.kill()
            try:
                pickle.dump((task, letters), stdin)
                stdin.flush()
                return _loaded(stdout)
            except (BrokenPipeError, EOFError, pickle.UnpicklingError):
                stdin.close()
                return failed(task, f"process {process.pid} was killed (exit code {process.wait()})")
            finally:
                self._processes.discard(process)

    def ended(self) -> Iterator[Heard]:
        """Yield the reports since the last call."""
        while not self._heard.empty():
            yield self._heard.get()

    def end_at_once(self) -> None:
        """Kill the running tasks; begin no more."""
        self._killed = True
        for process in self._processes.copy():
            process.kill()

    def close(self) -> None:
        """Wait for the running tasks."""
        self._pool.shutdown()


def _loaded(stream: IO[bytes]) -> Heard:
    heard: Heard = pickle.load(stream)  # noqa: S301  of a process that we have started
    return heard


def failed(task: PartTask, told: str) -> EndedTurn:
    """Return the report of a task that failed."""
    return EndedTurn(task.part, TurnEnd.FAILED, told)


def heard_of(task: PartTask, letters: Iterable[SentMessage]) -> Heard:
    """Run a task here; return its outcome, or why it failed."""
    try:
        return task.run(letters)
    except TaskRefused as refusal:
        return EndedTurn(task.part, TurnEnd.MISTAKEN, str(refusal))
    except (TaskFailed, StoreError) as failure:
        return failed(task, str(failure))
    except Exception as fault:  # noqa: BLE001  a fault of ours in one part is told, and ends no other part's task
        place = traceback.format_tb(fault.__traceback__)[-1].strip()
        return failed(task, f"a fault of Breadcrumb's own: {fault!r} ({place})")


def _letters_of(task: PartTask, folder: Path) -> Path:
    return folder / str(task.part)


def lay_out(
    tasks: Sequence[PartTask], letters: Sequence[MessageFile], folder: Path, tell: Callable[[LostMessages], None]
) -> None:
    """Write the messages to each part that has a task into a file for it, in the order of the source files."""
    numbers = {task.part for task in tasks}
    for file in letters:
        found: dict[int, list[SentMessage]] = {}
        try:
            for letter in read_messages(objects_at(tasks[0].store), file):
                if letter.part in numbers:
                    found.setdefault(letter.part, []).append(letter)
        except StoreError as lost:
            tell(LostMessages(file.sender, str(lost)))
        for number, some in found.items():
            with (folder / str(number)).open("ab") as laid_out:
                pickle.dump(some, laid_out)


def _read(path: Path) -> Iterator[SentMessage]:
    if path.exists():
        with path.open("rb") as file:
            while file.peek(1):
                yield from pickle.load(file)  # noqa: S301  of the driver, which has laid it out


def _end_with_the_starter() -> None:
    """Wait until standard input closes, then exit at once: the epoch then ends when its lease runs out."""
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os._exit(1)


def run_what_comes() -> None:
    """Run the task read from standard input; write its outcome to standard output."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not mix with the outcome
    task, letters = pickle.load(sys.stdin.buffer)  # noqa: S301  of the driver, which has started this
    threading.Thread(target=_end_with_the_starter, daemon=True).start()
    pickle.dump(heard_of(task, _read(letters)), answers)
    answers.flush()
    os._exit(0)  # even if threads of libraries are left


if __name__ == "__main__":
    run_what_comes()
