"""Every command on a page can be pasted unchanged into a shell, and means the same folder."""

from __future__ import annotations

import html
import re
import shlex
import shutil
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from commands import LIGHT, MODULES
from commands.__main__ import main
from commands.crawling.words import SIGNATURE
from commands.frame.command import parse_words
from commands.frame.command_settings import CommandSettings
from commands.serve import gateway
from reports.shown_commands import COMMAND
from tests.commands.conftest import HOST, Breadcrumb

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PLACES = {"URL": f"{HOST}/new?a=1&b=2", "WORDS": "rye", "SITE": "bakery.localhost:8400", "OPTION": "drop:sid"}
LONG = frozenset({"crawl", "farm", "serve", "demo"})  # they are read, and not run
PAGES = (
    "/",
    "/rye.html",
    "/ovens/",
    "/secret.html",
    "/copy.html",
    "/old.html",
    "/gone.html",
    "/a/a/a/",
    "/new?a=1&b=2",
)


@pytest.fixture
def elsewhere(bakery: Breadcrumb, tmp_path: Path) -> Breadcrumb:
    """The bakery in a folder whose name a shell would take apart."""
    folder = tmp_path / "it's a crawl; and more"
    shutil.copytree(bakery.data, folder)
    return Breadcrumb(folder, bakery.folder)


def meant(words: list[str]) -> Path:
    """The folder that a command works on."""
    name, *rest = words
    signature = import_module(MODULES[name]).COMMAND if name in LIGHT else SIGNATURE
    return CommandSettings(parse_words(signature, rest).set).data_dir


def shown_in(text: str) -> Iterator[list[str]]:
    """Yield each command of a text as a shell splits it, with what a person has to fill in."""
    for command in COMMAND.finditer(text):
        first, *words = shlex.split(command[0])
        assert first == "./breadcrumb"
        yield [PLACES.get(word, word) for word in words]


def outputs(crawl: Breadcrumb) -> Iterator[str]:
    asked = [
        *(("why", HOST + path) for path in PAGES),
        ("report",), ("report", "traps"), ("suggest",), ("search", "helicopter"), ("submit", HOST + PAGES[-1]),
        ("submit", f"{HOST}/a/a/a/"), ("release", "/nothing/*"), ("forget", f"{HOST}/brot.html"), ("plan", "--help"),
    ]  # fmt: skip
    for words in (each for each in asked if each[0] in LIGHT):  # some are those of extensions
        done = crawl.run(*words)
        yield done.out + done.err


def test_every_command_that_is_shown_means_the_folder_that_it_was_shown_for(elsewhere: Breadcrumb) -> None:
    told = [words for text in outputs(elsewhere) for words in shown_in(text.partition("exit codes:")[0])]
    assert {words[0] for words in told} >= {"why", "forget", "submit", "crawl", "release", "report"}
    for words in told:
        assert meant(words) == elsewhere.data, words
    for short in {tuple(words) for words in told if words[0] not in LONG}:
        assert main(list(short)) in {0, 1}, short


def test_the_folder_goes_by_the_short_name_that_is_printed(bakery: Breadcrumb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREADCRUMB_DATA", str(bakery.data))
    told = list(shown_in(bakery.run("why", f"{HOST}/rye.html").out))
    assert told
    assert all(meant(words) == bakery.data for words in told)


def test_in_the_browser_a_command_is_code_and_none_of_it_a_link(elsewhere: Breadcrumb) -> None:
    settings = CommandSettings([f"DATA_DIR={elsewhere.data}"])
    client = gateway(elsewhere.data, settings).test_client()
    for path in PAGES:
        page = client.get("/why", query_string={"url": HOST + path})
        codes = [html.unescape(code) for code in re.findall(r"<code>(\./breadcrumb.*?)</code>", page.text)]
        assert len(codes) == page.text.count("./breadcrumb")
        assert all("<a " not in code and meant(words) == elsewhere.data for code in codes for words in shown_in(code))
        told = client.get("/why", query_string={"url": HOST + path, "format": "json"}).json
        assert told is not None
        assert all(meant(words) == elsewhere.data for words in shown_in(told["advice"]))
    assert "<code>./breadcrumb" in client.get(f"/why?url={HOST}/rye.html").text


def test_a_command_is_not_broken_into_two_lines(elsewhere: Breadcrumb) -> None:
    [line] = [line for line in elsewhere.run("why", f"{HOST}/rye.html").out.splitlines() if "forget" in line]
    [words] = shown_in(line)
    assert words[:2] == ["forget", f"{HOST}/rye.html"]
    assert meant(words) == elsewhere.data
