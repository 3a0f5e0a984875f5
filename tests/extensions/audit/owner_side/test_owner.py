"""The owner's side: what the view says of each robot is what the server was asked for, line by line."""

from __future__ import annotations

import http.client
import json
import re
from html import unescape
from typing import TYPE_CHECKING

import pytest

from crawldb.databases import Parts
from demo import PracticeWeb
from extensions.audit.owner_side.page import LOG_NAME, read_owners_log
from extensions.audit.owner_side.visitors import names_a_robot
from gateway import create_app
from tests.gateway.conftest import bakery, gateway
from tests.journey.conftest import Folder, _forks, folder

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["_forks", "bakery", "folder"]  # fixtures
NOW = 1_795_000_000.0
BAD = "Nosy/1.0"
PERSON = "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"


def line(path: str, agent: str, at: float, *, client: str = "192.0.2.7", **fields: object) -> str:
    shown = {"end": NOW + at, "took": 0.0, "client": client, "host": "bakery.localhost:8400", "url": path}
    return json.dumps(shown | {"status": 200, "agent": agent} | fields) + "\n"


@pytest.mark.slow
def test_each_robot_of_the_practice_web_is_shown_as_the_server_saw_it(folder: Folder) -> None:
    folder.path.mkdir(parents=True)
    with PracticeWeb(0, folder.path / LOG_NAME) as web:
        done = folder.crawl(f"{web.origin('library')}/", f"{web.origin('bakery')}/", DOWNLOAD_DELAY=0, pages=12)
        assert done.returncode == 0, done.stderr
        crawled = len(web.requests)
        body = ask(web, "bakery", "/robots.txt", BAD)
        named = re.findall(r"^Disallow: (/\S*)", body, re.MULTILINE)[:3]
        for path in ("/", *named, "/history.html"):
            ask(web, "bakery", path, BAD)
        ask(web, "bakery", "/", PERSON)
        ask(web, "bakery", named[0], "Lost/1.0")
        ask(web, "bakery", "/starter.html", "Breadcrumb/0.1 (an impostor)")
        asked = list(web.requests)
    with Parts.in_folder(folder.path) as parts:
        log = read_owners_log(folder.path / LOG_NAME, parts, "Breadcrumb")
    assert (log.fault, log.visitors.lines, log.visitors.others) == ("", len(asked), 1)
    robots = {robot.agent: robot for robot in log.visitors.robots}
    assert {agent: robot.requests for agent, robot in robots.items()} == {
        agent: sum(request.user_agent == agent for request in asked) for agent in robots
    }
    bad = robots[BAD]
    assert (bad.guided, bad.after_reading) == (len(named), len(named))
    assert [asked[each.line - 1].path for each in bad.forbidden] == named
    assert bad.verdict == "used robots.txt as a guide"
    assert robots["Lost/1.0"].verdict == "requested forbidden paths without reading robots.txt"
    ours = asked[:crawled]
    crawler = robots[ours[0].user_agent]
    assert (crawler.forbidden_count, crawler.verdict) == (0, "requested no forbidden path")
    assert [each.sent is not None for each in log.matching.lines] == [True] * crawled + [False], "all but the impostor"
    for each, request in zip(log.matching.lines, ours, strict=False):
        assert each.sent is not None
        assert (each.sent.url, each.line.place) == (request.url, ours.index(request) + 1)
    assert log.matching.unlogged == []
    view = unescape(gateway(folder.path).get("/inside/owner").text)
    assert "Nosy" in view
    assert f"{crawled} lines of {crawled + 1} with this name are requests of this crawl" in view
    assert all(path in view for path in named)


def ask(web: PracticeWeb, site: str, path: str, agent: str) -> str:
    """Request a path as another robot does; return the body."""
    connection = http.client.HTTPConnection("127.0.0.1", web.port)
    try:
        connection.request("GET", path, headers={"Host": f"{site}.localhost:{web.port}", "User-Agent": agent})
        return connection.getresponse().read().decode("utf-8", "replace")
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("agent", "robot"), [(BAD, True), (PERSON, False), ("Mozilla/5.0 (compatible; Crawly/2.0)", True), ("curl/8", True)]
)
def test_a_user_agent_names_a_robot_or_a_browser(agent: str, robot: bool) -> None:
    assert names_a_robot(agent) is robot


@pytest.fixture
def logged(bakery: Path, tmp_path: Path) -> Path:
    """The bakery with a log of three visitors."""
    for file in bakery.iterdir():
        if file.is_file():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    lines = [
        line("/robots.txt", PERSON, 0.0, client="192.0.2.1"),
        line("/rye.html?session=7b1", PERSON, 1.0, client="192.0.2.1"),
        line("/private-page?name=alice", PERSON, 2.0, client="192.0.2.2"),
        line("/rye.html?token=abc", BAD, 3.0),
        line(f"/{'x' * 50}<script>alert(1)</script>", "Breadcrumb/0.1 <script>", 4.0),
    ]
    (tmp_path / LOG_NAME).write_text("".join(lines))
    return tmp_path


def test_no_person_no_ip_address_and_no_query_is_shown(logged: Path) -> None:
    page = gateway(logged).get("/inside/owner").text
    assert not [word for word in ("192.0.2.", "alice", "private-page", "7b1", "token", "<script>alert") if word in page]
    assert "Nosy" in page
    assert str(logged) not in page


def test_a_browser_that_reads_robots_txt_counts_as_a_robot(logged: Path) -> None:
    with Parts.in_folder(logged) as parts:
        found = read_owners_log(logged / LOG_NAME, parts, "Breadcrumb").visitors
    assert [(robot.agent, robot.requests) for robot in found.robots][:2] == [(PERSON, 2), (BAD, 1)]
    assert found.others == 1


def test_no_visitor_names_the_file(logged: Path) -> None:
    (logged / "other.log").write_text(line("/x", "Other/1.0", 0.0))
    assert "Other" not in gateway(logged).get("/inside/owner?log=other.log&file=other.log&path=other.log").text


def test_nothing_of_the_gateways_own_log_is_shown(logged: Path) -> None:
    app = create_app(logged)
    app.config["REQUEST_LOG"] = LOG_NAME  # as the extension does that writes it
    assert "There is no log yet" in app.test_client().get("/inside/owner").text
    earlier = {
        "end": NOW,
        "took": 0.1,
        "address": "192.0.2.9",
        "method": "GET",
        "url": "/search?q=alice",
        "status": 200,
    }
    (logged / LOG_NAME).write_text(json.dumps(earlier) + "\n")
    page = gateway(logged).get("/inside/owner").text
    assert "192.0.2." not in page
    assert "alice" not in page
    assert "<dt>lines</dt><dd>0</dd>" in page


def test_without_a_log_it_says_how_to_get_one(bakery: Path) -> None:
    page = gateway(bakery).get("/inside/owner").text
    assert "./breadcrumb demo" in page
    assert LOG_NAME in page


@pytest.mark.parametrize("content", ["this is\nno log\n", '{"full": 3}\n'])
def test_what_is_no_log_is_told_without_its_folder(logged: Path, content: str) -> None:
    (logged / LOG_NAME).write_text(content)
    page = gateway(logged).get("/inside/owner")
    assert (page.status_code, "t be read: " in page.text, str(logged) in page.text) == (200, True, False)


def test_a_page_of_lines_that_is_not_there_is_empty(logged: Path) -> None:
    assert "There is no such line" in gateway(logged).get("/inside/owner?page=9").text
    assert gateway(logged).get("/inside/owner?page=0").status_code == 400
