"""Which rule did a robot break? Robots of which each breaks one, in a log of the practice web."""

from __future__ import annotations

import json
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

from demo import PracticeWeb
from demo.messages import Request
from demo.server import RequestLog
from extensions.audit.judge.command import GradedLog, Practice, grade_robots, port_of
from extensions.audit.log_reader import read_log
from tests.extensions.audit.judge import robots
from tests.extensions.audit.judge.robots import Robot

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Breadcrumb

SITES = ("bakery", "library", "almanac", "post")


def judged(path: Path, **limits: Any) -> GradedLog:
    with path.open("rb") as file:
        port = port_of(read_log(file, "log").visits)
    assert port is not None
    with path.open("rb") as file:
        log = read_log(file, "log")
        return grade_robots(log.visits, Practice(port), log.form, **limits)


def log_of(path: Path, kind: type[Robot], *sites: str) -> Path:
    with PracticeWeb(0, path / "log") as web:
        kind(web, *sites).crawl()
    return path / "log"


def test_a_polite_robot_gets_an_a(tmp_path: Path) -> None:
    (robot,) = judged(log_of(tmp_path, Robot, *SITES)).robots
    assert [(finding.name, finding.found) for finding in robot.findings if finding.is_fault] == []
    assert robot.grade == "A"
    assert robot.agent == Robot.agent
    assert 0 < sum(robot.traps.values()) < 100


