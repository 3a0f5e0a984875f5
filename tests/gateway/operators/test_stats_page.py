"""The state of the crawl: true sentences, problems with their remedies, and numbers with their meaning."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from bs4 import BeautifulSoup

from crawldb.database import CrawlDatabase
from frontier.takedown import forget
from gateway.operators.monitoring import glossary
from tests.gateway.conftest import FETCHED_AT, PAGES, SITE, crawl, gateway
from urls.canonical import canonicalize
from urls.records import LeaseEnd, Outcome
from urls.rules import Rule

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient


def test_the_numbers_add_up(client: FlaskClient) -> None:
    urls = client.get("/stats?format=json").json["urls"]  # type: ignore[index]  # json may be None, for Flask
    assert urls["discovered"] == sum(number for state, number in urls.items() if state != "discovered") == 40


def test_the_numbers_as_a_page_each_with_what_it_is(client: FlaskClient) -> None:
    page = BeautifulSoup(client.get("/stats").text, "lxml")
    rows = {row.th.text: [cell.text for cell in row.select("td")] for row in page.select("tbody tr")}  # type: ignore[union-attr]  # each has one
    assert rows["suppressed"] == ["1", glossary()["suppressed"].removesuffix(".")]
    assert rows["robots"] == ["1", Rule.ROBOTS.meaning]
    assert rows["refused"] == ["0", glossary()["rejected"].removesuffix(".")]
    kinds = ("indexed", "duplicates", "noindex", "refused")
    assert int(rows["stored"][0]) == sum(int(rows[kind][0]) for kind in kinds), "as the glossary has them"
    assert rows["200"][1] == "Request fulfilled, document follows"
    assert rows["bakery.localhost:8400"] == ["39", ""]
    assert not [name for name, (_, meaning) in rows.items() if not meaning and ":" not in name]


def test_what_happened_is_told_first_and_as_json(client: FlaskClient) -> None:
    told = client.get("/stats?format=json").json["happened"]  # type: ignore[index]  # as above
    page = BeautifulSoup(client.get("/stats").text, "lxml")
    assert [item.text for item in page.select("ul.summary li")] == told
    assert told[0].startswith("The last crawl started 20")
    assert "39 pages stored, 37 of them can be found; not indexed: 1 exact copy and 1 noindex page." in told


def test_a_site_that_mostly_fails_is_told_and_so_is_one_whose_robots_txt_does(tmp_path: Path) -> None:
    broken = tuple(
        Outcome(
            canonicalize(f"{SITE}/{number}"), LeaseEnd.FAILED, Rule.SERVER_ERROR, "the server answered 500", status=500,
            fetched_at=FETCHED_AT,
        )
        for number in range(24)
    )  # fmt: skip
    crawl(tmp_path, PAGES[:1], broken)
    with CrawlDatabase(tmp_path) as database, database.transaction() as connection:
        connection.execute(
            "INSERT INTO robots (origin, fetched_at, expires_at, state, body, reason, failing_since) "
            "VALUES ('http://shut.localhost', 0, 0, 'CLOSED', '', '', 86400)"
        )
    page = gateway(tmp_path).get("/stats").text
    assert "19 of 20 fetches of bakery.localhost:8400 failed in this round" in page
    assert "<code>./breadcrumb block --site bakery.localhost:8400</code> blocks the site" in page
    assert "The robots.txt of http://shut.localhost has failed since 1970-01-02 00:00 UTC" in page


def test_without_a_need_nothing_is_asked_of_anybody(client: FlaskClient) -> None:
    assert "None: no site fails, there are no complaints" in client.get("/stats").text


def test_an_index_that_is_behind_needs_somebody(tmp_path: Path, bakery: Path) -> None:
    shutil.copytree(bakery, tmp_path, dirs_exist_ok=True)
    with CrawlDatabase(tmp_path) as database:
        forget(database, f"{SITE}/rye.html")
    page = gateway(tmp_path).get("/stats").text
    assert "The index lacks 2 changes of the crawl" in page  # the page, and a copy that no longer stands aside
    assert "<code>./breadcrumb index</code> updates it" in page


def test_without_a_crawl_there_are_no_numbers(tmp_path: Path) -> None:
    answer = gateway(tmp_path).get("/stats?format=json")
    assert answer.status_code == 503
    assert answer.json["error"].startswith("The data folder holds no crawl yet: ")  # type: ignore[index]  # as above
