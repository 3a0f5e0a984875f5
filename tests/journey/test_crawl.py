"""Whole crawls: what is fetched, with which words, at which pace, and what the next crawl does."""

import json
import os
import socket
import subprocess
import sys
from http.server import SimpleHTTPRequestHandler
from itertools import pairwise

import pytest

from tests.advice import commands_in
from tests.child import PATIENCE, without_progress
from tests.journey.advice.conftest import Crawled
from tests.journey.conftest import COMMANDS, Folder, Site, html
from tests.serving import PatientServer, serving

TEXT = {"Content-Type": "text/plain"}
MOST_MODULES = 236  # of ours that a crawl loads: each takes a third of a millisecond or more, at each start


@pytest.fixture
def bakery(site: Site) -> Site:
    site.pages = {
        "/": html("Bakery", "/rye.html", "/wheat.html", "/hidden.html", "/copy.html", "/gone.html"),
        "/rye.html": html("Rye bread", "/", text="Rye bread keeps for a week and tastes of caraway."),
        "/wheat.html": html("Wheat bread", "/", text="Wheat bread is best on its first day, still warm."),
        "/copy.html": html("Rye bread", "/", text="Rye bread keeps for a week and tastes of caraway."),
        "/hidden.html": html("Recipe", text="The secret is malt.", head='<meta name="robots" content="noindex">'),
    }
    return site


def test_from_a_seed_to_an_answer(bakery: Site, folder: Folder) -> None:
    done = folder.crawl(f"{bakery.url}/")
    assert done.returncode == 0, done.stderr
    assert folder.search("caraway") in (["/rye.html"], ["/copy.html"])
    assert folder.search("secret malt") == []
    assert folder.report()["pages"] == {
        "stored": 5,
        "indexed": 3,
        "duplicates": 1,
        "near_duplicates": 0,
        "noindex": 1,
        "refused": 0,
    }
    assert "6 discovered = 0 queued + 0 leased + 5 done + 1 failed + 0 suppressed" in done.stdout


@pytest.mark.slow
def test_a_crawl_loads_only_what_it_needs(bakery: Site, folder: Folder) -> None:
    name, *words = folder.command("crawl", "site", "-s", "INDEX_FOLLOW=0", "-a", f"seeds={bakery.url}/")
    command = [name, "-X", "importtime", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE)
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    imported = {line.rpartition("|")[2].strip() for line in lines}
    assert imported.isdisjoint({"datasketch", "scipy", "unittest", "flask", "warcio", "scrapy.cmdline", "scrapy.shell"})
    ours = [module for module in imported if (COMMANDS.parent / module.partition(".")[0]).is_dir()]
    assert 100 < len(ours) <= MOST_MODULES


def test_each_url_is_asked_for_once(bakery: Site, folder: Folder) -> None:
    folder.crawl(f"{bakery.url}/", INDEX_FOLLOW=0)
    assert sorted(bakery.asked()) == sorted(["/robots.txt", *bakery.pages, "/gone.html"])


def test_every_request_says_who_asks_and_where_the_url_was_found(bakery: Site, folder: Folder) -> None:
    folder.crawl(f"{bakery.url}/", INDEX_FOLLOW=0, CONTACT="me@example.org", BOT_URL="https://example.org/bot")
    headers = dict(bakery.log)
    for sent in headers.values():
        assert sent["User-Agent"] == "Breadcrumb/0.1 (+https://example.org/bot)"
        assert sent["From"] == "me@example.org"
        assert "Cookie" not in sent
    assert headers["/rye.html"]["Referer"] == f"{bakery.url}/"
    assert headers["/rye.html"]["Accept"].startswith("text/html")
    assert "Referer" not in headers["/"]


