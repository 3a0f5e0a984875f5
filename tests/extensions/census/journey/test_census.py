"""`crawl census`: are the figures of sites right, and does no word of their pages reach the disk?"""

from __future__ import annotations

import json
import signal
import sqlite3
import time
from typing import TYPE_CHECKING, Any

import pytest
import zstandard

from crawldb.lock import CrawlLock
from extensions.census.crawl import SAMPLE, CensusCrawl
from tests.journey.conftest import Folder, Site, html, served_site

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

QUICK = ("-s", "RETRY_DELAY=0.05")
WORD = "zwetschgenknoedel"  # planted wherever a page has words
PLAIN = {"Content-Type": "text/plain"}
ROBOTS = b"User-agent: *\nDisallow: /private\nCrawl-delay: 0.01\n\nUser-agent: Other\nDisallow: /\nDisalow: /typo\n"
ENGLISH = "The baker takes the loaves out of the oven early in the morning, and the people of the village wait. "
GERMAN = "Der Bäcker nimmt die Brote am frühen Morgen aus dem Ofen, und die Leute im Dorf warten schon darauf. "


def census(folder: Folder, *sites: Site, words: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    seeds = ",".join(f"{site.url}/" for site in sites)
    return folder.run("crawl", "census", "-a", f"seeds={seeds}", *QUICK, *words)


def report_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def total(folder: Folder, *sites: Site, words: tuple[str, ...] = ()) -> dict[str, Any]:
    figures: dict[str, Any] = report_of(census(folder, *sites, words=("--json", *words)))["total"]
    return figures


@pytest.fixture
def other_site() -> Iterator[Site]:
    with served_site() as made:
        yield made


@pytest.fixture
def counted_site(site: Site) -> Site:
    """A site with something for each figure."""
    german = f"<html lang=de><title>Brot</title><p>{GERMAN * 3}</p>".encode("iso-8859-1")
    site.pages = {
        "/robots.txt": (200, PLAIN, ROBOTS),
        "/": html("Start", "/one", "/copy", "/de", "/gone", "/moved", "/photo.png", "/song.mp3", "/private/x", "/soft"),
        "/one": html("One", text=ENGLISH * 3),
        "/copy": html("One", text=ENGLISH * 3),
        "/de": (200, {"Content-Type": "text/html; charset=iso-8859-1"}, german),
        "/moved": (301, {"Location": "/one"}, b""),
        "/photo.png": (200, {"Content-Type": "image/png"}, b"\x89PNG" + bytes(996)),
        "/song.mp3": (200, {"Content-Type": "audio/mpeg"}, bytes(5000)),
        "/soft": html("Page not found", text="Sorry, the page you requested was not found. 404 not found."),
    }
    return site


@pytest.mark.slow
def test_the_figures_of_a_site_are_right(counted_site: Site, folder: Folder) -> None:
    done = census(folder, counted_site, words=("--json",))
    assert (done.returncode, done.stderr) == (0, "")
    report = report_of(done)
    [found] = report["sites"]
    assert found["site"] == f"127.0.0.1:{counted_site.port}"
    assert (found["pages"], found["copies"], found["missing"], found["noindex"]) == (5, 1, 1, 0)
    assert found["statuses"] == {"200": 7, "301": 1, "404": 1}
    assert found["servers"] == {"BaseHTTP": 9}
    assert found["protocols"] == {"HTTP/1.1": 9}
    assert {name: each["pages"] for name, each in found["formats"].items()} == {
        "text/html": 3, "image/png": 1, "audio/mpeg": 1,
    }  # fmt: skip
    assert found["formats"]["image/png"] == {"pages": 1, "bytes": 1000, "median": 1000, "p95": 1000}
    assert found["formats"]["audio/mpeg"]["bytes"] == 5000
    bodies = [counted_site.pages[path] for path in ("/", "/one", "/de")]
    lengths = sorted(len(page[2]) for page in bodies if isinstance(page, tuple))
    assert found["formats"]["text/html"] == {
        "pages": 3, "bytes": sum(lengths), "median": lengths[1], "p95": lengths[2],
    }  # fmt: skip
    assert found["languages"]["de"] == 1
    assert found["languages"]["en"] >= 1
    assert found["encodings"] == {"utf-8": 2, "windows-1252": 1}
    assert found["not_counted"] == {"its robots.txt disallows it": 1}
    [robots] = found["robots"]
    assert (robots["status"], robots["access"], robots["bytes"]) == (200, "parsed", len(ROBOTS))
    assert (robots["groups"], robots["rules"], robots["delays"], robots["sitemaps"]) == (2, 2, [0.01], 0)
    assert robots["findings"]["misspelt"] == 1
    assert "/private/x" not in counted_site.asked()
    assert report["total"]["pages"] == 5
    assert report["total"]["servers"] == {"BaseHTTP": 1}, "in all sites, servers are counted by sites"


def test_a_person_reads_the_same(counted_site: Site, folder: Folder) -> None:
    told = census(folder, counted_site).stdout
    assert "1 site, 1 with pages. Counted 5 pages.\n" in told
    assert "Counted apart: 1 copy and 1 missing page with status 200." in told
    assert "Status codes  200 7, 301 1, 404 1\n" in told
    assert "Servers       BaseHTTP 1 site\n" in told
    assert f"  127.0.0.1:{counted_site.port}: 5 pages, 1 copy, BaseHTTP\n" in told
    assert f"200, {len(ROBOTS)} bytes, 2 groups, 2 rules, Crawl-delay 0.01 s, lint: " in told


def planted() -> dict[str, Any]:
    """A page with the word in each place from which a crawl takes words, and other answers with it."""
    page = (
        f"<html lang=en><head><title>{WORD} title</title><meta name=description content='{WORD} description'>"
        f"<meta name=keywords content='{WORD}'><meta name=robots content='noarchive'>"
        f'<script type=\'application/ld+json\'>{{"@type": "Article", "headline": "{WORD}"}}</script>'
        f"<style>.{WORD} {{display: none}}</style></head><body><nav><a href=/>{WORD} menu</a></nav>"
        f"<h1>{WORD} heading</h1><p>{WORD} text {ENGLISH}</p><img src=/i.png alt='{WORD}'><!-- {WORD} -->"
        f"<a href=/next title='{WORD}'>{WORD} link</a> <a href=/soft>{WORD}</a> <a href=/feed>{WORD}</a>"
        f"<a href=/error>{WORD}</a> <a href=/lost>{WORD}</a> <a href=/noindex>{WORD}</a> <a href=/text>{WORD}</a>"
        f"<p style='display:none'>{f'{WORD} hidden ' * 40}</p><footer>{WORD} footer</footer></body></html>"
    )
    feed = f"<rss version='2.0'><channel><title>{WORD}</title><item><title>{WORD}</title></item></channel></rss>"
    hidden = f"<title>{WORD}</title><meta name=robots content=noindex><p>{WORD}</p>"
    kind = {"Content-Type": "text/html; charset=utf-8"}
    return {
        "/": (200, kind | {"ETag": '"1"'}, page.encode()),
        "/next": (200, kind, page.replace("text", "other text").encode()),
        "/soft": html(f"{WORD}: page not found", text=f"Sorry, {WORD} was not found. Error 404, page not found."),
        "/feed": (200, {"Content-Type": "application/rss+xml"}, feed.encode()),
        "/error": (500, kind, f"<p>{WORD}</p>".encode()),
        "/lost": (404, kind, f"<p>{WORD}</p>".encode()),
        "/noindex": (200, kind, hidden.encode()),
        "/text": (200, PLAIN, f"{WORD} as plain text".encode()),
    }


def everything_in(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield all bytes in a folder: its files as they are, and each value of its database, unpacked where it is zstd."""
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            yield file.name, file.read_bytes()
    with sqlite3.connect(f"file:{folder / 'crawl.sqlite3'}?mode=ro", uri=True) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        for table in tables:
            for value in (value for row in connection.execute(f"SELECT * FROM {table}") for value in row):
                if isinstance(value, str):
                    yield table, value.encode()
                elif isinstance(value, bytes):
                    yield table, value
                    if value.startswith(b"\x28\xb5\x2f\xfd"):
                        yield table, zstandard.ZstdDecompressor().decompress(value, max_output_size=10_000_000)


def test_no_word_of_a_page_is_on_the_disk(site: Site, folder: Folder) -> None:
    site.pages = planted()
    log = folder.path.parent / "scrapy.log"
    for _ in range(2):  # a round, and another one
        done = census(folder, site, words=("-L", "DEBUG", "--logfile", str(log)))
        assert done.returncode == 0, done.stderr
    assert {"/next", "/soft", "/feed", "/error", "/lost", "/noindex", "/text"} <= set(site.asked())
    found = [name for name, value in everything_in(folder.path) if WORD.encode() in value.lower()]
    assert found == []
    assert log.exists()
    assert WORD not in log.read_text()
    assert {file.name for file in folder.path.iterdir()}.isdisjoint({"index", "warc"})


def test_the_test_of_the_disk_finds_the_words_of_an_ordinary_crawl(site: Site, folder: Folder) -> None:
    site.pages = planted()
    folder.crawl(f"{site.url}/", INDEX_FOLLOW="no")
    tables = {name for name, value in everything_in(folder.path) if WORD.encode() in value.lower()}
    assert {"page", "anchor", "crawl.sqlite3"} <= tables


def test_copies_on_two_sites_count_once(site: Site, other_site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Start", "/one", "/two"), "/one": html("One"), "/two": html("Two")}
    other_site.pages = {"/": html("Mirror", "/one", "/two"), "/one": html("One"), "/two": html("Two")}
    found = total(folder, site, other_site)
    assert (found["sites"], found["pages"], found["copies"]) == (2, 4, 2)


def test_near_copies_are_counted_and_told(site: Site, folder: Folder) -> None:
    words = " ".join(f"word{number} of{number} bread{number}" for number in range(60))
    site.pages = {
        "/": html("Start", "/a", "/b"),
        "/a": html("A", text=f"{words} ending here"),
        "/b": html("B", text=words),
    }
    found = total(folder, site)
    assert (found["pages"], found["copies"], found["near_copies"]) == (3, 0, 1)


def test_each_site_has_a_sample_and_the_next_run_goes_on(site: Site, folder: Folder) -> None:
    paths = [f"/{number}" for number in range(9)]
    site.pages = {"/": html("Start", *paths), **{path: html(f"Page {path}") for path in paths}}
    first = census(folder, site, words=("-a", "each=4", "--json"))
    assert first.returncode == 0
    assert report_of(first)["total"]["pages"] == 4
    assert report_of(first)["total"]["not_counted"] == {"not requested yet": 6}
    assert total(folder, site, words=("-a", "each=4"))["pages"] == 8
    assert total(folder, site)["pages"] == 10
    asked = site.asked()
    assert len(asked) == len(set(asked)) == 11, "each page once, and robots.txt"


def test_a_run_after_all_was_counted_counts_afresh(site: Site, folder: Folder) -> None:
    def tagged(headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        assert "If-None-Match" not in headers, "nothing is kept that a 304 could refer to"
        status, kind, body = html("Start", "/one")
        return status, kind | {"ETag": '"1"'}, body

    site.pages = {"/": tagged, "/one": html("One", text=ENGLISH * 3)}
    assert total(folder, site)["statuses"] == {"200": 2}
    del site.pages["/one"]
    again = total(folder, site)
    assert (again["statuses"], again["pages"]) == ({"200": 1, "404": 1}, 1)


def test_the_sample_is_bounded_unless_told_otherwise(site: Site, folder: Folder) -> None:
    paths = [f"/{number}/{number}" for number in range(SAMPLE + 20)]
    site.pages = {"/": html("Start", *paths), **{path: html(f"Page {path}") for path in paths}}
    assert total(folder, site)["pages"] == SAMPLE


def test_a_list_may_have_a_site_that_forbids_and_one_that_is_down(
    site: Site, other_site: Site, silent: str, folder: Folder, tmp_path: Path
) -> None:
    site.pages = {"/": html("Start")}
    other_site.pages = {"/robots.txt": (200, PLAIN, b"User-agent: *\nDisallow: /\n")}
    listed = tmp_path / "sites.txt"
    listed.write_text(f"{site.url}/\n{other_site.url}/\n{silent}\n")
    done = folder.run("crawl", "census", "-a", f"seeds={listed}", *QUICK)
    assert done.returncode == 1
    assert "3 sites, 1 with pages. Counted 1 page.\n" in done.stdout
    assert "1 URL not counted: not requested yet\n" in done.stdout
    assert "1 URL not counted: its robots.txt disallows it" in done.stdout
    assert other_site.asked() == ["/robots.txt"]


def test_where_nothing_answers_nothing_was_counted(silent: str, folder: Folder) -> None:
    done = folder.run("crawl", "census", "-a", f"seeds={silent}", *QUICK)
    assert done.returncode == 2
    assert "nothing was counted, because no page of any site could be read" in done.stderr


def test_a_list_with_a_wrong_url_is_refused_before_any_request(site: Site, folder: Folder, tmp_path: Path) -> None:
    listed = tmp_path / "sites.txt"
    listed.write_text(f"{site.url}/\nhttp://[not a url/\n")
    done = folder.run("crawl", "census", "-a", f"seeds={listed}", *QUICK)
    assert done.returncode == 2
    assert "http://[not a url/" in done.stderr
    assert site.asked() == []


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ([], "stores no seeds: give -a seeds=URL"),
        (["-a", "seeds=http://127.0.0.1/", "-a", "mode=due"], "crawl census takes seeds, pages, each"),
        (["-a", "seeds=http://127.0.0.1/", "-o", "pages.jsonl"], "a census stores none: leave it out; --json"),
    ],
)
def test_what_it_can_not_take_is_said(folder: Folder, words: list[str], advice: str) -> None:
    done = folder.run("crawl", "census", *words)
    assert done.returncode == 2
    assert advice in done.stderr


@pytest.mark.parametrize("follow", ["yes", "no"])
def test_the_folder_of_a_crawl_stays_as_it_is(site: Site, folder: Folder, follow: str) -> None:
    site.pages = {"/": html("Start")}
    assert folder.crawl(f"{site.url}/", INDEX_FOLLOW=follow).returncode == 0
    asked = len(site.log)
    done = census(folder, site)
    assert done.returncode == 2
    assert "has a search index" in done.stderr or "stores pages of a crawl" in done.stderr
    assert len(site.log) == asked


@pytest.mark.parametrize("crawl", ["site", "links"])
def test_no_other_crawl_takes_the_folder_of_a_census_for_its_own(site: Site, folder: Folder, crawl: str) -> None:
    site.pages = {"/": html("Start")}
    assert census(folder, site).returncode == 0
    asked = len(site.log)
    done = folder.run("crawl", crawl, "-a", f"seeds={site.url}/")
    assert done.returncode == 2
    assert "holds a census, which stores no pages" in done.stderr
    assert len(site.log) == asked


def test_a_second_census_of_the_same_folder_waits_for_nobody(site: Site, folder: Folder) -> None:
    folder.path.mkdir()
    lock = CrawlLock(folder.path)
    done = census(folder, site)
    lock.release()
    assert done.returncode == 2
    assert site.asked() == []


@pytest.mark.slow
def test_ctrl_c_prints_what_was_counted_and_the_next_run_goes_on(site: Site, folder: Folder) -> None:
    slow = [f"/slow/{number}" for number in range(20)]  # more than are under way at once
    site.pages = {"/": html("Start", *slow), **{path: html(f"Slow {path}") for path in slow}}
    free = site.hold(*slow)
    words = ("-a", f"seeds={site.url}/", *QUICK, "-s", "STOP_SECONDS=0.1")
    with folder.start_anew("crawl", "census", *words) as process:
        deadline = time.monotonic() + 60
        while not set(slow) & set(site.asked()) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Counted 1 page." in out
    free.set()
    assert total(folder, site)["pages"] == 21
    assert site.asked().count("/") == 1


def test_the_census_has_a_folder_of_its_own() -> None:
    assert CensusCrawl.name == "census"
