"""Scrapy's own tools, in processes of their own: they fetch what a person names, and the guards stay on."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.child import PATIENCE
from tests.journey.conftest import COMMANDS, Site, html

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLLOWING = """
from scrapy import Spider

class Following(Spider):
    name = "following"
    start_urls = ["{start}"]

    def parse(self, response):
        print("read", response.url, flush=True)
        yield from response.follow_all(["/next", "{elsewhere}/", "/away"])
"""


def scrapy(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scrapy", *words],
        cwd=COMMANDS.parent,
        capture_output=True,
        text=True,
        check=False,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        timeout=PATIENCE,
    )


def test_fetch_prints_a_page_that_a_person_names(site: Site) -> None:
    site.pages["/"] = html("home", text="Rye bread keeps for a week.")
    done = scrapy("fetch", "-s", "CONTACT=me@example.org", f"{site.url}/")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Rye bread keeps for a week." in done.stdout
    assert site.asked() == ["/"], "robots.txt is not asked for"
    headers = site.log[0][1]
    assert (headers["User-Agent"], headers["From"]) == ("Breadcrumb/0.1", "me@example.org")


def test_the_shell_reads_what_is_typed_and_follows_redirects(site: Site) -> None:
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
    site: Site, tmp_path: Path
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


def test_a_spider_that_is_generated_is_listed_checked_and_run(site: Site, own_spider: Path) -> None:
    site.pages["/"] = html("home")
    done = scrapy("genspider", own_spider.stem, f"{site.url}/")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"own_spiders.{own_spider.stem}" in done.stdout
    assert own_spider.exists()
    assert {"site", own_spider.stem} <= set(scrapy("list").stdout.split())
    assert scrapy("runspider", "-s", "DOWNLOAD_DELAY=0", str(own_spider)).returncode == 0
    assert site.asked() == ["/"]
    refused = scrapy("crawl", own_spider.stem)
    assert (refused.returncode, f"scrapy runspider {own_spider} runs yours" in refused.stderr) == (2, True)


@pytest.fixture
def own_spider() -> Iterator[Path]:
    """The path of a spider that nobody has yet, where `genspider` will write it."""
    path = COMMANDS.parent / "own_spiders" / f"of_a_test_{os.getpid()}.py"
    yield path
    path.unlink(missing_ok=True)


def test_bench_measures_scrapy_where_it_is_told_to_go_at_full_speed() -> None:
    quick = ("-s", "DOWNLOAD_DELAY=0", "-s", "LOGSTATS_INTERVAL=1", "-L", "INFO")
    done = scrapy("bench", *quick, "-s", "CLOSESPIDER_PAGECOUNT=5")
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert re.search(r"Crawled \d+ pages \(at \d+ pages/min\)", done.stderr)
    assert " ".join(("scrapy bench", *quick)) in (COMMANDS.parent / "docs" / "commands.md").read_text("utf-8")
