"""The demo: what the practice web's truth says is what a crawl finds out, the first time and the second."""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import IO

import pytest

from commands.demo import LOG_NAME, crawl_line, facts
from commands.demo import complaints as complaints_of
from commands.frame.data_folder import open_searcher
from crawldb.database import CrawlDatabase, DatabaseError
from crawldb.databases import Parts
from crawldb.pages.feed import read_link_rows
from crawldb.tables.links import path_to
from frontier.job import CrawlJob
from frontier.policy_in_force import policy_in
from frontier.session import Session
from frontier.takedown import block
from indexer.links import web_graph
from reports.why import url_facts
from reports.why.facts import inlinks_of_page
from tests.child import PATIENCE, wait_until
from tests.forks import forked
from tests.journey.conftest import Folder
from urls.canonical import canonicalize
from urls.records import FoundBy

NUMBERS = ("Pages:", "URLs:", "Suppressed:", "Failed:")  # lines of the summary
TIMELESS = (("URLs", "requests"), ("probes", "rounds"))  # lines of the report: from one label to another
ROOT = Path(__file__).resolve().parents[2]
States = dict[str, tuple[int, str]]  # of each URL, by its address without the port
Crawled = tuple[Path, str, subprocess.CompletedProcess[str], States]


def demo(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return Folder(tmp_path).run("demo", *words)


def complaints(done: subprocess.CompletedProcess[str]) -> list[str]:
    """What it says beside the line of progress, which a slow machine gets to see."""
    return [line for line in done.stderr.splitlines() if " queued" not in line]


def states(folder: Path) -> States:
    with CrawlDatabase(folder, readonly=True) as database:
        rows = database.connection.execute("SELECT url, state, rule FROM url").fetchall()
    return {re.sub(r":\d{4,5}/", "/", url, count=1): (state, rule) for url, state, rule in rows}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory, ports: Iterator[int]) -> Crawled:
    """The folder and the port of a demo, what it said, and how its URLs stood after that."""
    place, port = tmp_path_factory.mktemp("demo"), str(next(ports))
    done = demo(place, "--once", "--port", port)
    return place, port, done, states(place / f"demo-{port}")


def judged(crawled: Crawled) -> tuple[list[str], str]:
    """The faults and the grade of the newest crawl."""
    place, port, *_ = crawled
    done = Folder(place / f"demo-{port}").run("demo", "--judge", str(place / f"demo-{port}" / LOG_NAME), "--json")
    (robot,) = json.loads(done.stdout)["robots"]
    counts = {row["name"]: row["count"] for row in robot["findings"]}
    assert [counts[name] for name in ("allowed", "nofollow", "off-limits", "coverage")] == [0, 0, 0, 0]
    return robot["faults"], robot["grade"]


@pytest.mark.slow
def test_the_crawl_finds_out_what_is_true_and_so_does_the_second(crawled: Crawled) -> None:
    place, port, first, _ = crawled
    assert (first.returncode, complaints(first)) == (0, [])
    assert "The result is as expected" in first.stdout
    (search,) = re.findall(r"Search it in the terminal: \./breadcrumb (.*)", first.stdout)
    assert f":{port}/breads/" in forked(Folder.forks, *shlex.split(search)).stdout
    assert facts(place / f"demo-{port}")["made_up"], "and none of them leads to a page that the truth has or forbids"
    second = demo(place, "--once", "--port", port)
    assert (second.returncode, complaints(second)) == (0, [])
    assert " 0 pages fetched" in second.stdout
    assert judged(crawled) == (["identity"], "B"), "a robots.txt that it read the first time serves for a day"


@pytest.mark.slow
def test_the_judge_finds_no_fault_in_our_own_crawl_but_that_no_owner_was_named(crawled: Crawled) -> None:
    assert judged(crawled) == (["identity"], "B")


