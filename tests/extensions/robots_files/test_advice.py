"""The commands that are printed about robots.txt files, carried out: each takes files in, or shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bs4 import BeautifulSoup

from commands.frame.command_settings import CommandSettings
from commands.serve import gateway
from crawldb.database import CrawlDatabase
from tests.advice import commands_in

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.commands.conftest import Breadcrumb

FILE = "User-agent: Googlebot\nDisallow: /\n"


def shown(data: Path, address: str) -> str:
    client = gateway(data, CommandSettings([f"DATA_DIR={data}"])).test_client()
    return BeautifulSoup(client.get(address).text, "lxml").get_text("\n")


def test_where_there_is_no_file_each_message_names_the_commands_that_bring_some(
    empty: Breadcrumb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "files").mkdir()
    for host in ("mill.example", "oven.example"):
        (tmp_path / "files" / f"{host}.txt").write_text(f"{FILE}# of {host}\n")
    asked = (["search", "--in", "robots", "agent:Googlebot"], ["report", "robots"])
    texts = [empty.run(*words).err for words in asked]
    CrawlDatabase(empty.data).close()
    texts += [empty.run(*words).out for words in asked]
    addresses = ("/search?in=robots", "/search?in=robots&q=agent:Googlebot", "/inside/robots-study")
    texts += [shown(empty.data, address) for address in addresses]
    crawl = ["crawl", "site", "-a", "seeds=URL", "--data", str(empty.data)]  # tests/journey/advice carries it out
    taken_in = ["robots", "--import", "FILES", "--data", str(empty.data)]
    assert all(commands_in(text) == [crawl, taken_in] for text in texts)
    done = empty.run_as_it_stands(*["files" if word == "FILES" else word for word in taken_in])
    [search] = commands_in(done.out)
    assert "Disallow: /" in empty.run_as_it_stands(*search).out
    monkeypatch.setattr("extensions.robots_files.study_page.STUDIED", 1)
    [report] = commands_in(shown(empty.data, "/inside/robots-study"))
    assert "2 with 2 rules" in empty.run_as_it_stands(*report).out
