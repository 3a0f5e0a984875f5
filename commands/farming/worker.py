"""Who crawls a part? A process of its own, with a folder of its own; if it is killed, another takes over the folder."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from crawldb import CrawlDatabase, DatabaseError
from crawldb.database import FILE_NAME
from crawldb.frontier.partition.division import folder_of
from crawldb.frontier.partition.outbox import Outbox
from crawldb.frontier.revisit import Mode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawldb.frontier.partition.rendezvous import Partition

TETHER = Path(__file__).with_name("tether.py")  # runs the crawl, and ends it with the farm
MAX_KILLS = 5  # of one part in a row: what ends so often would end again
LOG_LINES = 3  # of a crawl that made a mistake: what is told of it
_ENDED_WELL = frozenset({0, 1})  # 1: nothing could be fetched, which is well where no host fell to this part


class Standing(Enum):
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
        words = [sys.executable, "-P", str(TETHER), "crawl", "site", *self.words]
        words += ["-a", f"part={self.partition}", "-a", f"mode={self.mode.value}"]
        self.data_dir.mkdir(parents=True, exist_ok=True)
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()
        with self.log.open("ab") as log:
            # Its own session: Ctrl-C is for the farm, which passes it on.
            self.process = subprocess.Popen(  # noqa: S603 - our own command with our own words
                words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log, start_new_session=True
            )
        self.turns += 1
        return self.process.pid

    def standing(self) -> Standing:
        """Say how this part stands now."""
        code = None if self.process is None else self.process.poll()
        if code is None:
            return Standing.AT_WORK
        if code in _ENDED_WELL:
            self.kills_in_a_row = 0
            self.mode = Mode.DISCOVER
            return Standing.AT_REST
        return Standing.MISTAKEN if code == 2 else Standing.KILLED  # noqa: PLR2004 - the exit code of a mistake

    def has_mail(self) -> bool:
        """Return whether other parts have handed over what this one has not taken."""
        if not (self.folder / FILE_NAME).exists():
            return False
        try:
            with CrawlDatabase(self.folder, readonly=True) as database:
                return any(True for _ in Outbox(database, self.partition).waiting())
        except DatabaseError:
            return False  # it is being made just now

    def stop(self) -> None:
        """Ask its crawl to end in order; to be asked twice is to be hurried, as with Ctrl-C."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)

    def last_words(self) -> str:
        """Return the end of its log."""
        try:
            return "\n".join(self.log.read_text("utf-8", "replace").splitlines()[-LOG_LINES:])
        except OSError:
            return ""
