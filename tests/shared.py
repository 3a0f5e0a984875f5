"""What do the processes of the tests make once, for all of them? Folders that take seconds to make."""

from __future__ import annotations

import fcntl
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest


def made_once(factory: pytest.TempPathFactory, worker_id: str, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that the first process to need it fills; the others wait for that. Tests only read it."""
    base = factory.getbasetemp() if worker_id == "master" else factory.getbasetemp().parent
    folder, whole = base / name, base / f"{name}.whole"
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not whole.exists():
            shutil.rmtree(folder, ignore_errors=True)  # of a process that failed to make it
            folder.mkdir()
            make(folder)
            whole.touch()
    return folder
