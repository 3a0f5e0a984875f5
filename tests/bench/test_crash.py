"""Does the short form of `bench/crash` kill, cut, start and damage? What sums `bench/crash scrapy`?

That a Scrapy project survives kills, tests/durability shows.
"""

import json

import pytest

from bench.crashing.scrapy_projects import summed
from tests.durability.scrapy_kills import Cost
from tests.forks import Bench

SHORT = ("--kills", "1", "--cuts", "1", "--starts", "1", "--known", "1001", "--pages", "8")


def test_a_short_form_finds_no_fault_and_tells_what_it_did(bench: Bench) -> None:
    done = bench("crash", *SHORT, "--json")
    if "with a C compiler" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["faults"] == []
    assert sum(row["kills"] for row in report["kills"]) >= 1
    assert (len(report["cuts"]), len(report["starts"]), len(report["restarts"])) == (1, 1, 1)
    assert report["known"] == 1001


def test_a_short_form_damages_asks_mends_and_tells_what_came_of_it(bench: Bench) -> None:
    done = bench("crash", "damage", "--trials", "5", "--crawls", "5", "--pages", "8", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["faults"] == []
    sums = report["damage"][-1]
    assert (sums["file"], sums["trials"], sums["silent"], sums["tracebacks"]) == ("all", 5, 0, 0)
    assert sums["told"] >= 3  # all but the damaged seals, at most
    assert sums["not_mended"] == 0


def test_the_costs_of_all_kills_are_summed_and_the_worst_is_named() -> None:
    assert summed([Cost(lost=0, repeated=3), Cost(lost=7, repeated=1), Cost(lost=2, repeated=0)]) == {
        "kills_that_lost": 2,
        "lost": 9,
        "most_lost": 7,
        "repeated": 4,
        "most_repeated": 3,
    }
