"""The page to which the robot's User-Agent leads: its owner, its manners, and how to end its visits."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest

from robots import page_controls, parse
from tests.indexer.gateway.conftest import gateway

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient


@pytest.fixture
def policy(tmp_path: Path) -> str:
    told = {"contact": "owner@example.org", "bot_url": "https://search.example.org/bot"}
    return gateway(tmp_path, **told, crawl_settings={"DOWNLOAD_DELAY": 2.5}).get("/bot").text


def examples(page: str) -> list[str]:
    return [html.unescape(code) for code in re.findall(r"<pre><code>(.*?)</code></pre>", page, re.DOTALL)]


def test_it_names_the_robot_its_owner_and_its_pace(policy: str) -> None:
    assert "About the robot called Breadcrumb" in policy
    assert '<a href="mailto:owner@example.org">' in policy
    assert "at least 2.5 s between two requests to a host" in policy
    assert "is kept, up to 60 s" in policy


def test_it_tells_of_requests_for_what_never_was(policy: str) -> None:
    assert "two addresses of that kind that it has made up" in policy


def test_its_robots_txt_examples_do_what_they_say(policy: str) -> None:
    everything, folder = (example for example in examples(policy) if example.startswith("User-agent"))
    assert not parse(everything.encode()).decide("Breadcrumb", "http://a.example/any").allowed
    drafts = parse(folder.encode())
    assert drafts.decide("Breadcrumb", "http://a.example/drafts/open.html").allowed
    assert not drafts.decide("Breadcrumb", "http://a.example/drafts/other.html").allowed
    assert drafts.decide("Breadcrumb", "http://a.example/elsewhere").allowed


def test_its_examples_of_metas_and_headers_keep_a_page_out_of_the_index(policy: str) -> None:
    [meta] = (example for example in examples(policy) if example.startswith("<meta"))
    assert not page_controls([], meta.encode(), agent="Breadcrumb", url="http://a.example/").index
    values = re.findall(r'X-Robots-Tag "(.*?)"', "\n".join(examples(policy)))
    assert len(values) == 2
    for value in values:
        pdf = [("Content-Type", "application/pdf"), ("X-Robots-Tag", value)]
        assert not page_controls(pdf, b"", agent="Breadcrumb", url="http://a.example/a.pdf").index


def test_it_shows_how_a_server_sends_the_header_for_a_pdf(policy: str) -> None:
    assert r"location ~* \.pdf$ {" in policy
    assert "FilesMatch" in policy


def test_it_says_that_the_protocol_is_advice_and_protects_nothing(policy: str) -> None:
    assert "The protocol is advice." in policy
    assert "It is no security: what must stay private needs a password" in policy


def test_it_says_how_one_command_ends_it(policy: str) -> None:
    assert "<code>./breadcrumb block your.site.example</code>" in policy


def test_without_a_contact_it_says_that_the_robot_stays_at_home(tmp_path: Path) -> None:
    assert "it fetches nothing outside its operator" in gateway(tmp_path).get("/bot").text


def test_other_robots_may_read_the_policy_and_nothing_else_here(client: FlaskClient) -> None:
    answer = client.get("/robots.txt")
    file = parse(answer.data)
    assert answer.mimetype == "text/plain"
    assert file.decide("AnyBot", "http://localhost/bot").allowed
    assert not file.decide("AnyBot", "http://localhost/search?q=x").allowed
