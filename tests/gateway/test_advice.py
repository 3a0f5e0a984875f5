"""The commands that views and errors of the gateway name, carried out: each shows or does what the sentence says."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from bs4 import BeautifulSoup

from commands.frame.command_settings import CommandSettings
from commands.serve import gateway
from indexer.segments.generation import index_folder
from tests.advice import commands_in, confirmed, state_of
from tests.commands.conftest import Breadcrumb
from tests.gateway.conftest import SITE

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient


@pytest.fixture
def crawl(bakery: Path, tmp_path: Path) -> Breadcrumb:
    return Breadcrumb(shutil.copytree(bakery, tmp_path / "data"), tmp_path)


def client_of(crawl: Breadcrumb) -> FlaskClient:
    return gateway(crawl.data, CommandSettings([f"DATA_DIR={crawl.data}"])).test_client()


def shown(crawl: Breadcrumb, address: str, name: str) -> list[str]:
    """Return the command of that name on a page."""
    text = BeautifulSoup(client_of(crawl).get(address).text, "lxml").get_text(" ")
    [command] = {tuple(words) for words in commands_in(text) if words[0] == name}
    return list(command)


def test_the_command_on_the_page_of_the_robot_ends_the_results_and_visits_of_a_site(crawl: Breadcrumb) -> None:
    words = shown(crawl, "/bot", "block")
    place = urlsplit(SITE).netloc
    before = state_of(crawl.data)
    assert crawl.run(*[place if word == "your.site.example" else word for word in confirmed(words)]).code == 0
    after = state_of(crawl.data)
    assert set(after.urls.values()) == {(4, "blocked")}
    assert before.urls.keys() == after.urls.keys()
    assert not after.results


def test_the_check_that_an_error_of_the_gateway_names_tells_what_is_damaged(crawl: Breadcrumb) -> None:
    (segment,) = index_folder(crawl.data).glob("build-*/*.seg")
    segment.write_bytes(b"")
    done = crawl.run_as_it_stands(*shown(crawl, "/search?q=rye", "check"))
    assert done.code == 1
    assert str(segment.name) in done.out
