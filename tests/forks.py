"""How does a test start a command as a fork, and learn how it ended? It orders it from the fork server."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from tests.child import PATIENCE, wait_until, without_progress

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType

SERVER, CALLED = (Path(__file__).with_name(name) for name in ("fork_server.py", "called.py"))
MAIN, SCRAPY, PROGRAM = (  # what runs a line of words
    "commands.__main__:main",
    "tests.forks_ahead:scrapy",
    "tests.forks_ahead:run_program",
)

Bench = Callable[..., subprocess.CompletedProcess[str]]
parent: Path | None = None  # the door of the server that has made this process


@dataclass(slots=True)
class Fork:
    """A command that runs, or has ended with `code` (negative: the signal that killed it).

    Methods of subprocess.Popen with other names have those names here as well.
    """

    pid: int
    said_to: Path
    printed_to: Path | None = None
    code: int | None = None
    ended: threading.Event = field(default_factory=threading.Event)

    def wait(self, seconds: float = PATIENCE) -> int | None:
        """Wait for the end and return the exit code; None if it takes longer."""
        self.ended.wait(seconds)
        return self.code

    def send(self, number: signal.Signals) -> None:
        """Send a signal, to it alone; none where it has ended."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def said(self) -> str:
        """Return what it wrote to its standard error."""
        return self.said_to.read_text("utf-8", "replace") if self.said_to.exists() else ""

    def first_line(self) -> str:
        """Wait until it has printed a line, and return that."""
        wait_until(lambda: "\n" in self._printed(), self)
        return self._printed().splitlines()[0]

    def wait_for(self, words: str) -> str:
        """Wait until it has printed these words, and return all that it has printed."""
        wait_until(lambda: words in self._printed(), self)
        return self._printed()

    def _printed(self) -> str:
        return self.printed_to.read_text("utf-8") if self.printed_to and self.printed_to.exists() else ""

    @property
    def returncode(self) -> int | None:
        return self.code

    def send_signal(self, number: signal.Signals) -> None:
        self.send(number)

    def poll(self) -> int | None:
        return self.code

    def kill(self) -> None:
        self.send(signal.SIGKILL)

    def communicate(self, timeout: float = PATIENCE) -> tuple[str, str]:
        """Wait for the end and return what it printed, and what it wrote to its standard error."""
        if self.wait(timeout) is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout, stderr=self.said())
        return self._printed(), self.said()


class ForkServer:
    """Starts commands as forks of one process. Use it in a `with` block. `shim` is loaded into all of them.

    `model` is the door of a server that is there: this one is a fork of it, and has nothing to import. If that ends in
    the meantime, this one imports everything itself. In a fork, the model is the server that made it.
    """

    def __init__(self, folder: Path, shim: Path | None, model: Path | None = None) -> None:
        self._folder = folder
        self.door = folder / "door"
        self.preloaded = {"LD_PRELOAD": str(shim)} if shim else {}
        model = model or (parent if parent and (shim is None or is_loaded()) and is_open(parent) else None)
        self._has_model = model is not None
        self._process = self._process_like(model)
        self._children: dict[int, Fork] = {}
        self._started: list[Fork] = []
        self._news = threading.Condition()
        self._orders = count(1)

    def _process_like(self, model: Path | None) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*(calling(model, SERVER) if model else [sys.executable, "-P", str(SERVER)]), str(self.door)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **self.preloaded},
        )

    def start(self, *words: str, **order: object) -> Fork:
        """Start a command, or the function that `entry` names; `order` is what live() and arm() read."""
        number = next(self._orders)
        said, printed = (self._folder / f"{name}-{number}" for name in ("said", "printed"))
        order = {"environment": {**os.environ, **self.preloaded}} | order
        if self._process.stdin is None:
            raise RuntimeError("the fork server has no ears")
        before = len(self._started)
        self._process.stdin.write(
            json.dumps({"words": words, "said": str(said), "printed": str(printed), **order}) + "\n"
        )
        self._process.stdin.flush()
        with self._news:
            if not self._news.wait_for(lambda: len(self._started) > before, PATIENCE):
                raise RuntimeError("the fork server does not answer")
            child = self._started[-1]
        child.said_to, child.printed_to = said, printed
        return child

    def without_the_shim(self) -> ForkServer:
        """Return the same server for commands that nobody records or gives a wrong time."""
        same = copy(self)
        same.preloaded = {}
        return same

    def calling(self, program: Path) -> list[str | Path]:
        """Return the words with which a shell runs a program of ours as a fork; the program's own come behind them."""
        return calling(self.door, program)

    def _listen(self) -> None:
        for line in self._process.stdout or ():
            answer = json.loads(line)
            with self._news:
                if "started" in answer:
                    child = self._children[answer["started"]] = Fork(answer["started"], Path())
                    self._started.append(child)
                elif "ended" in answer:
                    child = self._children.pop(answer["ended"])
                    child.code = answer["code"]
                    child.ended.set()
                self._news.notify_all()

    def _is_ready(self) -> bool:
        said = self._process.stdout.readline() if self._process.stdout is not None else ""
        self._pid = json.loads(said or "{}").get("ready", 0)  # which may be no child of this process
        return bool(self._pid)

    def __enter__(self) -> Self:
        is_ready = self._is_ready()
        if not is_ready and self._has_model:
            with self._process:  # until it has ended, too
                pass
            self._process = self._process_like(None)
            is_ready = self._is_ready()
        if not is_ready:
            raise RuntimeError("the fork server did not start")
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()  # at which it ends, with what it has started
        self._thread.join(PATIENCE)  # until nobody can print for it any more
        if is_stuck := self._thread.is_alive():  # something that a test left has its standard input open
            os.kill(self._pid, signal.SIGKILL)
            self._thread.join()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        if is_stuck:
            raise RuntimeError("the fork server did not end")


def calling(door: Path, program: Path) -> list[str | Path]:
    """Return the words with which a shell has the server behind a door run a program."""
    return [sys.executable, "-I", "-S", CALLED, door, program]


def is_loaded() -> bool:
    """Return whether the shim of tests/durability is loaded into this process."""
    return hasattr(ctypes.CDLL(None), "crash_arm")


def is_open(door: Path) -> bool:
    """Return whether a server is behind a door."""
    with contextlib.chdir(door.parent), socket.socket(socket.AF_UNIX) as caller:  # an address shorter than a path
        return caller.connect_ex(door.name) == 0


@contextlib.contextmanager
def fork(
    server: ForkServer, *words: str, entry: str = MAIN, environment: Mapping[str, str] | None = None, **order: Any
) -> Iterator[Fork]:
    """Start a command, or a function of words, as a fork of a process that has imported everything already.

    The fork leads a session, which is killed when the block ends.
    """
    variables = {**os.environ, **server.preloaded, **(environment or {})}
    it = server.start(*words, entry=entry, environment=variables, **order)
    try:
        yield it
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(it.pid, signal.SIGKILL)
        it.wait()


def forked(server: ForkServer, *words: str, entry: str = MAIN, **order: Any) -> subprocess.CompletedProcess[str]:
    """Run a command, or a function of words, to its end in a fork; its standard error comes without progress."""
    with fork(server, *words, entry=entry, **order) as it:
        printed, said = it.communicate()
        return subprocess.CompletedProcess(words, it.code or 0, printed, without_progress(said))
