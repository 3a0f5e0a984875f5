"""How is one job done on every part? Each part separately, many at a time: as tasks of the runner that also crawls.

A failed part is reported with its reason when all others are done. Without a runner the job runs here, part after part.
A reparse of all stored pages is such a job: each part's own command does it.
"""

from __future__ import annotations

import subprocess
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar, cast

from commands.frame.command import command_line
from crawldb.database import DatabaseError
from crawldb.lock import FolderInUse
from extensions.machines.driving.driver import LOOK_SECONDS, EndedTurn
from extensions.machines.driving.stages import TurnEnd
from extensions.machines.engines.processes import heard_of
from extensions.machines.store.epochs import EpochHeld, EpochOver
from extensions.machines.store.objects import StoreError
from extensions.machines.tasks.places import PartChange
from extensions.machines.tasks.task import TaskFailed
from indexer.faults import IndexFault
from indexer.following import catch_up
from indexer.segments.generation import index_exists

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from crawldb.parts.mailbox import SentMessage
    from crawldb.parts.partition import Partition
    from extensions.machines.engines.staged import TaskRunner
    from extensions.machines.tasks.places import PartsPlace

REPARSED = (0, 1)  # exit codes of `reparse`: 1 where a page can't be read
LINES = 3  # of a failed command's output

Answer = TypeVar("Answer")


class PartsFailed(Exception):
    """Some parts could not be read or changed; the message names each with its reason."""

    def __init__(self, failures: Mapping[Partition, str]) -> None:
        rows = sorted(failures.items(), key=lambda row: row[0].number)
        named = (
            message if message.startswith(f"part {part} ") else f"part {part}: {message}" for part, message in rows
        )
        super().__init__("; ".join(named))


@dataclass(frozen=True, slots=True)
class JobOfPart(ABC):
    """A part's share of a job, as a task (engines/staged.py, PartTask)."""

    place: PartsPlace
    partition: Partition

    @property
    def store(self) -> str:
        """The store that keeps the parts."""
        return self.place.store

    @property
    def part(self) -> int:
        """The number of the part."""
        return self.partition.number

    def run(self, letters: Iterable[SentMessage] = ()) -> EndedTurn:  # noqa: ARG002  letters come to turns of a crawl alone
        """Do the job; return its result. Raises `TaskFailed`."""
        try:
            return EndedTurn(self.part, TurnEnd.AT_REST, answer=self.done())
        except (StoreError, EpochHeld, EpochOver, DatabaseError, FolderInUse, IndexFault, OSError) as failure:
            raise TaskFailed(str(failure)) from failure

    @abstractmethod
    def done(self) -> object:
        """Do the job, and return its result; errors are raised as they are."""


@dataclass(frozen=True, slots=True)
class PartQuery(JobOfPart):
    """Reads something from the folder of a part."""

    question: Callable[[Path], object]

    def done(self) -> object:
        """Run the query where the part is kept."""
        return self.place.ask(self.partition, self.question)


@dataclass(frozen=True, slots=True)
class PartUpdate(JobOfPart):
    """Changes a part."""

    change: PartChange

    def done(self) -> object:
        """Change the part where it is kept."""
        return self.place.change(self.partition, self.change)


def ask_each(
    place: PartsPlace, question: Callable[[Path], Answer], runner: TaskRunner | None
) -> dict[Partition, Answer]:
    """Return the result of `question` for the folder of each part. Raises `PartsFailed` after all were read."""
    return ask_some(place, dict.fromkeys(place.parts, question), runner)


def ask_some(
    place: PartsPlace, questions: Mapping[Partition, Callable[[Path], Answer]], runner: TaskRunner | None
) -> dict[Partition, Answer]:
    """Run a query of its own on each of some parts. Raises `PartsFailed` after all were read."""
    jobs = [PartQuery(place, part, question) for part, question in questions.items()]
    return cast("dict[Partition, Answer]", all_done(jobs, runner))


def change_each(
    place: PartsPlace,
    changes: Mapping[Partition, PartChange],
    runner: TaskRunner | None,
    tell: Callable[[str], object] = bool,
) -> None:
    """Change each of some parts, and report each result. Raises `PartsFailed` when all others are done."""
    all_done([PartUpdate(place, part, change) for part, change in changes.items()], runner, tell)


def reparse_all(
    place: PartsPlace, words: Sequence[str], tell: Callable[[str], None], runner: TaskRunner | None = None
) -> None:
    """Parse and check all stored pages again; `words` are settings (-s NAME=VALUE). Raises `PartsFailed`.

    Near copies and ranks over all parts must be computed again after it.
    """
    change = PartChange(partial(_reparse, words=tuple(words)), _follow_if_there)
    change_each(place, dict.fromkeys(place.parts, change), runner, tell)


def _reparse(folder: Path, words: Sequence[str]) -> str:
    here = (f"DATA_DIR={folder}", "INDEX=")  # no index elsewhere follows it
    command = command_line(["reparse", *words], here)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode not in REPARSED:
        raise StoreError("reparse failed: " + " ".join(done.stderr.splitlines()[-LINES:]))
    return next(iter(done.stdout.splitlines()), "nothing to read again")


def _follow_if_there(folder: Path) -> None:
    if index_exists(folder):
        catch_up(folder)


def all_done(
    jobs: Sequence[JobOfPart], runner: TaskRunner | None, tell: Callable[[str], object] = bool
) -> dict[Partition, object]:
    """Do each part's share of a job; report and return the results.

    Raises `PartsFailed` when all others are done.
    """
    answers: dict[Partition, object] = {}
    failures: dict[Partition, str] = {}
    parts = {job.part: job.partition for job in jobs}
    for turn in _ended(jobs, runner):
        part = parts[turn.number]
        if turn.end is TurnEnd.AT_REST:
            answers[part] = turn.answer
            tell(f"part {part}: {turn.answer}")
        else:
            failures[part] = turn.told
    if failures:
        raise PartsFailed(failures)
    return {part: answers[part] for part in parts.values()}


def _ended(jobs: Sequence[JobOfPart], runner: TaskRunner | None) -> Iterator[EndedTurn]:
    """Yield how each turn ended, as soon as it has."""
    if runner is None:
        yield from (turn for job in jobs if isinstance(turn := heard_of(job, ()), EndedTurn))
        return
    left = {job.part for job in jobs}
    try:
        if jobs:
            runner.begin(jobs, ())
        while left:
            for turn in runner.ended():
                if isinstance(turn, EndedTurn):
                    left.discard(turn.number)
                    yield turn
            time.sleep(LOOK_SECONDS)
    except BaseException:
        runner.end_at_once()
        raise
