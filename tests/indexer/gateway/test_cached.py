"""The copy of a page: its words, and nothing else of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from robots import PageControls
from tests.indexer.gateway.conftest import FETCHED_AT, PAGES, SITE, crawl, gateway

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient


def test_a_copy_says_that_it_is_one_and_of_when(client: FlaskClient) -> None:
    answer = client.get(f"/cached?url={SITE}/")
    assert answer.status_code == 200
    assert "<strong>This is a copy</strong>" in answer.text
    assert "20 Nov 2026" in answer.text


def test_a_copy_has_the_headings_and_paragraphs_of_the_page_in_its_language(client: FlaskClient) -> None:
    page = client.get(f"/cached?url={SITE}/").text
    assert '<article class="copy" lang="en">' in page
    assert '<h2 dir="auto">Welcome</h2>' in page
    assert '<p dir="auto">We bake rye bread and wheat bread every morning.</p>' in page


def test_nothing_of_a_copy_runs_or_loads(client: FlaskClient) -> None:
    answer = client.get(f"/cached?url={SITE}/evil.html")
    assert "&lt;script&gt;alert(1)" in answer.text
    assert "<script" not in answer.text
    assert "<img" not in answer.text
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        pytest.param("/secret-recipe.html", "The page says noarchive", id="noarchive"),
        pytest.param("/noindex.html", "not in the index (noindex): a meta says noindex", id="noindex"),
        pytest.param("/copy-of-rye.html", "not in the index (duplicate): the same text as", id="duplicate"),
        pytest.param("/private/", "it is suppressed (robots.txt, line 2: Disallow: /private/)", id="robots.txt"),
        pytest.param("/never-heard-of", "The crawl has never met this URL", id="not discovered"),
    ],
)
def test_where_there_is_no_copy_the_page_says_why(client: FlaskClient, path: str, reason: str) -> None:
    answer = client.get(f"/cached?url={SITE}{path}")
    assert answer.status_code == 404
    assert reason in answer.text


def test_a_page_past_its_date_is_not_shown(tmp_path: Path) -> None:
    gone_by = PageControls(expires=datetime.fromtimestamp(FETCHED_AT, UTC))
    crawl(tmp_path, (replace(PAGES[0], controls=gone_by),), ())
    answer = gateway(tmp_path).get(f"/cached?url={SITE}/")
    assert answer.status_code == 404
    assert "unavailable_after" in answer.text


@pytest.mark.parametrize("query", ["", "url=", "url=ftp://a.example/", "url=" + "x" * 9000])
def test_what_is_no_address_is_refused(client: FlaskClient, query: str) -> None:
    assert client.get(f"/cached?{query}").status_code == 400
