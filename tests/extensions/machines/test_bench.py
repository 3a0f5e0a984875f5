"""Do `bench/cluster` and `bench/opensearch` kill and judge, measure what ways cost, and simulate what is too large?"""

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
    head, line = done.stdout.splitlines()
    assert head.split()[:3] == ["killed", "kills", "again"]
    assert line.startswith("the driver, with kill -9; then the same command")
    again = json.loads(bench("cluster", *words, "--json").stdout)
    assert again == [json.loads(log.read_text())], "what was judged before counts, and nothing is killed again"


@pytest.mark.long  # .ci/run and the labs crawl each of these ways, too
def test_ways_to_crawl_are_measured_one_after_the_other(bench: Bench) -> None:
    costs = json.loads(bench("cluster", "--costs", "--seconds", "2", "--json").stdout)
    assert [one["way"] for one in costs] == ["crawl", "farm -n 2", "cluster, processes[2]"]
    assert [one["fault"] for one in costs] == [""] * 3
    assert {one["pages"] for one in costs} == {8 * 4}


def test_a_crawl_of_a_million_pages_is_simulated(bench: Bench) -> None:
    told = bench("cluster", "scale", "--pages", "1000000", "--days", "2").stdout
    assert told.startswith("1,000,000 pages\n")
    report = json.loads(bench("cluster", "scale", "--pages", "1000000", "--days", "2", "--json").stdout)
    assert [crawl["plan"]["pages"] for crawl in report["crawls"]] == [1_000_000]
    assert "give NAME=VALUE" in bench("cluster", "scale", "--cost", "x").stderr


def test_an_index_in_opensearch_is_measured_where_there_can_be_one(bench: Bench, tmp_path: Path) -> None:
    folder = make_collection(tmp_path / "grains")
    done = bench("opensearch", "pages", str(folder), "--sizes", "20")
    if lacking := missing():
        assert (done.returncode, done.stderr.strip()) == (2, lacking)
        return
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("20 pages: in the folder ")


def test_what_a_killed_node_has_committed_is_there_once_and_as_it_was(bench: Bench) -> None:
    if lacking := missing():
        pytest.skip(lacking)
    done = bench("opensearch", "kills", "--times", "1", "--nodes", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("1 kills in 2 rounds of a writer, 600 changes, ")
    assert done.stdout.endswith(": 0 lost, twice or stale\n")
