"""`crawl` checks its arguments before Scrapy begins, and whether another process uses the folder.

It reads its arguments as every other command does, though Scrapy runs it: help, mistakes, and nothing foreign. It
rejects a second crawl before any slow import, and never by mistake.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commands.crawling.words import ARGUMENTS, check_arguments, check_options, reason_not_to_start, report_crawls
from commands.frame.exits import CommandError
from crawldb.lock import CrawlLock, is_held
from spiders.arguments import SpiderArguments
from tests.advice import settings_in
from tests.child import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.commands.conftest import Breadcrumb, Ended


ROOT = Path(__file__).resolve().parents[3]
SETTINGS = ("DATA_DIR", "MAX_DEPTH")


def test_help_is_ours_and_every_option_stands_in_the_documentation(in_scrapy: Callable[..., Ended]) -> None:
    done = in_scrapy("crawl", "--help")
    assert (done.code, done.err) == (0, "")
    assert "example: breadcrumb crawl site -a seeds=" in done.out
    assert "exit codes: 0 " in done.out
    assert "scrapy crawl" not in done.out
    assert all(len(line) <= 110 for line in done.out.splitlines())
    text = (ROOT / "docs" / "commands.md").read_text("utf-8")
    section = text.partition("\n## crawl\n")[2].partition("\n## ")[0] + text.partition("\n## demo\n")[0]
    options = set(re.findall(r"--[a-z-]+", done.out.partition("options:")[2])) - {"--help"}
    assert not {option for option in options if option not in section}
    assert not {name for name in ARGUMENTS if f"`-a {name}=" not in section}


@pytest.mark.slow
def test_a_terminal_without_the_letters_gets_help_too(empty: Breadcrumb) -> None:
    done = subprocess.run(
        empty.command("crawl", "--help"), capture_output=True, check=False,
        env=os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(["-a"], "--help shows an example", id="an option without its value"),
        pytest.param(["-a", "seeds"], "-a seeds=VALUE", id="an argument without its value"),
        pytest.param(["-O", "pages.pdf"], "unknown format", id="a feed"),
        pytest.param(["-s", "EXTENSIONS=none"], "give a JSON object", id="a word for an object"),
        pytest.param(["-s", "MAX_DEPTH=deep"], "must be a number; its default is", id="a word for a number"),
        pytest.param(["-s", "LOG_LEVEL=DEBG"], "-s LOG_LEVEL=DEBG: choose one of CRITICAL, ", id="no level of a log"),
        pytest.param(["-L", "DEBG"], "-L DEBG: choose one of CRITICAL, ", id="no level after -L"),
        pytest.param(["-s", "LOG_ENCODING=utf-88"], "there is no such encoding", id="no encoding"),
        pytest.param(["-s", "DOWNLOADER_CLIENT_TLS_METHOD=9"], "choose one of TLS, ", id="no version of TLS"),
        pytest.param(["-s", "DATA_DIR="], "Its default is 'data'", id="no folder"),
        pytest.param(["-s", "PRIORITY=deep"], "PRIORITY='deep': choose breadth", id="no order"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(in_scrapy: Callable[..., Ended], words: list[str], said: str) -> None:
    done = in_scrapy("crawl", "site", *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err.replace("whole number", "number")
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--pages", "5"], "did you mean -a pages=5?"),
        (["--seeds=http://a.example/"], "did you mean -a seeds=http://a.example/?"),
        (["site", "--mode"], "did you mean -a mode=…?"),
        (["-tjson"], "-o FILE:FORMAT"),
    ],
)
def test_an_option_of_another_program_is_known(words: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=re.escape(said)):
        check_options(words)


def test_words_after_two_dashes_are_no_options() -> None:
    check_options(["site", "--", "--pages", "-t"])


@pytest.mark.parametrize(
    ("words", "arguments", "assignments", "said"),
    [
        (["http://a.example/"], [], [], "write ./breadcrumb crawl site -a seeds=http://a.example/"),
        (["seeds=http://a.example/"], [], [], "write ./breadcrumb crawl site -a seeds=http://a.example/"),
        (["sites"], [], [], "write ./breadcrumb crawl site -a seeds=URL"),
        ([], ["seed=http://a.example/"], [], "did you mean -a seeds=http://a.example/?"),
        ([], ["DATA_DIR=data/x"], [], "DATA_DIR is a setting: -s DATA_DIR=data/x"),
        ([], [], ["seeds=http://a.example/"], "-a seeds=http://a.example/"),
        ([], [], ["MAXDEPTH=3"], "did you mean MAX_DEPTH?"),
        ([], [], ["MAX_DEPTH"], "-s MAX_DEPTH=VALUE"),
    ],
)
def test_what_means_nothing_is_told_with_what_would(
    words: list[str], arguments: list[str], assignments: list[str], said: str
) -> None:
    with pytest.raises(CommandError, match=re.escape(said)):
        check_arguments(words, arguments, assignments, SETTINGS)


def test_the_arguments_are_those_that_a_crawl_reads_in_their_order() -> None:
    assert [field.name for field in fields(SpiderArguments)] == [*ARGUMENTS, "added"]


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
    reason = reason_not_to_start(["site", "-s", f"DATA_DIR={held}"])
    assert f"{held} is in use by a crawl (process {pid})" in reason
    assert settings_in(reason) == [("DATA_DIR", "FOLDER")]
    assert reason_not_to_start(["site", "-s", f"DATA_DIR={held.parent / 'another'}"]) == ""


def test_a_crawl_in_a_folder_that_was_deleted_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert reason_not_to_start(["site"]) == "your current folder was deleted: cd to another one"


def test_it_is_refused_before_scrapy_is_imported(held: Path, empty: Breadcrumb) -> None:
    python, *words = empty.command("crawl", "site", "-s", f"DATA_DIR={held}")
    done = subprocess.run(
        [python, "-X", "importtime", *words], capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 2
    assert "is in use by a crawl" in done.stderr
    assert "crawldb.lock" in done.stderr, "the list of imports is there"
    assert "scrapy" not in done.stderr


def test_a_part_whose_folder_is_in_use_is_to_be_tried_again(in_scrapy: Callable[..., Ended], empty: Breadcrumb) -> None:
    lock = CrawlLock(empty.data / "part-1")
    done = in_scrapy("crawl", "site", "-a", "part=1/2", "-a", "seeds=http://a.localhost/")
    lock.release()
    assert (done.code, "is in use by a crawl" in done.err) == (74, True)
    assert in_scrapy("crawl", "site", "-a", "part=1/2").code == 2, "and one without seeds is not"


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["site", "-s", "DATA_DIR={held}", "--help"], id="who asks for help is helped"),
        pytest.param(["site", "-s", "DATA_DIR={held}", "-a", "part=1/2"], id="a part has its own folder"),
        pytest.param(["site", "-s", "DATA_DIR={held}-2"], id="another folder"),
        pytest.param(["site", "-sDATA_DIR={held}", "-s", "LOG_LEVEL=INFO"], id="a folder that is named in another way"),
        pytest.param(["site", "-s", "DATA_DIR={held}", "-s", "nonsense"], id="words that are a mistake"),
        pytest.param(["site", "-s"], id="no word after -s"),
        *(pytest.param([name, "-s", "DATA_DIR={held}"], id=f"{name}, too") for name in report_crawls()),
    ],
)
def test_where_it_is_not_sure_the_crawl_itself_finds_out(held: Path, words: list[str]) -> None:
    assert reason_not_to_start([word.format(held=held) for word in words]) == ""
