"""What does a kill -9 leave behind, and what does the next run make of it? A crawl, a kill, and a crawl to the end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bench.durability.agreement import complete, indexed_alike, polite, repeated, unnamed, whole
from crawldb import CrawlDatabase, DatabaseError
from crawldb.state import State
from indexer.segments.generation import index_folder
from indexer.segments.lock import LOCK

if TYPE_CHECKING:
    import random

    from bench.durability.web import GeneratedSite

COMMANDS = Path(__file__).resolve().parents[2] / "commands"
PATIENCE = 120.0  # seconds until a process that should have ended counts as hanging
WATCH_SECONDS = 0.001  # how often the index folder is looked at for a commit that has begun
JITTER_SECONDS = 0.02  # so that a kill does not always fall on the beginning of a request
HEAD_SHARE, BODY_SHARE = 0.1, 0.7  # of the kills fall before the first request, and between the first and the last


class TooLateError(Exception):
    """The process had ended before its moment came: no kill."""


@dataclass(slots=True)
class Kill:
    """One kill and what came of it. `moment` is a share of the crawl's life, of a rebuild seconds of writing."""

    victim: str
    phase: str = ""
    moment: float = 0.0
    stored: int = 0  # pages at the kill
    repeated: int = 0  # requests that the next run had to send again
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Life:
    """A crawl that nobody killed: seconds to its first request, how many there were, seconds from the last to its end.

    `writing` is what the index writer takes for all pages in one commit, in seconds. A share of a life is a moment of
    any other crawl, however busy the machine has become since.
    """

    head: float = 0.0
    requests: int = 0
    tail: float = 0.0
    writing: float = 0.0

    def wait_for(self, share: float, log: list[str], process: subprocess.Popen[str], dice: random.Random) -> None:
        """Sleep until `share` of the life has passed; raise `TooLateError` where the process ends before."""
        if share < HEAD_SHARE:
            sleep(self.head * share / HEAD_SHARE, process)
            return
        body = (share - HEAD_SHARE) / BODY_SHARE
        while len(log) < self.requests * min(body, 1.0):
            sleep(WATCH_SECONDS, process)
        rest = max(0.0, share - HEAD_SHARE - BODY_SHARE) / (1 - HEAD_SHARE - BODY_SHARE)
        sleep(self.tail * rest + dice.uniform(0, JITTER_SECONDS), process)


