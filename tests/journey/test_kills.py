"""Kills and power cuts, and the next run: the short form of `bench/crash`, where every check is explained."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

CRASH = Path(__file__).resolve().parents[2] / "bench" / "crash"


def crash(*options: str) -> dict[str, list[dict[str, object]]]:
    """Run the bench; skip where nothing can be recorded."""
    command = [sys.executable, str(CRASH), "--starts", "0", "--pages", "16", "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
    if "with a C compiler" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.stdout, done.stderr
    report: dict[str, list[dict[str, object]]] = json.loads(done.stdout)
    assert report["faults"] == []
    assert done.returncode == 0, report
    return report


def test_after_a_kill_at_any_call_nothing_is_lost_and_the_next_run_makes_all_agree_with_the_truth() -> None:
    report = crash("--kills", "10", "--cuts", "0")
    assert [kill["faults"] for kill in report["kills"]] == [[]] * len(report["kills"])
    assert len(report["kills"]) >= 10


def test_after_a_power_cut_what_was_acknowledged_is_there_and_the_next_run_completes_it() -> None:
    report = crash("--kills", "0", "--cuts", "8")
    assert [cut["faults"] for cut in report["cuts"]] == [[]] * 8
