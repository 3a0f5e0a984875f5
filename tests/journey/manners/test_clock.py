"""The clock on the wall jumps: back a day, to 2038, in the midst of a run. Order comes from numbers, not from it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from indexer import open_index
from tests.child import PATIENCE, complaints
from tests.durability.recording import NoShim, build_shim
from tests.journey.conftest import Folder, Site, html

DAY = 24 * 3600
TO_2038 = 12 * 365 * DAY
PAGES = 12
COMMANDS = Path(__file__).resolve().parents[3] / "commands"


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        return build_shim(tmp_path_factory.mktemp("shim"))
    except NoShim as reason:
        pytest.skip(str(reason))


@pytest.fixture
def small(site: Site) -> Site:
    site.pages = {"/robots.txt": (200, {"Content-Type": "text/plain"}, b"")}
    site.pages["/"] = html("home", *(f"/{place}" for place in range(PAGES)))
    site.pages |= {f"/{place}": html(f"page {place}", text=f"Only here: word{place}.") for place in range(PAGES)}
    return site


def crawl(folder: Folder, site: Site, shim: Path, *, wrong_by: int = 0, after: int = 0, pages: int = 0) -> None:
    """Crawl while the clock is wrong by so many seconds."""
    words = [
        sys.executable,
        str(COMMANDS),
        "crawl",
        "site",
        "-a",
        f"seeds={site.url}/",
        "-s",
        f"DATA_DIR={folder.path}",
    ]
    limit = ["-a", f"pages={pages}"] if pages else []
    clock = {"LD_PRELOAD": str(shim), "CRASH_CLOCK": str(wrong_by), "CRASH_JUMP": str(after)}
    done = subprocess.run(
        [*words, *limit], capture_output=True, text=True, timeout=PATIENCE, check=False, env=os.environ | clock
    )
    assert (done.returncode, complaints(done.stderr)) == (0, [])


def is_whole(folder: Folder, rounds: int) -> None:
    urls = folder.report()["urls"]
    assert urls["discovered"] == urls["done"] == PAGES + 1
    assert folder.report()["rounds"] == {"begun": rounds, "open": 0}
    assert open_index(folder.path).documents == PAGES + 1


@pytest.mark.parametrize("wrong_by", [-DAY, TO_2038], ids=["back a day", "2038"])
def test_a_round_goes_on_and_the_next_one_comes_with_a_wrong_clock_and_with_the_right_one_again(
    folder: Folder, small: Site, shim: Path, wrong_by: int
) -> None:
    crawl(folder, small, shim, pages=4)
    crawl(folder, small, shim, wrong_by=wrong_by)
    is_whole(folder, rounds=1)
    small.pages["/3"] = html("page 3", text="Only here: newword.")
    small.log.clear()
    crawl(folder, small, shim)
    assert sorted(set(small.asked()) - {"/robots.txt"}) == sorted(set(small.pages) - {"/robots.txt"})
    is_whole(folder, rounds=2)
    assert folder.search("newword") == ["/3"]
    assert folder.search("word3") == []


def test_a_clock_that_is_set_back_in_the_midst_of_a_run_does_not_stop_it(
    folder: Folder, small: Site, shim: Path
) -> None:
    crawl(folder, small, shim, wrong_by=-DAY, after=1)
    is_whole(folder, rounds=1)
