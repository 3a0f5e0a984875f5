"""Plan before, actual after, the alarm, and files that are no pages: on whole crawls."""

import json
import random
from functools import partial

import pytest
from bs4 import BeautifulSoup

from commands.frame.command_settings import CommandSettings
from commands.serve import gateway
from extensions.plan.tables import empty_bytes
from frontier.job import CrawlJob
from frontier.session import Session
from reports.actual import folder_size
from tests.advice import commands_in, confirmed, state_of
from tests.forks import forked
from tests.journey.conftest import Answer, Folder, Site, html
from urls.canonical import canonicalize

TEXT = {"Content-Type": "text/plain"}


def shop(site: Site, pages: int = 30) -> None:
    """A home that links to pages in tens, and each to the next ten."""
    site.pages = {"/robots.txt": (200, TEXT, b"User-agent: *\nDisallow: /private\n")}
    site.pages["/"] = html("Home", "/private", *(f"/p{number}.html" for number in range(10)))
    for number in range(pages):
        following = [f"/p{10 * number + ten}.html" for ten in range(10, 20) if 10 * number + ten < pages]
        site.pages[f"/p{number}.html"] = html(f"Page {number}", "/", *following)


def numbered(number: int, headers: dict[str, str]) -> Answer:
    return html(f"{number} of {headers['Host']}")


def plan(folder: Folder, *words: str) -> dict:  # type: ignore[type-arg]  # a JSON object
    done = folder.run("plan", *words, "--json", "-s", "PLAN_PAGES=5", "-s", "INDEX_FOLLOW=no")
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_a_plan_is_made_on_a_small_trial_and_the_crawl_goes_on_from_there(site: Site, folder: Folder) -> None:
    shop(site)
    found = plan(folder, f"{site.url}/")
    assert found["trial"]["made"]
    asked = len(site.asked())
    assert (
        asked == found["trial"]["requests"] == 26
    )  # robots.txt, and five pages, five times: fewer say next to nothing
    assert found["estimate"]["pages"]["lower"] <= 31 <= found["estimate"]["pages"]["upper"]
    assert found["seeds"] == [
        {"url": f"{site.url}/", "allowed": True, "line": 0, "rule": "", "reason": "no rule matches"}
    ]
    again = plan(folder)
    assert (again["trial"]["made"], len(site.asked())) == (False, asked)

    done = folder.crawl(INDEX_FOLLOW=0, PROBE_AFTER=0)
    assert sorted(site.asked()) == sorted(site.pages)  # the robots.txt as well: nothing was asked for twice
    assert "Plan:  " in done.stdout
    told = folder.report()["plan"]
    assert told is not None
    assert (told["actual"]["pages"], told["actual"]["requests"], told["actual"]["over"]) == (31, 32, True)
    assert told["actual"]["memory"] > 10_000_000
    assert told["actual"]["bytes"] > folder.report()["bytes"]  # headers are received as well
    assert "and what it took" in folder.run("report").stdout


@pytest.mark.slow
def test_the_disk_that_is_planned_is_within_a_fifth_of_what_a_crawl_takes(site: Site, folder: Folder) -> None:
    """The home page names all pages, as that of a manual does: its URLs take their room once, and not once a page."""
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghij", k=7)) for _ in range(4000)]
    paths = [f"/{'/'.join(chance.sample(words, 8))}.html" for _ in range(150)]
    site.pages = {path: html(path, "/", text=" ".join(chance.choices(words, k=300))) for path in paths}
    site.pages["/"] = html("Home", *paths)
    planned = plan(folder, f"{site.url}/")["estimate"]
    assert planned["pages"]["lower"] == 151, "all are known, and nobody can tell that there are no others"
    folder.crawl(INDEX_FOLLOW=0, PROBE_AFTER=0)
    with folder.database() as database:
        taken = folder_size(folder.path) - empty_bytes(database)
    assert 0.8 * taken < planned["disk"]["lower"] < 1.2 * taken, planned["disk"]["lower"] / taken


@pytest.mark.slow
def test_a_trial_goes_on_while_its_sample_says_next_to_nothing(site: Site, folder: Folder) -> None:
    """A site of 43 pages in two long chains: twenty requests see few links, and all of them lead to something new."""
    site.pages["/"] = html("Home", "/p1.html", "/p2.html")
    for number in range(1, 43):
        site.pages[f"/p{number}.html"] = html(f"Page {number}", *([f"/p{number + 2}.html"] if number < 41 else []))
    done = folder.run("plan", f"{site.url}/", "--json", "-s", "INDEX_FOLLOW=no")
    found = json.loads(done.stdout)
    assert found["estimate"]["pages"] == {"lower": 43, "upper": 43}
    assert set(site.pages) <= set(site.asked())


