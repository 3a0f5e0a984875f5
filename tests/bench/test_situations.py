"""Does `bench/robots situations` play with both robots and grade them, and does the documentation have its table?"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from tests.child import PATIENCE
from tests.situations.catalogue import SITUATIONS

BENCH = Path(__file__).resolve().parents[2] / "bench" / "robots"


def test_both_robots_are_played_with_and_judged() -> None:
    done = subprocess.run(
        [sys.executable, str(BENCH), "situations", "H01", "H14", "H25", "H38", "--json"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    verdicts = {name: [one["verdict"] for one in both.values()] for name, both in json.loads(done.stdout).items()}
    assert verdicts == {
        "H01": ["right", "right"],
        "H14": ["right", "permitted"],
        "H25": ["right", "wrong"],
        "H38": ["right", "wrong"],
    }


def test_the_table_of_both_robots_has_every_row() -> None:
    told = (BENCH.parent.parent / "bench" / "README.md").read_text("utf-8")
    assert re.findall(r"^\| (H\d\d) \|", told, re.MULTILINE) == [one.id for one in SITUATIONS]


def test_a_situation_that_there_is_not_is_refused_with_those_there_are() -> None:
    done = subprocess.run(
        [sys.executable, str(BENCH), "situations", "H41"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "H41: there are H01, H02" in done.stderr
