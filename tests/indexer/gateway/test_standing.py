"""How the search engine stands: for a monitor, and in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.indexer.gateway.conftest import gateway

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


def test_without_a_crawl_there_are_no_numbers(tmp_path: Path) -> None:
    answer = gateway(tmp_path).get("/stats?format=json")
    assert answer.status_code == 503
    assert "holds no crawl yet" in answer.json["error"]  # type: ignore[index]  # json may be None, for Flask
