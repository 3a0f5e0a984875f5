"""How the search engine stands, for a monitor and in numbers; and the page to which the robot's User-Agent leads.

That page names the robot's owner, its manners, and how to end its visits.
"""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from commands.command_settings import CommandSettings
from crawldb.database import CrawlDatabase
from crawldb.parts.division import folder_of
from crawldb.parts.partition import Partition
from crawldb.tables.runs import Manners
from frontier.job import CrawlJob
from frontier.session import Session
from robots import page_controls, parse
from spiders.conduct import Conduct, SpiderArguments
from tests.gateway.conftest import FETCHED_AT, PAGES, SITE, crawl, gateway
from urls.canonical import canonicalize
from urls.records import Fate, Outcome
from urls.rules import Rule

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient


def test_health_names_the_generation_its_size_and_its_date(client: FlaskClient) -> None:
    told = client.get("/healthz").json
    assert told is not None
    assert (told["ok"], told["generation"], told["documents"]) == (True, 1, 38)
    assert told["as_of"].startswith("20")


def test_without_an_index_health_is_bad_and_says_what_would_help(tmp_path: Path) -> None:
    answer = gateway(tmp_path).get("/healthz")
    assert answer.status_code == 503
    assert answer.json is not None
    assert answer.json["ok"] is False
    assert "./breadcrumb" in answer.json["error"]


def test_the_numbers_add_up(client: FlaskClient) -> None:
    urls = client.get("/stats?format=json").json["urls"]  # type: ignore[index]  # json may be None, for Flask
    assert urls["discovered"] == sum(number for state, number in urls.items() if state != "discovered") == 40


def test_the_numbers_as_a_page(client: FlaskClient) -> None:
    page = client.get("/stats").text
    assert '<tr><th scope="row">suppressed</th><td class="number">1</td></tr>' in page
    assert "bakery.localhost:8400" in page


def test_a_site_that_mostly_fails_is_told_and_so_is_one_whose_robots_txt_does(tmp_path: Path) -> None:
    broken = tuple(
        Outcome(
            canonicalize(f"{SITE}/{number}"), Fate.FAILED, Rule.SERVER_ERROR, "the server answered 500", status=500,
            fetched_at=FETCHED_AT,
        )
        for number in range(24)
    )  # fmt: skip
    crawl(tmp_path, PAGES[:1], broken)
    with CrawlDatabase(tmp_path) as database, database.transaction() as connection:
        connection.execute(
            "INSERT INTO robots (origin, fetched_at, expires_at, state, body, reason, failing_since) "
            "VALUES ('http://shut.localhost', 0, 0, 'CLOSED', '', '', 86400)"
        )
    page = gateway(tmp_path).get("/stats").text
    assert re.search(r"<li>\d+ of \d+ fetches of bakery\.localhost:8400 failed in this round", page)
    assert 'the robots.txt of http://shut.localhost has failed since <time datetime="1970-01-02T00:00:00Z"' in page


def test_without_an_alarm_there_is_no_word_of_alarms(client: FlaskClient) -> None:
    assert "Alarms" not in client.get("/stats").text


def test_without_a_crawl_there_are_no_numbers(tmp_path: Path) -> None:
    answer = gateway(tmp_path).get("/stats?format=json")
    assert answer.status_code == 503
    assert "holds no crawl yet" in answer.json["error"]  # type: ignore[index]  # json may be None, for Flask


@pytest.fixture
def policy(tmp_path: Path) -> str:
    told = {"contact": "owner@example.org", "bot_url": "https://search.example.org/bot"}
    return gateway(tmp_path, **told, download_delay=2.5).get("/bot").text


def examples(page: str) -> list[str]:
    return [html.unescape(code) for code in re.findall(r"<pre><code>(.*?)</code></pre>", page, re.DOTALL)]


def test_it_names_the_robot_its_owner_and_its_pace(policy: str) -> None:
    assert "About the robot called Breadcrumb" in policy
    assert '<a href="mailto:owner@example.org">' in policy
    assert "at least 2.5 s between two requests to a host" in policy
    assert "is kept, up to 60 s" in policy
    assert "all of your server for as long, 3600 s at most" in policy


def test_what_the_newest_crawl_told_of_itself_counts_and_not_what_the_gateway_was_told(tmp_path: Path) -> None:
    given = ["CONTACT=owner@example.org", "BOT_URL=https://example.org/bot", "PRODUCT=Crumb", "DOWNLOAD_DELAY=7"]
    for told in ([], given):
        settings = CommandSettings([f"DATA_DIR={tmp_path}", *told])
        Conduct.read(settings, SpiderArguments("http://127.0.0.1:9/")).open_session().close("finished")
    policy = gateway(tmp_path, download_delay=2.5).get("/bot").text
    assert '<a href="mailto:owner@example.org">' in policy
    assert "About the robot called Crumb" in policy
    assert "followed by <code>https://example.org/bot</code>" in policy
    assert "at least 7 s between two requests to a host" in policy
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
