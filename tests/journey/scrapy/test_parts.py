"""Does each part of docs/scrapy.md work in another project? Its lines, in a project of `scrapy startproject`.

The project sees the folder `package/` and the packages of the tests, and nothing else of ours. Each part crawls in a
new process of Python once. The other crawls are forks, since each new process imports Scrapy again.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import pytest
from breadcrumb.scrapy import PARTS

import indexer
from tests.child import wait_until
from tests.durability.scrapy_kills import WAYS, Executioner, kill_and_continue
from tests.journey.conftest import html
from tests.journey.scrapy import parts
from tests.journey.scrapy.parts import PROJECT, ROOT, crawling, make_project, visited

if TYPE_CHECKING:
    from pathlib import Path

    from tests.forks import ForkServer
    from tests.journey.conftest import Site

pytestmark = pytest.mark.slow
Crawl = Callable[..., str]
CELLAR = (
    "Pears keep for weeks in a cool cellar, if they lie apart and nobody bruises them on the way down the stairs. "
    "Late kinds are picked in October, when the stalk comes off the branch by itself as the fruit is lifted. "
)
SCHEDULER, INDEX = WAYS["Scheduler"], 'ITEM_PIPELINES = {"breadcrumb.scrapy.IndexPipeline": 900}'


def lines_of(section: str) -> str:
    """Return the lines for settings.py in a section of the page."""
    page = (ROOT / "docs" / "scrapy.md").read_text()
    [block] = re.findall(r"```python\n(.*?)```", page.partition(f"## {section}\n")[2].partition("\n## ")[0], re.DOTALL)
    return str(block)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("project"))


@pytest.fixture
def project(model: Path, tmp_path: Path) -> Path:
    return shutil.copytree(model, tmp_path / PROJECT)


@pytest.fixture
def crawl(project: Path, site: Site, forks: ForkServer) -> Crawl:
    """Crawl the site to the end with these words more, in a fork; return the log."""
    return partial(parts.crawl, project, site.url + "/", forks=forks)


def use(project: Path, *lines: str) -> None:
    """Add lines to settings.py."""
    with (project / PROJECT / "settings.py").open("a") as settings:
        settings.write("\n".join((*lines, "")))


def crawled(project: Path, site: Site, *words: str) -> tuple[list[str], str]:
    """Crawl, and return the paths of the items that were kept, sorted, and the log."""
    log = parts.crawl(project, site.url + "/", "-O", "items.json", *words)
    assert "Traceback" not in log
    items = json.loads((project / "items.json").read_text() or "[]")
    return sorted(item["url"].removeprefix(site.url) for item in items), log


def test_robots_txt_and_page_controls(project: Path, site: Site) -> None:
    use(project, lines_of("robots.txt and page controls"))
    site.pages = {
        "/robots.txt": (200, {"Content-Type": "text/plain"}, b"User-agent: shopbot\nDisallow: /private\n"),
        "/": html("home", "/private", "/noindex"),
        "/noindex": (200, {"Content-Type": "text/html", "X-Robots-Tag": "noindex"}, b"<p>two"),
    }
    kept, log = crawled(project, site)
    assert (kept, sorted(site.asked())) == (["/"], ["/", "/noindex", "/robots.txt"])
    assert "ROBOTSTXT_OBEY=False has no effect: without robots.txt, take RobotsAddon out of ADDONS" in log


def test_page_controls_alone(project: Path, site: Site) -> None:
    use(project, lines_of("Page controls alone"))
    site.pages = {
        "/": html("home", "/noindex", "/nofollow"),
        "/noindex": (200, {"Content-Type": "text/html"}, b'<meta name="shopbot" content="noindex"><a href="/a">a</a>'),
        "/nofollow": (200, {"Content-Type": "text/html", "X-Robots-Tag": "nofollow"}, b'<a href="/b">b</a>'),
        "/a": html("a"),
    }
    kept, log = crawled(project, site)
    assert (kept, sorted(site.asked())) == (["/", "/a", "/nofollow"], ["/", "/a", "/nofollow", "/noindex"])
    assert "'robotstxt/noindex': 1" in log
    assert "'robotstxt/nofollow': 1" in log


def test_copies_and_pages_without_content(project: Path, site: Site) -> None:
    lines = lines_of("Copies and pages without content")
    if not (ROOT / "extensions" / "spoofing").exists():  # it may be left out
        lines = lines.replace('    "breadcrumb.scrapy.Spoofing": 600,\n', "")
    use(project, lines, "CONCURRENT_REQUESTS = 1")
    markup = {"Content-Type": "text/html"}
    site.pages = {
        "/": html("home", "/pears", "/same", "/near", "/sorry"),
        "/pears": (200, markup, f"<title>Pears</title><p>{CELLAR}".encode()),
        "/same": (200, markup, f"<title>Pears</title><p>{CELLAR}".encode()),
        "/near": (200, markup, f"<title>Fruit</title><p>{CELLAR} Or so.".encode()),
        "/sorry": (200, markup, b"<title>Page not found</title><p>Sorry."),
    }
    kept, log = crawled(project, site)
    assert "/" in kept
    assert len(kept) == 2, "the first of three pages that say the same"
    assert kept[1] in {"/pears", "/same", "/near"}
    for rule in ("Fingerprint/duplicate", "NearDuplicates/near-duplicate", "SoftNotFound/soft-404"):
        assert f"'filters/{rule}': 1" in log


def test_a_killed_crawl_continues_and_loses_no_page(project: Path, site: Site, crawl: Crawl, forks: ForkServer) -> None:
    lines = lines_of("A crawl that survives kill -9")
    assert lines.split("\n") == [*SCHEDULER, ""], "bench/crash scrapy measures these"
    use(project, lines)
    cost = kill_and_continue(project, site, pages=200, request=80, forks=forks)
    assert cost.lost == 0
    assert cost.repeated <= 3 * 8, "those that were under way, or whose pages were read"
    before = len(visited(project))
    crawl()
    assert len(visited(project)) == before + 200, "after a crawl that has ended, the next one begins anew"


def test_a_killed_crawl_has_every_page_in_its_index(project: Path, site: Site) -> None:
    use(project, *SCHEDULER, lines_of("An index"))
    assert kill_and_continue(project, site, pages=40, request=25).lost == 0
    found = indexer.open_index(project / "crawl").search("about", limit=100)
    assert {hit.url for hit in found.hits} == Executioner(site, 40).urls


def test_an_interrupted_crawl_continues_where_it_was(project: Path, site: Site, crawl: Crawl) -> None:
    use(project, *SCHEDULER)
    Executioner(site, 40)
    log = crawl("-s", "CLOSESPIDER_PAGECOUNT=10")
    assert "the same command continues" in log
    log = crawl()
    assert re.search(r"The crawl in crawl/frontier/spider-pages continues: \d+ requests are queued", log)
    assert len(visited(project)) == len(set(visited(project))) == 40, "none is lost, and none is repeated"


def test_what_cannot_be_pickled_waits_in_memory_and_the_log_says_so(project: Path, site: Site, crawl: Crawl) -> None:
    use(project, *SCHEDULER)
    spider = project / PROJECT / "spiders" / "pages.py"
    spider.write_text(
        spider.read_text().replace('css="a")', 'css="a", callback=lambda response: self.parse(response))')
    )
    Executioner(site, 4)
    log = crawl()
    assert len(visited(project)) == 4
    assert "is kept in memory, and a kill would lose it: Function" in log
    assert "'scheduler/enqueued/memory': 3" in log


def test_a_full_disk_ends_the_crawl_and_loses_nothing(project: Path, site: Site, crawl: Crawl) -> None:
    """Files of this process may have some pages of SQLite; the next one has room."""
    use(project, *SCHEDULER)
    settings = project / PROJECT / "settings.py"
    roomy = settings.read_text()
    use(project, "import resource", "resource.setrlimit(resource.RLIMIT_FSIZE, (120_000, 120_000))")
    Executioner(site, 300)
    log = crawl()
    assert "can't be written (" in log
    assert "Make room, then the same command continues it" in log
    assert "(frontier_failed)" in log
    assert len(set(visited(project))) < 300
    settings.write_text(roomy)
    crawl()
    assert len(set(visited(project))) == 300


def test_a_second_process_is_told_who_has_the_folder(
    project: Path, site: Site, crawl: Crawl, forks: ForkServer
) -> None:
    use(project, *SCHEDULER, INDEX)
    site.pages = {"/": html("home")}
    free = site.hold("/")
    with crawling(project, site.url + "/", forks=forks) as first:
        wait_until(lambda: bool(site.log), first)
        log = crawl("-s", "ITEM_PIPELINES={}", code=1)
        assert f"crawl/frontier/spider-pages is in use by a crawl (process {first.pid})" in log
        log = crawl("-s", "SCHEDULER=scrapy.core.scheduler.Scheduler", code=1)
        assert "ValueError: DATA_DIR='crawl': its index can't be written: " in log
        free.set()
        first.communicate()
    assert first.returncode == 0


CLASHES = [
    pytest.param((SCHEDULER[0],), "Scheduler needs a folder for its requests: DATA_DIR = ", id="no folder"),
    pytest.param((INDEX,), "IndexPipeline needs a folder for the index: DATA_DIR = ", id="no folder for an index"),
    pytest.param(
        (*SCHEDULER, 'DUPEFILTER_CLASS = "scrapy.dupefilters.BaseDupeFilter"'),
        "Scheduler filters duplicates itself. Take it out; REQUEST_FINGERPRINTER_CLASS says which", id="dupefilter",
    ),
    pytest.param((SCHEDULER[0], 'DATA_DIR = "scrapy.cfg"'), "scrapy.cfg/frontier", id="a file as the folder"),
    pytest.param((INDEX, 'DATA_DIR = "scrapy.cfg"'), "DATA_DIR='scrapy.cfg': its index can't be written", id="index"),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "said"), CLASHES)
def test_settings_that_cannot_work_end_the_crawl_with_a_sentence(
    project: Path, site: Site, crawl: Crawl, lines: tuple[str, ...], said: str
) -> None:
    use(project, *lines)
    log = crawl(code=1)
    assert said in log
    assert site.asked() == []


def test_settings_without_effect_are_named(project: Path, site: Site, crawl: Crawl) -> None:
    use(project, *SCHEDULER, 'JOBDIR = "job"', 'SCHEDULER_DISK_QUEUE = "scrapy.squeues.PickleFifoDiskQueue"')
    site.pages = {"/": html("home")}
    log = crawl()
    assert "JOBDIR='job' keeps spider.state alone: requests are in DATA_DIR" in log
    assert "No effect with breadcrumb.scrapy.Scheduler: SCHEDULER_DISK_QUEUE" in log


def test_a_file_that_is_damaged_or_open_to_others_is_not_read(project: Path, site: Site, crawl: Crawl) -> None:
    use(project, *SCHEDULER)
    site.pages = {"/": html("home")}
    crawl()
    folder = project / "crawl" / "frontier" / "spider-pages"
    folder.chmod(0o777)
    assert "can be written by other users, who could run code here" in crawl(code=1)
    folder.chmod(0o700)
    for name in ("requests.sqlite3-wal", "requests.sqlite3-shm"):
        (folder / name).unlink(missing_ok=True)
    (folder / "requests.sqlite3").write_bytes(b"no database" * 1000)
    assert f"delete {folder.relative_to(project)} to begin again" in crawl(code=1)
    with pytest.raises(sqlite3.DatabaseError):
        sqlite3.connect(folder / "requests.sqlite3").execute("SELECT 1 FROM request")


def test_the_page_names_every_part() -> None:
    page = (ROOT / "docs" / "scrapy.md").read_text()
    assert [name for name in PARTS if name not in page and name != "RobotsGate"] == []
