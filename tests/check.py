"""Is the project as it says it is? `breadcrumb test` checks style, types, layers, tests.

Every check runs, whether or not one before it failed: a reader wants the whole list. pytest is last, so that its
count is what one sees. With arguments it is pytest alone, which gets them.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = Path(sys.executable).parent
CHECKS = {
    "ruff check": [sys.executable, "-m", "ruff", "check"],
    "ruff format": [sys.executable, "-m", "ruff", "format", "--check"],
    "mypy": [sys.executable, "-m", "mypy"],
    "import-linter": [str(SCRIPTS / "lint-imports"), "--no-logo"],
    "pytest": [sys.executable, "-m", "pytest", "--numprocesses=auto", "--maxprocesses=8", "--dist=worksteal"],
}


def run_checks() -> int:
    asked_to_stop: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _frame: asked_to_stop.append(number))  # the check gets it too, and ends
    failed = []
    for name, command in CHECKS.items():
        print(f"== {name}", flush=True)
        if subprocess.call(command) != 0:
            failed.append(name)
        if asked_to_stop:
            return 128 + signal.SIGINT
    print(f"failed: {', '.join(failed)}" if failed else "all checks passed", file=sys.stderr)
    return 1 if failed else 0


def main(arguments: list[str]) -> int:
    os.chdir(ROOT)  # paths in arguments are the project's: tests/robots
    if arguments:
        os.execv(sys.executable, [sys.executable, "-m", "pytest", *arguments])
    return run_checks()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
