"""How does a program of bench/ begin? In the project's own Python.

A program started by its name runs in the first Python on the PATH, but its packages are in `.venv`. So it imports this
module before anything outside the standard library. If it runs in another Python, this module restarts it with that of
`.venv`.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
FOR_TESTS = "pytest"  # a package that only the lock file of the tests has


def _enter() -> None:
    program = Path(sys.argv[0]).resolve()
    if ROOT / "bench" not in program.parents:
        return  # a test imports a program's module
    if PYTHON.exists() and Path(sys.prefix).resolve() != VENV.resolve():
        os.execv(PYTHON, [str(PYTHON), *sys.argv])
    if find_spec(FOR_TESTS) is None:
        raise SystemExit(
            f"{program.relative_to(ROOT)}: the packages of the tests are not installed; "
            "./breadcrumb test --version installs them"
        )


_enter()
