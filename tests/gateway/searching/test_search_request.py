"""The parameters of a search: their meaning, and the errors for invalid ones.

And the links to pages of results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.search_request import MAX_RESULTS, InvalidParameter, Paging, SearchRequest, paging, read_search_request
from tests.gateway.conftest import SITE, gateway

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        pytest.param({}, SearchRequest(), id="nothing is the empty form"),
        pytest.param({"q": "  rye \n bread "}, SearchRequest("rye bread"), id="blanks are one blank"),
        pytest.param({"q": "x", "page": "", "n": ""}, SearchRequest("x"), id="an empty number is its default"),
        pytest.param({"q": "x", "n": "1000"}, SearchRequest("x", 1, MAX_RESULTS), id="more than 50 a page are 50"),
        pytest.param({"q": "x", "n": "9" * 5000}, SearchRequest("x", 1, MAX_RESULTS), id="of thousands of digits too"),
        pytest.param({"site": "Bakery.Example:8400"}, SearchRequest(site="bakery.example:8400"), id="a site is a host"),
        pytest.param({"site": "http://a.example:80/x"}, SearchRequest(site="a.example"), id="or any address on it"),
        pytest.param({"site": "bäcker.example"}, SearchRequest(site="xn--bcker-gra.example"), id="in any letters"),
        pytest.param({"q": "x", "type": ".PDF"}, SearchRequest("x", file_type="pdf"), id="a type is an ending"),
        pytest.param({"year": " 2025 "}, SearchRequest(year=2025), id="a year by itself is a question"),
        pytest.param({"q": "x", "lang": "KO"}, SearchRequest("x", language="ko"), id="a language is in small letters"),
    ],
)
def test_parameters_are_read(given: dict[str, str], meant: SearchRequest) -> None:
    assert read_search_request(given) == meant


@pytest.mark.parametrize(
    ("given", "told"),
    [
        pytest.param({"q": "x" * 1001}, "q has 1001 characters, at most 1000", id="a query too long"),
        pytest.param({"page": "0"}, "page='0' is not a number from 1 to 100", id="pages begin at 1"),
        pytest.param({"page": "-1"}, "page='-1' is not a number", id="no negative page"),
        pytest.param({"page": "٣"}, "is not a number", id="digits of ASCII only"),
        pytest.param({"page": "101"}, "only pages 1 to 100 are possible", id="nobody reads on that far"),
        pytest.param({"page": "9" * 5000}, "only pages 1 to 100 are possible", id="however far"),
        pytest.param({"n": "ten"}, "n='ten' is not a number from 1 to 50", id="n is a number"),
        pytest.param({"site": "no site"}, "site='no site' is no site: give its host", id="a site has no blank"),
        pytest.param({"type": "p/f"}, "type='p/f' is no file type", id="an ending is letters and digits"),
        pytest.param({"year": "25"}, "year='25' is no year: give four digits", id="a year has four digits"),
        pytest.param({"year": "9" * 5000}, "is no year", id="and no more"),
        pytest.param({"lang": "english"}, "lang='english' is no language: give two letters", id="lang is a code"),
    ],
)
def test_what_can_not_be_meant_is_said_with_what_would_work(given: dict[str, str], told: str) -> None:
    with pytest.raises(InvalidParameter) as error:
        read_search_request(given)
    assert told in str(error.value)


@given(st.dictionaries(st.sampled_from(["q", "page", "n", "site", "lang", "type", "year"]), st.text()))
def test_any_parameters_are_a_question_or_said_to_be_none(given: dict[str, str]) -> None:
    try:
        question = read_search_request(given)
    except InvalidParameter as error:
        assert len(str(error)) < 300  # noqa: PT017 - any text may be either, and each has its promise
    else:
        assert read_search_request(dict(parse_qsl(question.parameters()))) == question


@pytest.mark.parametrize(
    ("total", "current", "last", "before", "after", "numbers"),
    [
        pytest.param(0, 1, 0, None, None, [], id="no results, no pages"),
        pytest.param(10, 1, 1, None, None, [1], id="a full page is the last one"),
        pytest.param(11, 1, 2, None, 2, [1, 2], id="one more needs a second"),
        pytest.param(200, 10, 20, 9, 11, [7, 8, 9, 10, 11, 12, 13], id="three on each side"),
        pytest.param(11, 9, 2, 2, None, [], id="beyond the end one can go back to it"),
        pytest.param(10**6, 100, 100, 99, None, [97, 98, 99, 100], id="pages that can't be asked for are not offered"),
    ],
)
def test_pages_around_this_one_are_offered(
    total: int, current: int, last: int, before: int | None, after: int | None, numbers: list[int]
) -> None:
    found = paging(total, 10, current, 100)
    assert found == Paging(current, last)
    assert (found.before, found.after, list(found.numbers)) == (before, after, numbers)


def test_what_there_was_no_time_for_is_told_on_every_page(bakery: Path) -> None:
    client = gateway(bakery, search_timeout=0)
    told = "The time for one query, 0 s, was up before everything was looked at. Left out: the word “bread”"
    assert told in client.get("/search?q=rye+bread").text
    assert f"<subtitle>{told}" in client.get("/search.atom?q=rye+bread").text
    assert "the word “bread”" in client.get("/api/search?q=rye+bread").json["left_out"]  # type: ignore[index]  # json may be None, for Flask
    why = f"/why?url={SITE}/rye.html&q=rye+bread"
    assert told in client.get(why).text
    assert client.get(f"{why}&format=json").json["rank"]["lateness"].startswith(told)  # type: ignore[index]  # json may be None, for Flask


def test_what_a_question_is_too_long_for_is_told(client: FlaskClient) -> None:
    asked = "+".join(f"rye{number}" for number in range(65))
    assert "The query is too long. Not looked for: words after the first 64." in client.get(f"/search?q={asked}").text
    assert client.get(f"/api/search?q={asked}").json["left_out"] == ["words after the first 64"]  # type: ignore[index]  # json may be None, for Flask


def test_a_question_in_time_has_no_such_sentence(client: FlaskClient) -> None:
    assert "was up before" not in client.get("/search?q=rye+bread").text
    assert "was up before" not in client.get(f"/why?url={SITE}/rye.html&q=rye+bread").text
    assert "left_out" not in client.get("/api/search?q=rye+bread").json  # type: ignore[operator]  # json may be None, for Flask
