"""A question is made narrower or wider by links, each with as many results as it says."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

import pytest

from gateway.search_page import choices, wider_searches
from gateway.search_request import SearchRequest
from indexer import open_index
from indexer.query.deadline import Deadline
from indexer.retrieval.facets import Facet, FacetValue
from tests.gateway.conftest import a_page, crawl, gateway, index

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

LINKS = re.compile(r'<li><a href="(/search[^"]+)">([^<]+)</a> <span class="count">([0-9,]+)</span>')


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> FlaskClient:
    """Pages of some languages, types and years."""
    folder: Path = tmp_path_factory.mktemp("several")
    crawl(
        folder,
        (
            a_page("/", "Home", "The home of rye bread"),
            a_page("/rye.pdf", "Rye in print", "Rye bread in print", content_type="application/pdf"),
            a_page("/brot.html", "Brot", "Rye ist Roggen", language="de", published=1714694400.0),
            a_page("/old.html", "Old", "Old rye", published=1014694400.0),
        ),
        (),
    )
    index(folder)
    return gateway(folder)


def test_each_facet_is_a_link_to_as_many_results_as_it_says(several: FlaskClient) -> None:
    links = set(LINKS.findall(several.get("/search?q=rye").text))
    assert {name for _, name, _ in links} == {"English", "German", "HTML", "PDF", "2026", "2024", "2002"}
    for address, _, count in links:
        assert re.search(rf'<p class="tally">{count} pages?[, ]', several.get(unescape(address)).text)


def test_addresses_of_facets_are_short_and_begin_at_the_first_page(several: FlaskClient) -> None:
    page = several.get("/search?q=rye&n=1&page=3").text
    assert '<a href="/search?q=rye&amp;n=1&amp;type=pdf">PDF</a>' in page
    assert '<a href="/search?q=rye&amp;n=1&amp;year=2024">2024</a>' in page


def test_what_a_question_is_narrowed_to_is_named_and_can_be_taken_away(several: FlaskClient) -> None:
    page = several.get("/search?q=rye&lang=de&year=2024").text
    removals = re.findall(r'<li><a href="([^"]+)"><span class="unseen">Remove filter </span>([^<]+) <span', page)
    assert [(unescape(address), told) for address, told in removals] == [
        ("/search?q=rye&year=2024", "Language: German"),
        ("/search?q=rye&lang=de", "Year: 2024"),
    ]
    assert '<input type="hidden" name="lang" value="de">' in page
    assert '<input type="hidden" name="year" value="2024">' in page


def test_facets_that_leave_nothing_to_choose_are_not_shown() -> None:
    two = Facet("year", (FacetValue("2025", 2), FacetValue("2024", 1)))
    one = Facet("language", (FacetValue("en", 3),))
    assert choices([two, one], SearchRequest("rye")) == [two]
    assert choices([two, one], SearchRequest("rye", year=2025)) == []
    assert choices([Facet("site", (), 9)], SearchRequest("rye", site="a.test")) == []


def test_where_nothing_is_found_wider_questions_are_offered_with_their_numbers(several: FlaskClient) -> None:
    page = several.get("/search?q=print+-bread&type=pdf").text
    assert "No results for “print -bread”" in page
    offered = dict(re.findall(r'<li>([^<]+) <a href="([^"]+)">1 result</a></li>', page))
    assert unescape(offered["Only the words “print”:"]) == "/search?q=print&type=pdf"
    assert "Without the file type:" not in offered, "it has no result either"
    for address in offered.values():
        assert several.get(unescape(address)).text.count("<article") == 1


def test_a_wider_question_without_results_is_not_offered(several: FlaskClient) -> None:
    page = several.get("/search?q=helicopter+site:nowhere.example&lang=de").text
    assert "Without the language:" not in page
    assert "Only the words" not in page


def test_an_offer_that_there_is_no_time_for_is_left_out(bakery: Path) -> None:
    searcher = open_index(bakery)
    question = SearchRequest("rye", language="ko")
    results = searcher.search("rye", language="ko")
    assert results.total == 0
    assert [way.total for way in wider_searches(searcher, question, results, Deadline(3.0))] == [
        searcher.search("rye").total
    ]
    late = Deadline(-1.0)
    assert wider_searches(searcher, question, results, late) == []
    assert late.left_out == ("wider searches",), "in the time of the question itself, and told with what else is"
