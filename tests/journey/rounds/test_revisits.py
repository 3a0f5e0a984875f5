"""The second crawl: what has not changed costs next to nothing, what has is in the results, what went is not."""

import email.utils
import re
import time
import zlib
from collections.abc import Callable
from functools import partial

import pytest

from crawldb.database import CrawlDatabase
from tests.journey.conftest import Answer, Folder, Site, html

PAGES = 30


def words(number: int) -> str:
    return " ".join(f"story{number}of{part}" for part in range(300))


def guarded(version: Callable[[], str], *links: str) -> Callable[[dict[str, str]], Answer]:
    """A page whose server compares the tag that it is asked with."""

    def answer(headers: dict[str, str]) -> Answer:
        tag = f'"{zlib.crc32(version().encode())}"'
        if headers.get("If-None-Match") == tag:
            return 304, {"ETag": tag}, b""
        status, fields, body = html(version(), *links, text=version())
        return status, fields | {"ETag": tag}, body

    return answer


def grow(site: Site) -> dict[str, str]:
    """A site whose pages can be changed by changing the text that is returned by path."""
    texts = {f"/p{number}": words(number) for number in range(PAGES)}
    texts["/"] = "front"
    site.pages = {path: guarded(partial(texts.__getitem__, path), *(texts if path == "/" else ())) for path in texts}
    return texts


def received(folder: Folder) -> list[int]:
    with folder.database() as database:
        return [
            size for (size,) in database.connection.execute("SELECT sum(size) FROM fetch GROUP BY run ORDER BY run")
        ]


def let_pass(folder: Folder, seconds: float) -> None:
    """Let time pass for what was learnt: everything happened so much earlier."""
    with CrawlDatabase(folder.path) as database, database.transaction() as connection:
        connection.execute("UPDATE url SET next_at = max(0, next_at - ?)", (seconds,))
        connection.execute("UPDATE visit SET seen_at = seen_at - ?, still_since = still_since - ?", (seconds,) * 2)
        connection.execute("UPDATE robots SET expires_at = expires_at - ?", (seconds,))


def test_a_recrawl_of_an_unchanged_site_brings_next_to_no_bytes(site: Site, folder: Folder) -> None:
    grow(site)
    assert folder.crawl(f"{site.url}/").returncode == 0
    folder.crawl()
    first, second = received(folder)
    assert second <= 0.05 * first
    last = folder.report()["last_run"]
    assert last
    assert last["outcomes"] == {"not-modified": PAGES + 1}


@pytest.mark.slow
def test_what_is_not_due_is_not_asked_for(site: Site, folder: Folder) -> None:
    grow(site)
    folder.crawl(f"{site.url}/")
    site.log.clear()
    assert folder.crawl(mode="due").returncode == 0
    assert [path for path in site.asked() if path != "/robots.txt"] == []
    let_pass(folder, 21 * 3600)
    folder.crawl(mode="due")
    assert len([path for path in site.asked() if path != "/robots.txt"]) == PAGES + 1


def test_a_page_that_changed_is_found_by_its_new_words_after_the_next_run(site: Site, folder: Folder) -> None:
    texts = grow(site)
    folder.crawl(f"{site.url}/")
    assert folder.search("story7of1") == ["/p7"]
    texts["/p7"] = "a heron stands in the brook"
    let_pass(folder, 21 * 3600)
    folder.crawl(mode="due")
    assert (folder.search("heron"), folder.search("story7of1")) == (["/p7"], [])


def test_a_page_that_went_leaves_the_results_after_the_next_run(site: Site, folder: Folder) -> None:
    grow(site)
    folder.crawl(f"{site.url}/")
    del site.pages["/p7"]
    let_pass(folder, 21 * 3600)
    folder.crawl(mode="due")
    assert folder.search("story7of1") == []


def test_discovery_asks_for_new_pages_alone(site: Site, folder: Folder) -> None:
    grow(site)
    folder.crawl(f"{site.url}/")
    site.pages["/new"] = html("new", text="a newt")
    folder.run("submit", f"{site.url}/new")
    site.log.clear()
    folder.crawl(mode="discover")
    assert [path for path in site.asked() if path != "/robots.txt"] == ["/new"]


def test_a_page_that_its_server_calls_old_waits_longer(site: Site, folder: Folder) -> None:
    old = email.utils.formatdate(time.time() - 100 * 86400, usegmt=True)
    status, headers, body = html("old", "/young", text="an old page")
    site.pages["/"] = status, headers | {"Last-Modified": old}, body
    site.pages["/young"] = html("young", text="a young page")
    folder.crawl(f"{site.url}/")
    with folder.database() as database:
        waits = dict(
            database.connection.execute(
                "SELECT url.url, (next_at - seen_at) / 86400 FROM url JOIN visit ON visit.url = url.id"
            )
        )
    assert round(waits[f"{site.url}/"], 1) == 10.0
    assert round(waits[f"{site.url}/young"], 2) == 0.83


def test_a_dead_site_fails_no_recrawl_for_which_another_has_nothing_due(
    site: Site, folder: Folder, silent: str
) -> None:
    site.pages = {"/": html("Home", "/missing")}
    assert folder.crawl(f"{site.url}/", silent, RETRY_DELAY=0.05, PROBE_AFTER=0).returncode == 0
    for _ in range(2):
        site.log.clear()
        done = folder.crawl(mode="due", RETRY_DELAY=0.05, PROBE_AFTER=0)
        assert (done.returncode, site.asked()) == (0, ["/missing"]), done.stdout
    site.pages = {"/": (503, {}, b""), "/robots.txt": (503, {}, b"")}
    assert folder.crawl(RETRY_DELAY=0.05, PROBE_AFTER=0).returncode == 1, "of neither a page comes"


def test_an_unknown_mode_is_refused_with_those_that_there_are(folder: Folder) -> None:
    done = folder.run("crawl", "site", "-a", "seeds=http://a.localhost/", "-a", "mode=some")
    assert done.returncode == 2
    assert re.search(r"mode='some': choose all, due or discover", done.stderr)


def test_while_one_site_is_closed_the_others_are_refreshed_by_the_next_crawl(site: Site, folder: Folder) -> None:
    """Two sites, of which one answers 503 to all, its robots.txt included."""
    open_, closed = f"http://open.localhost:{site.port}", f"http://closed.localhost:{site.port}"
    texts = {"/": "front", "/news": "the old loaf"}

    def answer(path: str) -> Callable[[dict[str, str]], Answer]:
        def answered(headers: dict[str, str]) -> Answer:
            if headers["Host"].startswith("closed"):
                return 503, {"Retry-After": "7200"}, b""
            return html(texts[path], "/news", text=texts[path])

        return answered

    site.pages = {path: answer(path) for path in texts}
    site.pages["/robots.txt"] = lambda headers: (
        (503, {}, b"") if headers["Host"].startswith("closed") else (200, {"Content-Type": "text/plain"}, b"")
    )
    folder.crawl(f"{open_}/", f"{closed}/", WAIT_SECONDS=1)
    asked_before = [headers["Host"] for _, headers in site.log].count(closed.removeprefix("http://"))
    texts["/news"] = "the fresh loaf"
    folder.crawl(WAIT_SECONDS=1)
    assert folder.search("fresh") == ["/news"]
    assert folder.report()["rounds"] == {"begun": 2, "open": 0}
    assert [headers["Host"] for _, headers in site.log].count(closed.removeprefix("http://")) == asked_before
    with folder.database() as database:
        assert database.value("SELECT state FROM url WHERE url = ?", f"{closed}/") == 0, "it is still queued"
