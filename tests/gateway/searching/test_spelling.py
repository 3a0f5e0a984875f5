"""A question with a slip: what was read, what may have been meant, and how it may go on; on the page and as JSON."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest

from tests.gateway.conftest import a_page, crawl, gateway, index

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient


def test_a_misspelt_word_is_read_as_the_one_that_was_meant_and_the_page_says_so(client: FlaskClient) -> None:
    page = client.get("/search?q=rye+soudrough").text
    assert "Results for" in page
    assert "<strong>rye sourdough</strong>" in page
    assert "No page has “<span" in page
    assert "<mark>sourdough</mark>" in page
    assert "q=rye+sourdough" in re.search(r'<a href="(/why[^"]*)"', page)[1]  # type: ignore[index]  # it is there


def test_the_question_can_be_asked_exactly_as_it_was_typed(client: FlaskClient) -> None:
    page = client.get("/search?q=soudrough").text
    link = re.search(r'<a href="([^"]+)">Search for “<span dir="auto">soudrough</span>” instead</a>', page)
    assert link
    assert "No results for “soudrough”" in client.get(html.unescape(link[1])).text


def test_a_word_that_a_page_has_stays_and_the_commoner_one_is_proposed(tmp_path: Path) -> None:
    odd = a_page("/odd.html", "Odd", "It says datatime.")
    many = tuple(a_page(f"/{number}.html", "Dates", f"A datetime, number {number}.") for number in range(60))
    crawl(tmp_path, (odd, *many), ())
    index(tmp_path)
    page = gateway(tmp_path).get("/search?q=datatime").text
    assert "odd.html" in page
    link = re.search(r'Did you mean <a href="([^"]+)" dir="auto"><strong>datetime</strong></a>', page)
    assert link
    assert gateway(tmp_path).get(html.unescape(link[1])).text.count("<article") == 10


@pytest.mark.parametrize(
    "query", ["rye", "cake 31", '"soudrough"', "site:soudrough", "lang:soudrough", "호밀빱", "-soudrough"]
)
def test_right_words_numbers_quotes_filters_and_pairs_are_left_as_they_are(client: FlaskClient, query: str) -> None:
    told = client.get("/api/search", query_string={"q": query}).json
    assert told is not None
    assert "spelling" not in told


def test_the_api_tells_what_was_changed(client: FlaskClient) -> None:
    told = client.get("/api/search?q=Sourdoug").json
    assert told is not None
    assert told["spelling"] == {
        "question": "sourdough", "changes": [{"typed": "Sourdoug", "meant": "sourdough"}], "applied": True,
    }  # fmt: skip
    assert told["query"] == "Sourdoug"
    assert "spelling" not in (client.get("/api/search?q=Sourdoug&exact=1").json or {})


def test_the_search_box_and_browsers_are_told_how_a_question_may_go_on(client: FlaskClient) -> None:
    answer = client.get("/api/suggest?q=ca")
    assert answer.mimetype == "application/x-suggestions+json"
    assert answer.json == ["ca", ["cake", "Cake number 1", "Cake number 2", "Cake number 3"]]
    assert client.get("/api/suggest?q=rye+b").json == ["rye b", ["rye bread"]]
    assert "api/suggest?q={searchTerms}" in client.get("/opensearch.xml").text


@pytest.mark.parametrize("typed", ["", " ", '"', "東", "\x00", "-", "site:", "x" * 100_000, "rye " * 30_000, "\ud800"])
def test_whatever_is_typed_has_completions_or_none(client: FlaskClient, typed: str) -> None:
    answer = client.get("/api/suggest", query_string={"q": typed.encode("utf-8", "replace").decode()})
    assert answer.status_code == 200
    assert answer.json is not None
    assert len(answer.json[1]) <= 8


def test_an_index_without_words_completes_and_corrects_nothing(tmp_path: Path) -> None:
    crawl(tmp_path, (a_page("/", "", ""),), ())
    index(tmp_path)
    client = gateway(tmp_path)
    assert client.get("/api/suggest?q=rye").json == ["rye", []]
    assert client.get("/search?q=soudrough").status_code == 200


def test_a_slip_that_could_be_taken_apart_is_read_as_the_word_that_was_meant(tmp_path: Path) -> None:
    pages = (a_page("/", "Data", "The data of our time."), a_page("/d.html", "Dates", "A datetime has a zone."))
    crawl(tmp_path, pages, ())
    index(tmp_path)
    told = gateway(tmp_path).get("/api/search?q=datatime").json
    assert told is not None
    assert told["spelling"]["question"] == "datetime"
    assert [hit["url"].rpartition("/")[2] for hit in told["hits"]] == ["d.html"]
