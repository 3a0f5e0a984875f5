"""The page to which the robot's User-Agent leads: its owner, its manners, how to end its visits, and its form."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from bs4 import BeautifulSoup

from commands.frame.command_settings import CommandSettings
from crawldb.parts.division import folder_of
from crawldb.parts.partition import Partition
from crawldb.tables.runs import Manners
from frontier.followers.probes import FEW_PAGES, LEAST_BROKEN
from frontier.job import CrawlJob
from frontier.session import Session
from robots import page_controls, parse
from spiders.arguments import SpiderArguments
from spiders.crawl_settings import CrawlSettings
from spiders.settings import PROBE_AFTER
from tests.docs.conftest import DOCS
from tests.gateway.conftest import SITE, crawl, gateway
from tests.gateway.operators.test_admin_page import TOKEN, log_in
from urls.canonical import canonicalize

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse


@pytest.fixture
def policy(tmp_path: Path) -> str:
    told = {"contact": "owner@example.org", "bot_url": "https://search.example.org/bot"}
    return gateway(tmp_path, **told, download_delay=2.5).get("/bot").text


def examples(page: str) -> list[str]:
    return [html.unescape(code) for code in re.findall(r"<pre><code>(.*?)</code></pre>", page, re.DOTALL)]


def test_it_names_the_robot_its_owner_and_its_pace(policy: str) -> None:
    assert "About the robot Breadcrumb" in policy
    assert '<a href="mailto:owner@example.org">' in policy
    assert "at least 2.5 s apart" in policy
    assert "in your <code>robots.txt</code>, up to 60 s" in policy
    assert "The whole server waits as long, at most 3,600 s" in policy


def test_what_the_newest_crawl_told_of_itself_counts_and_not_what_the_gateway_was_told(tmp_path: Path) -> None:
    given = ["CONTACT=owner@example.org", "BOT_URL=https://example.org/bot", "PRODUCT=Crumb", "DOWNLOAD_DELAY=7"]
    for told in ([], given):
        settings = CommandSettings([f"DATA_DIR={tmp_path}", *told])
        CrawlSettings.read(settings, SpiderArguments("http://127.0.0.1:9/")).open_session().close("finished")
    policy = gateway(tmp_path, download_delay=2.5).get("/bot").text
    assert '<a href="mailto:owner@example.org">' in policy
    assert "About the robot Crumb" in policy
    assert "followed by <code>https://example.org/bot</code>" in policy
    assert "at least 7 s apart" in policy
    assert "fetches nothing outside" not in policy


def test_the_newest_run_of_all_parts_counts(tmp_path: Path) -> None:
    manners = Manners("Crumb", "one@example.org", "https://example.org/bot", 1.0, 60.0, 3600.0, 1)
    for number, at in ((1, 2.0), (2, 1.0)):
        part = Partition(number, 2)
        told = replace(manners, contact=f"part-{number}@example.org")
        seeds = (canonicalize("http://a.example/"), canonicalize("http://b.example/"))
        session = Session(folder_of(tmp_path, part), CrawlJob(seeds, partition=part, manners=told))
        with session.database.transaction() as connection:
            connection.execute("UPDATE run SET started_at = ?", (at,))
        session.close("finished")
    assert "part-1@example.org" in gateway(tmp_path, contact="nobody@example.org").get("/bot").text


def test_it_tells_of_requests_for_what_never_was(policy: str) -> None:
    assert "two URLs of that kind that it generates" in policy
    assert (PROBE_AFTER, FEW_PAGES, LEAST_BROKEN) == (20, 5, 3)
    assert "After twenty pages of a site, or after five if one has few words or three have one text" in policy


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
    assert "The protocol is advice, and no security." in policy
    assert "Protect private pages with a password" in policy


def test_it_says_how_one_command_ends_it(policy: str) -> None:
    assert "<code>./breadcrumb block --site your.site.example</code>" in policy


def test_without_a_contact_it_says_that_the_robot_stays_at_home(tmp_path: Path) -> None:
    assert "the robot fetches nothing outside the operator" in gateway(tmp_path).get("/bot").text


@pytest.mark.parametrize(
    "path",
    ["/search", "/search?q=rye", "/api/search?q=rye", "/why?url=http://bakery.localhost:8400/", "/why", "/stats",
     "/cached?url=http://bakery.localhost:8400/rye.html", "/cached?url=http://no.example/", "/", "/search?page=0"],
)  # fmt: skip
def test_no_page_about_crawled_content_may_enter_another_index(client: FlaskClient, path: str) -> None:
    file = parse(client.get("/robots.txt").data)
    assert file.decide("AnyBot", f"http://localhost{path}").allowed, "else nobody would see what follows"
    answer = client.get(path)
    controls = page_controls(list(answer.headers), answer.data, agent="AnyBot", url=f"http://localhost{path}")
    assert not controls.index
    assert not controls.follow


def test_other_robots_may_index_the_policy_and_are_asked_to_take_their_time(client: FlaskClient) -> None:
    answer = client.get("/robots.txt")
    assert answer.mimetype == "text/plain"
    assert parse(answer.data).delay("AnyBot") == 10
    policy = client.get("/bot")
    assert page_controls(list(policy.headers), policy.data, agent="AnyBot", url="http://localhost/bot").index


@pytest.fixture
def crawled(tmp_path: Path) -> Path:
    crawl(tmp_path)
    return tmp_path


def propose_block(client: FlaskClient, **told: str) -> TestResponse:
    """Send the form as a browser does that was shown it."""
    page = BeautifulSoup(client.get("/bot").text, "lxml")
    token = str(page.select_one("form.complaint input[name=token]")["value"])  # type: ignore[index]  # it is there
    form = {"site": SITE, "reason": "it is mine", "contact": "me@example.org", "token": token} | told
    return client.post("/bot", data=form)


def test_a_complaint_ends_in_a_proposal_and_is_shown_to_whoever_runs_the_crawl(crawled: Path) -> None:
    client = gateway(crawled, admin_token=TOKEN)
    log_in(client)
    answer = propose_block(client, reason="it is <b>mine</b>")
    assert answer.status_code == 202
    assert "Sent:</strong> the site bakery.localhost:8400" in answer.text
    page = client.get("/admin").text
    assert "A visitor asks to block bakery.localhost:8400" in page
    assert "it is &lt;b&gt;mine&lt;/b&gt; (me@example.org)" in page
    assert "blocks it and removes its pages" in page


@pytest.mark.parametrize(
    ("told", "status", "said"),
    [
        ({"token": "guessed"}, 403, "The form has expired"),
        ({"token": "gëraten"}, 403, "The form has expired"),
        ({"site": "http://b.example/"}, 422, "This crawl has never met the site b.example"),
        ({"site": ""}, 422, "is no address"),
        ({"site": "x" * 9000}, 422, "is no address"),
        ({"reason": ""}, 422, "The reason is missing"),
    ],
)
def test_what_can_not_be_taken_is_told_and_what_was_typed_stays(
    crawled: Path, told: dict[str, str], status: int, said: str
) -> None:
    client = gateway(crawled)
    answer = propose_block(client, contact="call &me", **told)
    assert (answer.status_code, said in answer.text) == (status, True)
    assert 'value="call &amp;me"' in answer.text
    assert client.get("/stats?format=json").json["complaints"] == []  # type: ignore[index]  # json may be None, for Flask


def test_more_complaints_than_an_hour_allows_are_told_to_come_back(crawled: Path) -> None:
    client = gateway(crawled, complaints_per_hour=1)
    propose_block(client)
    answer = propose_block(client)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "600")


def test_a_form_that_another_site_sent_is_refused(crawled: Path) -> None:
    client = gateway(crawled)
    token = re.findall(r'name="token" value="([^"]+)"', client.get("/bot").text)[0]
    form = {"site": SITE, "reason": "mine", "token": token}
    for header in (
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://evil.example"},
    ):
        assert client.post("/bot", data=form, headers=header).status_code == 403
    for header in ({"Sec-Fetch-Site": "same-origin", "Origin": "null"}, {"Origin": "http://localhost"}):
        assert client.post("/bot", data=form, headers=header).status_code == 202


def test_without_complaints_there_is_no_form_and_none_is_taken(crawled: Path) -> None:
    client = gateway(crawled, complaints_per_hour=0)
    assert '<form class="complaint"' not in client.get("/bot").text
    assert client.post("/bot", data={"site": SITE, "reason": "mine"}).status_code == 403


def test_the_proxy_of_the_documentation_opens_all_that_the_page_loads(client: FlaskClient) -> None:
    told = (DOCS / "tasks" / "put-it-behind-nginx.md").read_text("utf-8")
    [opened] = re.findall(r"location ~ (\S+) \{ auth_basic off;", told)
    loaded = re.findall(r'(?:<link rel="(?:stylesheet|icon)"[^>]* href|<script src)="([^"]+)"', client.get("/bot").text)
    assert loaded
    assert [path for path in ("/bot", *loaded) if not re.search(opened, path)] == []
    assert [path for path in ("/search", "/admin", "/bot/x", "/x/static/y") if re.search(opened, path)] == []
