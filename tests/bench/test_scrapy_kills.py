"""Does `bench/scrapy_kills` sum what kills cost? That they are survived, tests/durability shows."""

from __future__ import annotations

import runpy
from pathlib import Path

from tests.durability.scrapy_kills import Cost

BENCH = Path(__file__).resolve().parents[2] / "bench" / "scrapy_kills"


def test_the_costs_of_all_kills_are_summed_and_the_worst_is_named() -> None:
    summed = runpy.run_path(str(BENCH))["_summed"]
    assert summed([Cost(lost=0, repeated=3), Cost(lost=7, repeated=1), Cost(lost=2, repeated=0)]) == {
        "kills_that_lost": 2,
        "lost": 9,
        "most_lost": 7,
        "repeated": 4,
        "most_repeated": 3,
    }
