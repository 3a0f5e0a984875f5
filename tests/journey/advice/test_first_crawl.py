"""Where there is no crawl, or no index, each message names the command that makes it: carried out, it does."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from bs4 import BeautifulSoup

from commands.frame.command_settings import CommandSettings
from commands.serve import gateway
from crawldb.database import CrawlDatabase, DatabaseError
from crawldb.parts.division import check_divides
from frontier.takedown import block
from reports.shown_commands import in_folder
from tests.advice import commands_in, state_of
from tests.commands.conftest import Breadcrumb, filled
from tests.journey.advice.conftest import Crawled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.journey.advice.conftest import World

__all__ = ["filled"]  # a fixture


def pages(data: Path, *paths: str, **words: str) -> Iterator[str]:
    client = gateway(data, CommandSettings([f"DATA_DIR={data}"])).test_client()
    for path in paths:
        answer = client.get(path, query_string=words)
        yield answer.text if answer.is_json else BeautifulSoup(answer.text, "lxml").get_text("\n")


@pytest.mark.slow
def test_without_a_crawl_every_message_names_the_command_that_makes_one(world: World, tmp_path: Path) -> None:
    crawled = Crawled(tmp_path / "data")
    terminal = Breadcrumb(crawled.path, tmp_path)
    said = [terminal.run(name, *words).err for name, *words in (("report",), ("search", "rye"), ("release", "/x*"))]
    said += [crawled.run("crawl", f"{world.site.url}/rye").stderr]
    said += pages(crawled.path, "/search", "/stats")
    said += pages(crawled.path, "/search", format="json", q="rye")
    shown = [words for text in said for words in commands_in(text) if words[0] == "crawl"]
    assert len(shown) == len(said)
    given = [word.replace("URL", f"{world.site.url}/rye") for word in shown[0]]
    assert all([word.replace("URL", f"{world.site.url}/rye") for word in words] == given for words in shown)
    crawled.carried_out([*given, "-s", "PROBE_AFTER=0"])
    assert crawled.state().results == {f"{world.site.url}/rye"}
    with pytest.raises(DatabaseError) as whole:
        check_divides(crawled.path, 2)
    [goes_on] = commands_in(in_folder(str(whole.value), f" --data {crawled.path}"))
    assert "Run 2 is done" in crawled.carried_out([*goes_on, "-s", "PROBE_AFTER=0"])


def test_without_an_index_every_message_names_the_command_that_makes_it(
    filled: tuple[Path, Path], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    shutil.copytree(filled[0], data)
    crawl = Breadcrumb(data, tmp_path)
    rye = "http://bakery.localhost:8400/rye.html"
    texts = [crawl.run("search", "rye").err, *pages(data, "/search"), *pages(data, "/why", url=rye)]
    shown = [[words for words in commands_in(text) if words[0] == "index"] for text in texts]
    assert all(words and words[0] == ["index", "--data", str(data)] for words in shown)
    before = state_of(data)
    assert crawl.run_as_it_stands(*shown[0][0]).code == 0
    assert rye in crawl.run("search", "rye").out
    with CrawlDatabase(data) as database:
        block(database, rye, "")
    for text in (crawl.run("search", "rye").err, *pages(data, "/stats")):
        assert [words for words in commands_in(text) if words[0] == "index"] == [shown[0][0]]
    assert crawl.run_as_it_stands(*shown[0][0]).code == 0
    assert not any("index" in words for text in pages(data, "/stats") for words in commands_in(text))
    assert state_of(data).results == before.results - {rye}
