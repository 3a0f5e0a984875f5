"""How the search engine stands: for a monitor, and in numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crawldb import CrawlDatabase, Fate, Outcome, canonicalize
from tests.indexer.gateway.conftest import FETCHED_AT, PAGES, SITE, crawl, gateway

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient


def test_health_names_the_generation_its_size_and_its_date(client: FlaskClient) -> None:
    told = client.get("/healthz").json
    assert told is not None
    assert (told["ok"], told["generation"], told["documents"]) == (True, 1, 37)
    assert told["as_of"].startswith("20")


def test_without_an_index_health_is_bad_and_says_what_would_help(tmp_path: Path) -> None:
    answer = gateway(tmp_path).get("/healthz")
    assert answer.status_code == 503
    assert answer.json is not None
    assert answer.json["ok"] is False
    assert "./breadcrumb" in answer.json["error"]


def test_the_numbers_add_up(client: FlaskClient) -> None:
    urls = client.get("/stats?format=json").json["urls"]  # type: ignore[index]  # json may be None, for Flask
    assert urls["discovered"] == sum(number for state, number in urls.items() if state != "discovered") == 40


def test_the_numbers_as_a_page(client: FlaskClient) -> None:
    page = client.get("/stats").text
    assert '<tr><th scope="row">suppressed</th><td class="number">1</td></tr>' in page
    assert "bakery.localhost:8400" in page


def test_a_site_that_mostly_fails_is_told_and_so_is_one_whose_robots_txt_does(tmp_path: Path) -> None:
    broken = tuple(
        Outcome(
            canonicalize(f"{SITE}/{number}"), Fate.FAILED, "server-error", "the server answered 500", status=500,
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
    assert re.search(r"<li>\d+ of \d+ fetches of bakery\.localhost:8400 failed in this round", page)
    assert 'the robots.txt of http://shut.localhost has failed since <time datetime="1970-01-02T00:00:00Z"' in page


def test_without_an_alarm_there_is_no_word_of_alarms(client: FlaskClient) -> None:
    assert "Alarms" not in client.get("/stats").text


def test_without_a_crawl_there_are_no_numbers(tmp_path: Path) -> None:
    answer = gateway(tmp_path).get("/stats?format=json")
    assert answer.status_code == 503
    assert "holds no crawl yet" in answer.json["error"]  # type: ignore[index]  # json may be None, for Flask
