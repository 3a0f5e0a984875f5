"""What does `/inside/wire` say where little or nothing is kept, and which lines does it explain?"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest

from tests.gateway.conftest import PAGES, SITE, crawl, gateway

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient


def shown(client: FlaskClient, url: str) -> str:
    page = client.get("/inside/wire", query_string={"url": url})
    return " ".join(html.unescape(re.sub("<[^>]+>", " ", page.text)).split())


def test_the_way_of_a_url_begins_with_robots_txt_and_its_redirect_and_then_has_each_visit(client: FlaskClient) -> None:
    page = shown(client, f"{SITE}/rye.html")
    way = ["First the robots.txt", "GET /rules.txt", "Request 1 of 2", "ETag:", "Request 2 of 2", "304 Not Modified"]
    places = [page.index(words) for words in way]
    assert places == sorted(places)
    assert "The robot follows it at once." in page  # as it does for a robots.txt
    assert "How long the robots.txt holds" in page
    assert 'If-None-Match: "rye" A server that still has this version answers 304, without a body. It came with' in page
    assert "Set-Cookie: [withheld]" in page


def test_a_request_without_a_response_says_so(client: FlaskClient) -> None:
    assert "Response None came." in shown(client, f"{SITE}/silent.html")


def test_a_url_of_which_nothing_is_kept_leads_to_why(client: FlaskClient) -> None:
    page = client.get("/inside/wire", query_string={"url": "nowhere.example"}).text
    assert 'No request for <a href="/why?url=http%3A%2F%2Fnowhere.example%2F"' in page


def test_without_a_url_each_status_has_an_example(client: FlaskClient) -> None:
    page = client.get("/inside/wire").text
    assert re.findall(r"<li><strong>([^<]*)</strong>", page) == ["no response", "200", "301", "304"]
    assert "5 requests are kept, at most 10,000 in each part of a crawl." in page


def test_a_crawl_of_which_nothing_is_kept_says_so(tmp_path: Path) -> None:
    crawl(tmp_path, PAGES[:1])
    assert "No header lines are kept" in gateway(tmp_path).get("/inside/wire").text


@pytest.mark.parametrize("url", ["ftp://bakery.example/", "http://", "x" * 5000])
def test_an_invalid_url_is_told(client: FlaskClient, url: str) -> None:
    assert client.get("/inside/wire", query_string={"url": url}).status_code == 400
