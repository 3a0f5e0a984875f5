"""The form and its results, as a page and as JSON, over a real index; and what a page asks of those who show it."""

from __future__ import annotations

import html
import re
import shutil
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from bs4 import BeautifulSoup
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawldb.database import FILE_NAME, CrawlDatabase
from frontier.takedown import block
from robots import PageControls, controls_from
from tests.gateway.conftest import EVIL, SITE, a_page, crawl, gateway, index

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient


def test_the_root_leads_to_the_form(client: FlaskClient) -> None:
    answer = client.get("/", follow_redirects=True)
    assert answer.request.path == "/search"
    assert '<form class="search" action="/search"' in answer.text


def test_a_query_at_the_root_leads_to_its_results(client: FlaskClient) -> None:
    for query in ("q=caf%C3%A9+%26+rye&lang=en", "q=why?"):
        assert client.get(f"/?{query}").headers["Location"] == f"/search?{query}"


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_form_by_get_or_by_post_becomes_a_query_of_the_index(client: FlaskClient, method: str) -> None:
    if method == "get":
        answer = client.get("/search", query_string={"q": "sourdough patience"})
    else:
        answer = client.post("/search", data={"q": "sourdough patience"})
    assert answer.status_code == 200
    assert re.search(
        rf'<h2[^>]*><a href="{SITE}/rye.html" rel="noopener noreferrer nofollow">Rye bread</a>', answer.text
    )


def test_found_words_are_marked_and_each_result_tells_its_date_and_language(client: FlaskClient) -> None:
    page = client.get("/search?q=mohn").text
    assert "mit <mark>Mohn</mark>, frisch" in page
    assert 'fetched on <time datetime="2026-11-20T09:30:00Z"' in page
    assert '<article lang="de">' in page
    assert 'inurl%3A%22br%C3%B6tchen%22" dir="auto">brötchen</a>' in page


def test_a_result_tells_when_its_page_was_published(tmp_path: Path) -> None:
    crawl(tmp_path, (a_page("/rye.html", "Rye", "Rye bread", published=1714694400.0),))
    index(tmp_path)
    page = gateway(tmp_path).get("/search?q=rye").text
    assert 'published on <time datetime="2024-05-03T00:00:00Z" title="2024-05-03 00:00 UTC">3 May 2024</time>' in page


def test_results_are_shown_as_the_dated_snapshot_that_they_are(client: FlaskClient) -> None:
    assert re.search(r"Index of <time[^>]*>\d+ \w{3} \d{4}</time>: 38 documents", client.get("/search?q=rye").text)


def test_each_result_links_to_its_reasons_and_to_its_copy(client: FlaskClient) -> None:
    page = client.get("/search?q=rye").text
    assert f"/why?url={quote(SITE + '/rye.html', safe='')}&amp;q=rye" in page
    assert f"/cached?url={quote(SITE + '/rye.html', safe='')}" in page


def test_a_page_that_says_noarchive_has_no_link_to_a_copy(client: FlaskClient) -> None:
    page = client.get("/search?q=marzipan").text
    assert "secret-recipe.html" in page
    assert "Cached" not in page


def test_a_page_that_says_nosnippet_is_found_and_not_quoted(client: FlaskClient) -> None:
    page = client.get("/search?q=pretzels").text
    assert "Nothing to quote" in page
    assert "Hushed words" not in page


def test_markup_in_titles_texts_and_queries_is_shown_and_never_becomes_markup(client: FlaskClient) -> None:
    for path in ("/search?q=evil", f"/search?q={quote(EVIL)}", f"/why?url={quote(EVIL)}", "/cached?url=" + quote(EVIL)):
        page = BeautifulSoup(client.get(path).text, "lxml")
        assert not page.select("script:not([nonce]), img")
    assert "&lt;script&gt;alert(1)" in client.get("/search?q=evil").text


DIRECTION_MARKS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def test_no_title_text_or_query_turns_the_direction_of_what_stands_around_it(tmp_path: Path) -> None:
    turned = "".join(f"rye{mark}bread " for mark in DIRECTION_MARKS)
    crawl(tmp_path, (a_page("/turned.html", turned, f"Oats. {turned}", headings=(turned,)),), ())
    index(tmp_path)
    page = f"url={quote(SITE + '/turned.html')}"
    for path in (
        "/search?q=oats",
        f"/search?q=oats+{quote(turned)}",
        f"/why?{page}&q=oats",
        f"/cached?{page}",
        f"/why?{page}",
    ):
        shown = gateway(tmp_path).get(path).text
        assert not set(DIRECTION_MARKS) & set(shown)
    assert "<mark>Oats</mark>" in gateway(tmp_path).get("/search?q=oats").text


