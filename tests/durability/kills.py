"""What does a kill leave behind, and what does the next run make of it? Crawls that are killed again and again.

A trial is a data folder and a site in two editions. During the crawl of an edition, several processes are killed, each
at any instant or at a call that changes the folder (a write is then half done). After each kill the folder is checked,
and the index is updated and compared. Then an undisturbed run goes to the end, and everything is compared with the true
site.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import math
import os
import random
import signal
import time
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

from commands.frame.stopping import SAME_SECONDS
from crawldb.database import CrawlDatabase, DatabaseError
from crawldb.tables.urls import State
from indexer.segments.generation import WRITER_LOCK_FILE, index_folder
from tests.durability.agreement import (
    RECORDING,
    faults_after_a_kill,
    faults_at_the_end,
    faults_of_the_index,
    faults_of_the_log,
    leftover_files,
    repeated_requests,
    stored_urls,
)
from tests.durability.recording import CallKind, read_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.durability.generated_site import GeneratedSite
    from tests.forks import Fork, ForkServer

WATCH_SECONDS = 0.002  # how often a lock is tried
LOCK_SECONDS = 120.0  # until an index writer whose crawl is dead counts as hanging
LATER = 0.3  # of a whole run's calls: whoever goes on where another died has less to do
DEATHS = 6  # in each edition of a trial
INTERRUPTED = 130  # the exit code of a command that a signal has stopped
STARTING = "starting"
FOLLOWED = "INDEX_FOLLOW=1"
QUICK = ("-s", "RETRY_DELAY=0.05", "-s", "PROBE_AFTER=0", "-s", "INDEX_FOLLOW=0", *RECORDING)


class Victim(Enum):
    """Who dies, and of what."""

    CRAWL = "the crawl"
    CRAWL_BESIDE = "the crawl, its index writer lives on"
    WRITER = "the index writer of a crawl"
    BOTH = "the crawl and its index writer"
    INDEX = "index"
    REBUILD = "index --rebuild"
    TERM = "the crawl, told by SIGTERM"
    CTRL_C = "the crawl, by Ctrl-C twice"


# A crawl without a writer starts quickest, so most kills are of it: of so many, each kind has this share.
SHARES = {
    Victim.CRAWL: 8,
    Victim.CRAWL_BESIDE: 2,
    Victim.WRITER: 2,
    Victim.BOTH: 1,
    Victim.INDEX: 3,
    Victim.REBUILD: 2,
    Victim.TERM: 1,
    Victim.CTRL_C: 1,
}


@dataclass(slots=True)
class Kill:
    """One kill and what came of it."""

    victim: str
    phase: str = ""
    stored: int = 0  # pages at the kill
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class UndisturbedRun:
    """Runs that nobody killed: how many calls that change the folder each makes, and the seconds of a crawl."""

    crawl: int = 1
    index: int = 1
    rebuild: int = 1
    seconds: float = 1.0


@dataclass(slots=True)
class KillTrial:
    """A data folder, the site that is crawled into it, and the dice that choose the moments."""

    root: Path
    site: GeneratedSite
    dice: random.Random
    forks: ForkServer
    life: UndisturbedRun
    seen: frozenset[str] = frozenset()  # the pages that were stored after the last kill
    kills: list[Kill] = field(default_factory=list)
    requests_repeated: int = 0
    faults: list[str] = field(default_factory=list)  # at the ends

    @property
    def data(self) -> Path:
        """The data folder."""
        return self.root / "data"

    def crawl(self, *words: str, **order: object) -> Fork:
        """Start a crawl of the site."""
        seeds = ("-a", f"seeds={self.site.url}/", *QUICK, *words)
        return self.forks.start("crawl", "site", *seeds, "-s", f"DATA_DIR={self.data}", **order)

    def index(self, *words: str, **order: object) -> Fork:
        """Start an index writer."""
        return self.forks.start("index", *words, "-s", f"DATA_DIR={self.data}", **order)

    # -- one kill ------------------------------------------------------------------------------------------------

    def kill(self, victim: Victim) -> Kill | None:
        """Start, kill, look; None where the process had ended before its moment."""
        child, expected = getattr(self, f"_{victim.name.lower()}")()
        code = child.wait()
        if code == 0 or "is writing this index" in child.said():
            return None
        kill = Kill(victim.value)
        if code != expected:
            kill.faults.append(f"exit code {code} instead of {expected}: {child.said()[-500:]}")
        if "Traceback" in child.said():
            kill.faults.append(f"a traceback: {child.said()[-500:]}")
        kill.phase = self._standing()
        if kill.phase != STARTING:
            kill.faults += self._look()
            kill.stored = len(self.seen)
        return kill

    def _any(self, calls: int) -> dict[str, object]:
        share = LATER if self.kills else 1.0
        return {"under": str(self.data), "at": self.dice.randint(1, math.ceil(share * calls))}

    def _crawl(self) -> tuple[Fork, int]:
        return self.crawl(**self._any(self.life.crawl)), -signal.SIGKILL

    def _crawl_beside(self) -> tuple[Fork, int]:
        return self.crawl("-s", FOLLOWED, **self._any(self.life.crawl)), -signal.SIGKILL

    def _writer(self) -> tuple[Fork, int]:
        at = self.dice.randint(1, self.life.index)
        return self.crawl("-s", FOLLOWED, under=str(self.data), writer_at=at), 1

    def _index(self) -> tuple[Fork, int]:
        return self.index(**self._any(self.life.index)), -signal.SIGKILL

    def _rebuild(self) -> tuple[Fork, int]:
        return self.index("--rebuild", **self._any(self.life.rebuild)), -signal.SIGKILL

    def _both(self) -> tuple[Fork, int]:
        child = self.crawl("-s", FOLLOWED)
        child.wait(self.dice.uniform(0, self.life.seconds))
        child.send(signal.SIGKILL)
        with contextlib.suppress(FileNotFoundError, ValueError, ProcessLookupError):
            if not self._free():
                os.kill(int((index_folder(self.data) / WRITER_LOCK_FILE).read_text("ascii")), signal.SIGKILL)
        return child, -signal.SIGKILL

    def _term(self) -> tuple[Fork, int]:
        child = self.crawl()
        self._begun(child)
        child.wait(self.dice.uniform(0, self.life.seconds))
        child.send(signal.SIGTERM)
        return child, INTERRUPTED

    def _ctrl_c(self) -> tuple[Fork, int]:
        child = self.crawl()
        self._begun(child)
        child.wait(self.dice.uniform(0, self.life.seconds))
        for _ in range(2):
            child.send(signal.SIGINT)
            child.wait(SAME_SECONDS + self.dice.uniform(0.02, 0.1))
        return child, INTERRUPTED

    def _begun(self, child: Fork) -> None:
        """Wait for the first request: before it, nobody has said what a signal means."""
        asked = len(self.site.log)
        while len(self.site.log) == asked and child.code is None:
            child.wait(WATCH_SECONDS)

    # -- what it has left ------------------------------------------------------------------------------------------

    def _standing(self) -> str:
        try:
            with CrawlDatabase(self.data, readonly=True) as database:
                if not database.count("SELECT count(*) FROM run"):
                    return STARTING
                open_ = database.count("SELECT count(*) FROM url WHERE state <= ?", State.LEASED)
        except DatabaseError:
            return STARTING
        if leftover_files(self.data):
            return "in a commit of the index"
        return "while crawling" if open_ else "with all pages stored"

    def _look(self) -> list[str]:
        faults = list(faults_after_a_kill(self.data))
        now = frozenset(stored_urls(self.data))
        if not self.seen <= now:
            faults.append(f"{len(self.seen - now)} pages that were stored are not there any more")
        self.seen = now
        if self.dice.random() < 0.3:  # the next process then finds everything as the kill left it
            return faults
        if not self._wait_for_the_writer():
            faults.append(f"an index writer goes on for {LOCK_SECONDS:g} s after its crawl was killed")
        child = self.index()
        while child.wait() != 0 and "is writing this index" in child.said():
            child = self.index()  # the writer of the killed crawl had not got as far as its lock
        if child.code != 0:
            faults.append(f"index ended with {child.code}: {child.said()[-500:]}")
        return [*faults, *faults_of_the_index(self.data)]

    def _free(self) -> bool:
        with (index_folder(self.data) / WRITER_LOCK_FILE).open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        return True

    def _wait_for_the_writer(self) -> bool:
        until = time.monotonic() + LOCK_SECONDS
        with contextlib.suppress(FileNotFoundError):  # nobody has begun an index
            while not self._free() and time.monotonic() < until:
                time.sleep(WATCH_SECONDS)
            return self._free()
        return True

    # -- the end -------------------------------------------------------------------------------------------------

    def end(self) -> list[str]:
        """Crawl undisturbed until nothing is left, and compare everything with the truth."""
        child = self.crawl("-s", FOLLOWED)
        if child.wait() != 0:
            return [f"the last crawl ended with {child.code}: {child.said()[-500:]}"]
        self.requests_repeated = repeated_requests(self.data, self.site)
        faults = faults_at_the_end(self.data, self.site)
        return [*faults, *faults_of_the_index(self.data), *faults_of_the_log(self.data, self.site, len(self.kills))]

    def run(self, deaths: int) -> None:
        """Let so many processes die in each edition."""
        self.site.begin_again()
        for edition in (0, 1):
            self.site.edition = edition
            for victim in self.dice.choices(list(SHARES), list(SHARES.values()), k=deaths):
                kill = self.kill(victim if self.kills and self.kills[-1].phase != STARTING else Victim.CRAWL)
                if kill is not None:
                    self.kills.append(kill)
            self.faults += self.end()


def kill_trials(count: int, seed: int, folder: Path, site: GeneratedSite, forks: ForkServer) -> Iterator[KillTrial]:
    """Kill at least so many processes, a few in each data folder; yield each trial that has come to its end."""
    life, dice, killed = _undisturbed(folder, site, forks), random.Random(seed), 0
    for number in itertools.count():
        if killed >= count:
            return
        trial = KillTrial(folder / f"killed-{number}", site, dice, forks, life)
        trial.run(min(DEATHS, count - killed))
        killed += len(trial.kills)
        yield trial


def _undisturbed(folder: Path, site: GeneratedSite, forks: ForkServer) -> UndisturbedRun:
    """Crawl, index and rebuild without a kill, and count the calls."""
    trial = KillTrial(folder / "life", site, random.Random(0), forks, UndisturbedRun())
    site.begin_again()

    def counted(name: str, start: Callable[..., Fork]) -> int:
        log = folder / f"life-{name}"
        child = start(under=str(trial.data), log=str(log))
        if child.wait() != 0:
            raise RuntimeError(f"{name} fails without a kill: {child.said()}")
        return sum(call.kind is not CallKind.NOTE for call in read_calls(log))

    began = time.monotonic()
    crawl = counted("crawl", trial.crawl)
    seconds = time.monotonic() - began
    index = counted("index", trial.index)
    return UndisturbedRun(crawl, index, counted("rebuild", partial(trial.index, "--rebuild")), seconds)
