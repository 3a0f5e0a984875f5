"""A command killed between two of its commits is shown as open work, and the next command finishes it."""

from __future__ import annotations

import json
import re
import shutil
import signal
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from crawldb.pages.feed import Feed
from crawldb.tables.open_work import stopped_work
from gateway import GatewaySettings, create_app
from indexer import IndexFault, open_index
from indexer.segments.generation import indexed_position
from tests.durability.agreement import RECORDING
from tests.durability.recording import CallKind, read_calls
from tests.journey.conftest import Folder, Site, html, served_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.forks import ForkServer

ALIKE = "Rye bread rises slowly in a warm place, and its crust is dark and thick when the oven is hot enough."
UNFINISHED = r"\d commands? did not finish|The index lacks \d+ changes?|no index"


@dataclass(frozen=True)
class Crawled:
    """A folder with a crawl of a few pages, and the address of one of them."""

    data: Path
    page: str


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    root = tmp_path_factory.mktemp("crawled")
    folder = Folder(root / "data")
    with served_site() as site:
        _fill(site)
        assert folder.run("crawl", "site", "-a", f"seeds={site.url}/", *RECORDING).returncode == 0
        yield Crawled(folder.path, f"{site.url}/1")


def _fill(site: Site) -> None:
    site.pages = {"/": html("home", *(f"/{number}" for number in range(1, 5)))}
    site.pages |= {f"/{number}": html(f"page {number}") for number in (1, 2)}
    site.pages |= {f"/{number}": html(f"bread {number}", text=f"{ALIKE} So says baker {number}.") for number in (3, 4)}


def state(data: Path) -> dict[str, object]:
    """What a command must have left in the end: URLs, pages, blocks, archive and results."""
    with CrawlDatabase(data, readonly=True) as database:
        rows = database.connection.execute
        return {
            "urls": rows("SELECT url, state, rule FROM url ORDER BY url").fetchall(),
            "pages": rows("SELECT url, refusals FROM page ORDER BY url").fetchall(),
            "clusters": rows("SELECT count(*) FROM cluster").fetchall(),
            "blocks": rows("SELECT target FROM block").fetchall(),
            "archived": rows("SELECT count(*) FROM archived").fetchall(),
            "imported": rows("SELECT ended_at IS NOT NULL FROM imported_archive").fetchall(),
            "results": results(data),
            "followed": indexed_position(data) == Feed(database).last(),
            "open": stopped_work([database]),
        }


def results(data: Path) -> list[str]:
    try:
        return sorted({hit.url for word in ("page", "bread", "home") for hit in open_index(data).search(word).hits})
    except IndexFault:
        return []


def is_shown(data: Path) -> bool:
    """Whether report, search and /healthz all say that something is open."""
    folder = Folder(data)
    work = json.loads(folder.run("report", "--json").stdout)["open_work"]
    searched = folder.run("search", "page").stderr
    with create_app(data, GatewaySettings()).test_client() as client:
        health = client.get("/healthz").text
    told = [bool(work["stopped"] or work["changes_behind"])]
    told += [re.search(UNFINISHED, text) is not None for text in (searched, health)]
    return all(told)


COMMANDS = {  # the words of a command, and those of the one that comes next
    "forget": (["forget", "{page}"], ["index"]),
    "block": (["block", "{page}", "--reason", "its owner asked"], ["index"]),
    "rebuild": (["index", "--rebuild"], ["index"]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", list(COMMANDS))
def test_a_command_that_is_killed_between_two_commits_is_shown_and_finished_by_the_next(
    tmp_path: Path, crawled: Crawled, recorded_forks: ForkServer, name: str
) -> None:
    words, following = ([word.format(page=crawled.page) for word in line] for line in COMMANDS[name])
    kill_between_commits(tmp_path, recorded_forks, crawled.data, words, following)


def kill_between_commits(
    tmp_path: Path, forks: ForkServer, crawled: Path | None, words: list[str], following: list[str]
) -> None:
    """Kill a command between any two of its commits, on a copy of a folder or on an empty one; run the next one."""

    def copy(place: str) -> Path:
        data = tmp_path / place
        if crawled is None:
            CrawlDatabase(data).close()
        else:
            shutil.copytree(crawled, data)
        return data

    def run(data: Path, line: list[str], **order: object) -> int:
        command, *rest = line
        child = forks.start(command, "-s", f"DATA_DIR={data}", *rest, **order)
        code = child.wait()
        assert code is not None
        assert "Traceback" not in child.said()
        return code

    whole, log = copy("whole"), tmp_path / "log"
    assert run(whole, words, under=str(whole), log=str(log)) == 0
    expected = state(whole)
    assert (expected["open"], expected["followed"]) == ([], True)
    kinds = [call.kind for call in read_calls(log)]
    made = list(accumulate(kind is not CallKind.NOTE for kind in kinds))
    between = sorted({count + 1 for count, kind in zip(made, kinds, strict=True) if kind is CallKind.NOTE})
    killed = 0
    for at in between:
        data = copy(f"at-{at}")
        if run(data, words, under=str(data), at=at) != -signal.SIGKILL:
            continue  # after its last call
        killed += 1
        if state(data) != expected:
            assert is_shown(data), at
        assert run(data, following) == 0
        assert state(data) == expected, at
        shutil.rmtree(data)
    assert killed >= 3
