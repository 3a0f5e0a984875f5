"""A disk that is soon full."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


SMALL = "2m"  # of that disk


@pytest.fixture
def small_disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A disk that is soon full, at the folder that the test names; not every machine gives the rights to mount one."""
    place = tmp_path / getattr(request, "param", "small")
    place.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL}", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk can't be mounted here: that takes root")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)  # at once, whoever still has a file of it open
