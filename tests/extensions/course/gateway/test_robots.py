"""Does the page say of a robots.txt what the command says of it, and of a site's own file what the crawl has?"""

from __future__ import annotations

import html
import json
import re
import shutil
from time import process_time
from typing import TYPE_CHECKING

import pytest

from commands.__main__ import main
from crawldb.database import CrawlDatabase
from crawldb.tables.robots_files import write_robots
from crawldb.tables.runs import latest_run
from extensions.course.inside.robots_page import EXAMPLE, MAX_BODY
from robots import RobotsRecord
from tests.gateway.conftest import gateway

if TYPE_CHECKING:
    from pathlib import Path

    from flask.testing import FlaskClient

URLS = ("/kitchen/window/", "/menu.pdf", "/ovens/")
VERDICT = re.compile(r'<strong class="(?:yes|no)">(\w+)</strong>(?: <a href="#line-(\d+)">)?')


def verdicts(page: str) -> list[tuple[bool, int]]:
    return [(word == "allowed", int(line or 0)) for word, line in VERDICT.findall(page)]


@pytest.mark.parametrize("agent", ["Breadcrumb", "Crumb"])
def test_four_readings_stand_side_by_side_as_the_command_has_them(
    client: FlaskClient, tmp_path: Path, capsys: pytest.CaptureFixture[str], agent: str
) -> None:
    (tmp_path / "robots.txt").write_text(EXAMPLE)
    main(["robots", str(tmp_path / "robots.txt"), "--agent", agent, "--dialect", "all", "--lint", "--json", *URLS])
    told = json.loads(capsys.readouterr().out)
    page = html.unescape(
        client.post("/inside/robots", data={"text": EXAMPLE, "urls": "\n".join(URLS), "agents": agent}).text
    )
    wanted = [verdict for one in told["verdicts"] for verdict in one["readings"].values()]
    assert verdicts(page) == [(verdict["allowed"], verdict["line"]) for verdict in wanted]
    assert re.findall(r'<p class="finding"><strong>([\w-]+)</strong> (.*?)</p>', page) == [
        (finding["rule"], finding["sentence"]) for finding in told["findings"]
    ]


def test_the_deciding_lines_are_marked_with_the_readings_that_stop_there(client: FlaskClient) -> None:
    page = html.unescape(client.get("/inside/robots").text)
    highlighted = re.findall(
        r'id="line-(\d+)" class="decides"><code dir="ltr">(.*?)</code> .*?decides for (.*?)</span>', page
    )
    assert highlighted == [
        ("2", "Disallow: /kitchen/", "1996"),
        ("3", "Allow: /kitchen/window/", "rfc9309, google"),
        ("5", "Disallow: /*.pdf$", "rfc9309, google"),
        ("6", "Disalow: /ovens/", "google"),
        ("9", "Disallow:", "book"),
    ]
    assert "/ovens/</strong>: google parts from rfc9309 on misspelt fields" in page


def test_a_browsers_line_ends_are_line_ends_and_several_robots_are_judged(client: FlaskClient) -> None:
    text = "User-agent: rye\r\nCrawl-delay: 10\r\nDisallow: /\r\n\r\nUser-agent: *\r\nAllow: /\r\n"
    page = html.unescape(client.get("/inside/robots", query_string={"text": text, "agents": "Rye, Wheat"}).text)
    assert verdicts(page)[0] == (False, 3)
    assert verdicts(page)[4] == (True, 6)
    assert "Crawl-delay: 10 for Rye, as three engines read it: Yandex: at least 10 s between two requests" in page
    assert "No lint findings" in page


def test_105_a_whole_user_agent_string_means_its_product_token(client: FlaskClient) -> None:
    whole = "Mozilla/5.0 (KHTML, like Gecko; compatible; Rye/2.1; +http://rye.test), Wheat/1"
    page = client.get("/inside/robots", query_string={"text": "User-agent: rye\nDisallow: /\n", "agents": whole}).text
    assert 'name="agents" value="Rye, Wheat"' in page
    assert [verdict[0] for verdict in verdicts(page)] == [False] * 4 + [True] * 4


@pytest.fixture(scope="module")
def with_robots(bakery: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bakery, with the robots.txt of two sites: a file, and a server that denies it."""
    folder = tmp_path_factory.mktemp("robots") / "data"
    shutil.copytree(bakery, folder)
    with CrawlDatabase(folder) as database:
        run = latest_run(database)
        kept = RobotsRecord(
            "http://bakery.localhost:8400", "PARSED", "robots.txt answered 200", 1e9, 2e9, 200, EXAMPLE.encode()
        )
        write_robots(database, run, kept)
        write_robots(
            database, run, RobotsRecord("https://closed.example:443", "OPEN", "robots.txt answered 403", 1e9, 4e9, 403)
        )
    return folder


def test_the_file_of_a_site_is_the_one_that_the_crawl_has(with_robots: Path) -> None:
    client = gateway(with_robots)
    page = html.unescape(client.get("/inside/robots?site=bakery.localhost:8400&urls=/ovens/").text)
    assert "http://bakery.localhost:8400/robots.txt: robots.txt answered 200" in page
    assert verdicts(page) == [(True, 0), (False, 6), (True, 0), (False, 9)]
    assert EXAMPLE in page.replace("\r\n", "\n"), "so that it can be changed and judged again"
    other = html.unescape(client.get("/inside/robots?site=bakery.localhost:8400&urls=http://other.example/").text)
    assert "http://other.example/ is not on http://bakery.localhost:8400, so this file does not apply to it" in other


def test_an_answer_without_a_file_is_judged_too(with_robots: Path) -> None:
    page = html.unescape(gateway(with_robots).get("/inside/robots?site=closed.example").text)
    assert [allowed for allowed, _ in verdicts(page)] == [True, True, False, False]
    assert "401 and 403 for robots.txt" in page
    assert "The file is empty" in page


def test_a_site_that_was_never_asked_is_told(client: FlaskClient) -> None:
    page = html.unescape(client.get("/inside/robots?site=nowhere.example").text)
    assert "No crawl has fetched the robots.txt of nowhere.example" in page
    assert verdicts(page) == []


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"text": "x" * MAX_BODY}, "the form has more than 65,536 bytes: save it, and run"),
        ({"urls": "\n".join(f"/{number}" for number in range(11))}, "urls: 11 given, at most 10"),
        ({"urls": "/" + "x" * 2_000}, "has 2,001 characters, at most 2,000"),
        ({"agents": "a,b,c,d"}, "agents: 4 given, at most 3"),
    ],
)
def test_too_much_is_refused_with_what_would_work(client: FlaskClient, form: dict[str, str], said: str) -> None:
    answer = client.post("/inside/robots", data=form)
    assert answer.status_code == 400
    assert said in html.unescape(answer.text)


def test_commas_without_a_name_are_passed_over_at_once(client: FlaskClient) -> None:
    begin = process_time()
    form = "agents=Rye" + "," * 60_000  # unescaped, as no browser sends them
    answer = client.post("/inside/robots", data=form, content_type="application/x-www-form-urlencoded")
    assert 'name="agents" value="Rye"' in answer.text
    assert process_time() - begin < 3  # seconds; looking behind each comma for the end of a comment took fifteen


def test_markup_in_a_file_is_text(client: FlaskClient) -> None:
    evil = "</textarea><script>alert(1)</script>"
    page = client.post(
        "/inside/robots", data={"text": f"User-agent: *\nDisallow: {evil}\n", "agents": evil, "urls": evil}
    )
    assert page.status_code == 200
    assert "<script>alert" not in page.text
