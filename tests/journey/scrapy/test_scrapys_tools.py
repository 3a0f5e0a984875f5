"""Scrapy's own tools fetch what a person names, and the guards stay on. `fetch` and `bench` start as a person does."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.child import PATIENCE
from tests.forks import SCRAPY, forked
from tests.journey.conftest import COMMANDS, Site, html

if TYPE_CHECKING:
    from pathlib import Path

    from tests.forks import ForkServer

FOLLOWING = """
from scrapy import Spider

class Following(Spider):
    name = "following"
    start_urls = ["{start}"]

    def parse(self, response):
        print("read", response.url, flush=True)
        yield from response.follow_all(["/next", "{elsewhere}/", "/away"])
"""


def scrapy_anew(*words: str) -> subprocess.CompletedProcess[str]:
    """Run Scrapy in a new process of Python."""
    return subprocess.run(
        [sys.executable, "-m", "scrapy", *words],
        cwd=COMMANDS.parent,
        capture_output=True,
        text=True,
        check=False,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        timeout=PATIENCE,
    )


Scrapy = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def scrapy(forks: ForkServer) -> Scrapy:
    """Run Scrapy in a fork, in the project's folder if no other is given."""
    return partial(forked, forks, entry=SCRAPY, folder=str(COMMANDS.parent))


@pytest.mark.slow
def test_fetch_prints_a_page_that_a_person_names(site: Site) -> None:
    site.pages["/"] = html("home", text="Rye bread keeps for a week.")
    done = scrapy_anew("fetch", "-s", "CONTACT=me@example.org", f"{site.url}/")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Rye bread keeps for a week." in done.stdout
    assert site.asked() == ["/"], "robots.txt is not asked for"
    headers = site.log[0][1]
    assert (headers["User-Agent"], headers["From"]) == ("Breadcrumb/0.1", "me@example.org")


def test_the_shell_reads_what_is_typed_and_follows_redirects(site: Site, scrapy: Scrapy) -> None:
    _, headers, body = html("home")
    site.pages = {
        "/": (200, headers | {"Content-Encoding": "gzip"}, gzip.compress(body)),
        "/old": (301, {"Location": "/"}, b""),
    }
    title = "response.css('title::text').get()"
    done = scrapy("shell", f"{site.url}/", "-c", f"({title}, fetch('{site.url}/old'), response.url, {title})")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == f"('home', None, '{site.url}/', 'home')"


def test_a_spider_of_another_kind_reaches_what_it_starts_with_and_no_other_private_address(
    site: Site, tmp_path: Path, scrapy: Scrapy
) -> None:
    elsewhere = f"http://127.0.0.2:{site.port}"
    site.pages = {"/": html("home"), "/next": html("next"), "/away": (302, {"Location": f"{elsewhere}/x"}, b"")}
    spider = tmp_path / "following.py"
    spider.write_text(FOLLOWING.format(start=f"{site.url}/", elsewhere=elsewhere))
    done = scrapy("runspider", "-s", "DOWNLOAD_DELAY=0", str(spider))
    read = [line for line in done.stdout.splitlines() if line.startswith("read")]
    assert read == [f"read {site.url}/", f"read {site.url}/next"]
    refused = f"127.0.0.2 is 127.0.0.2, a private address, and no seed is at 127.0.0.2 port {site.port}"
    assert done.stderr.count(refused) == 2, done.stderr
    assert sorted(site.asked()) == ["/", "/away", "/next"]


@pytest.mark.slow
def test_a_spider_that_is_generated_is_listed_and_run(site: Site, tmp_path: Path, scrapy: Scrapy) -> None:
    site.pages["/"] = html("home")
    for name in ("scrapy.cfg", "own_spiders/__init__.py"):  # of their own: other tests list the project's spiders
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(COMMANDS.parent / name, tmp_path / name)
    at = partial(scrapy, folder=str(tmp_path), environment={"PYTHONPATH": str(COMMANDS.parent)})
    done, spider = at("genspider", "mine", f"{site.url}/"), tmp_path / "own_spiders" / "mine.py"
    assert (done.returncode, done.stderr, "own_spiders.mine" in done.stdout) == (0, "", True)
    assert set(at("list").stdout.split()) >= {"site", "mine"}
    assert at("runspider", "-s", "DOWNLOAD_DELAY=0", str(spider)).returncode == 0
    assert site.asked() == ["/"]
    refused = at("crawl", "mine")
    assert (refused.returncode, f"scrapy runspider {spider} runs yours" in refused.stderr) == (2, True)


@pytest.mark.slow
def test_bench_measures_scrapy_where_it_is_told_to_go_at_full_speed() -> None:
    quick = ("-s", "DOWNLOAD_DELAY=0", "-s", "LOGSTATS_INTERVAL=1", "-L", "INFO")
    done = scrapy_anew("bench", *quick, "-s", "CLOSESPIDER_PAGECOUNT=5")
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert re.search(r"Crawled \d+ pages \(at \d+ pages/min\)", done.stderr)
    assert " ".join(("scrapy bench", *quick)) in (COMMANDS.parent / "docs" / "commands.md").read_text("utf-8")
