"""Does the short form of `bench/crash` kill, cut and start, and tell what came of it?"""

import json

import pytest

from tests.forks import Bench

SHORT = ("--kills", "1", "--cuts", "1", "--starts", "1", "--known", "1001", "--pages", "16")


def test_a_short_form_finds_no_fault_and_tells_what_it_did(bench: Bench) -> None:
    done = bench("crash", *SHORT, "--json")
    if "with a C compiler" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["faults"] == []
    assert [one["faults"] for one in (*report["kills"], *report["cuts"])] == [[]] * (len(report["kills"]) + 1)
    assert len(report["kills"]) >= 1
    assert (len(report["cuts"]), len(report["starts"]), len(report["restarts"])) == (1, 1, 1)
    assert report["known"] == 1001


def test_a_short_form_damages_asks_mends_and_tells_what_came_of_it(bench: Bench) -> None:
    done = bench("crash", "--damage", "10", "--crawls", "5", "--pages", "16", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["faults"] == []
    assert [trial["faults"] for trial in report["trials"]] == [[]] * 10
    told = [trial for trial in report["trials"] if trial["told"]]
    assert len(told) >= 6  # all but the damaged seals, at most
    assert all(trial["mended"] for trial in told)
