"""Pages that say nearly the same stand under one result: its link shows them all, and the numbers add up."""

from __future__ import annotations

import html
import random
import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from pages.content.similarity import ORDERS
from tests.gateway.conftest import SITE, a_page, crawl, gateway, index

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

MEMBERS = 13
SIGNATURE = random.Random(5).randbytes(ORDERS)
ODD = '/notes/?a=1&b=%22%3Cx%3E%22&c=ä#"'  # what a link has to escape
NOTES = (
    a_page("/", "Home", "The notes of each release", headings=("Notes",)),
    *(
        a_page(ODD if number == 1 else f"/notes/{number}.html", f"Release {number}", f"release note {number}",
               signature=SIGNATURE)
        for number in range(1, MEMBERS + 1)
    ),
    a_page("/alone.html", "Alone", "Another release of doves", signature=random.Random(6).randbytes(ORDERS)),
)  # fmt: skip


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data_dir = tmp_path_factory.mktemp("notes")
    crawl(data_dir, NOTES, ())
    index(data_dir)
    return data_dir


@pytest.fixture
def client(notes: Path) -> FlaskClient:
    return gateway(notes)


def shown(page: str) -> list[str]:
    return [html.unescape(url) for url in re.findall(r'<p class="trail" title="([^"]*)"', page)]


def links(page: str, words: str) -> list[str]:
    return [html.unescape(link) for link in re.findall(rf'<a [^>]*href="([^"]*)"[^>]*>{words}</a>', page)]


def test_a_result_links_to_the_pages_under_it_and_back(client: FlaskClient) -> None:
    page = client.get("/search?q=note&lang=en&n=20").text
    assert "2 pages and 12 similar pages under them in English" in page
    (link,) = links(page, "12 similar pages")
    asked = parse_qs(urlsplit(link).query)
    assert (asked["q"], asked["lang"], asked["n"]) == (["note"], ["en"], ["20"])
    assert asked["similar"][0] in shown(page)
    members = client.get(link).text
    assert sorted(shown(members)) == sorted(one.url for one in NOTES[1 : MEMBERS + 1])
    assert "13 pages in English" in members, "each for itself, with none under another"
    assert not links(members, r"\d+ similar pages?")
    (back,) = links(members, "Back to all results")
    assert shown(client.get(back).text) == shown(page)


def test_the_members_are_paged_and_each_is_shown_once(client: FlaskClient) -> None:
    first = client.get("/search?" + urlencode({"q": "note", "n": 5, "similar": NOTES[2].url})).text
    assert ">13 pages" in first
    (second,) = links(first, "Next")
    (third,) = links(client.get(second).text, "Next")
    last = client.get(third).text
    assert not links(last, "Next")
    pages = [shown(first), shown(client.get(second).text), shown(last)]
    assert [len(page) for page in pages] == [5, 5, 3]
    assert len({url for page in pages for url in page}) == MEMBERS


def test_an_address_with_odd_characters_is_escaped_and_understood(client: FlaskClient) -> None:
    odd = NOTES[1].url
    assert all(part in odd for part in ("&", "%22", "%3C"))
    page = client.get("/search?" + urlencode({"q": "note", "n": 5, "similar": odd})).text
    assert "<x>" not in page
    assert parse_qs(urlsplit(links(page, "Next")[0]).query)["similar"] == [odd]
    told = client.get("/api/search?" + urlencode({"q": "note", "n": 20, "similar": odd})).get_json()
    assert (told["total"], told["folded"], len(told["hits"])) == (MEMBERS, 0, MEMBERS)
    assert odd in [hit["url"] for hit in told["hits"]]


def test_no_more_of_a_result_is_shown_than_is_meant(client: FlaskClient) -> None:
    """What a template forgets to close stands on the page as text."""
    for path in ("/search?q=note", "/search?q=zeppelin", "/search", f"/search?q=note&similar={NOTES[2].url}"):
        assert not re.search(r"[{}|]|%}", re.sub(r"<[^>]*>", "", client.get(path).text))


def test_an_address_that_the_index_does_not_have_is_told(client: FlaskClient) -> None:
    unknown = f"{SITE}/unknown.html"
    page = client.get("/search?" + urlencode({"q": "note", "similar": unknown}))
    assert page.status_code == 200
    assert "or that page is not in the index" in page.text
    assert f'href="/why?{urlencode({"url": unknown})}"' in page.text
    assert client.get("/api/search?" + urlencode({"q": "note", "similar": unknown})).get_json()["total"] == 0


@pytest.mark.parametrize("wrong", ["no address", "javascript:alert(1)", "http://", '"><script>'])
def test_what_is_no_address_is_refused_with_what_would_work(client: FlaskClient, wrong: str) -> None:
    for path in ("/search", "/api/search"):
        answer = client.get(path, query_string={"q": "note", "similar": wrong})
        assert answer.status_code == 400
        assert "is no URL: give that of a result" in html.unescape(answer.text)
        assert answer.is_json or "<script>" not in answer.text