def test_results_come_in_pages(client: FlaskClient) -> None:
    first, third, beyond = (client.get(f"/search?q=cake+number&page={page}").text for page in (1, 3, 4))
    assert (first.count("<article"), third.count("<article"), beyond.count("<article")) == (10, 10, 0)
    assert 'rel="next" href="/search?q=cake+number&amp;page=2"' in first
    assert 'rel="prev"' not in first
    assert '<ol class="hits" start="21">' in third
    assert 'rel="next"' not in third
    assert "There is no page 4 of results" in beyond


def test_a_search_can_be_narrowed_by_site_and_language(client: FlaskClient) -> None:
    assert client.get("/api/search?q=brötchen+rye&lang=de").json["total"] == 1  # type: ignore[index]  # json may be None, for Flask
    assert client.get("/api/search?q=rye&site=bakery.localhost:8400").json["total"] > 0  # type: ignore[index]  # json may be None, for Flask
    nothing = client.get("/search?q=rye&site=other.example").text
    assert "No results for “rye” on other.example" in nothing
    assert '<a href="/search?q=rye">Search all pages</a>' in nothing


@pytest.mark.parametrize("query", ["q=rye&site=bakery.localhost", "q=rye+site%3Abakery.localhost"])
def test_a_site_without_its_port_is_the_one_that_was_meant_and_named(client: FlaskClient, query: str) -> None:
    page = client.get(f"/search?{query}").text
    assert "Only pages on bakery.localhost:8400." in page
    assert "<article" in page


def test_a_misspelt_site_leads_to_the_one_that_was_meant(client: FlaskClient) -> None:
    nothing = client.get("/search?q=rye+site%3Abakry.localhost:8400").text
    found = re.search(r'Did you mean the site <a href="([^"]+)">bakery\.localhost:8400</a>\?', nothing)
    assert found
    assert "<article" in client.get(html.unescape(found[1])).text


def test_a_query_without_results_says_what_may_help(client: FlaskClient) -> None:
    answer = client.get("/search?q=helicopter")
    assert answer.status_code == 200
    assert "No results for “helicopter”" in answer.text


def test_the_api_answers_with_scores_that_their_explanations_add_up_to(client: FlaskClient) -> None:
    told = client.get("/api/search?q=rye+bread&n=2").json
    assert told is not None
    assert set(told) == {"query", "total", "folded", "took_ms", "generation", "hits"}
    assert len(told["hits"]) == 2
    for hit in told["hits"]:
        assert set(hit) == {
            *("url", "title", "snippet", "score", "lang", "fetched_at", "published", "modified", "similar", "explain"),
            *("not_fetched", "inlinks"),
        }
        assert f"{sum(part['value'] for part in hit['explain']['parts']):.4f}" == f"{hit['score']:.4f}"


@pytest.mark.parametrize("query", ["", "q=x&page=0", "q=x&n=many", "q=x&lang=english", f"q={'x' * 1001}"])
def test_the_api_refuses_bad_parameters_with_what_would_work(client: FlaskClient, query: str) -> None:
    answer = client.get(f"/api/search?{query}")
    assert answer.status_code == 400
    assert answer.is_json
    assert answer.json is not None
    assert answer.json["error"]


def test_at_most_fifty_results_come_at_once(client: FlaskClient) -> None:
    assert len(client.get("/api/search?q=cake+rye+bread+recipe+evil&n=5000").json["hits"]) <= 50  # type: ignore[index]  # json may be None, for Flask


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(query=st.text(max_size=1100), page=st.text(max_size=5), size=st.integers(-5, 100).map(str))
def test_any_query_is_answered_or_refused(client: FlaskClient, query: str, page: str, size: str) -> None:
    parameters = {"q": query.encode("utf-8", "replace").decode(), "page": page.encode("utf-8", "replace"), "n": size}
    for path in ("/search", "/api/search"):
        assert client.get(path, query_string=parameters, follow_redirects=True).status_code in {200, 400}


def test_before_anything_is_indexed_the_page_says_what_to_run(tmp_path: Path) -> None:
    answer = gateway(tmp_path).get("/search?q=x")
    assert answer.status_code == 503
    assert "./breadcrumb crawl site -a seeds=" in answer.text
    assert gateway(tmp_path).get("/api/search?q=x").json == {
        "error": "There is nothing to search yet: run ./breadcrumb crawl site -a seeds=URL"
    }


