"""When is a divided crawl over? When every part is at rest and nothing is on its way from one to another.

A part that ends with mail in its box is started again. One that was killed has left everything in its folder: a new
process takes over, queues again what was under way, and goes on. Nothing else is needed, since no part holds in memory
what another would miss.
"""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

from commands.farming.worker import MAX_KILLS, Standing, Worker
from commands.line.command import Trouble
from crawldb.frontier.partition.rendezvous import Partition

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from crawldb.frontier.revisit import Mode

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
        standings = {worker: worker.standing() for worker in self.workers}
        if self._stopping:
            return Standing.AT_WORK not in standings.values()
        for worker, standing in standings.items():
            if standing is Standing.MISTAKEN:
                raise Trouble(f"part {worker.partition} could not go on: {worker.last_words()}")
            if standing is Standing.KILLED:
                self._take_over(worker)
        resting = [worker for worker, standing in standings.items() if standing is Standing.AT_REST]
        # Asked after the processes: what one handed over before it ended is seen here.
        called = [worker for worker in resting if worker.has_mail()]
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
        """End in order; told twice, end in a hurry. Takes what a signal handler is given."""
        self._stopping = True
        for worker in self.workers:
            worker.stop()

    def _end_all(self) -> None:
        self._stop()
        for worker in self.workers:
            if worker.process is not None:
                worker.process.wait()
