"""The commands that the views of the course name, carried out: each shows what the sentence says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bs4 import BeautifulSoup

from crawldb.database import CrawlDatabase
from crawldb.tables.robots_files import write_robots
from crawldb.tables.runs import latest_run
from extensions.course.inside.robots_page import MAX_BODY, MAX_COMPARED
from frontier.policy_in_force import policy_in
from frontier.submission import submit
from robots import RobotsRecord
from tests.advice import commands_in, state_of
from tests.gateway.conftest import SITE
from tests.gateway.test_advice import client_of, crawl, shown
from tests.journey.conftest import served_site

if TYPE_CHECKING:
    import pytest

    from tests.commands.conftest import Breadcrumb

__all__ = ["crawl"]  # a fixture
LONG = (b"#" * 999 + b"\n") * (MAX_COMPARED // 1_000 + 1) + b"User-agent: *\nDisallow: /ovens\n"


def test_what_is_too_much_for_a_view_is_in_the_report_that_it_names(
    crawl: Breadcrumb, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("extensions.course.inside.traps_page.CATCHES_SHOWN", 0)
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