def test_a_gateway_that_was_opened_first_sees_the_first_index(tmp_path: Path) -> None:
    client = gateway(tmp_path)
    assert client.get("/search?q=rye").status_code == 503
    crawl(tmp_path)
    index(tmp_path)
    assert "Rye bread" in client.get("/search?q=rye").text


def test_search_works_with_the_page_store_taken_away(bakery: Path, tmp_path: Path) -> None:
    shutil.copytree(bakery / "index", tmp_path / "index")
    client = gateway(tmp_path)
    answer = client.get("/search?q=rye")
    assert "<mark>Rye</mark>" in answer.text
    assert "fetched on" in answer.text
    assert client.get("/why?url=http://a.example/").status_code == 503


def test_what_is_blocked_is_gone_from_the_results_before_the_index_follows(tmp_path: Path) -> None:
    crawl(tmp_path)
    index(tmp_path)
    client = gateway(tmp_path)
    assert "Rye bread" in client.get("/search?q=rye").text
    with CrawlDatabase(tmp_path) as database:
        block(database, "bakery.localhost:8400", "its owner asked")
    assert client.get("/api/search?q=rye").json["hits"] == []  # type: ignore[index]  # json may be None, for Flask


def test_where_the_crawl_can_not_be_read_nothing_is_shown_that_may_be_blocked(bakery: Path, tmp_path: Path) -> None:
    shutil.copytree(bakery / "index", tmp_path / "index")
    (tmp_path / FILE_NAME).write_bytes(b"This is no database." * 100)
    answer = gateway(tmp_path).get("/search?q=rye")
    assert answer.status_code == 503
    assert "The crawl can&#39;t be used" in answer.text


def test_browsers_can_add_the_search_engine(client: FlaskClient) -> None:
    answer = client.get("/opensearch.xml")
    assert answer.mimetype == "application/opensearchdescription+xml"
    assert 'template="http://localhost/search?q={searchTerms}"' in answer.text


TEXT = "Zwieback is baked twice, and keeps for a winter."


def asked(header: str) -> PageControls:
    return controls_from([("X-Robots-Tag", header)], (), agent="Breadcrumb")


def shown(tmp_path: Path, controls: PageControls) -> tuple[str, list[dict[str, str]]]:
    """The results as a page and as JSON, for a query that finds the one page there is."""
    crawl(tmp_path, (a_page("/zwieback.html", "Zwieback", TEXT, controls=controls),), ())
    index(tmp_path)
    client = gateway(tmp_path)
    hits: list[dict[str, str]] = client.get("/api/search?q=zwieback").json["hits"]  # type: ignore[index]  # json may be None, for Flask
    return client.get("/search?q=zwieback").text, hits


def test_where_nothing_is_asked_the_page_is_quoted_and_its_copy_offered(tmp_path: Path) -> None:
    page, [hit] = shown(tmp_path, PageControls())
    assert hit["snippet"] == TEXT
    assert "/cached?url=" in page


@pytest.mark.parametrize("wish", ["nosnippet", "max-snippet: 0"])
def test_nosnippet_is_honoured(tmp_path: Path, wish: str) -> None:
    page, [hit] = shown(tmp_path, asked(wish))
    assert hit["snippet"] == ""
    assert 'class="snippet"' not in page


def test_max_snippet_is_honoured(tmp_path: Path) -> None:
    page, [hit] = shown(tmp_path, asked("max-snippet: 20"))
    assert len(hit["snippet"].rstrip("…")) <= 20
    assert "keeps for a winter" not in page


@pytest.mark.parametrize("wish", ["noarchive", "nocache"])
def test_noarchive_is_honoured(tmp_path: Path, wish: str) -> None:
    page, [_] = shown(tmp_path, asked(wish))
    assert "/cached?url=" not in page


@pytest.mark.parametrize(("days", "hits"), [(-1, 0), (1, 1)])
def test_unavailable_after_is_honoured_when_the_query_comes(tmp_path: Path, days: int, hits: int) -> None:
    date = datetime.now(UTC) + timedelta(days=days)
    page, found = shown(tmp_path, asked(f"unavailable_after: {date:%d %b %Y %H:%M:%S} GMT"))
    assert len(found) == hits
    assert ("zwieback.html" in page) is bool(hits)
