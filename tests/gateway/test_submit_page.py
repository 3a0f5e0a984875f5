"""A visitor hands in an address: only where that is allowed, only with our form, only what is in reach already."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from crawldb.tables.seeds import seed_urls
from tests.gateway.conftest import SITE, crawl, gateway

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

ALLOWED = {"allow_submit": True, "submits_per_hour": 2}


@pytest.fixture
def crawled(tmp_path: Path) -> Path:
    crawl(tmp_path)
    return tmp_path


@pytest.fixture
def client(crawled: Path) -> FlaskClient:
    return gateway(crawled, **ALLOWED)


def token(client: FlaskClient) -> str:
    found = re.search(r'name="token" value="([^"]+)"', client.get("/submit").text)
    assert found
    return found[1]


def hand_in(client: FlaskClient, url: str, **more: str) -> tuple[int, str]:
    answer = client.post("/submit", data={"token": token(client), "url": url} | more)
    return answer.status_code, answer.text


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_it_is_off_and_says_how_it_is_switched_on(crawled: Path, method: str) -> None:
    answer = gateway(crawled).open("/submit", method=method)
    assert answer.status_code == 403
    assert "ALLOW_SUBMIT=yes" in answer.text


def test_every_page_leads_to_the_form_where_it_is_on_and_none_where_it_is_off(
    client: FlaskClient, crawled: Path
) -> None:
    link = 'href="/submit"'
    off = gateway(crawled)
    for path in ("/search", "/search?q=rye", "/why", "/stats", "/bot"):
        assert link in client.get(path).text
        assert link not in off.get(path).text


def test_an_address_of_a_crawled_site_is_queued(client: FlaskClient, crawled: Path) -> None:
    status, text = hand_in(client, f"{SITE}/new.html")
    assert (status, "Accepted" in text) == (202, True)
    with CrawlDatabase(crawled, readonly=True) as database:
        assert f"{SITE}/new.html" in seed_urls(database)
        assert database.count("SELECT count(*) FROM journal WHERE rule = 'submitted'") == 1


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://10.0.0.1/", "off-site"),
        ("http://elsewhere.example/", "who runs the crawl can add it"),
        ("bakery.localhost:8400/x", "did you mean http://bakery.localhost:8400/x?"),
        ("<script>", "&lt;script&gt;"),
    ],
)
def test_what_is_refused_is_told_why(client: FlaskClient, url: str, said: str) -> None:
    status, text = hand_in(client, url)
    assert status == 422
    assert said in text
    assert "<script>" not in text


def test_without_the_token_of_the_form_nothing_is_taken(client: FlaskClient, crawled: Path) -> None:
    for data in ({"url": f"{SITE}/new.html"}, {"url": f"{SITE}/new.html", "token": "guessed"}):
        assert client.post("/submit", data=data).status_code == 403
    with CrawlDatabase(crawled, readonly=True) as database:
        assert f"{SITE}/new.html" not in seed_urls(database)


def test_more_than_an_hour_allows_is_told_to_come_back(client: FlaskClient) -> None:
    assert [hand_in(client, f"{SITE}/{number}")[0] for number in range(3)] == [202, 202, 429]


def test_a_program_gets_an_object(client: FlaskClient) -> None:
    answer = client.post("/submit", data={"token": token(client), "url": f"{SITE}/new.html", "format": "json"})
    assert answer.json == {"url": f"{SITE}/new.html", "accepted": True, "state": "queued", "rule": "", "reason": ""}


@pytest.mark.parametrize("url", ["", "http://a.example/" + "x" * 9000])
def test_what_is_no_address_at_all_is_told(client: FlaskClient, url: str) -> None:
    assert hand_in(client, url)[0] == 400


def test_where_there_is_no_crawl_none_is_made(tmp_path: Path) -> None:
    client = gateway(tmp_path, **ALLOWED)
    assert hand_in(client, f"{SITE}/new.html")[0] == 503
    assert not list(tmp_path.iterdir())