@pytest.mark.slow
def test_a_class_sees_the_same_numbers_at_each_desk(crawled: Crawled, practice_crawl: Path, tmp_path: Path) -> None:
    _, _, first, found = crawled
    second = practice_crawl.with_name("printed").read_text()
    shutil.copytree(practice_crawl, tmp_path / "demo")
    assert states(tmp_path / "demo") == found
    told = [[line for line in text.splitlines() if line.startswith(NUMBERS)] for text in (first.stdout, second)]
    assert len(told[0]) == len(NUMBERS)
    assert told[0] == told[1]
    documented = (ROOT / "docs" / "commands.md").read_text("utf-8")
    assert all(line in documented for line in told[0] if line.startswith(("Pages:", "URLs:")))
    folder = Folder(tmp_path / "demo")
    explained = folder.run("search", "sourdough", "-n", "1", "--explain").stdout
    assert re.findall(r" [0-9.]+  = the sum of:.*", explained, re.DOTALL)[0] in documented
    rebuilt, time_taken, held = re.split(r"(in [0-9.]+ s): ", folder.run("index", "--rebuild").stdout)
    assert time_taken
    assert rebuilt in documented
    assert held.strip() in documented
    report = folder.run("report").stdout
    counted = (re.search(rf"^{begin} [^$]*?(?=^{end})", report, re.MULTILINE) for begin, end in TIMELESS)
    assert [part[0] if part else report for part in counted if not part or part[0] not in documented] == []


def test_settings_of_the_command_line_are_the_crawls_and_go_before_those_of_a_demo(tmp_path: Path) -> None:
    line = crawl_line(["http://a.test/"], tmp_path, ["WARC=yes", "MAX_DEPTH=3", "DATA_DIR=elsewhere"])
    chosen = dict(word.split("=", 1) for before, word in pairwise(line) if before == "-s")  # the last holds
    assert {name: chosen[name] for name in ("WARC", "MAX_DEPTH", "DATA_DIR", "PATTERN_PAGES")} == {
        "WARC": "yes", "MAX_DEPTH": "3", "DATA_DIR": str(tmp_path), "PATTERN_PAGES": "30",
    }  # fmt: skip


def test_another_port_has_a_folder_of_its_own(crawled: Crawled) -> None:
    place, port, *_ = crawled
    assert [folder.name for folder in place.iterdir()] == [f"demo-{port}"]


def test_a_port_in_use_is_told_with_one_that_may_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = demo(tmp_path, "--once", "--port", str(port))
    assert done.returncode == 2
    (other,) = re.findall(r"breadcrumb demo --port (\d+) uses another port", done.stderr)
    assert (int(other) > port, (int(other) - port) % 10) == (True, 0), "the next ones may be in use too"
    assert "Traceback" not in done.stderr


def test_a_search_page_that_could_not_listen_is_told_before_the_crawl(tmp_path: Path, ports: Iterator[int]) -> None:
    port = next(ports)
    with socket.create_server(("127.0.0.1", port + 1)):
        done = demo(tmp_path, "--port", str(port))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"port {port + 1}, which the search page needs, is in use" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_what_is_not_true_is_still_the_exit_code_when_the_search_page_was_ended(
    crawled: Crawled, tmp_path: Path
) -> None:
    place, port, *_ = crawled
    shutil.copytree(place, tmp_path, dirs_exist_ok=True)
    with CrawlDatabase(tmp_path / f"demo-{port}") as database:
        block(database, f"bakery.localhost:{port}", "so that something is not as it should be")
    with Folder(tmp_path).start("demo", "--port", port) as process:
        said = process.wait_for("Search it at")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 1
    assert "from the truth of the practice web" in said


@pytest.mark.slow
def test_ctrl_c_ends_the_crawl_in_order_and_is_the_exit_code(tmp_path: Path, ports: Iterator[int]) -> None:
    with Folder(tmp_path).start_anew("demo", "--once", "--port", str(next(ports))) as process:
        assert process.stdout
        _until(process.stdout, "The practice web is at")
        wait_until(lambda: _pages_in(next(tmp_path.glob("demo-*"), tmp_path)), process)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all
        said = process.communicate(timeout=PATIENCE)[0]
    assert process.returncode == 130
    assert "discovered =" in said, "the crawl was not killed"


