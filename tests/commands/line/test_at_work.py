"""A second crawl: refused before anything is imported that takes its time, and never by mistake."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from commands.line.at_work import refusal
from crawldb.lock import CrawlLock, is_held

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.commands.conftest import Breadcrumb


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "data"
    lock = CrawlLock(folder)
    if not is_held(folder):
        lock.release()
        pytest.skip("this system does not list the locks of this folder")
    yield folder
    lock.release()


def test_a_second_crawl_is_refused_with_the_number_of_the_first(held: Path) -> None:
    pid = (held / "crawl.lock").read_text()
    assert f"{held} is in use by a crawl (process {pid})" in refusal(["site", "-s", f"DATA_DIR={held}"])


def test_it_is_refused_before_scrapy_is_imported(held: Path, empty: Breadcrumb) -> None:
    python, *words = empty.command("crawl", "site", "-s", f"DATA_DIR={held}")
    done = subprocess.run([python, "-X", "importtime", *words], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "is in use by a crawl" in done.stderr
    assert "crawldb.lock" in done.stderr, "the list of imports is there"
    assert "scrapy" not in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["site", "-s", "DATA_DIR={held}", "--help"], id="who asks for help is helped"),
        pytest.param(["site", "-s", "DATA_DIR={held}", "-a", "part=1/2"], id="a part has its own folder"),
        pytest.param(["site", "-s", "DATA_DIR={held}-2"], id="another folder"),
        pytest.param(["site", "-sDATA_DIR={held}", "-s", "LOG_LEVEL=INFO"], id="a folder that is named in another way"),
        pytest.param(["site", "-s", "DATA_DIR={held}", "-s", "nonsense"], id="words that are a mistake"),
        pytest.param(["site", "-s"], id="no word after -s"),
    ],
)
def test_where_it_is_not_sure_the_crawl_itself_finds_out(held: Path, words: list[str]) -> None:
    assert refusal([word.format(held=held) for word in words]) == ""
