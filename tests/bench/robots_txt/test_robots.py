"""Does `bench/robots` compare the engines on the same files, and tell what the largest cost?"""

from __future__ import annotations

import base64
import gzip
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from bench.robots_txt.engines import ENGINES
from tests.conftest import BENCH
from tests.robots.largest_files import SHAPES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.forks import Bench

FILES = [
    b"User-agent: *\r\nDisallow: /cellar/\r\nAllow: /cellar/wine\r\n",
    b"User-agent: Googlebot\nDisallow: /*.pdf$\n\nUser-agent: *\nDisallow: https://h.example/x\n",
    b"User-agent: a\nCrawl-delay: 2\nUser-agent: Breadcrumb\nDisallow: /\n",
]


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    path = tmp_path / "files.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for number, body in enumerate(FILES):
            file.write(json.dumps({"id": f"f{number}", "body_base64": base64.b64encode(body).decode()}) + "\n")
    return path


def test_the_engines_answer_the_same_questions_and_differences_have_their_rule(collection: Path) -> None:
    # No fork: garbage collection, which each phase begins with, would go through all modules that a fork begins with.
    program = [sys.executable, str(BENCH / "robots"), str(collection), "--repeats", "1", "--json"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert set(report["engines"]) == {"breadcrumb", "protego", "urllib"}
    assert report["files"] == len(FILES)
    assert report["explained"]["whole address"] == report["apart"] > 0
    assert report["unexplained"] == 0
    assert len(report["largest"]) == len(SHAPES)


def test_what_is_to_be_measured_must_be_named(bench: Bench) -> None:
    done = bench("robots")
    assert done.returncode == 2
    assert "--largest" in done.stderr


def test_every_engine_agrees_on_a_plain_file() -> None:
    body = b"User-agent: *\nDisallow: /cellar\n"
    for engine in ENGINES.values():
        assert not engine.decide(engine.parse(body), "x", "https://h.example/cellar/1")
        assert engine.decide(engine.parse(body), "x", "https://h.example/")