def sleep(seconds: float, process: subprocess.Popen[str]) -> None:
    """Sleep; raise `TooLateError` where the process ends meanwhile."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    if process.returncode is not None:
        process.communicate()
        raise TooLateError


@dataclass(frozen=True, slots=True)
class Trial:
    """A data folder, the site that is crawled into it, and the dice that choose the moments."""

    data: Path
    site: GeneratedSite
    dice: random.Random
    life: Life = Life()

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start a command in a process group of its own. The index writer of a crawl holds the same standard error."""
        name, *rest = words
        return subprocess.Popen(
            [sys.executable, str(COMMANDS), name, *rest, "-s", f"DATA_DIR={self.data}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip

    def unharmed(self) -> tuple[Life, list[str]]:
        """Crawl without a kill; return how that life went, and where it disagrees with the truth."""
        faults: list[str] = []
        began = time.monotonic()
        process = self.crawl()
        head = 0.0
        while process.poll() is None:
            head = head if self.site.log else time.monotonic() - began
            time.sleep(WATCH_SECONDS)
        ended = time.monotonic()
        self.to_the_end(process, faults)
        faults += [*complete(self.data, self.site), *polite(self.data, self.site, 0)]
        return Life(head, len(self.site.log), ended - self.site.asked_at, self._rebuild(faults)), faults

    def _rebuild(self, faults: list[str]) -> float:
        process = self.start("index", "--rebuild")
        while self.writer() != process.pid and process.poll() is None:
            time.sleep(WATCH_SECONDS)
        began = time.monotonic()
        self.to_the_end(process, faults)
        return time.monotonic() - began

    def crawl(self) -> subprocess.Popen[str]:
        """Start a crawl of the site."""
        return self.start("crawl", "site", "-a", f"seeds={self.site.url}/", "-s", "RETRY_DELAY=0.05")

    def to_the_end(self, process: subprocess.Popen[str], faults: list[str], expected: int = 0) -> str:
        """Wait for a command and all that it started; return what it said."""
        try:
            said = process.communicate(timeout=PATIENCE)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            faults.append(f"still running after {PATIENCE:g} s: {process.args!r}")
            return ""
        if process.returncode != expected:
            faults.append(f"exit code {process.returncode} instead of {expected}: {said.strip()[-500:]}")
        return said

    # -- the crawl ---------------------------------------------------------------------------------------------

    def kill_crawl(self, share: float, *, both: bool) -> Kill:
        """Kill the crawl at `share` of its life, with its index writer where `both`; the next run must repair it."""
        kill = Kill("both" if both else "crawl", moment=share)
        self.site.begin_again()
        process = self.crawl()
        self.life.wait_for(share, self.site.log, process, self.dice)
        writer = self.writer() if both else None
        os.killpg(process.pid, signal.SIGKILL)
        if writer is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(writer, signal.SIGKILL)
        if process.wait() != -signal.SIGKILL:
            process.communicate()
            raise TooLateError  # it had just ended by itself
        at_once = self.dice.random() < 0.5  # noqa: PLR2004 - the next run then meets the writer of the killed one
        if not at_once:
            self.to_the_end(process, kill.faults, expected=-signal.SIGKILL)
        kill.phase, kill.stored = self.standing()
        if kill.phase != "starting":
            kill.faults += whole(self.data)
            if not at_once and not both:
                kill.faults += indexed_alike(self.data)
        again = self.crawl()
        if at_once:
            self.to_the_end(process, kill.faults, expected=-signal.SIGKILL)
        self.finish(again, kill, crawl_kills=1)
        return kill

    def standing(self) -> tuple[str, int]:
        """Return how far the crawl has come, and how many pages it has stored."""
        try:
            with CrawlDatabase(self.data, readonly=True) as database:
                stored = database.count("SELECT count(*) FROM page")
                open_ = database.count("SELECT count(*) FROM url WHERE state <= ?", State.LEASED)
                begun = database.count("SELECT count(*) FROM run")
        except DatabaseError:
            return "starting", 0
        if not begun:
            return "starting", 0
        if not stored:
            return "before the first page", 0
        return ("while crawling" if open_ else "at the end"), stored

    def finish(self, process: subprocess.Popen[str], kill: Kill, *, crawl_kills: int) -> None:
        """Let the next crawl end, and compare everything."""
        self.to_the_end(process, kill.faults)
        kill.faults += [*complete(self.data, self.site), *polite(self.data, self.site, crawl_kills)]
        kill.repeated = repeated(self.data, self.site)

    # -- the index writer ----------------------------------------------------------------------------------------

    def writer(self) -> int | None:
        """Return the number of the process that writes the index, or None where nobody has begun to."""
        try:
            return int((index_folder(self.data) / LOCK).read_text("ascii"))
        except (FileNotFoundError, ValueError):
            return None

    def kill_index(self, share: float, *, aimed: bool) -> Kill:
        """Kill the index writer beside a crawl, `aimed` at a commit or anywhere; the next run must complete it."""
        kill = Kill("index", moment=share)
        self.site.begin_again()
        process = self.crawl()
        while (writer := self.writer()) is None:
            sleep(WATCH_SECONDS, process)
        self.life.wait_for(share, self.site.log, process, self.dice)
        while aimed and not unnamed(self.data):
            sleep(WATCH_SECONDS, process)
        if aimed:
            sleep(self.dice.uniform(0, self.life.writing), process)
        kill.phase, kill.stored = self.standing()
        try:
            os.kill(writer or 0, signal.SIGKILL)
        except ProcessLookupError:
            process.communicate()
            raise TooLateError from None
        if unnamed(self.data):
            kill.phase = "while committing"
        said = self.to_the_end(process, kill.faults, expected=1)
        if process.returncode == 0:
            raise TooLateError  # it had just ended by itself
        if "the index is not complete" not in said:
            kill.faults.append("the crawl does not say that its index is not complete")
        kill.faults += whole(self.data)
        self.finish(self.crawl(), kill, crawl_kills=0)
        return kill

    def kill_rebuild(self, share: float) -> Kill:
        """Kill `index --rebuild` in the first `share` of its writing; searches must not have noticed."""
        seconds = self.dice.uniform(0, share * self.life.writing)
        kill = Kill("rebuild", "while rebuilding", seconds)
        process = self.start("index", "--rebuild")
        while self.writer() != process.pid:
            sleep(WATCH_SECONDS, process)
        sleep(seconds, process)
        kill.stored = self.standing()[1]
        process.kill()
        if process.wait() != -signal.SIGKILL:
            raise TooLateError
        self.to_the_end(process, kill.faults, expected=-signal.SIGKILL)
        kill.faults += (fault for fault in complete(self.data, self.site) if "no generation" not in fault)
        self.to_the_end(self.start("index", "--rebuild"), kill.faults)
        kill.faults += complete(self.data, self.site)
        return kill
