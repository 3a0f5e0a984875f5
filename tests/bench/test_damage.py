"""Does the short form of `bench/damage` damage, ask and mend, and tell what came of it?"""

import json
import subprocess
import sys
from pathlib import Path

from tests.child import PATIENCE

BENCH = Path(__file__).resolve().parents[2] / "bench" / "damage"


def test_a_short_form_finds_no_fault_and_tells_what_it_did() -> None:
    command = [sys.executable, str(BENCH), "--trials", "10", "--crawls", "5", "--pages", "16", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["faults"] == []
    assert [trial["faults"] for trial in report["trials"]] == [[]] * 10
    told = [trial for trial in report["trials"] if trial["told"]]
    assert len(told) >= 6  # all but the damaged seals, at most
    assert all(trial["mended"] for trial in told)
