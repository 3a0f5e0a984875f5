"""Does the picture of the whole add up, with the numbers of `report --json`: empty, running, damaged, and in parts?"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from crawldb.databases import Parts
from crawldb.parts.division import folder_of
from crawldb.parts.partition import Partition
from extensions.course.inside.picture import stations
from frontier.job import CrawlJob
from frontier.session import Session
from reports.numbers import report_of
from tests.forks import forked
from tests.gateway.conftest import PAGES, crawl, gateway
from tests.samples import a_page, lease_all
from urls.canonical import canonicalize
from urls.records import Link

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from flask.testing import FlaskClient

    from reports.numbers import Report
    from tests.forks import ForkServer

NUMBERS: dict[str, Callable[[Mapping[str, Any]], int]] = {  # station: its number in the report
    "Frontier": lambda report: report["urls"]["discovered"],
    "Seeds": lambda report: len(report["seeds"]),
    "robots.txt": lambda report: report["suppressed"].get("robots", 0),
    "Fetch": lambda report: report["requests"],
    "Crawl database": lambda report: report["pages"]["stored"],
    "Index": lambda report: report["pages"]["indexed"],
    "Results": lambda report: report["pages"]["indexed"] - report["pages"]["near_duplicates"],
}


def drawn(client: FlaskClient) -> dict[str, tuple[int, dict[str, int]]]:
    """Read the picture from the page: each station with its number and its parts."""
    page = client.get("/inside").text
    found = {}
    for station in re.findall(r"<h3>.*?(?=<h3>|</ol>)", page, re.DOTALL):
        [name] = re.findall(r"<h3>(?:<a[^>]*>)?([^<]*)<", station)
        [number] = re.findall(r"<strong>([\d,]+)</strong>", station)
        parts = re.findall(r'<span class="number">([\d,]+)</span> ([^<]*)</li>', station)
        found[name] = (_int(number), {part: _int(amount) for amount, part in parts})
    return found


def _int(text: str) -> int:
    return int(text.replace(",", ""))


def assert_equals(client: FlaskClient, report: Report) -> None:
    """Check each drawn number against the report, and each station against the sum of its parts."""
    picture = drawn(client)
    assert {name: picture[name][0] for name in NUMBERS} == {name: read(report) for name, read in NUMBERS.items()}
    for number, parts in picture.values():
        assert sum(parts.values()) in {number, 0}
    states = picture["Frontier"][1]
    suppressed = sum(number for name, number in states.items() if name.startswith("suppressed"))
    assert suppressed == report["urls"]["suppressed"]
    assert picture["Traps"][0] == states.get("suppressed by a trap rule", 0)
    assert picture["Duplicates"][0] == picture["Filters"][1].get("passed", 0)
    assert picture["Index"][0] == picture["Duplicates"][1].get("not a duplicate", 0) == picture["Ranking"][0]


def report_in(data_dir: Path) -> Report:
    with Parts.in_folder(data_dir) as parts:
        return report_of(parts)


def test_the_picture_has_the_numbers_of_the_report_and_they_add_up(
    client: FlaskClient, bakery: Path, forks: ForkServer
) -> None:
    report = report_in(bakery)
    assert (report["pages"]["stored"], report["suppressed"]) == (len(PAGES), {"robots": 1})
    assert_equals(client, report)
    shown = json.loads(forked(forks, "report", "--json", "--data", str(bakery)).stdout)  # as the page says
    assert {name: read(shown) for name, read in NUMBERS.items()} == {
        name: read(report) for name, read in NUMBERS.items()
    }


def test_while_a_crawl_runs_it_says_so_and_shows_the_queue(tmp_path: Path) -> None:
    session = Session(tmp_path, CrawlJob((PAGES[0].url,)))
    session.frontier.lease(1, lambda _: 1)
    session.store.page(replace(PAGES[0], links=tuple(Link(page.url, "a link") for page in PAGES[1:4])))
    session.frontier.lease(1, lambda _: 1)
    client = gateway(tmp_path)
    assert "A crawl is running." in client.get("/inside").text
    assert "<strong>1</strong> seed<" in client.get("/inside").text
    assert_equals(client, report_in(tmp_path))
    assert drawn(client)["Frontier"] == (4, {"done": 1, "leased: being fetched": 1, "queued": 2})
    session.close("stopped")
    assert "A crawl is running." not in gateway(tmp_path).get("/inside").text


def test_a_crawl_in_parts_is_one_picture(tmp_path: Path) -> None:
    seeds = tuple(canonicalize(f"http://{name}.localhost:8400/") for name in ("oven", "mill", "pond", "quay"))
    brought = []
    for number in (1, 2):
        part = Partition(number, 2)
        session = Session(folder_of(tmp_path, part), CrawlJob(seeds, partition=part))
        leased = lease_all(session)
        for url in leased:
            session.store.page(a_page(url, "rye bread"))
        session.close("finished")
        brought.append(len(leased))
    client = gateway(tmp_path)
    assert min(brought) > 0
    assert drawn(client)["Crawl database"][0] == sum(brought) == 4
    assert_equals(client, report_in(tmp_path))


@pytest.mark.parametrize("exists", [True, False])
def test_without_a_crawl_all_is_zero_and_the_first_command_is_there(tmp_path: Path, exists: bool) -> None:
    client = gateway(tmp_path if exists else tmp_path / "none")
    assert {number for number, _ in drawn(client).values()} == {0}
    assert "There is no crawl yet" in client.get("/inside").text


def test_a_damaged_crawl_has_no_numbers_and_the_views_stay(tmp_path: Path) -> None:
    crawl(tmp_path, PAGES[:2])
    (tmp_path / "crawl.sqlite3").write_bytes(b"no database" * 1_000)
    page = gateway(tmp_path).get("/inside")
    assert page.status_code == 200
    assert 'class="banner"' in page.text
    assert str(tmp_path) not in page.text
    assert "<strong>" not in page.text
    assert "<h2>Views</h2>" in page.text


def test_each_station_leads_to_a_view_that_opens(client: FlaskClient) -> None:
    page = client.get("/inside").text
    links = re.findall(r'<h3><a href="([^"]+)">', page)
    assert len(links) == len(drawn(client)) == 11
    assert {client.get(link).status_code for link in links} <= {200, 302}


def test_each_request_is_in_one_part_and_an_unchanged_page_is_no_redirect(bakery: Path) -> None:
    status = {"200": 2, "204": 1, "301": 4, "304": 8, "404": 16, "503": 32, "none": 64}
    report = report_in(bakery)
    report["status"], report["requests"] = status, sum(status.values())
    [fetch] = [station for station in stations(report, ()) if station.name == "Fetch"]
    assert [part.number for part in fetch.parts] == [3, 8, 4, 16, 32, 64]
    assert fetch.parts[1].name == "304: unchanged"
