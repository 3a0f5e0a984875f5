"""Each command and each button of /admin and /stats, carried out: it does what is written next to it, and no more."""

from __future__ import annotations

import re
import shlex
import shutil
import time
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from bs4 import BeautifulSoup

from commands.frame.command import parse_words
from commands.frame.command_settings import CommandSettings
from commands.serve import COMMAND as SERVE
from commands.serve import gateway
from crawldb.database import CrawlDatabase
from crawldb.databases import Parts
from crawldb.tables.open_work import FORGET, OpenWork, note_work, stopped_work
from crawldb.tables.robots_files import write_robots
from extension_points import built_in
from frontier.job import CrawlJob
from frontier.session import Session
from frontier.submission import propose_block
from indexer.following import catch_up
from robots import RobotsRecord, origin_of
from tests.advice import State, commands_in, confirmed, state_of
from tests.commands.conftest import Breadcrumb
from tests.gateway.operators.test_admin_page import TOKEN, act, log_in
from tests.samples import a_page, an_outcome, lease_all
from urls.canonical import canonicalize
from urls.records import LeaseEnd
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flask.testing import FlaskClient

BAKERY, MILL, SHED = "http://bakery.example/", "https://mill.example/", "https://shed.example/"
RYE, FOLDER, LOOP = f"{BAKERY}rye", f"{BAKERY}folder/", f"{BAKERY}x/x/x/"
FAULTY = f"{BAKERY}faulty"


def fill(data: Path) -> None:
    """Crawl three sites: what can need an operator does."""
    session = Session(data, CrawlJob(tuple(map(canonicalize, (BAKERY, MILL, SHED)))))
    twice = {f"{BAKERY}loaf/{number}{end}": f"loaf {number}" for number in range(5) for end in ("a", "A")}
    flour = [f"{MILL}{number}" for number in range(30)]
    while leases := lease_all(session):
        for url in leases:
            if url == BAKERY:
                links = (RYE, FOLDER, f"{FOLDER}one", LOOP, FAULTY, *twice, *flour)
                session.store.page(a_page(url, "the bakery", links=links))
            elif url == FAULTY:
                session.store.outcome(an_outcome(url, LeaseEnd.FAILED, Rule.FAULT))
            elif url.startswith(MILL):
                session.store.outcome(an_outcome(url, LeaseEnd.FAILED, Rule.FORBIDDEN, status=403))
            elif url == SHED:
                session.store.outcome(an_outcome(url, LeaseEnd.FAILED, Rule.ROBOTS_CLOSED))
            else:
                session.store.page(a_page(url, twice.get(url, f"all about {url}")))
    day = time.time() - 2 * 86_400
    closed = RobotsRecord(origin_of(SHED), "CLOSED", "it answers 503", day, day, 503, failing_since=day, failures=4)
    write_robots(session.database, session.run, closed)
    session.close("interrupted")
    catch_up(data)
    with Parts.in_folder(data) as parts:
        for target in (RYE, FOLDER, "bakery.example"):
            propose_block(parts, target, "it is mine", "me@example.org", 9)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("operators") / "data"
    fill(data)
    return data


def admin_of(data: Path) -> FlaskClient:
    settings = CommandSettings([f"DATA_DIR={data}", f"ADMIN_TOKEN={TOKEN}"])
    client = gateway(data, settings).test_client()
    assert log_in(client).status_code == 303
    return client


def blocks(*urls: str) -> Callable[[State], dict[str, tuple[int, str | None] | None]]:
    return lambda before: {
        url: (4, "blocked")
        for url in before.urls
        for begin in urls
        if url == begin or (begin.endswith("*") and url.startswith(begin[:-1]))
    }


# What stands next to a command or a button, by the command: the URLs that it changes.
EFFECTS: dict[tuple[str, str], Callable[[State], dict[str, tuple[int, str | None] | None]]] = {
    ("blocks it and removes its pages", RYE): blocks(RYE),
    ("blocks it and removes its pages", FOLDER): blocks(FOLDER),
    ("blocks it and removes its pages", "bakery.example"): blocks(f"{BAKERY}*"),
    ("blocks all URLs below it, too", FOLDER): blocks(f"{FOLDER}*"),
    ("blocks the site", "mill.example"): blocks(f"{MILL}*"),
    ("declines the request", RYE): blocks(),
    ("declines the request", FOLDER): blocks(),
    ("declines the request", "bakery.example"): blocks(),
}
if "suggest" in built_in():
    EFFECTS["switches it on", "bakery.example"] = lambda before: {
        url: (4, "alias") for url in before.urls if url.endswith("A")
    }
# What a command shows, where it changes nothing.
SHOWS = {
    ("shows the responses of its server", MILL): "403",
    ("shows the responses of its server", f"{origin_of(SHED)}/"): "4 times in a row",
    ("shows what is known about it", FAULTY): "fault",
    ("shows them with the commands that decide; so does the admin page", ""): "declines the request",
}
CRAWL = ("continues the round", "site")  # tests/journey/advice carries it out


def remedies(page: str) -> list[tuple[str, list[str]]]:
    """Return what stands next to each command of a page, and the command."""
    found = []
    for item in BeautifulSoup(page, "lxml").select("ul.needs ul > li"):
        for code in item.select("code"):
            effect = item.get_text(" ", strip=True).removeprefix(code.get_text()).partition("(")[0].strip()
            found.append((effect, shlex.split(code.get_text())[1:]))
    return found


