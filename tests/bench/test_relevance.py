"""Does `bench/relevance` judge answers, and does `weights` try each weight and say what it brings?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.bench.collections import NAMES, make_collection

if TYPE_CHECKING:
    from pathlib import Path

    from tests.forks import Bench


def relevance(bench: Bench, *words: str) -> str:
    done = bench("relevance", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_question_finds_its_page_and_a_table_shows_it(bench: Bench, tmp_path: Path) -> None:
    folder = str(make_collection(tmp_path / "grains"))
    [row] = json.loads(relevance(bench, folder, "--json"))
    assert (row["collection"], row["pages"], row["queries"]) == ("grains", len(NAMES), len(NAMES))
    assert (row["ndcg@10"], row["mrr@10"], row["success@10"]) == (1.0, 1.0, 1.0)
    head, line = relevance(bench, folder).splitlines()
    assert head.split()[:4] == ["collection", "pages", "index", "ms"]
    assert line.split()[:2] == ["grains", "6"]


def test_each_weight_is_tried_and_what_it_brings_is_told(bench: Bench, tmp_path: Path) -> None:
    folder = str(make_collection(tmp_path / "grains"))
    report = json.loads(relevance(bench, "weights", folder, "--off", "--only", "title", "--folds", "2", "--json"))
    assert report["as they are"] == {"grains": 1.0}
    assert list(report["changes"]) == ["title=0"]
    assert report["folds"] == 2
    assert report["chosen"] <= report["best"]
