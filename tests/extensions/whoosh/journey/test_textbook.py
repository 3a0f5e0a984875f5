"""The textbook engine: does it do what its README says, and lack what its README says that it lacks?"""

from __future__ import annotations

import json
import re
import signal
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from whoosh.fields import ID, TEXT, Schema
from whoosh.index import create_in, exists_in

from crawldb.database import FILE_NAME, DatabaseError
from crawldb.parts.division import check_divides
from extension_points import built_in
from gateway import GatewaySettings, create_app
from tests.advice import commands_in
from tests.child import wait_until
from tests.forks import forked
from tests.journey.conftest import Folder, Site, html, served_site
from textbook.index import FOLDER, open_whoosh, search

if TYPE_CHECKING:
    import subprocess

ROOT = Path(__file__).resolve().parents[4]
MOST_LINES, MOST_FILES = 600, 8
ALLOWED = (200, {"Content-Type": "text/plain"}, b"User-agent: Breadcrumb\nDisallow: /private\n")
WORDS = "The harbour wakes before the town, and its boats leave while the lamps still burn along the quay. "


def crawl(folder: Folder, site: Site, *words: str) -> subprocess.CompletedProcess[str]:
    return folder.run("crawl", "textbook", "-a", f"seeds={site.url}/", *words)


def urls(folder: Folder) -> set[str]:
    with open_whoosh(folder.path / FOLDER).searcher() as searcher:
        return {fields["url"].rpartition("/")[2] for fields in searcher.all_stored_fields()}


def test_it_can_be_read_in_an_hour() -> None:
    files = [path for path in (ROOT / "textbook").iterdir() if path.suffix in {".py", ".md"}]
    assert len(files) <= MOST_FILES
    assert sum(len(path.read_text().splitlines()) for path in files if path.suffix == ".py") <= MOST_LINES