def buttons(page: str) -> list[tuple[str, dict[str, str]]]:
    """Return what stands next to each button of a page, and its form."""
    found = []
    for form in BeautifulSoup(page, "lxml").select("ul.needs form"):
        fields = {str(field["name"]): str(field["value"]) for field in form.select("input")}
        found.append((str(form.next_sibling or "").strip(), fields))
    return found


def test_each_command_of_the_report_and_of_the_pages_does_what_stands_next_to_it(filled: Path, tmp_path: Path) -> None:
    admin = admin_of(filled)
    before = state_of(filled)
    shown = remedies(admin.get("/admin").text) + remedies(admin.get("/stats").text)
    shown += complaints(Breadcrumb(filled, tmp_path))
    met = set()
    for number, (effect, command) in enumerate(shown):
        target = next((word for word in command[1:] if "example" in word), "")
        target = MILL if target.startswith(MILL) else target
        key = effect, target or ("site" if command[:2] == ["crawl", "site"] else "")
        met.add(key)
        if key == CRAWL:
            continue
        crawl = Breadcrumb(tmp_path / str(number), tmp_path)
        shutil.copytree(filled, crawl.data)
        words = [str(crawl.data) if word == str(filled) else word for word in confirmed(command)]
        done = crawl.run_as_it_stands(*words)
        assert done.code == 0, done.err
        after = state_of(crawl.data)
        if key in SHOWS:
            assert SHOWS[key] in " ".join(done.out.split())
            assert before == after
        else:
            assert before.changed_to(after) == EFFECTS[key](before), key
            assert before.results - after.results <= before.changed_to(after).keys()
    assert met == {*EFFECTS, *SHOWS, CRAWL}


def complaints(crawl: Breadcrumb) -> list[tuple[str, list[str]]]:
    """Return what `block` lists: each command with the line that follows it."""
    lines = [line.strip() for line in crawl.run("block").out.splitlines()]
    return [(after, command) for line, after in pairwise(lines) for command in commands_in(line)]


def test_each_button_of_the_admin_page_does_what_stands_next_to_it(filled: Path, tmp_path: Path) -> None:
    before = state_of(filled)
    actions = set()
    for number, (effect, fields) in enumerate(buttons(admin_of(filled).get("/admin").text)):
        data = tmp_path / str(number)
        shutil.copytree(filled, data)
        answer = act(admin_of(data), fields["action"], fields["target"], fields["words"])
        assert answer.status_code == 200, answer.text
        after = state_of(data)
        actions.add(fields["action"])
        target = fields["target"].removesuffix("*")
        if fields["action"] == "release":
            assert before.changed_to(after) == {LOOP: (0, None)}
        else:
            expected = EFFECTS[effect or "switches it on", target](before)
            assert before.changed_to(after) == expected, effect
    assert actions == {"block", "decline", "release", *(["apply"] if "suggest" in built_in() else [])}


def test_the_report_that_the_admin_page_names_shows_the_command_that_finishes_a_stopped_one(
    filled: Path, tmp_path: Path
) -> None:
    crawl = Breadcrumb(tmp_path / "data", tmp_path)
    shutil.copytree(filled, crawl.data)
    loaf = f"{BAKERY}loaf/0a"
    with CrawlDatabase(crawl.data) as database, database.transaction():
        note_work(database, OpenWork(FORGET, (loaf,)))
    before = state_of(crawl.data)
    shown = dict(remedies(admin_of(crawl.data).get("/admin").text))
    report = crawl.run_as_it_stands(*shown["shows each, with the command that finishes it"]).out
    [command] = [words for words in commands_in(report) if words[0] == FORGET]
    assert before == state_of(crawl.data)
    crawl.run_as_it_stands(*command)
    with CrawlDatabase(crawl.data, readonly=True) as database:
        assert stopped_work([database]) == []
    assert before.results - state_of(crawl.data).results == {loaf}


def test_the_block_that_the_admin_page_advises_for_an_unknown_site_blocks_that_alone(
    filled: Path, tmp_path: Path
) -> None:
    crawl = Breadcrumb(tmp_path / "data", tmp_path)
    shutil.copytree(filled, crawl.data)
    before = state_of(crawl.data)
    answer = act(admin_of(crawl.data), "block", "barn.example")
    assert answer.status_code == 422
    [alert] = BeautifulSoup(answer.text, "lxml").select("[role=alert]")
    [command] = commands_in(alert.get_text())
    assert crawl.run_as_it_stands(*command).code == 0
    after = state_of(crawl.data)
    assert (after.urls, after.results) == (before.urls, before.results)
    assert after.blocked == {"the site barn.example"}


def test_what_a_closed_page_says_opens_it_and_no_other(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def codes(*given: str) -> tuple[int, int]:
        client = gateway(filled, CommandSettings([f"DATA_DIR={filled}", *given])).test_client()
        return client.get("/submit").status_code, client.get("/admin").status_code

    assert codes() == (403, 403)
    client = gateway(filled, CommandSettings([f"DATA_DIR={filled}"])).test_client()
    [(name, *words)] = commands_in(BeautifulSoup(client.get("/submit").text, "lxml").get_text())
    assert name == "serve"
    assert codes(*parse_words(SERVE, words).set) == (200, 403)
    told = BeautifulSoup(client.get("/admin").text, "lxml").get_text()
    variable, least = re.search("BREADCRUMB_[A-Z_]+", told), re.search("at least ([0-9]+) characters", told)
    assert variable is not None
    assert least is not None
    monkeypatch.setenv(variable[0], "x" * int(least[1]))
    assert codes() == (403, 200)
