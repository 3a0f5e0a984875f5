"""Which processes belong to a crawl on a cluster, and what is each? From Linux (/proc)."""

from __future__ import annotations

import os
from collections import defaultdict
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import signal

PROC = Path("/proc")


class Role(Enum):
    """What a process does, told by a word of its command line, or of its name in a test; the first that fits."""

    CRAWL = "crawl"  # fetches a part's pages
    EXECUTOR = "CoarseGrainedExecutorBackend"  # Spark's: runs tasks
    TASK = ""  # any other child of the driver: claims, fetches, puts back, commits


def below(root: int) -> dict[int, Role]:
    """Return the processes that a process has started, with what they started, by number."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    for folder in PROC.glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            children[_parent(folder)].append(int(folder.name))
    found, open_ = {}, [root]
    while open_:
        for process in children[open_.pop()]:
            role = _role(process)
            if role is not None:
                found[process] = role
            open_.append(process)
    return found


def _parent(folder: Path) -> int:
    # After the name in parentheses, which may hold anything: state, parent (proc(5)).
    return int((folder / "stat").read_text().rpartition(")")[2].split()[1])


def _role(process: int) -> Role | None:
    """Return what a process does; None where it has ended, or is Java's or the index writer's."""
    try:
        words = (PROC / str(process) / "cmdline").read_bytes().decode(errors="replace").split("\0")
        words += (PROC / str(process) / "comm").read_text().split()  # tests/forks_ahead.py names its forks
    except OSError:
        return None
    if Role.EXECUTOR.value in " ".join(words):
        return Role.EXECUTOR
    if "crawl" in words and "site" in words:
        return Role.CRAWL
    return Role.TASK if "python" in Path(words[0]).name and "index" not in words else None


def send(process: int, number: signal.Signals) -> bool:
    """Send a signal; return whether the process was still there."""
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return False
    return True
