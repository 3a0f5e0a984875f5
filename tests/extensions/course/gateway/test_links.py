"""The view of links: a site, a page, the damping, and any other parameter."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from crawldb.database import FILE_NAME
from tests.commands.conftest import Breadcrumb
from tests.gateway.conftest import SITE, gateway
from tests.gateway.test_advice import client_of, shown
from tests.gateway.test_served_crawl import ONE, TWO, farm

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

__all__ = ["farm"]  # a fixture


def test_a_site_is_drawn_and_each_page_leads_to_its_neighbours(client: FlaskClient) -> None:
    page = client.get("/inside/links?site=bakery.localhost:8400").text
    assert page.count('class="node"') == 30
    [link, *_] = re.findall(r'<a href="(/inside/links\?url=[^"]+)">', page)
    assert client.get(link).status_code == 200


def test_pagerank_comes_about_round_by_round_with_the_damping_that_is_asked_for(client: FlaskClient) -> None:
    at_once = client.get("/inside/links?damping=0").text
    assert "after 1 iteration nothing changes" in at_once
    assert "with probability 0.5, the damping" in client.get("/inside/links?damping=0.5").text


def test_a_page_has_its_numbers_and_who_links_to_it(client: FlaskClient) -> None:
    page = client.get(f"/inside/links?url={SITE}/rye.html").text
    assert "<dt>pages that link to it</dt><dd>1</dd>" in page
    assert f'<li><a href="/inside/links?url={quote(SITE)}/">{SITE}/</a>' in page
    assert "It links to no known page." in page
    assert "These 25 of 38 pages have the highest PageRank" in client.get(f"/inside/links?url={SITE}/").text


@pytest.mark.parametrize(
    ("asked", "status", "told"),
    [
        ("?url=http://nowhere.example/", 200, "is not in the link graph"),
        ("?url=%3Cscript%3E", 200, "&lt;script&gt; is not in the link graph"),
        ("?url=" + "x" * 100_000, 400, "100000 characters"),
        ("?site=unknown.example", 200, "unknown.example has no links"),
        ("?site=%20%3A%3A", 400, "is no site"),
        ("?damping=1", 400, "give a number from 0 to 0.99"),
        ("?damping=nan", 400, "give a number from 0 to 0.99"),
        ("?damping=much", 400, "give a number from 0 to 0.99"),
    ],
)
def test_whatever_it_is_asked_for_it_says_what_is_the_case(
    client: FlaskClient, asked: str, status: int, told: str
) -> None:
    answer = client.get(f"/inside/links{asked}")
    assert (answer.status_code, told in answer.text) == (status, True), answer.text[-1500:]


def test_without_a_crawl_it_says_what_to_run(tmp_path: Path) -> None:
    answer = gateway(tmp_path).get("/inside/links")
    assert (answer.status_code, "holds no crawl yet" in answer.text) == (503, True)


def test_more_links_than_can_be_drawn_are_in_the_report(
    bakery: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("extensions.course.inside.site_links.MAX_LINKS", 3)
    crawl = Breadcrumb(shutil.copytree(bakery, tmp_path / "data"), tmp_path)
    assert "more than 3 links" in client_of(crawl).get("/inside/links").text
    assert SITE in crawl.run_as_it_stands(*shown(crawl, "/inside/links", "report")).out


def test_of_a_divided_crawl_it_has_one_part(farm: Path) -> None:
    assert "of one part of the divided crawl" in gateway(farm).get("/inside/links").text
    (farm / "part-1" / FILE_NAME).write_bytes(b"no database")
    fresh = gateway(farm)
    assert fresh.get(f"/inside/links?site={ONE}").status_code == 503
    assert fresh.get(f"/inside/links?site={TWO}").status_code == 200
