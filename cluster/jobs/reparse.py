"""How are all stored pages of all parts read and judged again? Each part by itself, with the command for one.

Near copies and ranks over all parts are computed anew after it.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cluster.store.objects import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cluster.jobs.places import PartsPlace

ROOT = Path(__file__).resolve().parents[2]
DONE = (0, 1)  # exit codes of `reparse`: 1 where a page can't be read
LINES = 3  # of what a command that failed said


def reparse_all(place: PartsPlace, words: Sequence[str], tell: Callable[[str], None]) -> None:
    """Read and judge all pages again; `words` are settings (-s NAME=VALUE). Raises `StoreError` where one can't be."""
    for part in place.parts:
        said = place.change(part, partial(_reparse, words=tuple(words)))
        tell(f"part {part}: {said}")


def _reparse(folder: Path, words: Sequence[str]) -> str:
    command = [sys.executable, "-m", "commands", "reparse", "-s", f"DATA_DIR={folder}", *words]
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode not in DONE:
        raise StoreError("reparse failed: " + " ".join(done.stderr.splitlines()[-LINES:]))
    return next(iter(done.stdout.splitlines()), "nothing to read again")
