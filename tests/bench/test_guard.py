"""Does bench/guard notice a crawl that does not end as it should? A tame server is hostile in none of its ways."""

import json
import subprocess
import sys
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import ClassVar

from tests.conftest import BENCH
from tests.forks import Bench
from tests.serving import PatientServer, serving

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "conformance" / "hostile_answers.jsonl").read_text("utf-8").splitlines()
]


class Tame(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    robots_status = 404
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(self.robots_status if self.path == "/robots.txt" else 404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Struggling(Tame):
    robots_status = 503


def guarded(bench: Bench, server: type[Tame]) -> subprocess.CompletedProcess[str]:
    server.asked.clear()
    with serving(PatientServer(("127.0.0.1", 0), server)) as address:
        return bench("guard", address, "--json")


def test_what_does_not_end_as_it_should_is_named_and_told_by_the_exit_code(bench: Bench) -> None:
    done = guarded(bench, Tame)
    right = sum(case["ends"] == "gone" for case in CASES)
    assert done.returncode == 1
    report = json.loads(done.stdout)["hostile"]
    assert report["right"] == f"{right} of {len(CASES)}"
    assert "header-limit" in {row["should"] for row in report["cases"]}
    assert report["bounds"][2]["bound"].startswith("standstill")
    assert report["said"][0] == "The crawl ended with exit code 1, and said last:"
    assert any("Run 1 is done" in line for line in report["said"])
    assert report["waiting"] == 0


def test_a_server_makes_its_large_answers_before_the_crawl(bench: Bench) -> None:
    guarded(bench, Tame)
    before = Tame.asked[: Tame.asked.index("/robots.txt")]
    assert before == [case["path"] for case in CASES if case["ends"] == "size"]


def test_cases_that_a_crawl_leaves_waiting_are_told_apart_with_its_reason(bench: Bench) -> None:
    done = guarded(bench, Struggling)
    report = json.loads(done.stdout)["hostile"]
    assert report["waiting"] == len(CASES)
    assert any("robots.txt answered 503" in line for line in report["said"])


def test_a_long_page_beyond_latin_is_crawled_and_indexed_within_the_bounds_of_memory() -> None:
    program = [sys.executable, str(BENCH / "guard"), "--long", "Greek"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)  # no fork: it begins with all modules
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Greek:\n  ended: {'fetched': 1}\n  held: True\n")
    assert "with the index writer's, MiB" in done.stdout
