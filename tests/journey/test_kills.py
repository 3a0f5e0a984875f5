"""kill -9 at a random moment, and the next run: the short form of `bench/kills`, where every check is explained."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

KILLS = Path(__file__).resolve().parents[2] / "bench" / "kills"


def test_after_a_kill_the_next_run_makes_store_and_index_agree_with_the_truth() -> None:
    command = [sys.executable, str(KILLS), "--crawl", "2", "--index", "2", "--pages", "100", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
    assert done.stdout, done.stderr
    report = json.loads(done.stdout)
    assert report["faults_without_a_kill"] == []
    assert [kill["faults"] for kill in report["kills"]] == [[], [], [], []]
    assert {kill["victim"] for kill in report["kills"]} == {"crawl", "index"}
    assert done.returncode == 0
