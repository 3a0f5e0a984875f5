"""How does a crawl begin that outlives the gateway, and what became of it? Each has a folder `api_crawls/NUMBER/`.

- `request.json`: what was asked for, when, and the newest run before it
- `seeds.txt`: the seeds, one a line, if there were any
- `log`: what the crawl printed; all its processes hold a lock on it
- `group`, `pid`: the numbers of its process group, and of the crawling process
- `stopped`: exists once it was told to stop
- `exit_code`: written by the shell that waits for the crawl

Everything is read from these files and from the crawl database, so another gateway knows as much. The lock says whether
the crawl runs: the system frees it with the last process, however that ends, and no number of a process can mislead.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commands.frame.command import command_line
from commands.frame.exits import DONE, INTERRUPTED
from crawldb.folders import make_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    CommandLine = Callable[[Sequence[str], Sequence[str]], list[str]]

FOLDER = "api_crawls"  # in the data folder; also the key in app.extensions
KEPT = 20  # crawls, the newest ones
LOG_LINES, LOG_BYTES = 20, 16 * 1024  # of a log that are shown, at most
SIGNALLED = 128  # a shell adds this to the number of the signal that ended a process
SEEDS = "seeds"  # the argument that is a list
NOT_PASSED_ON = frozenset({"DATA_DIR", "ADMIN_TOKEN"})
# The shell outlives the signals that its group gets, because it has a handler; the crawl itself gets them as usual.
WAIT_FOR_IT = 'trap : INT TERM HUP; "$@"; echo $? > "$0"'


class CrawlRuns(Exception):
    """A crawl of this folder runs already; `number` is its own here."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@dataclass(frozen=True, slots=True)
class StartedCrawl:
    """A crawl that was started over HTTP."""

    number: int
    folder: Path

    def begin(self, request: Mapping[str, Any], line: Sequence[str]) -> None:
        """Make the folder and start the process, with a command line to which the seeds are added. Raises OSError."""
        self.folder.mkdir(mode=0o700)
        (self.folder / "request.json").write_text(json.dumps(request))
        words = [*line, "--pidfile", str(self.folder / "pid")]
        if seeds := request["arguments"].get(SEEDS):  # in a file, since a URL may have a comma
            file = self.folder / "seeds.txt"
            file.write_text("".join(f"{seed}\n" for seed in seeds))
            words += ["-a", f"{SEEDS}={file}"]
        with self._log.open("xb") as log:
            fcntl.flock(log, fcntl.LOCK_EX)  # the processes inherit it
            process = subprocess.Popen(
                ["/bin/sh", "-c", WAIT_FOR_IT, str(self.folder / "exit_code"), *words],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C in the terminal of the gateway is not for the crawl
            )
        (self.folder / "group").write_text(str(process.pid))
        threading.Thread(target=process.wait, daemon=True).start()  # else it stays as a zombie

    def stop(self) -> None:
        """Interrupt it, as Ctrl-C does in a terminal; once only, as a second one ends it without its index."""
        group = self._number_in("group")
        if group is None or not self.runs():
            return
        with suppress(FileExistsError, ProcessLookupError):
            (self.folder / "stopped").touch(exist_ok=False)
            os.killpg(group, signal.SIGINT)

    def runs(self) -> bool:
        """Return whether one of its processes runs."""
        try:
            with self._log.open("rb") as log:
                fcntl.flock(log, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except FileNotFoundError:
            pass  # it was never started
        return False

    def state(self) -> str:
        """Return "running", "stopping", "finished", "failed", "interrupted" or "killed"."""
        if self.runs():
            return "stopping" if (self.folder / "stopped").exists() else "running"
        code = self.exit_code()
        if code == INTERRUPTED:
            return "interrupted"
        if code is None or code > SIGNALLED:
            return "killed"
        return "finished" if code == DONE else "failed"

    def exit_code(self) -> int | None:
        """Return the exit code of the crawl; None while it runs, and if nobody could note it."""
        return self._number_in("exit_code")

    def ended_at(self) -> float | None:
        """Return when the exit code was noted, in seconds since the epoch."""
        return None if self.exit_code() is None else (self.folder / "exit_code").stat().st_mtime

    def pid(self) -> int | None:
        """Return the number of the process; None before it has begun."""
        return self._number_in("pid")

    def request(self) -> dict[str, Any]:
        """Return what was asked for."""
        found: dict[str, Any] = json.loads((self.folder / "request.json").read_text())
        return found

    def last_lines(self) -> list[str]:
        """Return the end of the log."""
        with self._log.open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - LOG_BYTES))
            return log.read().decode("utf-8", "replace").splitlines()[-LOG_LINES:]

    @property
    def _log(self) -> Path:
        return self.folder / "log"

    def _number_in(self, name: str) -> int | None:
        try:
            return int((self.folder / name).read_text())
        except (FileNotFoundError, ValueError):  # a power cut may leave an empty one
            return None


class StartedCrawls:
    """The crawls of a data folder that were started over HTTP.

    `assignments` are the settings of the gateway; `line` returns the command line of a command with settings.
    """

    def __init__(self, data_dir: Path, assignments: Sequence[str], line: CommandLine = command_line) -> None:
        self._folder, self._line = data_dir / FOLDER, line
        passed = [each for each in assignments if each.partition("=")[0] not in NOT_PASSED_ON]
        self._settings = [f"DATA_DIR={data_dir}", *passed]

    def find(self, number: int) -> StartedCrawl | None:
        """Return a crawl by its number; None: there is none, or it is no longer kept."""
        folder = self._folder / str(number)
        return StartedCrawl(number, folder) if (folder / "request.json").exists() else None

    def start(self, arguments: Mapping[str, Any], newest_run: int) -> StartedCrawl:
        """Start a crawl with these arguments of `crawl site`; `seeds` is a list. Raises CrawlRuns, or OSError."""
        make_folder(self._folder)
        with self._alone():
            before = self._all()
            if before and before[-1].runs():
                raise CrawlRuns(before[-1].number)
            number = before[-1].number + 1 if before else 1
            started = StartedCrawl(number, self._folder / str(number))
            given = [f"{name}={value}" for name, value in arguments.items() if name != SEEDS]
            words = [word for each in given for word in ("-a", each)]
            line = self._line(["crawl", "site", *words], self._settings)
            started.begin({"arguments": arguments, "at": time.time(), "newest_run": newest_run}, line)
            for old in before[: -KEPT + 1]:
                shutil.rmtree(old.folder, ignore_errors=True)
        return started

    def running(self) -> StartedCrawl | None:
        """Return the crawl that runs now, or None."""
        return next((crawl for crawl in self._all()[-1:] if crawl.runs()), None)

    def _all(self) -> list[StartedCrawl]:
        """Return the crawls that are kept, the oldest first."""
        names = [path.name for path in self._folder.iterdir()] if self._folder.exists() else []
        numbers = sorted(int(name) for name in names if name.isdecimal())
        return [StartedCrawl(number, self._folder / str(number)) for number in numbers]

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let no other thread or gateway start a crawl meanwhile."""
        handle = os.open(self._folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)
