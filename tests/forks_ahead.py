"""How does a fork start another program of ours? As another fork, which was made ahead and waits.

A crawl starts its index writer, and a new process would need more time for its imports than the whole crawl. A process
with an open SQLite database must not fork (https://www.sqlite.org/howtocorrupt.html, 2.6). So the fork is made before
the program begins. It is a child of the program, in its own session, with the files that it is given.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from scrapy import cmdline

from commands.__main__ import main
from commands.frame.command import COMMANDS, PARENT_WATCH

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TASK = "extensions.machines.engines.processes"  # where that extension is there
if find_spec(TASK.partition(".engines")[0]):
    import_module(TASK)
PROGRAMS: dict[str, Callable[[list[str]], object]] = {
    str(COMMANDS): main,
    str(PARENT_WATCH): lambda _: runpy.run_path(str(PARENT_WATCH), run_name="__main__"),
    TASK: lambda _: import_module(TASK).run_what_comes(),
}
AHEAD = {
    "crawl": 1,
    "demo": 1,
    "plan": 6,
    "lab": 1,
    "farm": 12,
    "processes": 20,  # `cluster --master processes[2]`: a task for each part and stage, and one to index each part
    TASK: 3,
}  # by a word of it: how many it starts
BENCH, AHEAD_OF_BENCH = Path(__file__).resolve().parents[1] / "bench", 12  # any other of its programs; each costs 20 ms
START_NONE = {"parse", "robots", "search"}  # programs of bench/ without commands of ours
MOST_BYTES = 1 << 17  # of an order: more than a line of words, and the variables
STREAMS = {"p2cread": 0, "c2pwrite": 1, "errwrite": 2}  # what subprocess calls them in a child; -1: that of its parent
AS_POPEN_HAS_IT = inspect.signature(subprocess.Popen._execute_child)  # type: ignore[attr-defined]  # a private name


def become(program: Callable[[list[str]], object], name: str, words: list[str]) -> NoReturn:
    """Run a program to its end, and end this process; make its own child processes before."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if not os.environ.get("CRASH_UNDER"):  # a process with counted calls is watched from its start
        PopenAhead.provide([name, *words])
    with contextlib.suppress(OSError):  # only Linux; `ps` and tests then tell one fork from another
        Path("/proc/self/comm").write_text(" ".join(word for word in words if not word.startswith("-")))
    sys.argv = [name, *words]
    code: object = 1
    try:
        code = program(words)
    except SystemExit as end:  # as Scrapy ends
        code = end.code
    except BaseException:  # noqa: BLE001 - the interpreter would print it, and this is where it ends
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else int(isinstance(code, str)))


def run_program(words: list[str]) -> None:
    """Run the Python program at a path, as its name with the other words would at a shell."""
    sys.argv = words
    runpy.run_path(words[0], run_name="__main__")


def scrapy(words: list[str]) -> None:
    """Run a command of Scrapy as `python -m scrapy` would in this folder."""
    os.environ.pop("SCRAPY_SETTINGS_MODULE", None)  # the folder's scrapy.cfg names the settings
    sys.path.insert(0, str(Path.cwd()))
    cmdline.execute(["scrapy", *words])


class PopenAhead(subprocess.Popen[bytes]):
    """subprocess.Popen, whose child is one that waits, if it is to be a program of ours and one waits."""

    waiting: ClassVar[list[tuple[int, socket.socket]]] = []  # their process ids, and the sockets for their orders

    @classmethod
    def provide(cls, words: Sequence[str]) -> None:
        """Make the child processes of a program ahead, by its command line."""
        cls.waiting.clear()  # the waiting children of the parent process
        for _ in range(max(map(cls.count, words), default=0)):
            ours, its = socket.socketpair()
            pid = os.fork()
            if not pid:
                ours.close()
                _wait(its)
            its.close()
            cls.waiting.append((pid, ours))
        subprocess.Popen = cls  # type: ignore[assignment,misc]  # in this process alone, which belongs to a test

    @staticmethod
    def count(word: str) -> int:
        if Path(word).parent == BENCH:
            return 0 if Path(word).name in START_NONE else AHEAD_OF_BENCH
        return AHEAD.get(word.partition("[")[0], 0)

    def _execute_child(self, *given: Any) -> None:
        told = AS_POPEN_HAS_IT.bind(self, *given).arguments
        line = [word for word in told["args"] if word not in {"-P", "-m"}]
        preloads = os.environ.get("LD_PRELOAD") != (told["env"] or os.environ).get("LD_PRELOAD")  # at a start alone
        if preloads or not self.waiting or line[0] != sys.executable or line[1] not in PROGRAMS:
            super()._execute_child(*given)  # type: ignore[misc]  # as above
            return
        self.pid, told_there = self.waiting.pop()
        self._child_created = True
        folder, environment = str(told["cwd"] or Path.cwd()), dict(told["env"] or os.environ)
        streams = [told[name] if told[name] != -1 else ordinary for name, ordinary in STREAMS.items()]
        with told_there:
            socket.send_fds(told_there, [json.dumps((line[1:], folder, environment)).encode()], streams)
        self._close_pipe_fds(*(told[name] for name in inspect.signature(self._close_pipe_fds).parameters))  # type: ignore[attr-defined]  # as above


def _wait(line: socket.socket) -> NoReturn:
    """Wait for an order and become that program; end when the process that could send one ends."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # a signal to the session is for the process that began it
    become_what_is_told(line)


def become_what_is_told(line: socket.socket) -> NoReturn:
    """Read a program and its words, a folder, the variables and the streams; become that, in a session of its own."""
    said, files, *_ = socket.recv_fds(line, MOST_BYTES, len(STREAMS))
    if not said:
        os._exit(0)
    line.close()
    (name, *words), folder, environment = json.loads(said)
    os.setsid()
    for place, file in enumerate(files):
        os.dup2(file, place)
        os.close(file)
    sys.stdin = os.fdopen(0, closefd=False)  # a stream opened on a file would treat a pipe as a file
    sys.stdout = os.fdopen(1, "w", 1, closefd=False)  # by lines, as at a terminal
    sys.stderr = os.fdopen(2, "w", 1, errors="backslashreplace", closefd=False)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    become(PROGRAMS[name], name, words)
