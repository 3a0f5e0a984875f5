"""How do several processes on this machine share a crawl? Each part has a process and a folder, side by side.

Nothing is copied: a running crawl reads the messages of the other parts in their folders. A killed process leaves all
its state in its own folder. The next process queues its unfinished URLs again, and continues.
"""

from __future__ import annotations

import signal
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawldb.database import FILE_NAME, CrawlDatabase, DatabaseError
from crawldb.parts.division import folder_of
from crawldb.parts.mailbox import Outbox
from extensions.machines.driving.driver import EndedTurn
from extensions.machines.driving.stages import TurnEnd
from extensions.machines.tasks.part_crawl import last_words
from urls.schedule import Mode

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path

    from crawldb.parts.partition import Partition
    from extensions.machines.driving.stages import PartProgress

# By exit code; 1: it has no host, for example. Any other: killed, or a fault that may pass.
_ENDS = {0: TurnEnd.AT_REST, 1: TurnEnd.AT_REST, 2: TurnEnd.MISTAKEN}


@dataclass(slots=True)
class SideBySide:
    """Runs the parts of the crawl in a folder; `command` makes the command line of a crawl from its arguments."""

    data_dir: Path
    words: Sequence[str]
    mode: Mode
    command: Callable[[Sequence[str]], list[str]]
    tell: Callable[[str], None]
    in_stages: bool = False
    _processes: dict[Partition, subprocess.Popen[bytes]] = field(default_factory=dict)  # the latest of each part
    _at_work: set[Partition] = field(default_factory=set)
    _not_begun: list[EndedTurn] = field(default_factory=list)
    _stopping: bool = False
    _told_to_stop: bool = False

    def begin(self, parts: Sequence[PartProgress]) -> None:
        """Start a crawl of each part."""
        for each in parts:
            mode = Mode.DISCOVER if each.has_rested else self.mode
            before = self._processes.get(each.part)
            try:
                process = self._start(each.part, mode)
            except OSError as error:  # a full disk, or too many processes: the others continue
                self._not_begun.append(EndedTurn(each.part.number, TurnEnd.FAILED, f"it can't be started: {error}"))
                continue
            if before is None:
                self.tell(f"part {each.part}: process {process.pid}, folder {folder_of(self.data_dir, each.part)}")
            elif each.latest is TurnEnd.FAILED:
                self.tell(f"part {each.part}: process {process.pid} takes over from {before.pid}")

    def _start(self, part: Partition, mode: Mode) -> subprocess.Popen[bytes]:
        self.data_dir.mkdir(parents=True, exist_ok=True)
        with self._log(part).open("ab") as log:
            # A session of its own: Ctrl-C reaches only the driver, which passes it on. When that ends, stdin closes.
            process = subprocess.Popen(
                self.command(["crawl", "site", *self.words, "-a", f"part={part}", "-a", f"mode={mode.value}"]),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )
        self._processes[part] = process
        self._at_work.add(part)
        if self._stopping:  # a person pressed Ctrl-C just before
            process.send_signal(signal.SIGINT)
        return process

    def ended(self) -> Iterator[EndedTurn]:
        """Yield the parts whose processes ended since the last call."""
        if self._stopping and not self._told_to_stop:  # not in `stop`, which a signal handler calls
            self._told_to_stop = True
            self.tell("ending in order: what is under way is finished first; Ctrl-C again ends it at once")
        not_begun, self._not_begun = self._not_begun, []
        yield from not_begun
        for part in sorted(self._at_work, key=lambda part: part.number):
            process = self._processes[part]
            if process.poll() is None:
                continue
            self._at_work.discard(part)
            if process.stdin is not None:
                process.stdin.close()
            end = _ENDS.get(process.returncode, TurnEnd.FAILED)
            if self._stopping and process.returncode not in {0, 2}:  # Python interrupted during its start exits with 1
                end = TurnEnd.CUT_SHORT
            said = f"process {process.pid} was killed" if process.returncode < 0 else last_words(self._log(part))
            yield EndedTurn(part.number, end, said)

    def called(self, at_rest: Collection[int]) -> list[int]:
        """Return those of the parts with URLs handed over by others and not yet taken."""
        return [part.number for part in self._processes if part.number in at_rest and self._has_letters(part)]

    def _has_letters(self, part: Partition) -> bool:
        folder = folder_of(self.data_dir, part)
        if not (folder / FILE_NAME).exists():
            return False
        try:
            with CrawlDatabase(folder, readonly=True) as database:
                return any(True for _ in Outbox(database, part).waiting())
        except DatabaseError:
            return False  # another process is just making it

    def stop(self) -> None:
        """Signal each crawl to end cleanly; the second signal ends it at once, as with a second Ctrl-C."""
        self._stopping = True
        for part in self._at_work.copy():
            self._processes[part].send_signal(signal.SIGINT)

    def close(self) -> None:
        """Wait until all have ended."""
        for part in self._at_work:
            self._processes[part].wait()

    def _log(self, part: Partition) -> Path:
        """Return the file with the standard error of a part's crawls."""
        return self.data_dir / f"part-{part.number}.log"
