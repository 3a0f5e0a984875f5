"""Does the view of the index show what the index has, refuse what makes no sense, and hide what is blocked?"""

from __future__ import annotations

import html
import shutil
from typing import TYPE_CHECKING

import pytest

from crawldb.database import FILE_NAME, CrawlDatabase
from extension_points import built_in
from frontier.takedown import block
from tests.gateway.conftest import EVIL, PAGES, SITE, crawl, gateway, index, whoosh_folder

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient


def text_of(client: FlaskClient, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return html.unescape(answer.text)


def test_a_word_is_shown_with_its_pages_positions_forms_and_neighbours(client: FlaskClient) -> None:
    page = text_of(client, "/inside/index?term=Rye")
    assert "“rye” in the index" in page
    assert "2 pages have it: body 3 times on 2 pages" in page
    assert "<strong>body</strong> 2 times in 12 words, at 0, 6</li>" in page
    assert "“<mark>Rye</mark> bread keeps for a week." in page.replace('<q dir="auto">', "“")
    assert '<tr class="here"><th scope="row"><a href="/inside/index?term=rye"' in page
    assert "term=bakes" in text_of(client, "/inside/index?term=bake"), "another form of it"


def test_one_field_can_be_chosen_and_a_long_list_has_parts(client: FlaskClient) -> None:
    page = text_of(client, "/inside/index?term=cake&field=title")
    assert "30 pages have it: title 30 times on 30 pages." in page
    assert '<a rel="next" href="/inside/index?term=cake&field=title&page=2">Next</a>' in page
    second = text_of(client, "/inside/index?term=cake&field=title&page=2")
    titles = [f"Cake number {number}<" in page for number in range(1, 31)]
    assert sum(titles) == 20
    assert [f"Cake number {number}<" in second for number in range(1, 31)] == [not shown for shown in titles]


def test_a_word_that_no_page_has_leads_to_a_search(client: FlaskClient) -> None:
    assert '<a href="/search?q=baguette">Search for it</a>' in text_of(client, "/inside/index?term=baguette")
    assert "has no letter or digit" in text_of(client, "/inside/index?term=%21%3F")


def test_several_words_are_each_shown(client: FlaskClient) -> None:
    page = text_of(client, "/inside/index?term=rye+bread")
    assert "Your text has 2 terms" in page
    assert '<a href="/inside/index?term=bread"' in page


def test_the_whole_has_segments_sizes_and_lengths(client: FlaskClient) -> None:
    page = text_of(client, "/inside/index")
    assert "up to 64 pages</td><td>pages</td>" in page
    assert "Bytes of 1 segment." in page
    assert "title: mean" in page
    assert page.count("<figure") == 6, "one for each field that some page has"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (f"term={'x' * 100_000}", "term has 100,000 characters"),
        ("term=a&field=boody", "field='boody' is not a field: choose anchors, body"),
        ("term=a&page=0", "page='0' is not a number from 1 on"),
        ("term=a&page=-1", "is not a number"),
        ("term=a&page=%D9%A3", "is not a number"),
        ("term=a&page=9999999999", "is not a number from 1 on"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(client: FlaskClient, query: str, said: str) -> None:
    answer = client.get(f"/inside/index?{query}")
    assert answer.status_code == 400
    assert said in html.unescape(answer.text)


def test_what_a_page_wrote_is_text(client: FlaskClient) -> None:
    page = client.get("/inside/index?term=evil").text
    assert html.escape(EVIL, quote=False)[:20] in page
    assert "<script>alert" not in page


def test_what_is_blocked_is_counted_and_not_shown(tmp_path: Path) -> None:
    crawl(tmp_path, PAGES[:2], ())
    index(tmp_path)
    with CrawlDatabase(tmp_path) as database:
        block(database, f"{SITE}/rye.html", "its owner asked")
    page = text_of(gateway(tmp_path), "/inside/index?term=sourdough")
    assert "1 page of this list page is hidden" in page
    assert "Rye bread" not in page
    (tmp_path / FILE_NAME).write_bytes(b"no database " * 1_000)
    answer = gateway(tmp_path).get("/inside/index?term=sourdough")
    assert (answer.status_code, "The crawl can't be used" in html.unescape(answer.text)) == (503, True)


def test_the_index_answers_alone_and_without_an_index_it_says_so(bakery: Path, tmp_path: Path) -> None:
    shutil.copytree(bakery / "index", tmp_path / "index")
    assert "2 pages have it" in text_of(gateway(tmp_path), "/inside/index?term=rye")
    shutil.rmtree(tmp_path / "index")
    assert gateway(tmp_path).get("/inside/index").status_code == 503


@pytest.mark.skipif("whoosh" not in built_in(), reason="the extension that reads such a folder")
def test_a_whoosh_folder_has_no_postings_to_show(tmp_path: Path) -> None:
    whoosh_folder(tmp_path)
    assert "not shown here" in gateway(tmp_path).get("/inside/index").text
