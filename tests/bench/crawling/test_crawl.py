"""Do the three crawlers do the same work? The real ones, on a small site."""

import json
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path

import pytest

from tests.forks import Bench
from tests.serving import PatientServer, serving

PAGES = 12


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    folder = tmp_path / "site"
    folder.mkdir()
    for number in range(PAGES):
        words = " ".join(f"word{number}x{place}" for place in range(50))
        name = f"page{number}.html" if number else "index.html"
        link = f'<a href="page{number + 1}.html">next</a>' if number + 1 < PAGES else '<a href="/missing.html">gone</a>'
        (folder / name).write_text(f"<title>Page {number}</title><p>{words}</p>{link}")
    (folder / "robots.txt").write_text("User-agent: *\nDisallow: /private\n")
    with serving(PatientServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(folder)))) as address:
        yield f"{address}/"


def test_all_three_fetch_every_page_and_nothing_else(site: str, bench: Bench) -> None:
    done = bench("crawl", "--site", site, "--repeats", "1", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert {who: row["pages"] for who, row in report["crawlers"].items()} == {"ours": PAGES, "a": PAGES, "b": PAGES}
    asked = PAGES + 2  # robots.txt, and what is missing
    assert {who: row["requests"] for who, row in report["crawlers"].items()} == {"ours": asked, "a": asked, "b": asked}
    assert report["disagreement"] is None
    assert set(report["ratios"]) == {"a", "b"}


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        pytest.param(["--site", "http://books.example/"], "is not on this machine", id="a site elsewhere"),
        pytest.param(["--site", "http://127.0.0.1:9/", "--repeats", "0"], "from 1 up", id="no repeat"),
    ],
)
def test_what_cannot_be_measured_is_said(bench: Bench, words: list[str], problem: str) -> None:
    done = bench("crawl", *words)
    assert done.returncode == 2
    assert problem in done.stderr