@pytest.mark.slow
def test_a_person_reads_the_plan_and_an_announcement_whose_commands_do_what_it_says(site: Site, folder: Folder) -> None:
    shop(site, pages=10)
    Session(folder.path, CrawlJob((canonicalize(f"{site.url}/"),))).close("not begun")
    client = gateway(folder.path, CommandSettings([f"DATA_DIR={folder.path}"])).test_client()
    page = BeautifulSoup(client.get("/inside/crawl").text, "lxml").get_text()
    [before] = [words for words in commands_in(page) if words[0] == "plan"]
    before = [f"{site.url}/" if word == "SEEDS" else word for word in before]
    done = forked(folder.forks, *before, "-s", "PLAN_PAGES=3", "-s", "INDEX_FOLLOW=no")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Announcement for your network operator and your organisation:" in done.stdout
    assert "./breadcrumb block --site SITE" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines()[1:] if "./breadcrumb" not in line)
    crawl, report, block = commands_in(done.stdout)
    assert forked(folder.forks, *crawl, "-s", "PROBE_AFTER=0").returncode == 0
    assert len(state_of(folder.path).results) == 11
    assert "and what it took" in forked(folder.forks, *report).stdout
    forked(folder.forks, *[site.url.removeprefix("http://") if word == "SITE" else word for word in confirmed(block)])
    after = state_of(folder.path)
    assert not after.results
    assert set(after.urls.values()) == {(4, "blocked")}


def test_each_site_has_its_own_trial(site: Site, folder: Folder) -> None:
    site.pages["/"] = lambda headers: html(headers["Host"], *(f"/{number}" for number in range(9)))
    site.pages |= {f"/{number}": partial(numbered, number) for number in range(9)}
    other = f"http://localhost:{site.port}"
    done = folder.crawl(f"{site.url}/", f"{other}/", each=3, INDEX_FOLLOW=0)
    assert "The trial of 3 requests a site left" in done.stdout
    hosts = [headers["Host"] for path, headers in site.log if path != "/robots.txt"]
    assert sorted(hosts) == sorted([f"127.0.0.1:{site.port}", f"localhost:{site.port}"] * 3)


def test_a_delay_that_its_robots_txt_asks_for_is_in_the_plan(site: Site, folder: Folder) -> None:
    site.pages = {
        "/robots.txt": (200, TEXT, b"User-agent: *\nCrawl-delay: 0.2\n"),
        "/": html("Home", "/a", "/b", "/c"),
        "/a": html("a"),
    }
    found = folder.run("plan", f"{site.url}/", "--json", "-s", "PLAN_PAGES=2", "-s", "INDEX_FOLLOW=no")
    (one,) = json.loads(found.stdout)["estimate"]["sites"]
    assert one["delay"] == 0.2
    assert one["seconds"]["lower"] == pytest.approx(0.2 * one["requests"]["lower"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(["bakery.localhost"], "did you mean http://bakery.localhost?", id="no http://"),
        pytest.param([], "has no seeds yet", id="no seeds"),
        pytest.param(["https://93.184.216.34/"], "set CONTACT", id="nobody to write to"),
        pytest.param(["http://127.0.0.1/", "-s", "PLAN_PAGES=0"], "PLAN_PAGES=0: give at least 1", id="no pages"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(folder: Folder, words: list[str], message: str) -> None:
    done = folder.run("plan", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_site_that_mostly_fails_raises_an_alarm_and_is_crawled_to_its_end(site: Site, folder: Folder) -> None:
    site.pages = {"/": html("Home", *(f"/{number}" for number in range(24)))}
    done = folder.crawl(f"{site.url}/", INDEX_FOLLOW=0)
    assert done.returncode == 0
    assert len(site.asked()) == 26  # all of it, with the robots.txt
    assert "Alarm: 19 of 20 fetches of 127.0.0.1" in done.stdout
    assert "./breadcrumb block --site 127.0.0.1" in done.stdout
    assert folder.report()["alarms"][0]["ended"] == 20
    assert "19 of 20 fetches" in " ".join(folder.run("why", f"{site.url}/3").stdout.split())
    assert "19 of 20 fetches" in " ".join(folder.run("report").stdout.split())


def test_files_that_are_no_pages_are_kept_and_not_found(site: Site, folder: Folder) -> None:
    site.pages = {
        "/robots.txt": (200, TEXT, b"User-agent: *\nDisallow:\n"),
        "/": html("Home", "/humans.txt", "/ads.txt", "/sub/robots.txt", "/security.txt", "/sellers.json"),
        "/humans.txt": (302, {"Location": "/people.txt"}, b""),
        "/people.txt": (200, TEXT, b"Team: Ann, who bakes marzipan"),
        "/ads.txt": (200, TEXT, b"broker.example, 123, DIRECT, marzipan"),
        "/sellers.json": (200, {"Content-Type": "application/json"}, b'{"sellers": ["marzipan"]}'),
        "/security.txt": html("Security", text="The security officer likes marzipan."),
        "/sub/robots.txt": (200, TEXT, b"A story about marzipan robots"),
    }
    folder.crawl(f"{site.url}/")
    assert {path: rule for path, rule in folder.rules().items() if rule == "well-known"} == {
        "/people.txt": "well-known",
        "/ads.txt": "well-known",
        "/sellers.json": "well-known",
    }
    assert sorted(folder.search("marzipan")) == ["/security.txt", "/sub/robots.txt"]
    assert "who may sell this site's advertising" in " ".join(folder.run("why", f"{site.url}/ads.txt").stdout.split())