def test_the_next_crawl_asks_with_conditions_and_indexes_nothing_anew(site: Site, folder: Folder) -> None:
    def page(asked: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        if asked.get("If-None-Match") == '"v1"' and asked.get("If-Modified-Since") == "Sat, 21 Nov 2026 12:00:00 GMT":
            return 304, {"ETag": '"v1"'}, b""
        status, headers, body = html("home")
        return status, headers | {"ETag": '"v1"', "Last-Modified": "Sat, 21 Nov 2026 12:00:00 GMT"}, body

    site.pages["/"] = page
    folder.crawl(f"{site.url}/")
    before = folder.run("search", "--json", "home").stdout
    done = folder.crawl()
    assert "0 pages fetched, 1 unchanged" in done.stdout
    assert json.loads(folder.run("search", "--json", "home").stdout)["generation"] == json.loads(before)["generation"]


def test_a_page_that_changes_goes_or_turns_noindex_is_so_in_the_results(bakery: Site, folder: Folder) -> None:
    folder.crawl(f"{bakery.url}/")
    bakery.pages["/rye.html"] = html("Rye bread", text="Rye bread is sold out.")
    bakery.pages["/wheat.html"] = html("Wheat", text="Wheat bread, warm.", head="<meta name=robots content=noindex>")
    del bakery.pages["/copy.html"]
    folder.crawl()
    assert folder.search("caraway") == []
    assert folder.search("sold out") == ["/rye.html"]
    assert "/wheat.html" not in folder.search("wheat")


def test_a_trial_of_some_pages_leaves_the_rest_for_the_next_crawl(bakery: Site, folder: Folder) -> None:
    done = folder.crawl(f"{bakery.url}/", pages=2, INDEX_FOLLOW=0)
    assert (done.returncode, len(bakery.asked())) == (0, 3)
    assert "The trial of 2 pages left 4 URLs queued" in done.stdout
    folder.crawl(INDEX_FOLLOW=0)
    assert sorted(bakery.asked()) == sorted(["/robots.txt", *bakery.pages, "/gone.html"])


def test_a_delay_that_is_asked_for_holds_between_any_two_requests(bakery: Site, folder: Folder) -> None:
    folder.crawl(f"{bakery.url}/", DOWNLOAD_DELAY=0.6, INDEX_FOLLOW=0)
    assert len(bakery.starts) == 7
    assert all(later - earlier > 0.45 for earlier, later in pairwise(bakery.starts))


def test_a_server_that_fails_for_a_moment_is_asked_again(site: Site, folder: Folder) -> None:
    answers = [(503, TEXT, b"later"), html("home")]
    site.pages["/"] = lambda _: answers.pop(0)
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0)
    assert folder.rules() == {"/": "fetched"}
    with folder.database() as database:
        assert database.count("SELECT count(*) FROM journal WHERE rule = 'server-error'") == 1


def test_a_server_that_goes_on_failing_is_left_alone_and_the_rest_goes_on(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("home", "/bad", "/good"), "/bad": (500, TEXT, b""), "/good": html("good")}
    done = folder.crawl(f"{site.url}/", INDEX_FOLLOW=0)
    assert site.asked().count("/bad") == 3
    assert folder.rules() == {"/": "fetched", "/bad": "server-error", "/good": "fetched"}
    assert done.returncode == 0


def test_a_recrawl_of_a_site_that_is_down_says_so_and_names_the_command_with_the_reason(
    bakery: Site, folder: Folder
) -> None:
    assert folder.crawl(f"{bakery.url}/").returncode == 0
    bakery.pages = dict.fromkeys([*bakery.pages, "/gone.html"], (503, TEXT, b"later"))
    done = folder.crawl(RETRY_ATTEMPTS=2)
    assert done.returncode == 1
    last = done.stdout.splitlines()[-1]
    assert last.startswith("No page was fetched: 12 requests had a connection failure or a server error. The reason: ")
    [command] = commands_in(last)
    assert f"{bakery.url}/\n" in (reason := Crawled(folder.path).carried_out(command))
    assert "503" in reason


def test_redirects_are_followed_within_the_site_and_told_where_they_leave_it(site: Site, folder: Folder) -> None:
    site.pages = {
        "/": html("home", "/old", "/away", "/circle"),
        "/old": (301, {"Location": "/new"}, b""),
        "/new": html("new"),
        "/away": (302, {"Location": "http://elsewhere.invalid/"}, b""),
        "/circle": (302, {"Location": "/circle"}, b""),
        "/refresh": html("refresh"),
    }
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0)
    rules = {"/": "fetched", "/old": "moved", "/new": "fetched", "/away": "off-site", "/circle": "redirect-loop"}
    assert folder.rules() == rules


def test_a_meta_refresh_is_a_redirect(site: Site, folder: Folder) -> None:
    site.pages = {
        "/": html("old home", head='<meta http-equiv="Refresh" content="1; URL=index.html">'),
        "/index.html": html("new home"),
    }
    folder.crawl(f"{site.url}/")
    assert folder.rules() == {"/": "moved", "/index.html": "fetched"}
    assert folder.search("home") == ["/index.html"]
    told = " ".join(folder.run("why", f"{site.url}/").stdout.split())
    assert f"its refresh leads to {site.url}/index.html after 1 s: a redirect, and no page of its own" in told
    assert f"It leads to {site.url}/index.html" in told