def _pages_in(data_dir: Path) -> int:
    with suppress(DatabaseError, sqlite3.Error), CrawlDatabase(data_dir, readonly=True) as database:
        return database.count("SELECT count(*) FROM page")
    return 0


def _until(stream: IO[str], words: str) -> str:
    """Read lines until one has these words; return them all."""
    said = ""
    for line in stream:
        said += line
        if words in line:
            break
    return said


def test_of_many_differences_some_are_shown_and_a_used_folder_is_told(tmp_path: Path) -> None:
    session = Session(tmp_path, CrawlJob([canonicalize("http://bakery.localhost:8400/")]))
    session.close("finished")
    assert complaints_of([], tmp_path, 8400) == []
    assert complaints_of([str(number) for number in range(25)], tmp_path, 8400)[-2:] == ["19", "and 5 more"]
    Session(tmp_path, CrawlJob([])).close("finished")
    assert complaints_of(["x"], tmp_path, 8400)[-1].endswith("start with another port: ./breadcrumb demo --port 8410")


def test_a_port_that_is_none_is_refused(tmp_path: Path) -> None:
    done = demo(tmp_path, "--once", "--port", "70000")
    assert done.returncode == 2
    assert "70000" in done.stderr


@pytest.mark.slow
def test_what_why_tells_of_ways_and_links_is_true_of_every_url(crawled: Crawled) -> None:
    place, port, *_ = crawled
    folder = place / f"demo-{port}"
    with Parts.in_folder(folder) as parts:
        database = parts.home("")
        rows = read_link_rows(database)
        graph = web_graph(rows)
        node = dict(zip(rows.urls, graph.node.tolist(), strict=True))
        pairs = zip(graph.sources.tolist(), graph.targets.tolist(), strict=True)
        weights = dict(zip(pairs, graph.weights.tolist(), strict=True))
        links = set(database.connection.execute(
            "SELECT one.url, two.url FROM link JOIN url AS one ON one.id = source JOIN url AS two ON two.id = target"
        ))  # fmt: skip
        for url in rows.urls:
            way = path_to(parts.home, url)
            assert way.gap == ""
            assert way.steps[-1].url == url
            assert way.steps[0].by.is_root_set or way.steps[0].by is FoundBy.SITEMAP_LINE
            for before, step in pairwise(way.steps):
                if step.by is FoundBy.LINK:
                    assert step.stands is ((before.url, step.url) in links)
            for link in inlinks_of_page(database, url).shown:
                assert link.weight == pytest.approx(weights[node[link.url], node[url]])


@pytest.mark.slow
def test_the_answer_of_why_is_what_a_search_shows_and_its_robots_line_the_one_that_decides(crawled: Crawled) -> None:
    place, port, *_ = crawled
    folder = place / f"demo-{port}"
    searcher = open_searcher(folder)
    with Parts.in_folder(folder) as parts:
        urls = [url for (url,) in parts.home("").connection.execute("SELECT url FROM url ORDER BY id")]
        for url in urls[:: len(urls) // 60]:
            facts = url_facts(parts, url, lambda: searcher, policy_in)
            hits = [hit.url for hit in searcher.search(facts.place.query, 100).hits] if facts.place.query else []
            assert facts.answer.is_result == (url in hits)
            if url in hits:
                assert f"result {hits.index(url) + 1} of " in facts.answer.sentence or len(hits) == 1
            else:
                [fallen] = [taken for taken in facts.answer.steps if taken.passed is False]
                assert f"“{fallen.step}”: {fallen.told}" in facts.answer.sentence
            deciding = [line.number for line in facts.excerpt.lines if line.role == "decides"] if facts.excerpt else []
            assert deciding == ([facts.found.robots.line] if facts.found.robots and facts.found.robots.line else [])
