"""Does `bench/index` let the writers index the same pages, and time updates?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.bench.collections import NAMES, make_collection

if TYPE_CHECKING:
    from pathlib import Path

    from tests.forks import Bench


def test_the_writers_take_turns_and_updates_are_timed(bench: Bench, tmp_path: Path) -> None:
    folder = make_collection(tmp_path / "grains")
    words = [str(folder), "--pages", str(len(NAMES)), "--repeats", "1", "--json"]
    done = bench("index", *words)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert list(report["indexing"])[:2] == ["ours", "whoosh"]
    assert report["indexing"]["ours"]["times_ours"] == 1.0
    assert all(row["bytes_per_character"] > 0 for row in report["indexing"].values())
    assert [row["index"] for row in report["updates"]] == [200, 400, 800, 1600, 3200]
    assert all(row["update_ms"] > 0 < row["add_ms"] for row in report["updates"])