def test_a_refresh_that_gives_time_to_read_or_is_for_readers_without_scripts_moves_nobody(
    site: Site, folder: Folder
) -> None:
    later, unscripted = "<meta http-equiv=refresh content='{};url={}'>", "<noscript>{}</noscript>"
    site.pages = {
        "/": html("slow home", "/app", head=later.format(2, "/next")),
        "/app": html("application home", head=unscripted.format(later.format(0, "/plain"))),
        "/next": html("next"),
        "/plain": html("plain"),
    }
    folder.crawl(f"{site.url}/")
    assert folder.rules() == dict.fromkeys(site.pages, "fetched")
    assert sorted(folder.search("home")) == ["/", "/app"]


def test_an_endless_calendar_ends(site: Site, folder: Folder) -> None:
    for month in range(300):
        site.pages[f"/calendar?month={month}"] = html(f"Month {month}", f"/calendar?month={month + 1}")
    folder.crawl(f"{site.url}/calendar?month=0", TRAP_PATIENCE=12, INDEX_FOLLOW=0, MAX_DEPTH=1000)
    assert len(site.asked()) == 1 + 1 + 12, "robots.txt, a page that was new, and twelve that were not"
    assert folder.report()["suppressed"] == {"no-yield": 1}


def test_the_links_of_a_page_that_says_nofollow_are_not_followed(site: Site, folder: Folder) -> None:
    page = html("home", "/x")
    site.pages = {"/": (200, page[1] | {"X-Robots-Tag": "nofollow"}, page[2]), "/x": html("x")}
    folder.crawl(f"{site.url}/", INDEX_FOLLOW=0)
    assert site.asked() == ["/robots.txt", "/"]


def test_a_text_page_is_indexed_and_a_picture_is_not(site: Site, folder: Folder) -> None:
    site.pages = {
        "/": html("home", "/notes", "/picture"),
        "/notes": (200, TEXT, b"Notes on sourdough\n\nFeed it twice a day."),
        "/picture": (200, {"Content-Type": "image/png"}, b"\x89PNG\r\n\x1a\n" + bytes(100)),
    }
    folder.crawl(f"{site.url}/")
    assert folder.search("sourdough") == ["/notes"]
    assert folder.rules()["/picture"] == "type"


def test_search_answers_when_the_crawl_database_is_taken_away(bakery: Site, folder: Folder) -> None:
    folder.crawl(f"{bakery.url}/")
    (folder.path / "crawl.sqlite3").unlink()
    assert folder.search("warm") == ["/wheat.html"]


def test_a_link_reaches_no_private_address_that_is_no_seeds(site: Site, folder: Folder) -> None:
    site.pages = {"/robots.txt": (302, {"Location": f"http://127.0.0.2:{site.port}/robots.txt"}, b""), "/": html("x")}
    done = folder.crawl(f"{site.url}/", INDEX_FOLLOW=0, WAIT_SECONDS=1)
    assert "a private address, and no seed is at 127.0.0.2" in done.stdout
    assert site.asked() == ["/robots.txt"]


