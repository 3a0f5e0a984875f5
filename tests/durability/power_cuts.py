"""What does a power cut leave behind, and what does the next run make of it? A recorded crawl, cut at any call.

The crawl, its index writer and a rebuild run once. Every call on their folder is recorded, with a mark at each
transaction and each commit that has returned. A cut makes a folder that the disk may then hold (simulated_disk.py).
Then the crawl database must be that of the last mark, or of the transaction under way. The index must not be older than
its last mark. The next run must bring both to the truth.
"""

from __future__ import annotations

import contextlib
import shutil
import signal
import sqlite3
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import indexer
from crawldb.database import FILE_NAME
from indexer.segments.generation import index_folder, read_generation
from tests.durability.agreement import content_digest, faults_after_a_kill, faults_at_the_end
from tests.durability.kills import QUICK
from tests.durability.recording import CallKind, read_calls
from tests.durability.simulated_disk import Kept, SimulatedDisk, lay_out

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator
    from pathlib import Path

    from tests.durability.generated_site import GeneratedSite
    from tests.durability.recording import FileCall
    from tests.forks import Fork, ForkServer

IN_THE_INDEX = 0.5  # of the cuts fall on calls of the index writer, which are few


@dataclass(slots=True)
class PowerCut:
    """One power cut and what came of it. `at` is the number of the call before which it fell."""

    at: int
    where: str  # the file that was to be written
    kept: str
    faults: list[str] = field(default_factory=list)


@dataclass(slots=True)
class RecordedCrawl:
    """A crawl in two rounds, with everything that it wrote."""

    site: GeneratedSite
    forks: ForkServer
    folder: Path
    calls: list[FileCall] = field(default_factory=list)
    tables: int = 0  # the version of the schema
    second: int = 0  # the call with which the second round begins
    faults: list[str] = field(default_factory=list)

    @property
    def root(self) -> Path:
        """The folder in which the data folder is made."""
        return self.folder / "recorded"

    def record(self) -> None:
        """Crawl with the index writer beside it, then again what has changed, then rebuild."""
        self.root.mkdir(parents=True)
        self.site.begin_again()
        crawl = self._start("crawl", "site", "-a", f"seeds={self.site.url}/")
        while not (self.root / "data" / "crawl.sqlite3").exists() or not self.site.log:
            crawl.wait(0.01)
        beside = self._start("index", "--follow")
        self._end(crawl.wait(), "crawl", crawl.said())
        beside.send(signal.SIGTERM)
        beside.wait()
        self._run("index")
        self.second = sum(1 for _ in read_calls(self.log))
        self.site.begin_again(edition=1)
        self._run("crawl", "site")
        self._run("index")
        self._run("index", "--rebuild")
        self.faults += faults_at_the_end(self.root / "data", self.site)
        self.calls = list(read_calls(self.log))
        with contextlib.closing(sqlite3.connect(self.root / "data" / FILE_NAME)) as connection:
            self.tables = connection.execute("PRAGMA user_version").fetchone()[0]

    @property
    def log(self) -> Path:
        """Where the calls are written."""
        return self.folder / "calls"

    def _start(self, *words: str) -> Fork:
        data = ("-s", f"DATA_DIR={self.root / 'data'}")
        return self.forks.start(*words, *QUICK, *data, under=str(self.root), log=str(self.log))

    def _run(self, *words: str) -> None:
        child = self._start(*words)
        self._end(child.wait(), words[0], child.said())

    def _end(self, code: int | None, what: str, said: str) -> None:
        if code != 0:
            self.faults.append(f"the recorded {what} ended with {code}: {said[-500:]}")

    def moments(self, count: int, dice: random.Random) -> list[int]:
        """Choose the calls before which the power is cut, in order."""
        places = range(1, len(self.calls))
        index = [place for place in places if "/index/" in self.calls[place].name]
        return sorted(dice.choice(index if dice.random() < IN_THE_INDEX else places) for _ in range(count))

    def cuts(self, count: int, dice: random.Random) -> Iterator[PowerCut]:
        """Cut the power so many times, and see each time what the next run makes of it."""
        disk, place = SimulatedDisk(str(self.root)), 0
        for number, at in enumerate(self.moments(count, dice)):
            for call in self.calls[place:at]:
                disk.take(call)
            place = at
            kept = dice.choice(list(Kept))
            cut = PowerCut(at, self.calls[at].name.removeprefix(f"{self.root}/"), kept.value)
            tree = self.folder / f"cut-{number}"
            lay_out(disk.cut(kept, dice), tree)
            self._look(tree / "data", cut)
            self._go_on(tree / "data", cut)
            shutil.rmtree(tree)
            yield cut

    # -- what was promised -----------------------------------------------------------------------------------------

    def _look(self, data: Path, cut: PowerCut) -> None:
        promised, following = self._marks("database", cut.at)
        if promised:
            try:
                with contextlib.closing(
                    sqlite3.connect(f"{(data / FILE_NAME).as_uri()}?mode=rw", uri=True)
                ) as connection:
                    found, tables = content_digest(connection), connection.execute("PRAGMA user_version").fetchone()[0]
            except sqlite3.Error as error:
                cut.faults.append(f"the crawl database can't be read: {error}")
                return
            if found not in {promised, following}:
                cut.faults.append("a transaction that had returned is lost, or one that had not is there by half")
            if tables == self.tables:
                cut.faults += faults_after_a_kill(data)
        promised, _ = self._marks("index", cut.at)
        if promised:
            try:
                indexer.open_index(data)
                number = read_generation(index_folder(data)).number
            except indexer.IndexFault as error:
                cut.faults.append(f"the index can't be opened: {error}")
            else:
                if number < int(promised):
                    cut.faults.append(f"the index is at generation {number}, and {promised} was committed")

    def _marks(self, what: str, at: int) -> tuple[str, str]:
        """Return the last mark before a call and the first after it, "" for none."""
        marks = [(place, call.name) for place, call in enumerate(self.calls) if call.kind is CallKind.NOTE]
        found = [(place, name.split()[1]) for place, name in marks if name.startswith(what)]
        before = [mark for place, mark in found if place < at]
        after = [mark for place, mark in found if place >= at]
        return (before[-1] if before else ""), (after[0] if after else "")

    def _go_on(self, data: Path, cut: PowerCut) -> None:
        self.site.begin_again(edition=int(cut.at >= self.second))
        for words in (("crawl", "site", "-a", f"seeds={self.site.url}/"), ("index",)):
            child = self.forks.start(*words, *QUICK, "-s", f"DATA_DIR={data}")
            if child.wait() != 0:
                cut.faults.append(f"the next {words[0]} ended with {child.code}: {child.said()[-500:]}")
                return
        cut.faults += faults_at_the_end(data, self.site)
