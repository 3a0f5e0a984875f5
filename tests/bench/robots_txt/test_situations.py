"""Does `bench/robots situations` play with both robots and grade them, and does the documentation have its table?"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from tests.situations.catalogue import SITUATIONS

if TYPE_CHECKING:
    from tests.forks import Bench

BENCH = Path(__file__).resolve().parents[3] / "bench"


def test_both_robots_are_played_with_and_judged(bench: Bench) -> None:
    done = bench("robots", "situations", "H14", "H38", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["situations"]
    assert {name: (row["ours"], row["theirs"].partition(":")[0]) for name, row in found.items()} == {
        "H14": ("right", "permitted"),
        "H38": ("right", "wrong"),
    }


def test_the_table_of_both_robots_has_every_row() -> None:
    told = (BENCH / "README.md").read_text("utf-8")
    assert re.findall(r"^\| (H\d\d) \|", told, re.MULTILINE) == [one.id for one in SITUATIONS]


def test_a_situation_that_there_is_not_is_refused_with_those_there_are(bench: Bench) -> None:
    done = bench("robots", "situations", "H41")
    assert done.returncode == 2
    assert "H41: there are H01, H02" in done.stderr
