"""A gateway over a crawl, whole or divided: one search page for all parts, which says what it can't see."""

from __future__ import annotations

import os
import random
import re
import sqlite3
from typing import TYPE_CHECKING

import pytest

from crawldb.database import FILE_NAME, CrawlDatabase
from crawldb.parts.division import folder_of
from crawldb.parts.partition import Partition
from frontier.job import CrawlJob
from frontier.session import Session
from frontier.takedown import block
from gateway import GatewaySettings, create_app
from gateway.served_crawl import EXTENSION, REPORT_CACHE_SECONDS, ServedCrawl, close_after_error, served_crawl
from pages.content.similarity import ORDERS
from tests.gateway.conftest import SITE, crawl, gateway, index
from tests.samples import a_page, lease_all
from urls.canonical import canonicalize

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

PARTS = tuple(Partition(number, 2) for number in (1, 2))
ONE, TWO = (next(f"{letter}.example" for letter in "abcdefgh" if part.owns(f"{letter}.example")) for part in PARTS)


@pytest.fixture
def farm(tmp_path: Path) -> Path:
    """Two parts: each has a site with a page of its own, and one that is the same on both."""
    seeds = tuple(canonicalize(f"http://{host}/{path}") for host in (ONE, TWO) for path in ("", "copy"))
    for part, host in zip(PARTS, (ONE, TWO), strict=True):
        session = Session(folder_of(tmp_path, part), CrawlJob(seeds, partition=part))
        for url in lease_all(session):
            session.store.page(a_page(url, "about the weather" if url.endswith("copy") else f"{host} bakes bread"))
        session.close("finished")
        index(folder_of(tmp_path, part))
    return tmp_path


@pytest.fixture
def client(farm: Path) -> FlaskClient:
    return gateway(farm, allow_submit=True, submits_per_hour=1)


def test_the_page_of_results_is_that_of_all_parts(client: FlaskClient) -> None:
    page = client.get("/search?q=bread").text
    assert all(f'href="http://{host}/"' in page for host in (ONE, TWO))
    assert "4 documents in 2 parts" in page
    assert "is not searched" not in page


def test_a_page_in_two_parts_stands_once_with_where_else_it_is(client: FlaskClient) -> None:
    page = client.get("/search?q=weather").text
    assert (page.count("<article"), page.count("Same page at")) == (1, 1)
    (hit,) = client.get("/api/search?q=weather").get_json()["hits"]
    assert {hit["url"], *hit["copies"]} == {f"http://{ONE}/copy", f"http://{TWO}/copy"}


@pytest.mark.parametrize("path", ["/search", "/search?q=bread", "/search?q=nothing"])
def test_a_part_that_can_t_be_read_is_named_on_the_page(farm: Path, path: str) -> None:
    (farm / "part-1" / "index" / "current.json").write_text("{")
    page = gateway(farm).get(path).text
    assert len(re.findall("Part 1/2 is not searched", page)) == 1


def test_a_part_whose_database_is_damaged_shows_nothing_and_is_named(farm: Path) -> None:
    (farm / "part-1" / FILE_NAME).write_bytes(b"no database")
    told = gateway(farm).get("/api/search?q=bread").get_json()
    assert [hit["url"] for hit in told["hits"]] == [f"http://{TWO}/"]
    assert [bool(part["fault"]) for part in told["parts"]] == [True, False]


def test_a_block_in_one_part_hides_at_once(farm: Path, client: FlaskClient) -> None:
    with CrawlDatabase(farm / "part-2") as database:
        block(database, TWO, "")
    assert [hit["url"] for hit in client.get("/api/search?q=bread").get_json()["hits"]] == [f"http://{ONE}/"]
    assert 'class="facets' not in client.get("/search?q=bread").text, "one site is left, and none to choose"


def test_why_and_the_cached_copy_come_from_the_part_that_has_the_host(client: FlaskClient) -> None:
    for host in (ONE, TWO):
        told = client.get(f"/why?url=http://{host}/&format=json&q=bread")
        assert (told.status_code, told.get_json()["state"], told.get_json()["rank"]["total"]) == (200, "done", 2)
        assert f"{host} bakes bread" in client.get(f"/cached?url=http://{host}/").text


def test_health_and_numbers_are_those_of_all_parts(farm: Path, client: FlaskClient) -> None:
    told = client.get("/healthz").get_json()
    assert (told["ok"], told["documents"], [part["documents"] for part in told["parts"]]) == (True, 4, [2, 2])
    assert client.get("/stats?format=json").get_json()["urls"]["discovered"] == 4
    assert "Stored pages, by part" in client.get("/stats").text
    (farm / "part-2" / FILE_NAME).unlink()
    assert "Part 2/2 can&#39;t be read" in create_app(farm).test_client().get("/stats").text