@pytest.mark.slow
def test_scrapys_own_command_does_the_same(bakery: Site, folder: Folder) -> None:
    command = [sys.executable, "-m", "scrapy", "crawl", "site", "-a", f"seeds={bakery.url}/"]
    done = subprocess.run(
        [*command, "-s", f"DATA_DIR={folder.path}"], cwd=COMMANDS.parent, capture_output=True, text=True, check=False,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"}, timeout=PATIENCE,
    )  # fmt: skip
    assert (done.returncode, without_progress(done.stderr)) == (0, "")
    assert folder.search("warm") == ["/wheat.html"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["crawl", "site", "-a", "seeds=www.example.org"], "a URL begins with http:// or https://"),
        (["crawl", "site"], "has no seeds yet"),
        (["crawl", "site", "-a", "seeds=https://93.184.216.34/"], "set CONTACT"),
        (["crawl", "site", "-a", "seed=http://127.0.0.1/"], "-a seeds="),
        (["crawl", "sites", "-a", "seeds=http://127.0.0.1/"], "write ./breadcrumb crawl site -a seeds=URL"),
        (["crawl", "site", "-s", "MAXDEPTH=3"], "did you mean MAX_DEPTH"),
        (["crawl", "site", "-s", "MAX_DEPTH=deep"], "MAX_DEPTH must be a whole number; its default is 25"),
        (["crawl", "site", "-s", "SCOPE=world"], "choose host or domain"),
        (["crawl", "site", "-s", "CONTACT=me"], "you@example.org"),
        (["crawl", "site", "-s", "ALLOWED_PORTS=http"], "ALLOWED_PORTS='http' must be a number"),
        (["crawl", "site", "-a", "pages=many"], "is no number of pages"),
        (["crawl", "site", "-a", "each=0"], "is no number of pages"),
        (["crawl", "site", "-a", "seeds=bakery.localhost"], "did you mean http://bakery.localhost?"),
        (["crawl", "site", "-s", "INDEX_FOLLOW=perhaps"], "INDEX_FOLLOW must be yes or no"),
        (["crawl", "site", "-s", f"DATA_DIR=/tmp/{'a' * 300}"], "Check the folder permissions"),
    ],
)
def test_a_mistake_is_told_in_a_sentence_with_exit_code_2(folder: Folder, words: list[str], message: str) -> None:
    done = folder.run(*words)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_fault_of_our_own_ends_one_lease_and_not_the_crawl(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("home", "/moon", "/sun"), "/moon": html("The moon"), "/sun": html("The sun")}
    stages = {"tests.journey.faults.faulty.Moonstruck": 150, "pipelines.item_pipelines.StoreStage": 900}
    done = folder.crawl(f"{site.url}/sun", f"{site.url}/moon", INDEX_FOLLOW=0, ITEM_PIPELINES=json.dumps(stages))
    assert done.returncode == 1
    assert folder.rules() == {"/sun": "fetched", "/moon": "fault"}
    assert f"Fault: {site.url}/moon: a fault of Breadcrumb's own" in done.stdout
    assert f"faults      {site.url}/moon: a fault" in folder.run("report").stdout
    with folder.database() as database:
        reason = database.value("SELECT reason FROM journal WHERE rule = 'fault'")
    assert str(reason).endswith("ZeroDivisionError: the moon is out")


def test_25_each_success_that_brings_a_page_is_one_and_the_others_say_why_not(site: Site, folder: Folder) -> None:
    pages, empty = ("/203", "/299"), ("/204", "/205", "/206")
    sitemap = f"<urlset><url><loc>{site.url}/listed</loc></url></urlset>".encode()
    robots = f"Sitemap: {site.url}/map.xml".encode()
    site.pages = {
        "/robots.txt": (203, {"Content-Type": "text/plain"}, robots),
        "/map.xml": (203, {"Content-Type": "application/xml"}, sitemap),
        "/": html("home", *pages, *empty),
        "/listed": html("listed"),
        **{path: (int(path[1:]), *html(f"page {path}")[1:]) for path in pages},
        **{path: (int(path[1:]), {"Content-Type": "text/html"}, b"") for path in empty},
    }
    assert folder.crawl(f"{site.url}/").returncode == 0
    told = folder.rules()
    assert {path for path, rule in told.items() if rule == "fetched"} == {"/", "/listed", *pages}
    assert {path: told[path] for path in empty} == {"/204": "empty", "/205": "empty", "/206": "no-page"}
    assert sorted(folder.search("page")) == ["/", "/203", "/299", "/listed"]
    why = " ".join(folder.run("why", f"{site.url}/206").stdout.split())
    assert "answered 206, which means a part of the page: none was requested" in why
    site.pages["/203"] = (204, {}, b"")
    folder.crawl()
    assert "/203" not in folder.search("page")


@pytest.mark.parametrize("root", ["<html hidden>", "<html><body hidden>"])
def test_a_home_page_that_hides_until_its_scripts_run_is_read_and_its_links_are_followed(
    site: Site, folder: Folder, root: str
) -> None:
    body = f"<!DOCTYPE html>{root}<title>Home</title><p>A bakery of rye.<p hidden>Nobody sees this.<a href=/rye>r</a>"
    site.pages = {"/": (200, {"Content-Type": "text/html"}, body.encode()), "/rye": html("Rye")}
    assert folder.crawl(f"{site.url}/").returncode == 0
    assert folder.rules() == {"/": "fetched", "/rye": "fetched"}
    assert folder.search("bakery") == ["/"]


def test_a_site_at_an_ipv6_address_is_crawled(folder: Folder) -> None:
    class Server(PatientServer):
        address_family = socket.AF_INET6

    try:
        server = Server(("::1", 0), SimpleHTTPRequestHandler)
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    with serving(server):
        done = folder.crawl(f"http://[::1]:{server.server_port}/README.md", INDEX_FOLLOW=0)
    assert "1 request" not in done.stdout
    assert list(folder.report()["sites"]) == [f"[::1]:{server.server_port}"]
    assert folder.report()["status"].get("200", 0) == 1
