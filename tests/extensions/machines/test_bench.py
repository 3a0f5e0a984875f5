"""Do `bench/cluster` and `bench/index` kill and judge, measure what ways cost, and simulate what is too large?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.bench.collections import make_collection
from tests.extensions.machines.opensearch.nodes import missing

if TYPE_CHECKING:
    from pathlib import Path

    from tests.forks import Bench


def test_a_crawl_whose_driver_is_killed_is_judged_and_written_down(bench: Bench, tmp_path: Path) -> None:
    log = tmp_path / "kills.jsonl"
    words = ("--victim", "driver", "--kills", "1", "--pages", "8", "--log", str(log))
    done = bench("cluster", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    _, head, line, faults = done.stdout.splitlines()
    assert head.split()[:3] == ["killed", "kills", "again"]
    assert line.strip().startswith("the driver, with kill -9; then the same command")
    assert faults == "faults: none"
    judged = log.read_text()
    assert bench("cluster", *words).stdout == done.stdout, "what was judged before counts"
    assert log.read_text() == judged, "nothing is killed again"


@pytest.mark.long  # .ci/run and the labs crawl each of these ways, too
def test_ways_to_crawl_are_measured_one_after_the_other(bench: Bench) -> None:
    costs = json.loads(bench("cluster", "--costs", "--seconds", "2", "--json").stdout)["costs"]
    assert [one["way"] for one in costs] == ["crawl", "farm -n 2", "cluster, processes[2]"]
    assert [one["fault"] for one in costs] == [""] * 3
    assert {one["pages"] for one in costs} == {8 * 4}


def test_a_crawl_of_a_million_pages_is_simulated(bench: Bench) -> None:
    told = bench("cluster", "scale", "--pages", "1000000", "--days", "2").stdout
    assert "\n  1,000,000 pages:\n" in told
    report = json.loads(bench("cluster", "scale", "--pages", "1000000", "--days", "2", "--json").stdout)
    assert [crawl["plan"]["pages"] for crawl in report["crawls"].values()] == [1_000_000]
    assert "give NAME=VALUE" in bench("cluster", "scale", "--cost", "x").stderr


def test_an_index_in_opensearch_is_measured_where_there_can_be_one(bench: Bench, tmp_path: Path) -> None:
    folder = make_collection(tmp_path / "grains")
    done = bench("index", str(folder), "--opensearch", "--pages", "20", "--repeats", "1", "--json")
    if lacking := missing():
        assert (done.returncode, lacking in done.stderr) == (2, True)
        return
    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)["indexing"]["opensearch"]
    assert row["bytes_per_page"] > 0 < row["node_s_per_s"]


def test_what_a_killed_node_has_committed_is_there_once_and_as_it_was(bench: Bench) -> None:
    if lacking := missing():
        pytest.skip(lacking)
    done = bench("index", "kills", "--times", "1", "--nodes", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("kills: 1\nnodes: 1\nrounds: 2\nchanges: 600\n")
