"""What stands on every view: the box to search from, and the ways to the other views; addresses are kept short."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.gateway.conftest import SITE

if TYPE_CHECKING:
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


@pytest.mark.parametrize(
    "path", ["/why", "/stats", "/bot", "/submit", "/nothing", "/inside", f"/why?url={SITE}/", "/search?q=x"]
)
def test_every_view_has_one_box_to_search_from(client: FlaskClient, path: str) -> None:
    assert client.get(path).text.count('<form class="search" action="/search"') == 1


def test_a_copy_which_may_have_no_form_leads_to_the_box(client: FlaskClient) -> None:
    page = client.get(f"/cached?url={SITE}/rye.html&q=rye").text
    assert '<a href="/search?q=rye">Search</a>' in page
    assert "<form" not in page
