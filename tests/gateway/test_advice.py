"""The commands that views and errors of the gateway name, carried out: each shows or does what the sentence says."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from bs4 import BeautifulSoup

from commands.frame.command_settings import CommandSettings
from commands.serve import gateway
from crawldb.database import CrawlDatabase
from crawldb.tables.robots_files import write_robots
from crawldb.tables.runs import latest_run
from frontier.policy_in_force import policy_in
from frontier.submission import submit
from gateway.inside.robots import MAX_BODY, MAX_COMPARED
from indexer.segments.generation import index_folder
from robots import RobotsRecord
from tests.advice import commands_in, state_of
from tests.commands.conftest import Breadcrumb
from tests.gateway.conftest import SITE
from tests.journey.conftest import served_site

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

LONG = (b"#" * 999 + b"\n") * (MAX_COMPARED // 1_000 + 1) + b"User-agent: *\nDisallow: /ovens\n"


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
    assert crawl.run(*[place if word == "your.site.example" else word for word in words]).code == 0
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


def test_what_is_too_much_for_a_view_is_in_the_report_that_it_names(
    crawl: Breadcrumb, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.inside.traps.CATCHES_SHOWN", 0)
    with CrawlDatabase(crawl.data) as database:
        trap = f"{SITE}/a/a/a/a/"
        submit(database, policy_in(database), [trap])
    before = state_of(crawl.data)
    told = json.loads(crawl.run_as_it_stands(*shown(crawl, "/inside/traps", "report")).out)
    assert trap in json.dumps(told), told.keys()
    assert state_of(crawl.data) == before


def test_a_file_that_is_too_long_for_the_view_is_explained_by_the_command_that_it_names(crawl: Breadcrumb) -> None:
    with served_site() as site:
        site.pages["/robots.txt"] = (200, {"Content-Type": "text/plain"}, LONG)
        with CrawlDatabase(crawl.data) as database:
            record = RobotsRecord(site.url, "PARSED", "robots.txt answered 200", 1e9, 2e9, 200, LONG)
            write_robots(database, latest_run(database), record)
        place = site.url.removeprefix("http://")
        words = shown(crawl, f"/inside/robots?site={place}&urls=/ovens", "robots")
        done = crawl.run_as_it_stands(*words)
    assert "All four dialects agree" in done.out
    assert "disallowed  line 103, Disallow: /ovens" in done.out
    (crawl.folder / "FILE").write_text("User-agent: *\n")
    answer = client_of(crawl).post("/inside/robots", data={"text": "#" * MAX_BODY})
    [words] = commands_in(BeautifulSoup(answer.text, "lxml").get_text(" "))
    assert "/path\n  rfc9309  allowed" in crawl.run_as_it_stands(*words).out
