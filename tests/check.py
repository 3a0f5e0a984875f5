"""Is the project as it says it is? `breadcrumb test` checks style, types, layers, tests.

Every check runs, even if one before it failed: a reader wants the whole list. All begin at once, because in a new clone
mypy takes half a minute on one core, and pytest as long to compile and collect the tests. What pytest prints is shown
last, with its count in the last line. With arguments, only pytest runs, and gets them.
"""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = Path(sys.executable).parent
MOST = 8  # processes: more would wait for each other's locks, and for the memory of some browsers
CHECKS = {
    "ruff check": [sys.executable, "-m", "ruff", "check"],
    "ruff format": [sys.executable, "-m", "ruff", "format", "--check"],
    "mypy": [sys.executable, "-m", "mypy"],
    # By itself: there can't be two modules named breadcrumb.
    "mypy, launcher": [sys.executable, "-m", "mypy", "--cache-dir=.mypy_cache/launcher", "breadcrumb"],
    "import-linter": [str(SCRIPTS / "lint-imports"), "--no-logo"],
    "import-linter, circles": [str(SCRIPTS / "lint-imports"), "--no-logo", "--config", "import_circles.toml"],
}


def all_tests() -> list[str]:
    """Return the command for pytest. It has two processes more than cores, since tests wait a third of their time."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    color = ["--color=yes"] if sys.stdout.isatty() else []  # pytest itself writes into a pipe
    return [sys.executable, "-m", "pytest", f"--processes={min(cores + 2, MOST)}", "--quick", *color]


def run_checks() -> int:
    # Python starts some hundred times: later processes reuse the compiled files of earlier ones.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    asked_to_stop: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _frame: asked_to_stop.append(number))  # the check gets it too, and ends
    tests = subprocess.Popen(all_tests(), stdout=subprocess.PIPE)
    checks = {
        name: subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for name, command in CHECKS.items()
    }
    failed: list[str] = []
    for name, check in checks.items():
        print(f"== {name}\n{check.communicate()[0]}", end="", flush=True)
        if check.returncode != 0:
            failed.append(name)
    print("== pytest", flush=True)
    if failed:
        print(f"FAILED before it: {', '.join(failed)}", flush=True)
    pass_on(tests.stdout)
    if tests.wait() != 0:
        failed.append("pytest")
    if asked_to_stop:
        return 128 + signal.SIGINT
    return 1 if failed else 0


def pass_on(printed: IO[bytes] | None) -> None:
    """Write at once what a program prints, until it ends."""
    while printed and (some := os.read(printed.fileno(), io.DEFAULT_BUFFER_SIZE)):
        sys.stdout.buffer.write(some)
        sys.stdout.flush()


def main(arguments: list[str]) -> int:
    os.chdir(ROOT)  # paths in arguments are the project's: tests/robots
    if arguments:
        os.execv(sys.executable, [sys.executable, "-m", "pytest", *arguments])
    return run_checks()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
