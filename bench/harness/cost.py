"""How much does a command cost, with all its child processes? Seconds on the clock, CPU seconds, memory at its peak.

CPU time is user and system time of the process and of all children that it waited for, as `wait4` returns it. The
memory figure of `wait4` is of no use here. It is the largest of the family's, and a child's begins with its parent's
memory at the fork. So each process's peak is read while it runs, which works only on Linux (/proc).
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LOOK_SECONDS = 0.1  # between two looks at the memory: a peak in the last tenth of a second may be missed
PROC = Path("/proc")
_PARENT = re.compile(r"^PPid:\s+(\d+)", re.MULTILINE)
_PEAK = re.compile(r"^VmHWM:\s+(\d+) kB", re.MULTILINE)
_NOT_PASSED_ON = "PYTHONDONTWRITEBYTECODE"  # with it every run would compile again, unlike a user's second run
_LAST_LINES = 15  # of the messages of a command that failed


class CommandFailedError(Exception):
    """A measured command failed; the message has the end of its output."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one run: seconds, and the peak resident memory of each process in bytes (empty: not known)."""

    wall: float
    cpu: float
    peaks: tuple[int, ...] = ()

    @property
    def largest(self) -> int:
        """Bytes of the process that held most."""
        return max(self.peaks, default=0)

    @property
    def together(self) -> int:
        """Bytes of all processes, as if all had their peak at one moment: an upper bound."""
        return sum(self.peaks)


@dataclass(slots=True)
class _Watch:
    """Watches the memory of a process and its descendants until `ended` is set."""

    root: int
    peaks: dict[int, int] = field(default_factory=dict)
    ended: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        while not self.ended.wait(LOOK_SECONDS):
            self.look()

    def look(self) -> None:
        found = dict(_processes())
        for process, (_, peak) in found.items():
            # The last reading is the peak so far; an earlier one may be the parent's, from between fork and exec.
            if peak and _descends(process, self.root, found):
                self.peaks[process] = peak


def _processes() -> list[tuple[int, tuple[int, int]]]:
    """Return each process with its parent and its peak in bytes."""
    found = []
    for status in PROC.glob("[0-9]*/status"):
        try:
            text = status.read_text("utf-8", "replace")
        except OSError:
            continue  # it has ended
        parent, peak = _PARENT.search(text), _PEAK.search(text)
        if parent:
            found.append((int(status.parent.name), (int(parent[1]), int(peak[1]) * 1024 if peak else 0)))
    return found


def _descends(process: int, root: int, found: dict[int, tuple[int, int]]) -> bool:
    while process != root:
        if process not in found:
            return False
        process = found[process][0]
    return True


def measure_command(command: Sequence[str], *, cwd: Path) -> tuple[Cost, str]:
    """Run a command to its end and return its cost and its output; raise `CommandFailedError` if it fails."""
    passed_on = {name: value for name, value in os.environ.items() if name != _NOT_PASSED_ON}
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        begun = time.perf_counter()
        child = subprocess.Popen(
            command, cwd=cwd, env=passed_on, stdin=subprocess.DEVNULL, stdout=output, stderr=errors
        )
        watch = _Watch(child.pid)
        watcher = threading.Thread(target=watch.run, daemon=True)
        watcher.start()
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            child.kill()
            raise
        wall = time.perf_counter() - begun
        watch.ended.set()
        watcher.join()
        child.returncode = os.waitstatus_to_exitcode(status)  # subprocess would wait for it a second time
        output.seek(0)
        errors.seek(0)
        if child.returncode:
            said = "\n".join((output.read() + errors.read()).splitlines()[-_LAST_LINES:])
            raise CommandFailedError(f"{' '.join(command)} ended with exit code {child.returncode}:\n{said}")
        cost = Cost(wall, usage.ru_utime + usage.ru_stime, tuple(sorted(watch.peaks.values(), reverse=True)))
        return cost, output.read()
