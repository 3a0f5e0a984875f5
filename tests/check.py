"""Is the project as it says it is? `breadcrumb test` checks style, types, layers, tests.

Every check runs, even if one before it failed: a reader wants the whole list. The checks of style, types and layers run
in parallel, because in a new clone mypy alone takes half a minute on one core. Meanwhile another process compiles the
tests. pytest is last, and its count is the last line. With arguments, only pytest runs, and gets them.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = Path(sys.executable).parent
MOST = 8  # processes: more would wait for each other's locks, and for the memory of some browsers
CHECKS = {
    "ruff check": [sys.executable, "-m", "ruff", "check"],
    "ruff format": [sys.executable, "-m", "ruff", "format", "--check"],
    "mypy": [sys.executable, "-m", "mypy"],
    "import-linter": [str(SCRIPTS / "lint-imports"), "--no-logo"],
    "import-linter, circles": [str(SCRIPTS / "lint-imports"), "--no-logo", "--config", "import_circles.toml"],
}
COLLECT = [
    sys.executable,
    "-m",
    "pytest",
    "--collect-only",
    "--quiet",
]  # each process of the tests reads the compiled files


def all_tests() -> list[str]:
    """Return the command for pytest. It has two processes more than cores, since tests wait a third of their time."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    processes = f"--numprocesses={min(cores + 2, MOST)}"
    return [sys.executable, "-m", "pytest", processes, "--dist=worksteal", "--quick"]


def run_checks() -> int:
    # Python starts some hundred times: later processes reuse the compiled files of earlier ones.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    asked_to_stop: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _frame: asked_to_stop.append(number))  # the check gets it too, and ends
    compiling = subprocess.Popen(COLLECT, stdout=subprocess.DEVNULL)  # pytest reports errors in a test
    checks = {
        name: subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for name, command in CHECKS.items()
    }
    failed: list[str] = []
    for name, check in checks.items():
        print(f"== {name}\n{check.communicate()[0]}", end="", flush=True)
        if check.returncode != 0:
            failed.append(name)
    compiling.wait()
    if asked_to_stop:
        return 128 + signal.SIGINT
    print("== pytest", flush=True)
    if failed:
        print(f"FAILED before it: {', '.join(failed)}", flush=True)
    if subprocess.call(all_tests()) != 0:
        failed.append("pytest")
    if asked_to_stop:
        return 128 + signal.SIGINT
    return 1 if failed else 0


def main(arguments: list[str]) -> int:
    os.chdir(ROOT)  # paths in arguments are the project's: tests/robots
    if arguments:
        os.execv(sys.executable, [sys.executable, "-m", "pytest", *arguments])
    return run_checks()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
