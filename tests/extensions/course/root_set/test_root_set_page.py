"""The view of the root set: over a crawl, in an empty folder, over parts, and with what nobody should type."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from crawldb.database import CrawlDatabase
from frontier.job import CrawlJob
from frontier.session import Session
from tests.forks import forked
from tests.gateway.conftest import SITE, a_page, bakery, client, gateway
from tests.gateway.test_served_crawl import ONE, TWO, farm
from urls.canonical import canonicalize
from urls.records import Link

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

    from tests.forks import ForkServer

__all__ = ["bakery", "client", "farm"]  # fixtures


@pytest.fixture
def two_seeds(tmp_path: Path) -> Path:
    """Two seeds: one leads to two pages, the other to one of them."""
    paths = ("/", "/left", "/right")
    links = {"/": ("/left", "/right"), "/island": ("/right",)}
    session = Session(tmp_path, CrawlJob((canonicalize(f"{SITE}/"), canonicalize(f"{SITE}/island"))))
    for path in (*paths, "/island"):
        session.frontier.lease(10, lambda _: 10)
        onward = tuple(Link(f"{SITE}{target}", "on") for target in links.get(path, ()))
        session.store.page(a_page(path, path, f"This is about {path} alone.", links=onward))
    session.close("finished")
    return tmp_path


def test_each_seed_has_its_pages_and_those_of_it_alone(two_seeds: Path) -> None:
    page = gateway(two_seeds).get("/inside/root-set").text
    assert "2 seeds reach" not in page
    assert "No seed can be left out" in page
    assert f'{SITE}/</a></th><td class="number">3</td><td class="number">2</td>' in page
    assert f'{SITE}/island</a></th><td class="number">2</td><td class="number">1</td>' in page


def test_of_a_seed_it_says_what_would_be_lost(two_seeds: Path) -> None:
    page = gateway(two_seeds).get("/inside/root-set", query_string={"seed": f"{SITE}/"}).text
    assert "2 pages would be lost. No other seed leads to 2 of them." in page
    assert f'<a href="/why?url={quote(f"{SITE}/left")}">' in page
    assert "is not a seed" in gateway(two_seeds).get(f"/inside/root-set?seed={SITE}/left").text


def test_of_a_page_it_names_the_seeds_that_reach_it(two_seeds: Path) -> None:
    client = gateway(two_seeds)
    assert "2 seeds reach it" in client.get(f"/inside/root-set?url={SITE}/right").text
    assert "1 seed reaches it" in client.get(f"/inside/root-set?url={SITE}/left").text
    assert "is not known to this crawl" in client.get("/inside/root-set?url=//nonsense").text


def test_of_a_crawl_that_is_too_large_it_names_the_report_that_has_the_seeds(
    two_seeds: Path, forks: ForkServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("extensions.course.root_set.study.MOST", 0)
    page = gateway(two_seeds).get("/inside/root-set").text
    assert "./breadcrumb report --json" in page
    told = json.loads(forked(forks, "report", "--json", "--data", str(two_seeds)).stdout)
    assert {seed["url"]: seed["pages"] for seed in told["seeds"]} == {f"{SITE}/": 3, f"{SITE}/island": 1}


def test_before_the_first_crawl_it_says_so(tmp_path: Path) -> None:
    page = gateway(tmp_path).get("/inside/root-set")
    assert (page.status_code, "no crawl" in page.text.lower()) == (503, True)
    CrawlDatabase(tmp_path).close()
    empty = gateway(tmp_path).get("/inside/root-set")
    assert (empty.status_code, "This crawl has no seed" in empty.text) == (200, True)


def test_of_a_crawl_in_parts_it_shows_one(farm: Path) -> None:
    page = gateway(farm).get("/inside/root-set?part=2").text
    assert "part 2 of 2" in page
    assert page.count("what is lost") == 2
    assert f"http://{TWO}/copy" in page
    assert f"http://{ONE}/" not in page


def test_nothing_of_a_page_becomes_markup(client: FlaskClient) -> None:
    page = client.get("/inside/root-set?url=<script>x&seed=<script>y").text
    assert "<script>" not in page.replace('<script src="/static/', "")