def test_what_visitors_hand_in_goes_to_its_part_and_all_parts_share_the_hour(farm: Path, client: FlaskClient) -> None:
    token = re.search(r'name="token" value="([^"]+)"', client.get("/submit").text)
    assert token is not None
    first = client.post("/submit", data={"token": token[1], "url": f"http://{TWO}/new"})
    assert first.status_code == 202
    with CrawlDatabase(farm / "part-2", readonly=True) as database:
        assert database.value("SELECT state FROM url WHERE url = ?", f"http://{TWO}/new") == 0
    second = client.post("/submit", data={"token": token[1], "url": f"http://{ONE}/new"})
    assert second.status_code == 429


def test_a_whole_crawl_is_served_from_one_database_and_a_request_opens_it_once(bakery: Path) -> None:
    app = create_app(bakery)
    with app.test_request_context("/"):
        served = served_crawl()
        assert served.searcher.search("rye").total == 2
        assert served.url_record(f"{SITE}/rye.html").discovered
        assert [*served.parts()] == [served.parts().home(f"{SITE}/rye.html")]
        assert served.searcher.parts == ()
        assert "parts" not in served.report()


def test_a_block_in_a_whole_crawl_hides_at_once(tmp_path: Path) -> None:
    crawl(tmp_path)
    index(tmp_path)
    client = gateway(tmp_path)
    for _ in range(3):  # what may be shown is remembered from one answer to the next, until somebody writes
        assert client.get("/api/search?q=rye").get_json()["total"] == 2
    with CrawlDatabase(tmp_path) as database:
        block(database, f"{SITE}/rye.html", "")
    told = client.get("/api/search?q=rye").get_json()
    assert [hit["url"] for hit in told["hits"]] == [f"{SITE}/"]
    assert "parts" not in told


def test_the_crawl_in_numbers_is_counted_once_for_all_who_ask_within_seconds(tmp_path: Path) -> None:
    crawl(tmp_path)
    now = [100.0]
    app = create_app(tmp_path)
    app.extensions[EXTENSION] = ServedCrawl(tmp_path, GatewaySettings(), clock=lambda: now[0])

    def suppressed() -> int:
        told = app.test_client().get("/stats?format=json").json
        assert told is not None
        return int(told["urls"]["suppressed"])

    before = suppressed()
    with CrawlDatabase(tmp_path) as database:
        block(database, "bakery.localhost:8400", "its owner asked")
    now[0] += REPORT_CACHE_SECONDS - 1
    assert suppressed() == before
    now[0] += 1
    assert suppressed() > before


def test_the_same_cluster_number_in_two_parts_folds_no_pages_of_different_parts(tmp_path: Path) -> None:
    seeds = tuple(canonicalize(f"http://{host}/{path}") for host in (ONE, TWO) for path in ("1", "2"))
    for part, host in zip(PARTS, (ONE, TWO), strict=True):
        session = Session(folder_of(tmp_path, part), CrawlJob(seeds, partition=part))
        for url in lease_all(session):
            session.store.page(a_page(url, f"rye {url}", signature=random.Random(host).randbytes(ORDERS)))
        assert session.database.connection.execute("SELECT DISTINCT cluster FROM page").fetchall() == [(1,)]
        session.close("finished")
        index(folder_of(tmp_path, part))
    farm = gateway(tmp_path)
    told = farm.get("/api/search?q=rye").get_json()
    assert (told["total"], told["folded"], [hit["similar"] for hit in told["hits"]]) == (2, 2, [1, 1])
    for host in (ONE, TWO):
        members = farm.get(f"/api/search?q=rye&similar=http://{host}/1").get_json()
        assert sorted(hit["url"] for hit in members["hits"]) == [f"http://{host}/1", f"http://{host}/2"]


def test_words_of_corrections_and_completions_are_gathered_before_somebody_asks(bakery: Path) -> None:
    served = ServedCrawl(bakery, GatewaySettings())
    served.warm_up()
    files = [view.file for view in served.searcher.snapshot.views]
    gathered = served.searcher._words
    assert all(file in known for file in files for known in (gathered._names, gathered._spelling))


def test_to_gather_them_where_there_is_no_index_is_no_fault(tmp_path: Path) -> None:
    ServedCrawl(tmp_path, GatewaySettings()).warm_up()


def test_connections_are_kept_until_the_file_is_another_one(tmp_path: Path) -> None:
    crawl(tmp_path)
    client = gateway(tmp_path)
    served: ServedCrawl = client.application.extensions[EXTENSION]
    with client.application.app_context():
        first = served.parts()
        assert served.page(f"{SITE}/") is not None
    with client.application.app_context():
        assert served.parts() is first
    os.utime(tmp_path / FILE_NAME)
    with client.application.app_context():
        assert served.parts() is not first
        assert served.page(f"{SITE}/") is not None


def test_a_request_that_failed_leaves_no_connection_behind(tmp_path: Path) -> None:
    crawl(tmp_path)
    client = gateway(tmp_path)
    served: ServedCrawl = client.application.extensions[EXTENSION]
    with client.application.app_context():
        first = served.parts()
        served.page(f"{SITE}/")
        close_after_error(sqlite3.OperationalError("disk I/O error"))
        assert served.parts() is not first
