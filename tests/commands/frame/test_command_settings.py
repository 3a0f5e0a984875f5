"""The settings of a command: spiders/settings.py, and above it each -s."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commands.frame.command_settings import CommandSettings
from commands.frame.exits import CommandError
from spiders import settings as defaults
from spiders.own_folders import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.commands.conftest import Breadcrumb, Ended


def test_without_s_the_file_holds() -> None:
    settings = CommandSettings()
    assert settings["PRODUCT"] == defaults.PRODUCT
    assert settings.data_dir == ROOT / "data"
    assert settings.getpriority("DATA_DIR") == 20
    assert settings.getpriority("NONSENSE") is None


@pytest.mark.parametrize(
    ("assignment", "value"),
    [
        ("MAX_DEPTH=3", 3),
        ("DOWNLOAD_DELAY=2", 2.0),
        ("INDEX_FOLLOW=no", False),
        ("INDEX_FOLLOW=1", True),
        ("ALLOWED_PORTS=8080, 8443", ["8080", "8443"]),
        ("ALLOWED_PORTS=[8080]", [8080]),
        ("ALLOWED_PORTS=", []),
        ("CONTACT=a=b", "a=b"),
        ("CONTACT=", ""),
    ],
)
def test_a_value_has_the_type_of_its_default(assignment: str, value: object) -> None:
    name = assignment.partition("=")[0]
    settings = CommandSettings([assignment])
    assert settings[name] == value
    assert type(settings[name]) is type(value)
    assert settings.getpriority(name) == 40


@pytest.mark.parametrize(
    "assignment",
    ["MAX_DEPTH=deep", "MAX_DEPTH=1.5", "DOWNLOAD_DELAY=nan", "DOWNLOAD_DELAY=inf", "INDEX_FOLLOW=perhaps",
     "ALLOWED_PORTS=[8080", "EXTENSIONS=[]", "EXTENSIONS=x", "MAX_DEPTH", "NONSENSE=1", "=1", ""],
)  # fmt: skip
def test_what_can_t_be_used_is_told(assignment: str) -> None:
    with pytest.raises(CommandError) as told:
        CommandSettings([assignment])
    assert f"-s {assignment}" in str(told.value)


def test_a_misspelt_name_gets_the_closest_ones() -> None:
    with pytest.raises(CommandError, match="did you mean MAX_DEPTH"):
        CommandSettings(["max_dept=3"])


def test_the_last_value_of_a_name_counts() -> None:
    assert CommandSettings(["MAX_DEPTH=1", "MAX_DEPTH=2"]).getint("MAX_DEPTH") == 2


@pytest.mark.parametrize(("given", "folder"), [("elsewhere", ROOT / "elsewhere"), ("/var/crawl", Path("/var/crawl"))])
def test_the_data_folder_is_relative_to_the_project(given: str, folder: Path) -> None:
    assert CommandSettings([f"DATA_DIR={given}"]).data_dir == folder


@pytest.mark.parametrize("words", [["report"], ["search", "rye"], ["serve", "--port", "0"], ["index"]], ids=" ".join)
def test_every_command_reads_the_file_that_is_named(bakery: Breadcrumb, words: list[str]) -> None:
    (bakery.folder / "mine.toml").write_text("MAX_DEPTH = 'deep'")
    done = bakery.run(*words, "--settings", "mine.toml")
    assert (done.code, done.out) == (2, "")
    assert f"{bakery.folder / 'mine.toml'}, line 1: MAX_DEPTH must be a whole number" in done.err
    done = bakery.run(*words, "--settings", "yours.toml")
    assert "--settings yours.toml: no such file" in done.err
    done = bakery.run(*words, "--settings", ".")
    assert "--settings .: it is a folder, a pipe or a device, not a file" in done.err


def test_a_crawl_has_what_the_file_says(in_scrapy: Callable[..., Ended], tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("SCOPE = 'hots'")
    words = ("site", "-a", "seeds=http://127.0.0.1:9/", "--settings", str(file))
    done = in_scrapy("crawl", *words)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"crawl: {file}, line 1: SCOPE='hots': choose host or domain\n"
    assert "choose host or domain" not in in_scrapy("crawl", *words, "-s", "SCOPE=host", "-s", "WAIT_SECONDS=0").err
