"""`crawl links`: does it find each broken and each redirected link, and the pages that have it?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from crawldb.lock import CrawlLock
from extensions.link_check.crawl import LinkCheckCrawl
from spiders.own_folders import ROOT
from tests.journey.conftest import Folder, Site, html

if TYPE_CHECKING:
    import subprocess

OTHER = "http://other.example/x"
QUICK = ("-s", "RETRY_DELAY=0.05", "-s", "PROBE_AFTER=0")
ROBOTS = (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /private\n")
MISSING = "Sorry, the page you requested was not found. 404 not found."


def moved(status: int, to: str) -> tuple[int, dict[str, str], bytes]:
    return status, {"Location": to}, b""


def check(folder: Folder, site: Site, *words: str) -> subprocess.CompletedProcess[str]:
    return folder.run("crawl", "links", "-a", f"seeds={site.url}/", *QUICK, *words)


def report_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def paths(links: list[dict[str, Any]], site: Site) -> dict[str, tuple[int | None, str]]:
    """The reported URLs by their paths: status, and where they lead."""
    return {
        link["url"].removeprefix(site.url): (link["status"], link["leads_to"].removeprefix(site.url)) for link in links
    }


@pytest.fixture
def worn(site: Site) -> Site:
    """A site with one link of each kind."""
    gone = ["/gone", "/410", "/lost", "/error", "/403", "/soft", "/circle"]
    fine = ["/good", "/moved", "/found", "/away", "/private/x", "/password", "/picture", OTHER]
    site.pages = {
        "/robots.txt": ROBOTS,
        "/": html("Start", *gone, *fine),
        "/good": html("Good", "/gone"),
        "/good2": html("Better"),
        "/410": (410, {}, b""),
        "/moved": moved(301, "/good"),
        "/found": moved(302, "/good2"),
        "/lost": moved(301, "/gone2"),
        "/circle": moved(302, "/circle"),
        "/away": moved(301, OTHER),
        "/error": (500, {}, b""),
        "/403": (403, {}, b""),
        "/password": (401, {}, b""),
        "/soft": html("Page not found", text=MISSING),
        "/picture": (200, {"Content-Type": "image/png"}, b"picture"),
    }
    return site


def test_a_reference_that_is_no_url_is_a_broken_link_until_it_is_mended(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Start", "http://[bad", "/page"), "/page": html("Page", "http://[bad")}
    done = check(folder, site)
    assert done.returncode == 1
    assert "2 pages with links to 3 URLs: 1 broken" in done.stdout
    said = f"---  http://[bad\n       it is not a valid http or https URL\n       on {site.url}/\n"
    assert f"{said}       on {site.url}/page\n" in done.stdout
    site.pages = {"/": html("Start", "/page"), "/page": html("Page")}
    assert check(folder, site).returncode == 0


def test_each_link_stands_where_it_belongs_with_the_pages_that_have_it(worn: Site, folder: Folder) -> None:
    done = check(folder, worn, "--json")
    assert (done.returncode, done.stderr) == (1, "")
    report = report_of(done)
    assert paths(report["broken"], worn) == {
        "/403": (403, ""),
        "/410": (410, ""),
        "/circle": (302, ""),
        "/error": (500, ""),
        "/gone": (404, ""),
        "/lost": (301, "/gone2"),
        "/soft": (200, ""),
    }
    assert paths(report["moved"], worn) == {"/moved": (301, "/good"), "/away": (301, OTHER)}
    assert paths(report["redirected"], worn) == {"/found": (302, "/good2")}
    [gone] = [link for link in report["broken"] if link["url"].endswith("/gone")]
    assert gone["pages"] == [{"url": f"{worn.url}{page}", "words": "to /gone"} for page in ("/", "/good")]
    assert report["not_checked"] == {
        "robots.txt: disallowed by line 2 (Disallow: /private)": 1,
        "the server answered 401, which asks for a password, and we have none": 1,
        "redirects to other sites": 1,
        "to other sites": 1,
    }
    assert "/private/x" not in worn.asked()
    assert not (folder.path / "index").exists()


def test_a_person_reads_the_same(worn: Site, folder: Folder) -> None:
    done = check(folder, worn)
    assert done.returncode == 1
    told = done.stdout
    assert "7 broken, 2 moved permanently, 1 redirected temporarily." in told
    assert f"  404  {worn.url}/gone\n" in told
    assert f"  301  {worn.url}/lost -> {worn.url}/gone2\n" in told
    assert f"       on {worn.url}/good “to /gone”\n" in told
    assert "  1 link: robots.txt: disallowed by line 2 (Disallow: /private)\n" in told
    assert "  1 link: to other sites\n" in told


@pytest.mark.slow
def test_a_second_check_finds_what_was_repaired_and_what_broke(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Start", "/one", "/two"), "/two": html("Two")}
    for _ in range(4):  # more often than STALE_AFTER would have it
        assert check(folder, site).returncode == 1
    site.pages["/one"] = html("One")
    done = check(folder, site)
    assert (done.returncode, done.stderr) == (0, "")
    assert "3 URLs: 0 broken, 0 moved permanently, 0 redirected temporarily." in done.stdout
    del site.pages["/two"]
    assert paths(report_of(check(folder, site, "--json"))["broken"], site) == {"/two": (404, "")}
    site.pages["/"] = html("Start", "/one")
    assert check(folder, site).returncode == 0, "no page links to it any longer"


def test_a_page_that_says_by_200_that_it_is_missing_stays_broken_while_unchanged(site: Site, folder: Folder) -> None:
    def soft(headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        if headers.get("If-None-Match"):
            return 304, {"ETag": '"1"'}, b""
        status, kind, body = html("Page not found", text=MISSING)
        return status, kind | {"ETag": '"1"'}, body

    site.pages = {"/": html("Start", "/soft"), "/soft": soft}
    for _ in range(2):
        assert paths(report_of(check(folder, site, "--json"))["broken"], site).keys() == {"/soft"}


def test_a_link_to_another_port_is_counted(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("home", "http://127.0.0.1:1/x")}
    done = check(folder, site, "--json")
    assert report_of(done)["not_checked"] == {"to a port that is not in ALLOWED_PORTS": 1}


def test_links_that_are_not_followed_are_counted(site: Site, folder: Folder) -> None:
    page = html("Start", "/good")
    body = page[2] + b'<a rel="nofollow" href="/gone">not this one</a>'
    site.pages = {"/": (200, page[1], body), "/good": html("Good")}
    done = check(folder, site, "--json")
    assert (done.returncode, report_of(done)["not_checked"]) == (0, {"with nofollow": 1})
    assert "/gone" not in site.asked()


def test_a_check_that_is_not_complete_is_no_success(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Start", "/one", "/two"), "/one": html("One"), "/two": html("Two")}
    done = check(folder, site, "-a", "pages=1")
    assert done.returncode == 2
    assert "the check is not complete" in done.stderr
    assert check(folder, site).returncode == 0


def test_where_nothing_answers_the_check_could_not_be_done(silent: str, folder: Folder) -> None:
    done = folder.run("crawl", "links", "-a", f"seeds={silent}", *QUICK)
    assert done.returncode == 2
    assert "no page of the site could be read" in done.stderr
    assert "no server answers at its port" in done.stderr
    assert "1 link: not requested yet" in done.stdout


def test_a_site_that_forbids_everything_is_not_checked(site: Site, folder: Folder) -> None:
    site.pages = {"/robots.txt": (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /\n")}
    done = check(folder, site)
    assert done.returncode == 2
    assert "disallowed by line 2" in done.stdout
    assert site.asked() == ["/robots.txt"]


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ([], "give -a seeds=URL"),
        (["-a", "seeds=http://127.0.0.1/", "-a", "mode=due"], "crawl links takes seeds, pages, each"),
    ],
)
def test_what_it_can_not_take_is_said(folder: Folder, words: list[str], advice: str) -> None:
    done = folder.run("crawl", "links", *words)
    assert done.returncode == 2
    assert advice in done.stderr


def test_the_folder_of_a_search_engine_stays_as_it_is(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Start")}
    assert folder.crawl(f"{site.url}/").returncode == 0
    asked = len(site.log)
    done = check(folder, site)
    assert done.returncode == 2
    assert "has a search index" in done.stderr
    assert len(site.log) == asked


def test_json_is_of_a_check_alone(folder: Folder) -> None:
    done = folder.run("crawl", "site", "--json", "-a", "seeds=http://127.0.0.1/")
    assert done.returncode == 2
    assert "./breadcrumb report --json" in done.stderr


def test_a_second_check_of_the_same_folder_waits_for_nobody(site: Site, folder: Folder) -> None:
    folder.path.mkdir()
    lock = CrawlLock(folder.path)
    done = check(folder, site)
    lock.release()
    assert done.returncode == 2
    assert site.asked() == []


def test_each_site_has_a_folder_of_its_own() -> None:
    names = ("http://Bakery.localhost:8400/x", "https://example.org/", "http://[::1]:80/")
    folders = [LinkCheckCrawl().folder(name) for name in names]
    assert [folder.name for folder in folders] == ["links-bakery.localhost-8400", "links-example.org", "links-1-80"]
    assert all(folder.is_relative_to(ROOT) for folder in folders)
