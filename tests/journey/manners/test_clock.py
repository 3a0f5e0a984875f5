"""The clock on the wall jumps: back a day, to 2038, in the midst of a run. Order comes from numbers, not from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer import open_index
from tests.child import PATIENCE, without_progress
from tests.forks import forked
from tests.journey.conftest import Folder, Site, html

if TYPE_CHECKING:
    from tests.forks import ForkServer

DAY = 24 * 3600
TO_2038 = 12 * 365 * DAY
PAGES = 12


@pytest.fixture
def small(site: Site) -> Site:
    site.pages = {"/robots.txt": (200, {"Content-Type": "text/plain"}, b"")}
    site.pages["/"] = html("home", *(f"/{place}" for place in range(PAGES)))
    site.pages |= {f"/{place}": html(f"page {place}", text=f"Only here: word{place}.") for place in range(PAGES)}
    return site


def crawl(
    folder: Folder,
    site: Site,
    recorded_forks: ForkServer,
    *,
    wrong_by: int = 0,
    after: int = 0,
    pages: int = 0,
    delay: float = 0.02,
    wait: float = PATIENCE,
) -> None:
    """Crawl at a pace while the clock is wrong by so many seconds, and wait so long for what was put off."""
    words = ["crawl", "site", "-a", f"seeds={site.url}/", "-s", f"DATA_DIR={folder.path}"]
    words += ["-s", f"DOWNLOAD_DELAY={delay}", "-s", f"WAIT_SECONDS={wait}", "-s", "PROBE_AFTER=0"]
    limit = ["-a", f"pages={pages}"] if pages else []
    done = forked(recorded_forks, *words, *limit, wrong_by=wrong_by, after=after)
    assert (done.returncode, without_progress(done.stderr)) == (0, "")


def is_whole(folder: Folder, rounds: int) -> None:
    urls = folder.report()["urls"]
    assert urls["discovered"] == urls["done"] == PAGES + 1
    assert folder.report()["rounds"] == {"begun": rounds, "open": 0}
    assert open_index(folder.path).documents == PAGES + 1


@pytest.mark.slow
@pytest.mark.parametrize("wrong_by", [-DAY, TO_2038], ids=["back a day", "2038"])
def test_a_round_goes_on_and_the_next_one_comes_with_a_wrong_clock_and_with_the_right_one_again(
    folder: Folder, small: Site, recorded_forks: ForkServer, wrong_by: int
) -> None:
    crawl(folder, small, recorded_forks, pages=4)
    crawl(folder, small, recorded_forks, wrong_by=wrong_by)
    is_whole(folder, rounds=1)
    with folder.database() as database:
        first, last = database.connection.execute("SELECT min(started_at), max(started_at) FROM run").fetchone()
    assert last - first == pytest.approx(abs(wrong_by), abs=PATIENCE), "the clock was wrong"
    small.pages["/3"] = html("page 3", text="Only here: newword.")
    small.log.clear()
    crawl(folder, small, recorded_forks)
    assert sorted(set(small.asked()) - {"/robots.txt"}) == sorted(set(small.pages) - {"/robots.txt"})
    is_whole(folder, rounds=2)
    assert folder.search("newword") == ["/3"]
    assert folder.search("word3") == []


@pytest.mark.slow
def test_what_rests_and_what_was_put_off_waits_no_longer_after_the_clock_was_set_back(
    folder: Folder, small: Site, recorded_forks: ForkServer
) -> None:
    rested, small.pages["/3"] = small.pages["/3"], (429, {"Retry-After": "2"}, b"")
    crawl(folder, small, recorded_forks, wrong_by=TO_2038, wait=0)
    assert folder.report()["urls"]["queued"] > 0
    small.pages["/3"] = rested
    crawl(folder, small, recorded_forks)
    is_whole(folder, rounds=2)


@pytest.mark.slow
def test_a_clock_that_is_set_back_in_the_midst_of_a_run_does_not_stop_it(
    folder: Folder, small: Site, recorded_forks: ForkServer
) -> None:
    crawl(folder, small, recorded_forks, wrong_by=-DAY, after=1, delay=0.2)
    is_whole(folder, rounds=1)
