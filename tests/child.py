"""How does a test start a process? In a block: the process ends with it, even if the test fails.

Otherwise the process would continue in the folder of its test. Python would warn of it during another test, which would
then fail by `filterwarnings`. A test waits for a condition, not for a time to pass.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time
import traceback
from contextlib import contextmanager, suppress
from subprocess import PIPE, CompletedProcess, Popen, run
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tests.forks import Fork

PATIENCE = 120.0  # seconds: even on the busiest machine, only a hanging process takes longer
POLL_SECONDS = 0.02
PROGRESS = re.compile(  # a line of spiders/progress.py
    r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC  [\d,]+ pages? \(.*\n?", re.MULTILINE
)


OF_OURS = frozenset({"PYTHONPATH", "SCRAPY_SETTINGS_MODULE"})  # variables that name this project
# A shell shows 130 for both: CPython ends itself by the signal if this came while `exec` made a dataclass.
INTERRUPTED = frozenset({130, -signal.SIGINT})


def elsewhere() -> dict[str, str]:
    """Return the environment variables without those of this checkout."""
    return {name: value for name, value in os.environ.items() if name not in OF_OURS}


def run_elsewhere(*words: str | Path, cwd: Path | None = None, code: int = 0) -> CompletedProcess[str]:
    """Run a program without the variables of this checkout, and check its exit code."""
    done = run(words, capture_output=True, text=True, check=False, cwd=cwd, env=elsewhere(), timeout=PATIENCE)
    assert done.returncode == code, done.stdout + done.stderr
    return done


@contextmanager
def child(command: Sequence[str | Path], **options: Any) -> Iterator[Popen[str]]:
    """Start a command in a session of its own, as a shell starts a job; kill the rest of it when the block ends."""
    with Popen(command, **({"stdout": PIPE, "stderr": PIPE, "text": True, "start_new_session": True} | options)) as it:
        try:
            yield it
        finally:
            with suppress(ProcessLookupError, PermissionError):  # it has ended, with all that it had started
                os.killpg(it.pid, signal.SIGKILL)


@contextmanager
def own_fork(work: Callable[[], object]) -> Iterator[int]:
    """Do some work in a fork of this process, and yield its id; kill it when the block ends, even if the test fails.

    Its exit code is 0, or 1 after an exception, which it prints. It never goes on with the tests of this process. Left
    behind, it would keep open what this process has open, and others would wait for its end.
    """
    pid = os.fork()
    if not pid:
        try:
            work()
            os._exit(0)
        except BaseException:  # noqa: BLE001 - this is where the fork ends
            traceback.print_exc(file=sys.__stderr__)
        finally:
            os._exit(1)
    try:
        yield pid
    finally:
        with suppress(ChildProcessError):  # the test has waited for its end
            if not os.waitpid(pid, os.WNOHANG)[0]:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def end_of_own_fork(work: Callable[[], object]) -> int:
    """Do some work in a fork of this process; return its exit code, or the signal that killed it, negative."""
    with own_fork(work) as pid:
        return end_of(pid, PATIENCE)


def end_of(pid: int, seconds: float) -> int:
    """Wait for the end of a child process; return its exit code, or the signal that killed it, negative.

    One that does not end in time prints where it is, if faulthandler is on, and is killed.
    """
    until = time.monotonic() + seconds
    while not (found := os.waitpid(pid, os.WNOHANG))[0]:
        if time.monotonic() > until:
            os.kill(pid, signal.SIGABRT)
            time.sleep(1)
            os.kill(pid, signal.SIGKILL)
            found = os.waitpid(pid, 0)
            break
        time.sleep(POLL_SECONDS)
    return os.waitstatus_to_exitcode(found[1])


def without_progress(stderr: str) -> str:
    """Return the standard error of a crawl without its progress, which a busy machine prints every ten seconds."""
    return PROGRESS.sub("", stderr)


def wait_until(condition: Callable[[], object], process: Popen[str] | Fork | None = None) -> None:
    """Wait for a condition. Fails after PATIENCE seconds, or if `process` ends before."""
    until = time.monotonic() + PATIENCE
    while not condition():
        ended = process is not None and process.poll() is not None
        if ended and not condition():
            raise AssertionError(f"it ended with {process and process.communicate()}")
        assert time.monotonic() < until, "what the test waits for does not come"
        time.sleep(POLL_SECONDS)
