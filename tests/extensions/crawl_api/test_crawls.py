"""The process of a crawl: how it ends is known to any gateway, and it gets one signal."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from extensions.crawl_api.crawls import FOLDER, KEPT, CrawlRuns, StartedCrawl, StartedCrawls
from tests.child import wait_until

if TYPE_CHECKING:
    from pathlib import Path

REQUEST = {"arguments": {}, "at": 1.0, "newest_run": 0}


def begun(folder: Path, script: str) -> StartedCrawl:
    """A crawl whose command is a script of the shell, which gets the option --pidfile as its arguments."""
    crawl = StartedCrawl(1, folder / "1")
    crawl.begin(REQUEST, ["/bin/sh", "-c", script, "script"])
    return crawl


def ended(crawl: StartedCrawl) -> tuple[str, int | None]:
    wait_until(lambda: not crawl.runs())
    return crawl.state(), crawl.exit_code()


@pytest.mark.parametrize(
    ("script", "state", "code"),
    [
        ("echo fine", "finished", 0),
        ("echo no page >&2; exit 1", "failed", 1),
        ("exit 2", "failed", 2),
        ("exit 130", "interrupted", 130),
        ("kill -9 $$", "killed", 137),
    ],
)
def test_how_it_ended_is_kept(tmp_path: Path, script: str, state: str, code: int) -> None:
    crawl = begun(tmp_path, script)
    assert ended(crawl) == (state, code)
    assert (crawl.ended_at() or 0) > 1


def test_the_end_of_its_log_is_kept_within_bounds(tmp_path: Path) -> None:
    crawl = begun(tmp_path, "seq 100000; printf 'not text: \\377\\n' >&2; exit 1")
    ended(crawl)
    assert crawl.last_lines() == [*map(str, range(99_982, 100_001)), "not text: �"]


def test_it_is_stopped_by_one_signal_and_another_gateway_knows(tmp_path: Path) -> None:
    stops = tmp_path / "stops"
    script = f'trap "echo x >>{stops}" INT; echo ready; while [ ! -e {tmp_path}/go ]; do sleep 0.05; done; exit 130'
    crawl = begun(tmp_path, script)
    wait_until(lambda: crawl.last_lines() == ["ready"])
    assert (crawl.state(), crawl.ended_at()) == ("running", None)
    crawl.stop()
    StartedCrawl(1, crawl.folder).stop()
    wait_until(stops.exists)
    assert StartedCrawl(1, crawl.folder).state() == "stopping"
    (tmp_path / "go").touch()
    assert ended(StartedCrawl(1, crawl.folder)) == ("interrupted", 130)
    assert stops.read_text() == "x\n"
    crawl.stop()  # it has ended: nobody gets a signal


def test_one_that_was_killed_with_its_shell_does_not_seem_to_run(tmp_path: Path) -> None:
    crawl = begun(tmp_path, "echo ready; sleep 600")
    wait_until(lambda: crawl.last_lines() == ["ready"])
    os.killpg(int((crawl.folder / "group").read_text()), signal.SIGKILL)
    assert ended(crawl) == ("killed", None)
    assert crawl.ended_at() is None


@pytest.fixture
def started(tmp_path: Path) -> StartedCrawls:
    """The crawls of a folder; each prints its own command line, and waits for a file `go`."""
    wait = f'echo "$@"; while [ ! -e {tmp_path}/go ]; do sleep 0.05; done'
    given = ["DATA_DIR=other", "ADMIN_TOKEN=hidden0123456789", "CONTACT=me@example.org"]
    return StartedCrawls(tmp_path, given, lambda words, settings: ["/bin/sh", "-c", wait, "sh", *words, *settings])


def test_a_second_one_is_refused_and_old_ones_go(tmp_path: Path, started: StartedCrawls) -> None:
    crawl = started.start({"pages": 3, "seeds": ["http://a.example/,b"]}, 0)
    with pytest.raises(CrawlRuns) as refused:
        StartedCrawls(tmp_path, []).start({}, 0)
    assert refused.value.number == 1
    assert started.running() == crawl
    wait_until(crawl.last_lines)
    [line] = crawl.last_lines()
    assert line.startswith(f"crawl site -a pages=3 DATA_DIR={tmp_path} CONTACT=me@example.org --pidfile ")
    assert (crawl.folder / "seeds.txt").read_text() == "http://a.example/,b\n"
    (tmp_path / "go").touch()
    for _ in range(KEPT + 1):
        wait_until(lambda: started.running() is None)
        started.start({}, 0)
    assert sorted(int(path.name) for path in (tmp_path / FOLDER).iterdir()) == [*range(3, KEPT + 3)]
    assert started.find(2) is None
    wait_until(lambda: started.running() is None)
