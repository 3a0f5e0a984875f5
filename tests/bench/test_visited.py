"""Does the short form of the measurement work, and does a crawl's memory stay what it was?"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.seen.sets import SETS

BENCH = Path(__file__).resolve().parents[2] / "bench" / "visited"


def run(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, str(BENCH), *words], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_set_is_measured_at_a_small_size() -> None:
    rows = {row["name"]: row for row in json.loads(run("--urls", "3000", "--json"))["rows"]}
    assert set(rows) == set(SETS)
    assert 0 < rows["disk"]["disk_per_url"] < 20 < rows["text index"]["disk_per_url"]
    assert rows["spellings"]["again_per_second"] > 20 * rows["dupefilter"]["again_per_second"]
    assert {row["errors"] for name, row in rows.items() if name != "bits"} == {0.0}


def test_a_session_tells_how_it_grows_with_what_it_knows() -> None:
    told = json.loads(run("--growth", "10500"))
    assert (told["few"], told["many"] > 10_500) == (10_000, True)
    assert abs(told["growth"]) < 0.1


@pytest.mark.parametrize("name", SETS)
def test_a_set_knows_what_it_was_given(name: str, tmp_path: Path) -> None:
    visited = SETS[name](100, tmp_path)
    assert [visited.known(url) for url in ("http://a.example/1", "http://a.example/1", "http://a.example/2")] == [
        False,
        True,
        False,
    ]
