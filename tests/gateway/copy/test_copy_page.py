"""The copy of a page: labelled as a copy, dated, in its charset, and restricted: nothing in it can act."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from pages import FetchedBody, parse_page
from pages.tolerant_parser import MAX_SOUP_TAGS
from robots import PageControls
from tests.gateway.conftest import FETCHED_AT, PAGES, SITE, crawl, gateway, index
from urls.canonical import canonicalize

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

    from urls.records import Page

LOAF = """<!doctype html><html lang=en><title>The loaf</title><script>alert(1)</script><link rel=stylesheet href=/s.css>
<h1>The loaf</h1><p>We are <b>baking</b> rye, see <a href=oven.html>the oven</a>.<img src=/loaf.png alt="A loaf">
<form action=//evil.example><input name=q></form><ul><li>flour<li>water</ul>"""


def fetched(path: str, body: bytes, content_type: str = "text/html") -> Page:
    """A page as the spider reads it."""
    url = canonicalize(f"{SITE}{path}")
    return replace(
        parse_page(FetchedBody(body, url, (("content-type", content_type),), fetched_at=FETCHED_AT)),
        fingerprint=path.encode(),
    )


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> FlaskClient:
    """A gateway over pages with bodies of markup."""
    data_dir = tmp_path_factory.mktemp("copies")
    many = "<p>word</p>" * MAX_SOUP_TAGS
    pages = (
        fetched("/", LOAF.encode()),
        fetched(
            "/ko.html",
            "<title>빵</title><p>호밀빵은 사워도우로 굽습니다. 반죽은 하룻밤".encode("euc-kr"),
            "text/html; charset=euc-kr",
        ),
        fetched("/many.html", f"<title>Many</title><h1>Rows</h1>{many}".encode()),
        fetched("/plain.txt", b"Plain words <b>and a tag</b>", "text/plain"),
    )
    crawl(data_dir, pages, ())
    index(data_dir)
    return gateway(data_dir)


def test_a_copy_looks_like_the_page_and_its_links_are_absolute(copies: FlaskClient) -> None:
    page = copies.get(f"/cached?url={SITE}/").text
    assert "<h1>The loaf</h1>" in page
    assert "<ul><li>flour</li><li>water</li></ul>" in page.replace("\n", "")
    assert f'<a href="{SITE}/oven.html" rel="noopener noreferrer nofollow">the oven</a>' in page
    assert '<span class="picture">A loaf</span>' in page


def test_a_copy_is_sandboxed_and_has_only_our_own_style(copies: FlaskClient) -> None:
    answer = copies.get(f"/cached?url={SITE}/")
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("sandbox ")
    assert "allow-scripts" not in policy
    assert "allow-forms" not in policy
    assert "allow-same-origin" not in policy
    assert "default-src 'none'" in policy
    for stranger in ("<script", "evil.example", "s.css", "loaf.png"):
        assert stranger not in answer.text


def test_the_words_of_a_search_are_marked_and_the_bar_says_so(copies: FlaskClient) -> None:
    page = copies.get(f"/cached?url={SITE}/&q=bake+helicopter").text
    assert "<b><mark>baking</mark></b>" in page
    assert "Highlighted: “bake helicopter”" in page
    assert "Not in this page: “helicopter”" in copies.get(f"/cached?url={SITE}/&q=helicopter").text
    found = copies.get("/search?q=baking").text
    assert "/cached?url=http%3A%2F%2Fbakery.localhost%3A8400%2F&amp;q=baking" in found


def test_a_copy_is_read_in_the_charset_of_its_page(copies: FlaskClient) -> None:
    answer = copies.get(f"/cached?url={SITE}/ko.html")
    assert answer.content_type == "text/html; charset=utf-8"
    assert "호밀빵은 사워도우로 굽습니다" in answer.text


def test_a_page_of_too_many_tags_is_shown_by_its_words_and_says_why(copies: FlaskClient) -> None:
    page = copies.get(f"/cached?url={SITE}/many.html").text
    assert f"It has only the text: it has more than {MAX_SOUP_TAGS} tags" in page
    assert '<h2 dir="auto">Rows</h2>' in page


def test_the_tags_of_plain_text_are_text(copies: FlaskClient) -> None:
    assert "Plain words &lt;b&gt;and a tag&lt;/b&gt;" in copies.get(f"/cached?url={SITE}/plain.txt").text


def test_a_copy_says_that_it_is_one_and_of_when(client: FlaskClient) -> None:
    answer = client.get(f"/cached?url={SITE}/")
    assert answer.status_code == 200
    assert "<strong>This is a copy</strong>" in answer.text
    assert "20 Nov 2026" in answer.text


def test_a_copy_has_the_headings_and_paragraphs_of_the_page_in_its_language(client: FlaskClient) -> None:
    page = client.get(f"/cached?url={SITE}/").text
    assert '<article class="copy" lang="en" dir="auto">' in page
    assert '<h2 dir="auto">Welcome</h2>' in page
    assert '<p dir="auto">We bake rye bread and wheat bread every morning.</p>' in page


def test_nothing_of_a_copy_runs_or_loads(client: FlaskClient) -> None:
    answer = client.get(f"/cached?url={SITE}/evil.html")
    assert "&lt;script&gt;alert(1)" in answer.text
    assert "<script" not in answer.text
    assert "<img" not in answer.text
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        pytest.param("/secret-recipe.html", "The page says noarchive", id="noarchive"),
        pytest.param("/noindex.html", "is hidden (noindex): a meta says noindex", id="noindex"),
        pytest.param("/copy-of-rye.html", "is hidden (duplicate): the same text as", id="duplicate"),
        pytest.param(
            "/private/", "has no page for this URL: robots.txt, line 2: Disallow: /private/.", id="robots.txt"
        ),
        pytest.param("/never-heard-of", "The crawl has not discovered this URL", id="not discovered"),
    ],
)
def test_where_there_is_no_copy_the_page_says_why(client: FlaskClient, path: str, reason: str) -> None:
    answer = client.get(f"/cached?url={SITE}{path}")
    assert answer.status_code == 404
    assert reason in answer.text


def test_a_page_past_its_date_is_not_shown(tmp_path: Path) -> None:
    gone_by = PageControls(expires=datetime.fromtimestamp(FETCHED_AT, UTC))
    crawl(tmp_path, (replace(PAGES[0], controls=gone_by),), ())
    index(tmp_path)
    answer = gateway(tmp_path).get(f"/cached?url={SITE}/")
    assert answer.status_code == 404
    assert "unavailable_after" in answer.text
    told = gateway(tmp_path).get(f"/why?url={SITE}/&q=bread").text
    assert "Why is this page not in the results?" in told
    assert "No score: unavailable_after 2026-11-20 09:30 UTC has passed (expired)" in told
    assert "The page can be a result" not in told


@pytest.mark.parametrize("query", ["", "url=", "url=ftp://a.example/", "url=" + "x" * 9000])
def test_what_is_no_address_is_refused(client: FlaskClient, query: str) -> None:
    assert client.get(f"/cached?{query}").status_code == 400