@pytest.mark.parametrize(
    ("kind", "fault", "grade"),
    [
        (robots.IgnoresRobots, "allowed", "F"),
        (robots.ReadsRobotsLater, "robots-first", "B"),
        (robots.IgnoresNofollow, "nofollow", "B"),
        (robots.FallsIntoTheCalendar, "traps", "B"),
        (robots.AsksTwice, "once", "B"),
        (robots.BelievesSpellings, "spellings", "B"),
        (robots.AsksTheHeadFirst, "head", "B"),
        (robots.NeverGivesUp, "errors", "B"),
        (robots.LeavesEarly, "coverage", "B"),
        (robots.Strays, "off-limits", "B"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_each_fault_is_found_and_no_other(kind: type[Robot], fault: str, grade: str, tmp_path: Path) -> None:
    (robot,) = judged(log_of(tmp_path, kind, *SITES)).robots
    assert {finding.name: finding.found for finding in robot.findings if finding.is_fault}.keys() == {fault}, robot
    assert robot.grade == grade
    assert robot.count(fault) > 0


def rows(*requests: tuple[str, str, float], agent: str = Robot.agent, **fields: Any) -> str:
    """Return a log of requests for (site, path) at a second."""
    lines = [
        {"end": 1_800_000_000 + at, "took": 0, "client": "127.0.0.1", "host": f"{site}.localhost:8400", "method": "GET"}
        | {"url": path, "status": 200, "agent": agent}
        | fields
        for site, path, at in requests
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def written(folder: Path, text: str) -> Path:
    path = folder / "requests.log"
    path.write_text(text)
    return path


def faults(folder: Path, text: str) -> set[str]:
    (robot,) = judged(written(folder, text)).robots
    return set(robot.faults) - {"coverage"}


def test_a_robots_txt_serves_for_a_day(tmp_path: Path) -> None:
    read = ("bakery", "/robots.txt", 0.0)
    assert faults(tmp_path, rows(read, ("bakery", "/", 86_399.0))) == set()
    assert faults(tmp_path, rows(read, ("bakery", "/", 86_402.0))) == {"robots-first"}


@pytest.mark.parametrize(
    ("before", "fault"),
    [
        pytest.param(("bakery", "/robots.txt", 0.0), False, id="it read the file"),
        pytest.param(("bakery", "/", 0.0), False, id="it was there, so it may have read the file earlier still"),
        pytest.param(("bakery", "/robots.txt", -86_400.0), True, id="more than a day before"),
        pytest.param(("arcade", "/robots.txt", 0.0), True, id="at another site"),
        pytest.param(None, True, id="no log before"),
    ],
)
def test_a_robots_txt_may_be_known_from_the_log_before(
    before: tuple[str, str, float] | None, fault: bool, empty: Breadcrumb, tmp_path: Path
) -> None:
    if before:
        written(tmp_path, rows(before)).rename(tmp_path / "requests.log.1")
    path = written(tmp_path, rows(("bakery", "/", 1.0), ("bakery", "/breads/", 2.0)))
    (robot,) = json.loads(empty.run("demo", "--judge", str(path), "--json").out)["robots"]
    assert ("robots-first" in robot["faults"]) == fault
    found = next(row["found"] for row in robot["findings"] if row["name"] == "robots-first")
    assert found.startswith("2 requests without a fresh" if fault else "2 requests: requests.log.1 has this robot")


def test_robots_are_told_apart_by_name_and_address(tmp_path: Path) -> None:
    there = ("bakery", "/", 1.0)
    text = rows(there) + rows(there, client="127.0.0.2") + rows(there, there, agent="Other/1")
    assert [(robot.agent, robot.client, robot.requests) for robot in judged(written(tmp_path, text)).robots] == [
        ("Other/1", "127.0.0.1", 2),
        (Robot.agent, "127.0.0.1", 1),
        (Robot.agent, "127.0.0.2", 1),
    ]


def test_a_robot_of_many_names_fills_no_memory(tmp_path: Path) -> None:
    text = "".join(rows(("bakery", f"/{number}", 1.0), agent=f"A/{number}") for number in range(9))
    judgement = judged(written(tmp_path, text), max_robots=4)
    assert (len(judgement.robots), judgement.unjudged) == (4, 5)


@pytest.mark.parametrize("fields", [{"if_none_match": '"a"', "status": 304}, {"if_modified_since": "x"}])
def test_a_conditional_request_may_come_again(fields: dict[str, Any], tmp_path: Path) -> None:
    first = rows(("bakery", "/robots.txt", 0.0), ("bakery", "/", 1.0))
    assert faults(tmp_path, first + rows(("bakery", "/", 2.0))) == {"once"}
    assert faults(tmp_path, first + rows(("bakery", "/", 2.0), **fields)) == set()


def test_a_crawl_delay_is_kept(tmp_path: Path) -> None:
    pages = ("/robots.txt", "/", "/crossing.html", "/knots.html", "/passengers.html")
    kept = rows(*(("handbook", path, 0.5 * place) for place, path in enumerate(pages)))
    assert faults(tmp_path, kept) == set()
    assert faults(tmp_path, rows(*(("handbook", path, 0.4 * place) for place, path in enumerate(pages)))) == {"delay"}


def test_another_web_of_the_proxy_is_off_limits(tmp_path: Path) -> None:
    read = rows(("bakery", "/robots.txt", 0.0))
    assert faults(tmp_path, read + rows(("", "/", 1.0), host="www.example.org")) == {"off-limits"}
    assert faults(tmp_path, read + rows(("", "/", 1.0), host="workshop.localhost:25")) == {"off-limits"}


def test_a_robot_says_whose_it_is(tmp_path: Path) -> None:
    text = ("bakery", "/robots.txt", 0.0)
    for agent in ("", "python-requests/2.31", "Scrapy/2.19.0 (+https://scrapy.org)", "A/1"):
        assert faults(tmp_path, rows(text, agent=agent)) == {"identity"}
    assert faults(tmp_path, rows(text, agent="A/1 (+https://a.example/bot)")) == set()
    assert faults(tmp_path, rows(text, agent="A/1", **{"from": "me@example.org"})) == set()


def test_the_log_of_a_web_server_is_read_too(tmp_path: Path) -> None:
    who = "bakery.localhost:8400 127.0.0.1 - -"
    text = "".join(
        f'{who} [21/Nov/2026:06:01:0{second} +0000] "GET {path} HTTP/1.1" 200 9 "-" "A/1"\n'
        for second, path in enumerate(("/robots.txt", "/", "/kitchen/"))
    )
    (robot,) = judged(written(tmp_path, text)).robots
    assert (robot.agent, robot.client, robot.grade) == ("A/1", "127.0.0.1", "F")
    sample = next(finding for finding in robot.findings if finding.name == "allowed").samples[0]
    assert (sample.line, sample.wrong) == (3, "disallowed by line 4, Disallow: /kitchen/")


class TestTheCommand:
    def test_prints_a_row_and_the_reasons_of_each_robot(self, empty: Breadcrumb, tmp_path: Path) -> None:
        text = rows(("bakery", "/robots.txt", 0.0), ("bakery", "/kitchen/oven.html", 1.0), agent="Bad\x1b/1")
        done = empty.run("demo", "--judge", str(written(tmp_path, text)))
        assert done.code == 1
        assert "requests.log: 2 requests of 1 robot\n" in done.out
        assert "\x1b" not in done.out
        assert "disallowed by line 4" in " ".join(done.out.split())
        (robot,) = json.loads(empty.run("demo", "--judge", str(tmp_path / "requests.log"), "--json").out)["robots"]
        assert (robot["grade"], robot["agent"]) == ("F", "Bad\x1b/1")
        assert robot["hosts"] == [{"host": "bakery.localhost:8400", "requests": 2, "per_second": 1.0, "delay": 0.0}]

    def test_takes_the_log_of_the_demo_and_only_one_robot(self, empty: Breadcrumb) -> None:
        folder = empty.data / "demo"
        folder.mkdir(parents=True)
        written(folder, rows(("bakery", "/robots.txt", 0.0)) + rows(("bakery", "/", 1.0), agent="Other/1"))
        done = empty.run("demo", "--judge", "--agent", "Other")
        assert "1 request of 1 robot" in done.out
        assert "Other/1" in done.out

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            (None, "requests.log: the file can't be read (No such file or directory). ./breadcrumb demo writes"),
            ("", "requests.log: no request for a site of the practice web, whose names end in .localhost"),
            ("\0\1\2" * 9000, "requests.log: none of its first 1 lines can be read"),
            (rows(("", "/", 0.0), host="example.org"), "no request for a site of the practice web"),
        ],
        ids=["missing", "empty", "binary", "another web"],
    )
    def test_says_what_is_wrong_with_a_log(
        self, text: str | None, complaint: str, empty: Breadcrumb, tmp_path: Path
    ) -> None:
        if text is not None:
            written(tmp_path, text)
        done = empty.run("demo", "--judge", str(tmp_path / "requests.log"))
        assert (done.code, done.out) == (2, "")
        assert complaint in done.err

    def test_says_what_a_damaged_log_may_hide(self, empty: Breadcrumb, tmp_path: Path) -> None:
        whole = rows(("bakery", "/robots.txt", 0.0), ("bakery", "/", 1.0))
        done = empty.run("demo", "--judge", str(written(tmp_path, whole + whole[:50] + "\n" + '{"full": 99}\n')))
        said = " ".join(done.out.split())
        assert "1 line can't be read, the first is line 3" in said
        assert "the log was full at line 4; later requests are not in it" in said

    def test_needs_a_log_to_judge(self, empty: Breadcrumb) -> None:
        assert "--agent and --json need --judge" in empty.run("demo", "--json").err
        assert "leave out --once" in empty.run("demo", "--judge", "--once").err


@pytest.mark.slow
def test_a_log_of_any_length_is_read_in_little_memory(tmp_path: Path) -> None:
    """Of 4,000 URLs of 4,500 characters, 18 MB, hardly any is kept."""
    log = RequestLog(tmp_path / "log")
    for number in range(4_000):
        url, agent = f"/{number:0>4500}", f"A/{number % 200}"
        log.write(Request(1.8e9 + 10 * number, "bakery.localhost:8400", url, 200 + number % 2 * 204, agent, ""))
    log.close()
    tracemalloc.start()
    judgement = judged(tmp_path / "log", max_pages=100, max_robots=4)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sum(robot.requests for robot in judgement.robots) + judgement.unjudged == 4_000
    assert peak < 6 * 2**20
