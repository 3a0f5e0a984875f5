"""A rebuild by two processes answers as that of one does; whatever happens to either of them, an index is in force."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import indexer.following
from crawldb.database import CrawlDatabase, DatabaseError
from crawldb.pages.feed import Feed
from indexer import open_index
from indexer.following import StopSignal, catch_up, update
from indexer.rebuilding import SecondProcess
from indexer.segments.generation import index_folder, read_generation
from tests.child import wait_until
from tests.commands.conftest import fill

if TYPE_CHECKING:
    from indexer.following import IndexUpdate

QUESTIONS = ("rye", "bread", "rye bread keeps", "sourdough starter", "Kruste", "小麦粉", "bakery", "site:bakery bread")


@pytest.fixture
def crawled(tmp_path: Path) -> Path:
    """The folder of a crawl of which nothing is indexed: five pages, and one that is known from links alone."""
    fill(tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def by_one(crawled: Path) -> IndexUpdate:
    """What one process does: it indexes the crawl."""
    return catch_up(crawled)


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of the files that this process makes reach the disk."""
    names: set[str] = set()
    sync = os.fsync

    def noted(handle: int) -> None:
        sync(handle)
        names.add(Path(f"/proc/self/fd/{handle}").readlink().name)

    monkeypatch.setattr(os, "fsync", noted)
    return names


class Shared:
    """A second process helps, however little there is to do. `fate`: what befalls it when it has been started."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.started: list[SecondProcess] = []
        self.fate = ""
        monkeypatch.setattr(indexer.following, "MIN_ROWS", 1)
        monkeypatch.setattr(indexer.following, "processors", lambda: 2)
        begin = SecondProcess.__init__

        def begun(second: SecondProcess, data: Path, folder: Path, last: int) -> None:
            if self.fate == "fails":
                folder.touch()  # in the place of its folder
            begin(second, data, folder, last)
            self.started.append(second)
            if self.fate == "dies":
                os.kill(second.pid, signal.SIGKILL)

        monkeypatch.setattr(SecondProcess, "__init__", begun)


@pytest.fixture
def shared(by_one: IndexUpdate, monkeypatch: pytest.MonkeyPatch) -> Shared:  # noqa: ARG001 - one process comes first
    return Shared(monkeypatch)


def answers(data: Path) -> list[tuple[str, str]]:
    """What is found, in order, with the parts of each score to the last digit."""
    searcher = open_index(data)
    hits = [hit for question in QUESTIONS for hit in searcher.search(question, 100).hits]
    return [(hit.url, repr(hit.explain())) for hit in hits]


def outcome(followed: IndexUpdate) -> tuple[int, int, int, bool]:
    return followed.put, followed.removed, followed.documents, followed.complete


def test_two_processes_answer_as_one_does(crawled: Path, by_one: IndexUpdate, shared: Shared, synced: set[str]) -> None:
    before = answers(crawled)
    together = catch_up(crawled, rebuild=True)
    [second] = shared.started
    assert second.segments, "it made its half"
    assert (outcome(together), together.fallback) == (outcome(by_one), "")
    assert answers(crawled) == before
    assert set(read_generation(index_folder(crawled)).files) <= synced, (
        "whoever wrote a segment, it is on the disk when it counts"
    )
    with CrawlDatabase(crawled, readonly=True) as database:
        assert open_index(crawled).position == Feed(database).last()


def test_the_first_index_of_a_whole_crawl_is_made_by_two(crawled: Path, by_one: IndexUpdate, shared: Shared) -> None:
    before = answers(crawled)
    (crawled / "index").rename(crawled / "before")
    assert outcome(catch_up(crawled)) == outcome(by_one)
    assert len(shared.started) == 1
    assert answers(crawled) == before


@pytest.mark.parametrize(("fate", "told"), [("dies", "was killed by SIGKILL"), ("fails", "failed: .*File exists.*")])
def test_without_the_second_process_the_first_does_all_and_says_so(
    crawled: Path, by_one: IndexUpdate, shared: Shared, fate: str, told: str
) -> None:
    shared.fate, before = fate, answers(crawled)
    alone = catch_up(crawled, rebuild=True)
    assert outcome(alone) == outcome(by_one)
    assert re.fullmatch(told, alone.fallback)
    assert answers(crawled) == before


def test_what_neither_process_can_read_is_told_and_the_old_index_stays(crawled: Path, shared: Shared) -> None:
    generation, before = open_index(crawled).generation, answers(crawled)
    with CrawlDatabase(crawled) as database:
        [first] = Feed(database).after(0, 1)
        database.connection.execute(
            "UPDATE page SET content = x'00' WHERE url = (SELECT id FROM url WHERE url = ?)", (first.url,)
        )
    with pytest.raises(DatabaseError, match=f"{first.url} is damaged"):
        catch_up(crawled, rebuild=True)
    assert _is_over(shared.started[0].pid)
    assert (open_index(crawled).generation, answers(crawled)) == (generation, before)


def test_a_rebuild_that_is_stopped_leaves_the_old_index(crawled: Path, by_one: IndexUpdate, shared: Shared) -> None:
    before = open_index(crawled).generation
    until = StopSignal()
    until.stop()
    stopped = update(crawled, until, rebuild=True)
    assert (stopped.complete, stopped.commits, stopped.documents) == (False, 0, by_one.documents)
    assert _is_over(shared.started[0].pid)
    assert open_index(crawled).generation == before
    assert catch_up(crawled).complete  # the next writer sweeps away what was begun
    assert [path.name for path in index_folder(crawled).glob("build-*")] == ["build-1"]


def test_the_second_process_ends_with_the_first(crawled: Path, tmp_path: Path) -> None:
    code = (
        "import os, sys, pathlib, indexer.rebuilding as r\n"
        "print(r.SecondProcess(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), 10**9).pid, flush=True)\n"
        "os.kill(os.getpid(), 9)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code, crawled, tmp_path / "second"], check=False, stdout=subprocess.PIPE, text=True
    )
    second = int(found.stdout)
    wait_until(lambda: _is_over(second))


def _is_over(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or "Z" in stat.read_text().rpartition(")")[2].split()[0]