def test_a_site_is_crawled_and_found(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Harbour", "/boats", "/lamps"), "/boats": html("Boats"), "/lamps": html("Lamps", "/boats")}
    done = crawl(folder, site)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Fetched 3 pages with 4 requests: 3 indexed" in done.stdout
    assert sorted(site.asked()) == ["/", "/boats", "/lamps", "/robots.txt"]
    [(score, url, title, snippet)] = search(folder.path / FOLDER, "lamp", limit=1)
    assert (url, title) == (f"{site.url}/lamps", "Lamps")
    assert score > 0
    assert "<b" in snippet


def test_search_why_and_serve_open_what_it_made(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Harbour", "/boats", "/lamps"), "/boats": html("Boats"), "/lamps": html("Lamps", "/boats")}
    done = crawl(folder, site)
    assert stat.S_IMODE((folder.path / FOLDER).stat().st_mode) == stat.S_IRWXU
    assert not [
        path for path in (folder.path / FOLDER).iterdir() if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    ]
    [words] = commands_in(done.stdout)
    found = forked(folder.forks, *["lamps" if word == "WORDS" else word for word in words], "--explain")
    assert (found.returncode, found.stderr) == (0, "")
    assert f"{site.url}/lamps" in found.stdout
    assert "lamp in title: w 2, idf" in found.stdout
    assert "Whoosh alone searches this folder" in " ".join(found.stdout.split())
    assert folder.search("lamps")[0] == "/lamps"
    assert folder.run("search", "unheard").returncode == 1

    told = folder.run("why", f"{site.url}/lamps", "--q", "lamps")
    assert told.returncode == 0
    assert "It is in the index. For “lamps” it is result 1 of 2." in told.stdout
    assert "keeps no journal" in told.stdout
    assert "lamp in title" in told.stdout
    stored = json.loads(folder.run("why", f"{site.url}/lamps", "--json").stdout)
    assert stored["stored"]["title"] == "Lamps"
    assert stored["rank"]["place"] == 1
    unknown = folder.run("why", f"{site.url}/none")
    assert unknown.returncode == 1
    assert "It is not in the index, which has 3 pages." in unknown.stdout
    assert "has none" in folder.run("why", f"{site.url}/lamps", "--parse").stderr

    client = create_app(folder.path, GatewaySettings()).test_client()
    page = client.get("/search?q=lamps").text
    assert "<mark>Lamps</mark>" in page
    assert "near copies are not folded" in page
    assert "fetched on" not in page, "nobody noted when"
    assert "/inside/ranking?q" not in page
    assert client.get("/api/search?q=lamps").json["hits"][0]["url"] == f"{site.url}/lamps"  # type: ignore[index]  # JSON
    assert "keeps no journal" in client.get(f"/why?url={site.url}/lamps&q=lamps").text
    assert client.get(f"/why?url={site.url}/none").status_code == 404
    assert client.get("/healthz").json["alarms"] == []  # type: ignore[index]  # JSON
    for view in ("/stats", f"/cached?url={site.url}/lamps"):
        answer = client.get(view)
        assert (answer.status_code, "This index has no crawl" in answer.text) == (404, True), view


def test_a_whoosh_folder_of_others_is_served_where_it_is_trusted(folder: Folder, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    schema = Schema(title=TEXT(stored=True), path=ID(stored=True), content=TEXT(stored=True))
    writer = create_in(str(theirs), schema).writer()
    writer.add_document(title="Lamps", path="/lamps", content=WORDS)
    writer.commit()
    place = f"INDEX=whoosh:{theirs}"
    refused = folder.run("search", "harbour", "-s", place)
    assert refused.returncode == 2
    assert "reading them runs any code that their author put in" in refused.stderr
    for command in (["search", "harbour"], ["why", "/lamps"]):
        done = folder.run(*command, "-s", place, "-s", "TRUST_PICKLES=yes", "-s", "WHOOSH_FIELDS=text=content")
        assert (done.returncode, "/lamps" in done.stdout) == (0, True)
    for command in (["crawl", "site", "-a", "seeds=http://127.0.0.1/"], ["index"]):
        assert folder.run(*command, "-s", place, "-s", "TRUST_PICKLES=yes").returncode == 2


@pytest.mark.parametrize(
    "command",
    [
        "submit URL",
        "crawl site -a seeds=URL",
        "crawl links -a seeds=URL",
        "block URL",
        "block --anyway URL",
        "report",
        "check",
        "index",
        "suggest",
        "forget URL",
    ],
)
def test_no_crawl_begins_in_its_folder_and_hides_its_index(site: Site, folder: Folder, command: str) -> None:
    site.pages = {"/": html("Harbour")}
    crawl(folder, site)
    asked = len(site.asked())
    done = folder.run(*command.replace("URL", f"{site.url}/").split())
    assert done.returncode == 2
    assert f"{folder.path} holds a Whoosh index, which search, serve and why read, and no crawl." in done.stderr
    assert "A crawl needs another folder: give --data NAME" in done.stderr
    assert "makes one" not in done.stderr
    assert len(site.asked()) == asked
    assert not (folder.path / FILE_NAME).exists()
    assert folder.search("harbour") == ["/"]


def test_it_is_not_divided(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Harbour")}
    crawl(folder, site)
    with pytest.raises(DatabaseError, match="holds a Whoosh index"):
        check_divides(folder.path, 2)


def test_inside_and_doctor_advise_no_crawl_there(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Harbour")}
    crawl(folder, site)
    if "course" in built_in():
        page = create_app(folder.path, GatewaySettings()).test_client().get("/inside").text
        assert "holds a Whoosh index, which search, serve and why read, and no crawl" in page
        assert "There is no crawl yet" not in page
    told = folder.run("doctor").stdout
    assert "holds a Whoosh index" in told
    assert "crawl site" not in told


def test_the_page_controls_and_copies_are_dropped_and_counted(site: Site, folder: Folder) -> None:
    site.pages = {
        "/": html("Start", "/hidden", "/one", "/copy", "/near"),
        "/hidden": html("Hidden", head='<meta name="robots" content="noindex">'),
        "/one": html("One", text=WORDS * 10),
        "/copy": html("One", text=WORDS * 10),
        "/near": html("One", text=WORDS * 10 + "Slowly."),
    }
    done = crawl(folder, site)
    assert "Fetched 5 pages with 6 requests: 2 indexed, 1 noindex, 1 exact copies, 1 near copies." in done.stdout
    assert len(urls(folder) & {"one", "copy", "near"}) == 1, "whichever was answered first"


def test_nothing_is_fetched_that_the_site_forbids(site: Site, folder: Folder) -> None:
    site.pages = {
        "/robots.txt": ALLOWED,
        "/": html("Start", "/private/1", "/closed"),
        "/closed": html("Closed", "/behind", head='<meta name="robots" content="nofollow">'),
        "/behind": html("Behind"),
    }
    assert crawl(folder, site).returncode == 0
    assert sorted(site.asked()) == ["/", "/closed", "/robots.txt"]


def test_a_site_that_forbids_everything_is_told_and_is_no_success(site: Site, folder: Folder) -> None:
    site.pages = {"/robots.txt": (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /\n")}
    done = crawl(folder, site)
    assert done.returncode == 1
    assert "Fetched 0 pages with 1 request: 0 indexed" in done.stdout
    assert "robots.txt forbids 1 URL." in done.stdout
    assert site.asked() == ["/robots.txt"]


def test_a_page_that_its_server_fails_to_give_is_no_error_of_the_crawl(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Harbour", "/boats"), "/boats": (503, {"Content-Type": "text/plain"}, b"")}
    done = crawl(folder, site)
    assert (done.returncode, "had errors" in done.stderr) == (0, False)
    assert "503 Service Unavailable" in done.stderr


def test_a_second_crawl_replaces_each_page(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Before")}
    crawl(folder, site)
    site.pages = {"/": html("After")}
    assert crawl(folder, site).returncode == 0
    assert urls(folder) == {""}
    assert not search(folder.path / FOLDER, "before")
    assert search(folder.path / FOLDER, "after")


def test_a_crawl_that_is_killed_loses_all_of_its_pages(site: Site, folder: Folder) -> None:
    """What its README says of it; the engine's own tests hold that the engine loses none."""
    site.pages = {"/": html("Start", "/slow"), "/slow": html("Slow")}
    site.hold("/slow")
    with folder.start("crawl", "textbook", "-a", f"seeds={site.url}/") as process:
        wait_until(lambda: "/slow" in site.asked(), process)
        process.send(signal.SIGKILL)
        process.wait()
    assert not exists_in(str(folder.path / FOLDER)) or not urls(folder)


def test_a_crawl_that_is_stopped_commits_what_it_has(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Start", "/slow"), "/slow": html("Slow")}
    free = site.hold("/slow")
    with folder.start("crawl", "textbook", "-a", f"seeds={site.url}/") as process:
        wait_until(lambda: "/slow" in site.asked(), process)
        process.send(signal.SIGINT)
        free.set()
        process.communicate()
    assert process.returncode == 130
    assert "" in urls(folder)


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (["-a", "topic=bread"], "takes seeds and pages"),
        (["-s", "MAX_DEPTH=3"], "DEPTH_LIMIT and CLOSESPIDER_PAGECOUNT bound it"),
        (["-a", "pages=none"], "give one from 1 up"),
    ],
)
def test_what_it_can_not_take_is_said_before_anything_is_fetched(
    site: Site, folder: Folder, words: list[str], advice: str
) -> None:
    done = crawl(folder, site, *words)
    assert done.returncode == 2
    assert advice in done.stderr
    assert site.asked() == []


def test_the_folder_of_another_crawl_stays_as_it_is(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Start")}
    assert folder.crawl(f"{site.url}/").returncode == 0
    done = crawl(folder, site)
    assert done.returncode == 2
    assert "holds a crawl of the engine" in done.stderr
    assert folder.search("start") == ["/"]


def test_without_seeds_it_says_what_to_give(folder: Folder) -> None:
    done = folder.run("crawl", "textbook")
    assert done.returncode == 2
    assert "give -a seeds=URL" in done.stderr


def test_the_readme_names_only_folders_and_files_that_exist() -> None:
    readme = (ROOT / "textbook" / "README.md").read_text()
    for folder in re.findall(r"`((?!data/)[a-z_]+/[a-z_/]*)`", readme):
        assert (ROOT / folder).exists(), folder
    for file in re.findall(r"`([a-z_/]+\.py)`", readme):
        assert (ROOT / "textbook" / file).is_file() or (ROOT / file).is_file(), file


def test_it_fetches_as_many_pages_as_it_is_told_and_not_the_ones_under_way(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Harbour", *(f"/{number}" for number in range(40)))}
    site.pages |= {f"/{number}": html(f"Boat {number}", f"/{number}/lamps") for number in range(40)}
    done = crawl(folder, site, "-a", "pages=10")
    assert "Fetched 10 pages with 11 requests: 10 indexed" in done.stdout
    assert "The crawl stopped at its limit of pages." in done.stdout
    assert len([path for path in site.asked() if path != "/robots.txt"]) == 10


def test_its_number_of_pages_may_be_smaller_than_that_of_the_seeds(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Harbour")}
    with served_site() as pier, served_site() as quay:
        pier.pages, quay.pages = {"/": html("Pier")}, {"/": html("Quay")}
        seeds = f"seeds={site.url}/,{pier.url}/,{quay.url}/"
        done = folder.run("crawl", "textbook", "-a", seeds, "-a", "pages=1")
    assert "Fetched 1 page with 2 requests" in done.stdout
