"""How do several processes share one crawl? Each part has a process and a folder; a killed one is replaced.

When is a divided crawl over? When every part is at rest and nothing is on its way from one to another. A part for which
other parts have handed over URLs meanwhile is started again. One that was killed has left everything in its folder: a
new process takes over, queues again what was under way, and goes on. Nothing else is needed, since no part holds in
memory what another would miss.
"""

from __future__ import annotations

import signal
import subprocess
import time
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from commands.frame.command import TETHER, command_line
from commands.frame.exits import DONE, MISUSED, NO, Trouble
from crawldb.database import FILE_NAME, CrawlDatabase, DatabaseError
from crawldb.parts.division import folder_of
from crawldb.parts.exchange import Outbox
from crawldb.parts.partition import Partition
from urls.schedule import Mode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


MAX_KILLS = 5  # of one part in a row: what ends so often would end again
LOG_LINES = 3  # of a crawl that made a mistake: what is told of it
_ENDED_WELL = frozenset({DONE, NO})  # NO: nothing could be fetched, which is well where this part has no host


class WorkerState(Enum):
    """How a part stands."""

    AT_WORK = "at work"
    AT_REST = "at rest"
    KILLED = "killed"
    MISTAKEN = "mistaken"


@dataclass(slots=True, eq=False)
class Worker:
    """The processes that crawl one part, one after the other. `words` are what each crawl is told."""

    partition: Partition
    data_dir: Path
    words: Sequence[str]
    mode: Mode
    kills: int = 0
    kills_in_a_row: int = 0
    turns: int = 0
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def folder(self) -> Path:
        """The folder of this part."""
        return folder_of(self.data_dir, self.partition)

    @property
    def log(self) -> Path:
        """What its crawls say on standard error."""
        return self.data_dir / f"part-{self.partition.number}.log"

    def begin(self) -> int:
        """Start a process; return its number. After a first turn it asks only for what was never fetched."""
        words = ["crawl", "site", *self.words, "-a", f"part={self.partition}", "-a", f"mode={self.mode.value}"]
        self.data_dir.mkdir(parents=True, exist_ok=True)
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()
        with self.log.open("ab") as log:
            # A session of its own: Ctrl-C reaches the farm, which passes it on.
            self.process = subprocess.Popen(
                command_line(words, program=TETHER),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )
        self.turns += 1
        return self.process.pid

    def state(self) -> WorkerState:
        """Say how this part stands now."""
        code = None if self.process is None else self.process.poll()
        if code is None:
            return WorkerState.AT_WORK
        if code in _ENDED_WELL:
            self.kills_in_a_row = 0
            self.mode = Mode.DISCOVER
            return WorkerState.AT_REST
        return WorkerState.MISTAKEN if code == MISUSED else WorkerState.KILLED

    def has_foreign_urls_waiting(self) -> bool:
        """Return whether other parts have handed over URLs that this one has not taken."""
        if not (self.folder / FILE_NAME).exists():
            return False
        try:
            with CrawlDatabase(self.folder, readonly=True) as database:
                return any(True for _ in Outbox(database, self.partition).waiting())
        except DatabaseError:
            return False  # it is being made just now

    def stop(self) -> None:
        """Ask its crawl to end in order. A second call ends it at once, as a second Ctrl-C does."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)

    def last_words(self) -> str:
        """Return the end of its log."""
        try:
            return "\n".join(self.log.read_text("utf-8", "replace").splitlines()[-LOG_LINES:])
        except OSError:
            return ""


LOOK_SECONDS = 0.25  # between two looks at the processes


class Farm:
    """Runs the parts of one crawl; `tell` is told what a person should know."""

    def __init__(
        self, data_dir: Path, parts: int, words: Sequence[str], mode: Mode, tell: Callable[[str], None]
    ) -> None:
        self.workers = [Worker(Partition(number, parts), data_dir, words, mode) for number in range(1, parts + 1)]
        self._tell = tell
        self._stopping = False

    def run(self) -> bool:
        """Crawl to the end; return False where a person ended it before. Raises `Trouble` where a part can't go on."""
        before = {number: signal.signal(number, self._stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            for worker in self.workers:
                process = self._begin(worker)
                self._tell(f"part {worker.partition}: process {process}, folder {worker.folder}")
            while not self._look():
                time.sleep(LOOK_SECONDS)
        except BaseException:
            self._end_all()
            raise
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        return not self._stopping

    def _look(self) -> bool:
        """See to each part; return whether the crawl is over."""
        states = {worker: worker.state() for worker in self.workers}
        if self._stopping:
            return WorkerState.AT_WORK not in states.values()
        for worker, state in states.items():
            if state is WorkerState.MISTAKEN:
                raise Trouble(f"part {worker.partition} could not go on: {worker.last_words()}")
            if state is WorkerState.KILLED:
                self._take_over(worker)
        resting = [worker for worker, state in states.items() if state is WorkerState.AT_REST]
        # Asked after the processes: what one handed over before it ended is seen here.
        called = [worker for worker in resting if worker.has_foreign_urls_waiting()]
        for worker in called:
            self._begin(worker)
        return len(resting) == len(self.workers) and not called

    def _take_over(self, worker: Worker) -> None:
        dead = worker.process.pid if worker.process else 0
        worker.kills += 1
        worker.kills_in_a_row += 1
        if worker.kills_in_a_row > MAX_KILLS:
            raise Trouble(
                f"part {worker.partition} was killed {worker.kills_in_a_row} times in a row: {worker.last_words()}"
            )
        process = self._begin(worker)
        self._tell(f"part {worker.partition}: process {dead} was killed; process {process} takes over")

    def _begin(self, worker: Worker) -> int:
        process = worker.begin()
        if self._stopping:  # a person pressed Ctrl-C just before
            worker.stop()
        return process

    def _stop(self, *_: object) -> None:
        """End in order, or at once when it is called again. Takes what a signal handler is given."""
        self._stopping = True
        for worker in self.workers:
            worker.stop()

    def _end_all(self) -> None:
        self._stop()
        for worker in self.workers:
            if worker.process is not None:
                worker.process.wait()
