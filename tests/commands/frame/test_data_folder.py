"""Which folder is meant? By option, variable or default; in the wrong folder, a message names the right one."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.crawling.words import SIGNATURE, reason_not_to_start
from commands.frame.command import parse_words
from commands.frame.command_settings import CommandSettings
from commands.frame.data_folder import chosen_folder, crawls_near, folder_named, folder_option
from commands.frame.exits import CommandError
from crawldb.database import CrawlDatabase
from crawldb.lock import CrawlLock
from crawldb.tables.fetches import SentRequest, note_fetch
from frontier.job import CrawlJob
from frontier.session import Session
from spiders.own_folders import ROOT
from tests.samples import SEED
from urls.rules import Rule

if TYPE_CHECKING:
    from tests.commands.conftest import Breadcrumb

HOST = "http://bakery.localhost:8400"


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        pytest.param("demo", ROOT / "data" / "demo", id="a name: below data"),
        pytest.param("data", ROOT / "data", id="the default one, by its name"),
        pytest.param("farm/part-1", ROOT / "farm" / "part-1", id="a path: relative to the project"),
        pytest.param("./elsewhere", ROOT / "elsewhere", id="so a folder beside data has a name, too"),
        pytest.param("/var/crawl", Path("/var/crawl"), id="from the root"),
        pytest.param("~/crawl", Path("~/crawl").expanduser(), id="a shell leaves --data=~/crawl as it is"),
    ],
)
def test_a_name_means_a_folder(name: str, folder: Path) -> None:
    assert folder_named(name) == folder
    assert CommandSettings(chosen_folder(name, [])).data_dir == folder


@pytest.mark.parametrize("below", ["", "/crawl"], ids=["the folder", "a folder above"])
@pytest.mark.parametrize("words", [["search", "rye"], ["why", f"{HOST}/"], ["report"], ["index"], ["submit", HOST]])
def test_a_file_in_the_place_of_the_folder_is_said(bakery: Breadcrumb, words: list[str], below: str) -> None:
    (bakery.folder / "notes").write_text("bread")
    done = bakery.run_as_it_stands(*words, "--data", f"{bakery.folder}/notes{below}")
    assert done.code == 2
    assert f"{bakery.folder}/notes is a file, not a folder: name another folder with --data" in done.err
    assert "makes one" not in done.err


@pytest.mark.parametrize("name", ["", " ", ".", ".."])
def test_what_would_be_the_project_s_own_folder_is_no_name(name: str) -> None:
    with pytest.raises(CommandError, match="such as demo for data/demo"):
        folder_named(name)


FOLDERS = st.lists(
    st.text(st.characters(blacklist_characters="/\0", blacklist_categories=["Cs"]), min_size=1).filter(
        lambda part: part.strip() not in {"", ".", ".."} and not part.startswith("~")
    ),
    min_size=1,
    max_size=3,
)


@pytest.mark.parametrize("root", [Path("/"), ROOT, ROOT / "data"], ids=str)
@given(parts=FOLDERS)
def test_the_option_that_is_printed_means_the_folder_when_it_is_pasted(root: Path, parts: list[str]) -> None:
    folder = root.joinpath(*parts)
    words = shlex.split(folder_option(folder))
    assert words[:1] in ([], ["--data"])
    assert (folder_named(words[1]) if words else ROOT / "data") == folder


def test_without_an_option_the_variable_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREADCRUMB_DATA", "demo")
    assert chosen_folder(None, []) == [f"DATA_DIR={ROOT}/data/demo"]
    assert chosen_folder("library", []) == [f"DATA_DIR={ROOT}/data/library"]
    assert chosen_folder(None, ["DATA_DIR=x"]) == []
    assert folder_option(ROOT / "data") == " --data data", "without it, the variable would hold for what is pasted"
    monkeypatch.setenv("BREADCRUMB_DATA", "")
    with pytest.raises(CommandError, match="BREADCRUMB_DATA="):
        chosen_folder(None, [])


def test_a_folder_is_named_once(bakery: Breadcrumb) -> None:
    done = bakery.run("search", "--data", "demo", "rye")
    assert (done.code, done.out) == (2, "")
    assert "--data demo and -s DATA_DIR=" in done.err


def test_crawl_takes_the_name_like_every_other_command(tmp_path: Path) -> None:
    assert parse_words(SIGNATURE, ["site", "--data", "demo"]).set == [f"DATA_DIR={ROOT}/data/demo"]
    lock = CrawlLock(tmp_path)
    assert "is in use by a crawl" in reason_not_to_start(["site", "--data", str(tmp_path)])
    assert not reason_not_to_start(["site", "--data", str(tmp_path / "other")])
    lock.release()


@pytest.mark.parametrize(
    ("words", "again"),
    [
        pytest.param(["search", "rye", "bread"], "search --data {} rye bread", id="search"),
        pytest.param(["search", "-n", "3", "--", "rye"], "search --data {} -n 3 -- rye", id="words after --"),
        pytest.param(["why", f"{HOST}/rye.html"], f"why --data {{}} {HOST}/rye.html", id="why"),
        pytest.param(["report"], "report --data {}", id="report"),
    ],
)
def test_in_an_empty_folder_those_with_a_crawl_are_named_to_be_pasted(
    bakery: Breadcrumb, words: list[str], again: str
) -> None:
    shutil.move(bakery.data, bakery.folder / "moved")
    bakery.data.mkdir()
    shutil.move(bakery.folder / "moved", bakery.data / "demo")
    done = bakery.run(*words)
    assert done.code == 2
    folder = bakery.data / "demo"
    assert f"  ./breadcrumb {again.format(folder)}\n    (7 pages of 1 site, crawled 20" in done.err
    line = next(line for line in done.err.splitlines() if line.startswith("  ./breadcrumb"))
    name, *rest = shlex.split(line)[1:]
    assert bakery.run_as_it_stands(name, *rest).code == 0


def test_a_crawl_that_can_t_be_read_is_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "crawl.sqlite3").write_text("no database " * 100)
    (tmp_path / "notes").mkdir()
    assert crawls_near(tmp_path / "asked") == {tmp_path / "broken": "an unreadable crawl"}


def test_a_folder_in_which_nothing_was_crawled_is_not_named(tmp_path: Path) -> None:
    silent = Session(tmp_path / "silent", CrawlJob((SEED,)))
    with silent.database.transaction():
        note_fetch(silent.database, SentRequest(silent.run.id, 1.0, 0.1, None, 0, Rule.TIMEOUT))
    silent.close("finished")
    Session(tmp_path / "unasked", CrawlJob((SEED,))).close("finished")
    CrawlDatabase(tmp_path / "refused").close()
    [(folder, holding)] = crawls_near(tmp_path / "asked").items()
    assert folder == tmp_path / "silent"
    assert holding.startswith("0 pages of 0 sites, crawled 2")
