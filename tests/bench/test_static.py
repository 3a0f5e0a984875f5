"""Does `bench/search static` measure a folder as a browser loads it?"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.gateway.conftest import bakery  # noqa: F401 - a fixture is found by its name

PROGRAM = Path(__file__).parents[2] / "bench" / "search"
pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.skipif(shutil.which("chromium") is None, reason="no Chromium on the PATH: install the package chromium")
def test_it_counts_what_a_query_loads_beyond_what_every_query_loads(bakery: Path) -> None:  # noqa: F811
    words = ("static", str(bakery), "--queries", "2", "--repeats", "1", "--json")
    done = subprocess.run([sys.executable, str(PROGRAM), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["queries"] == 2
    ours = told["breadcrumb"]
    assert 0 < ours["first KB"] <= ours["KB a query"] < ours["MB"] * 1000
    assert 8 <= ours["requests"] <= ours["files"]
