"""How does a running gateway react to a damaged file of its index? With a sentence; and it continues.

`cp`, `rsync --inplace` and a failing disk change a file in place, with the same name and inode.
"""

from __future__ import annotations

import json
import random
import shutil
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from indexer.segments.generation import index_folder
from tests.child import PATIENCE
from tests.gateway.conftest import a_page, crawl, gateway, index, running

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.forks import ForkServer

LAST_PAGE = "/api/search?q=bread&n=10&page=9"  # whose records nothing has read before


def ask(address: str) -> tuple[int, dict[str, Any]]:
    try:
        with urlopen(address, timeout=PATIENCE) as answer:
            return answer.status, json.load(answer)
    except HTTPError as refused:
        with refused:
            return refused.code, json.load(refused)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index that is larger than what an open segment keeps in memory."""
    folder, dice = tmp_path_factory.mktemp("library"), random.Random(1)
    texts = ["bread " + dice.randbytes(20_000).hex() for _ in range(100)]
    crawl(folder, tuple(a_page(f"/{number}", f"Page {number}", text) for number, text in enumerate(texts)), ())
    index(folder)
    return folder


@pytest.fixture
def library(whole: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    return shutil.copytree(whole, tmp_path / "library")


@pytest.mark.parametrize("left", [0.5, 0.0], ids=["half", "nothing"])
@pytest.mark.parametrize("how", [shutil.copyfile, shutil.move], ids=["in place", "by its name"])
def test_a_segment_cut_short_under_a_running_gateway_is_told_and_answered_from_again_when_it_is_put_back(
    forks: ForkServer,
    library: Path,
    tmp_path_factory: pytest.TempPathFactory,
    left: float,
    how: Callable[[Path, Path], object],
) -> None:
    (segment,) = index_folder(library).glob("build-*/*.seg")
    backup = shutil.copyfile(segment, tmp_path_factory.mktemp("backup") / segment.name)
    with running(forks, library) as (address, process):
        site = address.geturl().rstrip("/")
        assert ask(f"{site}/api/search?q=bread")[0] == 200
        with segment.open("r+b") as file:
            file.truncate(int(left * segment.stat().st_size))
        for _ in range(2):  # as it is found, and as it is known
            status, told = ask(f"{site}{LAST_PAGE}")
            assert status == 503
            assert "./breadcrumb index --rebuild" in told["error"]
        assert ask(f"{site}/healthz")[0] == 503
        assert process.poll() is None
        how(backup, segment)
        status, told = ask(f"{site}{LAST_PAGE}")
        assert (status, len(told["hits"])) == (200, 10)
        assert ask(f"{site}/healthz")[0] == 200


def test_a_segment_that_a_copy_overwrites_under_a_running_gateway_is_never_answered_from(
    forks: ForkServer, library: Path
) -> None:
    (segment,) = index_folder(library).glob("build-*/*.seg")
    with running(forks, library) as (address, process):
        site = address.geturl().rstrip("/")
        assert ask(f"{site}/api/search?q=bread")[0] == 200
        with segment.open("r+b") as file:
            file.write(random.Random(2).randbytes(segment.stat().st_size))
        status, told = ask(f"{site}{LAST_PAGE}")
        assert (status, "--rebuild" in told["error"]) == (503, True)
        assert process.poll() is None


def test_why_gives_its_account_and_says_that_the_index_is_damaged(tmp_path: Path) -> None:
    page = a_page("/", "Home", "bread")
    crawl(tmp_path, (page,), ())
    index(tmp_path)
    (segment,) = index_folder(tmp_path).glob("build-*/*.seg")
    segment.write_bytes(b"")
    client = gateway(tmp_path)
    told = client.get("/why", query_string={"url": page.url}).text
    assert "All decisions" in told
    assert "./breadcrumb index --rebuild" in told
    assert "not in the index yet" not in told
    assert "--rebuild" in client.get("/why", query_string={"url": page.url, "format": "json"}).get_json()["index_fault"]
