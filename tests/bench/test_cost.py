"""Does the cost of a command include what its children took?"""

import sys
from pathlib import Path

import pytest

from bench.crawling.crawl import MIB
from bench.harness.cost import PROC, CommandFailedError, measure_command

HELD = 64  # MiB
HOLD = f"held = b'x' * {HELD} * 1024 * 1024; import time; time.sleep(2)"  # long enough to be looked at
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {HOLD!r}], check=True); print('done')"


def test_the_output_of_a_command_comes_with_its_cost(tmp_path: Path) -> None:
    cost, output = measure_command([sys.executable, "-c", "import os; print(os.getcwd())"], cwd=tmp_path)
    assert output.strip() == str(tmp_path.resolve())
    assert cost.cpu > 0
    assert cost.wall > 0


@pytest.mark.skipif(not (PROC / "self" / "status").exists(), reason="only Linux tells the memory of each process")
def test_each_process_has_its_own_peak(tmp_path: Path) -> None:
    cost, _ = measure_command([sys.executable, "-c", PARENT], cwd=tmp_path)
    assert len(cost.peaks) == 2
    assert cost.largest > HELD * MIB
    assert cost.together - cost.largest < HELD * MIB  # the parent is not charged with what its child held


def test_a_command_that_fails_raises_with_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(CommandFailedError, match=r"exit code 3:\n.*no such site"):
        measure_command(
            [sys.executable, "-c", "import sys; print('no such site', file=sys.stderr); sys.exit(3)"], cwd=tmp_path
        )
