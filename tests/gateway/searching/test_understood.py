"""How a query with operators was understood: on the page and as JSON; each hostile one gets a response."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from gateway.search_request import MAX_QUERY
from tests.gateway.conftest import SITE

if TYPE_CHECKING:
    from flask.testing import FlaskClient


def page_for(client: FlaskClient, query: str) -> str:
    return html.unescape(client.get("/search", query_string={"q": query}).text)


def told(client: FlaskClient, query: str) -> dict[str, Any]:
    answer = client.get("/api/search", query_string={"q": query}).json
    assert answer is not None
    return dict(answer)


def test_what_was_understood_is_shown_on_the_page_and_as_json(client: FlaskClient) -> None:
    asked = 'intitle:rye -wheat lang:en "rye bread"'
    sentence = (
        "Pages with the phrase “rye bread” rank first. "
        "Only pages with “rye” in the title, without “wheat” and in the language en."
    )
    assert f'<p class="understood">{sentence}</p>' in page_for(client, asked)
    assert told(client, asked)["understood"] == sentence


def test_of_plain_words_nothing_is_said(client: FlaskClient) -> None:
    assert "understood" not in page_for(client, "rye bread")
    assert "understood" not in told(client, "rye bread")


def test_a_page_that_lacks_the_phrase_stands_behind_and_says_so(client: FlaskClient) -> None:
    hits = told(client, '"sourdough starter"')["hits"]
    assert [(hit["url"].removeprefix(SITE), hit.get("lacks", [])) for hit in hits] == [
        ("/", []),
        ("/rye.html", ["sourdough starter"]),
    ]
    assert 'without the phrase “<span dir="auto">sourdough starter</span>”' in page_for(client, '"sourdough starter"')


@pytest.mark.parametrize(("path", "found"), [("/rye.html", True), ("/nothing.html", False)])
def test_a_pasted_address_offers_that_page_and_its_reasons(client: FlaskClient, path: str, *, found: bool) -> None:
    page = page_for(client, SITE + path)
    assert ('<ol class="hits"' in page) is found
    assert f'<a href="/why?url={quote(SITE + path, safe="")}">Why?</a>' in page
    assert page.count("<article") == found


def test_the_sites_that_a_part_of_a_name_took_are_shown(client: FlaskClient) -> None:
    assert "Only pages on bakery.localhost:8400." in page_for(client, "rye site:bakery")


def test_the_form_tells_what_can_be_typed(client: FlaskClient) -> None:
    form = html.unescape(client.get("/search").text)
    typed = '"borrow checker"|-gcc| OR |compil*|site:|lang:|intitle:|inurl:|filetype:|after:|before:'
    for operator in typed.split("|"):
        assert operator in form


QUERIES = [
    " ", '"', "(" * 50, "(" * 400 + "a" + ")" * 400, "NOT " * 200 + "a", "*", "body:*", "*a*b*c*", "?" * 50,
    f'"{"rye " * 200}"', "passwd:root", "url:*", "a^nan b^1e999", "a\x00b", "\x1b[31mrye", "\u202erye",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467", "a" + "\u0301" * 900, "<script>alert(1)</script>",
    "rye\r\nSet-Cookie: a=b", "{{7*7}}", "term~9", " ".join(f"w{n}~2" for n in range(50)), 'r"(a+)+$"', 'r".*"',
    "호밀빵", "-", "--", "OR", "site:", "the of and", "a* b*", "lang:xx rye", "before:2020 after:x", "OR " * 300,
    "site:[::1 http://[::1",
]  # fmt: skip


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: repr(query[:20]))
def test_whatever_is_typed_has_an_answer(client: FlaskClient, query: str) -> None:
    answer = client.get("/search", query_string={"q": query})
    assert answer.status_code == 200
    assert "<script>" not in answer.text
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("query", ["rye " * 25_000, "a" * 1_000_000, " ".join(f"w{n}" for n in range(10_000))])
def test_what_is_too_long_is_answered_by_a_sentence(client: FlaskClient, query: str) -> None:
    answer = client.post("/search", data={"q": query})
    assert answer.status_code in {400, 413}
    assert answer.status_code == 413 or f"at most {MAX_QUERY} are searched for" in html.unescape(answer.text)
