"""How is the engine called? It runs in a process of its own, with a JSON object a line in each direction.

So a program may have modules of any name, threads and signal handlers of its own. Calls of several threads wait for
each other.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from threading import Lock
from typing import Any
from weakref import finalize

from breadcrumb import errors
from breadcrumb.engine import EngineError, find_engine, without_module

FROM_ENGINE = (errors.NoIndex, errors.UnusableFolder, errors.FolderInUse, errors.InvalidValue)
KINDS = {kind.__name__: kind for kind in FROM_ENGINE}
PATIENCE = 10.0  # seconds for the process to end once it has no more input


class EngineProcess:
    """The process. It ends with `close`, with this object, or with the program that started it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._owner = os.getpid()
        try:
            engine = find_engine()
        except EngineError as error:
            raise errors.EngineStopped(str(error)) from error
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-P", str(engine_program()), str(engine)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment | {"PYTHONUTF8": "1"},
                text=True,
                encoding="utf-8",
            )
        except OSError as error:
            raise errors.EngineStopped(f"{sys.executable} can't be started: {error}") from error
        self._end = finalize(self, _end, self._process)

    def call(self, name: str, **arguments: object) -> Any:  # whatever JSON has
        """Call a function of the engine. Raises the errors of this package."""
        if os.getpid() != self._owner:
            raise errors.EngineStopped("this index was opened by a process that has forked since: open it again here")
        try:
            line = json.dumps([name, arguments])
        except (TypeError, ValueError) as error:
            raise errors.InvalidValue(f"{name}: {error}; give text, numbers, yes or no") from None
        with self._lock:
            answer = self._exchange(line)
        if "missing" in answer:
            self._end()
            raise errors.EngineStopped(without_module(answer["missing"]))
        if "error" in answer:
            raise KINDS.get(answer["kind"], errors.Error)(answer["error"])
        return answer["result"]

    def _exchange(self, line: str) -> dict[str, Any]:
        if not self._end.alive or self._process.stdin is None or self._process.stdout is None:
            raise errors.EngineStopped("it was closed: open it again")
        try:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except OSError:
            answer = ""
        except BaseException:  # Ctrl-C: the answer that still comes would be taken for that of the next call
            self._process.kill()
            self._end()
            raise
        if not answer:
            self._end()
            raise errors.EngineStopped(
                f"the process of the engine ended with {self._process.returncode}: open it again"
            )
        found: dict[str, Any] = json.loads(answer)
        return found

    @property
    def is_open(self) -> bool:
        """Whether it can be called."""
        return self._end.alive and os.getpid() == self._owner

    def close(self) -> None:
        """End the process."""
        if os.getpid() == self._owner:
            self._end()


def engine_program() -> str:
    """Return the path of the program that runs in the process."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")  # noqa: PTH118, PTH120, PTH100


def _end(process: subprocess.Popen[str]) -> None:
    """Let a process end: it does when its input ends."""
    for pipe in (process.stdin, process.stdout):
        try:
            if pipe is not None:
                pipe.close()
        except OSError:
            pass  # it has ended already
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
