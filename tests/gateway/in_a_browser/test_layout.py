"""Every view has a search box and links to the other views; URLs are kept short."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from gateway import create_app
from indexer.retrieval.corpus import UnreadablePart
from tests.gateway.conftest import SITE

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient


@pytest.mark.parametrize(
    ("given", "clean"),
    [
        ("q=rye&site=&lang=", "/search?q=rye"),
        ("q=rye+bread&site=&lang=en&page=2", "/search?q=rye+bread&page=2&lang=en"),
        ("q=&site=bakery.localhost:8400", "/search?site=bakery.localhost%3A8400"),
        ("q=", "/search"),
    ],
)
def test_what_was_left_empty_is_not_in_the_address(client: FlaskClient, given: str, clean: str) -> None:
    answer = client.get(f"/search?{given}")
    assert (answer.status_code, answer.location) == (302, clean)
    assert client.get(answer.location).status_code == 200


@pytest.mark.parametrize("path", ["/why", "/stats", "/bot", "/submit", "/nothing", f"/why?url={SITE}/", "/search?q=x"])
def test_every_view_has_one_box_to_search_from(client: FlaskClient, path: str) -> None:
    assert client.get(path).text.count('<form class="search" action="/search"') == 1


def test_a_copy_which_may_have_no_form_leads_to_the_box(client: FlaskClient) -> None:
    page = client.get(f"/cached?url={SITE}/rye.html&q=rye").text
    assert '<a href="/search?q=rye">Search</a>' in page
    assert "<form" not in page


def test_a_page_of_results_with_all_that_it_loads_is_light_and_from_here(client: FlaskClient) -> None:
    page = client.get("/search?q=cake+number").text
    loaded = re.findall(r'<(?:script|link rel="(?:stylesheet|icon)")[^>]* (?:src|href)="([^"]+)"', page)
    assert {name.partition(".")[2] for name in loaded} == {"css", "js", "svg"}
    assert all(name.startswith("/static/") for name in loaded)
    weight = len(page.encode())  # not packed
    for name in loaded:
        with client.get(name) as answer:
            weight += len(answer.data)
    assert weight < 60_000


def test_what_can_not_be_searched_for_stays_in_the_box_to_be_put_right(client: FlaskClient) -> None:
    assert 'value="rye &#34;bread&#34;"' in client.get('/search?q=rye+"bread"&page=0').text
    assert f'value="{"x" * 1000}"' in client.get(f"/search?q={'x' * 100_000}").text


def test_a_database_that_fails_while_a_page_is_put_together_is_told(bakery: Path) -> None:
    app = create_app(bakery)

    @app.get("/late")
    def late() -> str:
        raise UnreadablePart("", ValueError("database is locked"))

    answer = app.test_client().get("/late")
    assert answer.status_code == 503
    assert "database is locked" in answer.text
