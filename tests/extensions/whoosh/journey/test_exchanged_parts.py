"""Parts of the engine in the place of parts of the textbook engine: what `-s` puts in, and what it takes out."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from extensions.whoosh.folders.folder import whoosh_folder
from indexer import open_index
from indexer.item_pipeline import COMMIT_PAGES
from tests.child import wait_until
from tests.journey.conftest import Answer, Folder, Site, html

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

TRAPS = 'DOWNLOADER_MIDDLEWARES={"spiders.trap_gate.TrapGate": 200}'
INDEX = 'ITEM_PIPELINES={"textbook.index.WhooshWriter": null, "indexer.item_pipeline.IndexPipeline": 400}'
LETTERS = str.maketrans("0123456789", "aeioubdfgk")


def crawl(folder: Folder, site: Site, *words: str) -> subprocess.CompletedProcess[str]:
    return folder.run("crawl", "textbook", "-a", f"seeds={site.url}/", *words)


def chain(name: str, text: str, length: int = 60) -> dict[str, Answer | Callable[[dict[str, str]], Answer]]:
    """Pages of which each leads on to the next five; `{word}` in the text is another word on each."""
    return {
        f"/{name}/{number}": html(
            f"{name} {number}",
            *(f"/{name}/{number + step}" for step in range(1, 6) if number + step <= length),
            text=text.format(number=number, word=str(number).translate(LETTERS)),
        )
        for number in range(1, length + 1)
    }


@pytest.mark.slow
def test_the_gate_closes_what_says_nothing_new_and_leaves_an_archive(site: Site, folder: Folder) -> None:
    counter, archive = chain("count", "Page {number}."), chain("story", "There was a fox called {word}.")
    site.pages = {"/": html("Start", "/count/1", "/story/1"), **counter, **archive}
    done = crawl(folder, site, "-s", TRAPS, "-s", "DEPTH_LIMIT=0")
    assert (done.returncode, done.stderr) == (0, "")
    asked = site.asked()
    assert sum(path.startswith("/story/") for path in asked) == len(archive)
    assert sum(path.startswith("/count/") for path in asked) < 45


def test_the_gate_ends_a_request_whose_shape_is_a_traps(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Start", "/a/a/a/page", "/log/?year=9000&month=1", "/plain"), "/plain": html("Plain")}
    assert crawl(folder, site, "-s", TRAPS).returncode == 0
    assert sorted(site.asked()) == ["/", "/plain", "/robots.txt"]


@pytest.mark.slow
def test_a_killed_crawl_keeps_what_the_index_of_the_engine_has_committed(site: Site, folder: Folder) -> None:
    names = [f"/{number}" for number in range(2 * COMMIT_PAGES)]
    site.pages = {"/": html("Start", *names, "/slow"), "/slow": html("Slow")}
    site.pages |= {name: html(f"Sheet {name}", text=f"A sheet about {name[1:].translate(LETTERS)}.") for name in names}
    site.hold("/slow")
    last = f"/{2 * COMMIT_PAGES - 1}"
    with folder.start(
        "crawl", "textbook", "-a", f"seeds={site.url}/", "-s", INDEX, "-s", "DOWNLOAD_TIMEOUT=600"
    ) as process:
        wait_until(lambda: {"/slow", last} <= set(site.asked()), process)
        wait_until(lambda: _found(folder) >= 2 * COMMIT_PAGES - 1, process)  # the front page is one of them
        process.send(signal.SIGKILL)
        process.wait()
    assert _found(folder) >= 2 * COMMIT_PAGES - 1
    assert whoosh_folder(folder.path) is None


def _found(folder: Folder) -> int:
    if not (folder.path / "index" / "current.json").exists():
        return 0
    return open_index(folder.path).search("sheet").total


def test_search_finds_what_the_exchanged_pipeline_wrote(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Harbour", "/lamps"), "/lamps": html("Lamps")}
    done = crawl(folder, site, "-s", INDEX)
    assert (done.returncode, done.stderr) == (0, "")
    assert folder.search("lamps")[0] == "/lamps"
    assert "Whoosh" not in folder.run("search", "lamps", "--explain").stdout


def test_a_part_that_is_taken_out_does_nothing_and_the_others_stay(site: Site, folder: Folder) -> None:
    site.pages = {
        "/": html("Start", "/one", "/copy", "/hidden"),
        "/one": html("One", text="The same words."),
        "/copy": html("One", text="The same words."),
        "/hidden": html("Hidden", head='<meta name="robots" content="noindex">'),
    }
    dropped = '{"textbook.filters.Fingerprint": null, "textbook.filters.NearDuplicates": null}'
    done = crawl(folder, site, "-s", f"ITEM_PIPELINES={dropped}")
    assert "3 indexed, 1 noindex, 0 exact copies, 0 near copies" in done.stdout


def test_what_a_filter_of_the_engine_drops_is_counted(site: Site, folder: Folder) -> None:
    site.pages = {
        "/": html("Start", "/one", "/nothing"),
        "/one": html("One"),
        "/nothing": html("Page not found", text="Sorry."),
    }
    done = crawl(folder, site, "-s", 'ITEM_PIPELINES={"filters_addon.SoftNotFound": 350}')
    assert "Fetched 3 pages with 4 requests: 2 indexed" in done.stdout
    assert "0 near copies, 1 dropped otherwise." in done.stdout


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("ITEM_PIPELINES=textbook.index.WhooshWriter", "give a JSON object"),
        ('ITEM_PIPELINES=["textbook.index.WhooshWriter"]', "give a JSON object"),
        ('ITEM_PIPELINES={"textbook.index.WhooshWriter": "first"}', "give each class its place"),
        ('ITEM_PIPELINES={"textbook.index.Nothing": 1}', "there is no class textbook.index.Nothing"),
        ('SPIDER_MIDDLEWARES={"nowhere.Class": 1}', "there is no class nowhere.Class"),
        ('SPIDER_MIDDLEWARES={"Class": 1}', "there is no class Class"),
        ('DOWNLOADER_MIDDLEWARES={"textbook.index.search": 1}', "textbook.index.search is no class"),
        ("DEPTH_LIMIT=deep", "-s DEPTH_LIMIT=deep: DEPTH_LIMIT must be a whole number; its default is 0"),
        ("HTTPCACHE_ENABLED=perhaps", "HTTPCACHE_ENABLED must be yes or no"),
        ("REQUEST_FINGERPRINTER_CLASS=no.such", "Give the path of a class, such as scrapy.utils.request."),
        ("RETRY_HTTP_CODES=often", "crawl: -s RETRY_HTTP_CODES=often: invalid literal for int()"),
        ("RETRY_EXCEPTIONS=no.such", "crawl: -s RETRY_EXCEPTIONS=no.such: No module named 'no'"),
    ],
)
def test_what_is_no_component_is_said_before_anything_is_fetched(
    site: Site, folder: Folder, given: str, said: str
) -> None:
    done = crawl(folder, site, "-s", given)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert done.stderr.count("\n") == 1
    assert site.asked() == []


def test_a_switch_of_scrapys_is_on_by_yes(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Start")}
    assert crawl(folder, site, "-s", "LOG_STDOUT=yes", "-s", "RETRY_ENABLED=no").returncode == 0


@pytest.mark.slow
def test_who_reads_one_line_of_the_summary_is_shown_no_traceback(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Start")}
    with folder.start_anew("crawl", "textbook", "-a", f"seeds={site.url}/") as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        said = process.stderr.read()
        process.wait()
    assert said == ""
    assert process.returncode == 0
