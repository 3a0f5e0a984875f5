"""The commands that commands print, carried out as they are printed: each does what its sentence says, and no more."""

from __future__ import annotations

import json
import socket
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

import pytest

from commands.crawling.start import first_run_notice
from crawldb.database import CrawlDatabase
from crawldb.databases import Parts
from crawldb.tables.open_work import BLOCK, FORGET, REBUILD, OpenWork, note_work, stopped_work
from frontier.submission import propose_block
from reports.numbers import report
from reports.summary import Trial, run_summary
from tests.advice import commands_in, confirmed, state_of
from tests.commands.conftest import HOST, Breadcrumb
from tests.forks import fork, forked
from urls.blacklist import target_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.forks import ForkServer

RYE, SECRET = f"{HOST}/rye.html", f"{HOST}/secret.html"
SITE = "bakery.localhost:8400"


def advised(crawl: Breadcrumb, *words: str, name: str) -> list[str]:
    """Run a command, and return the one command of that name which it prints."""
    done = crawl.run(*words)
    [command] = [found for found in commands_in(done.out + done.err) if found[0] == name]
    return command


def carry_out(crawl: Breadcrumb, command: list[str]) -> str:
    done = crawl.run_as_it_stands(*confirmed(command))
    assert done.code == 0, done.out + done.err
    return done.out


@pytest.mark.parametrize("target", [[RYE], ["--site", SITE], [RYE, f"{HOST}/brot.html"], ["--below", f"{HOST}/"]])
def test_what_forget_says_to_prevent_another_fetch_blocks_what_was_forgotten_and_nothing_else(
    bakery: Breadcrumb, target: list[str]
) -> None:
    command = advised(bakery, "forget", *target, "--yes", name="block")
    before = state_of(bakery.data)
    carry_out(bakery, command)
    after = state_of(bakery.data)
    assert after.results == before.results
    changed = before.changed_to(after)
    assert set(changed.values()) == {(4, "blocked")}
    assert changed.keys() == (set(target) if RYE in target else before.urls.keys())


def test_block_anyway_blocks_what_the_crawl_does_not_know(bakery: Breadcrumb) -> None:
    before = state_of(bakery.data)
    carry_out(bakery, advised(bakery, "block", "--site", "mill.localhost:8400", "--reason", "asked us", name="block"))
    after = state_of(bakery.data)
    assert (after.urls, after.results) == (before.urls, before.results)
    assert after.blocked == {"the site mill.localhost:8400"}
    assert "asked us" in bakery.run("block").out


def test_block_lists_the_requests_and_what_is_blocked(bakery: Breadcrumb) -> None:
    with Parts.in_folder(bakery.data) as parts:
        propose_block(parts, RYE, "it is mine", "me@example.org", 5)
    bakery.run("block", SECRET)
    before = state_of(bakery.data)
    listed = carry_out(bakery, advised(bakery, "block", "--decline", SECRET, name="block"))
    assert carry_out(bakery, advised(bakery, "block", "--lift", RYE, name="block")) == listed
    assert state_of(bakery.data) == before
    assert SECRET in listed
    assert "it is mine" in listed
    commands = commands_in(listed)
    assert [command[0:2] for command in commands] == [["block", RYE], ["block", "--decline"]]
    carry_out(bakery, commands[1])
    assert state_of(bakery.data) == before
    assert "it is mine" not in bakery.run("block").out
    carry_out(bakery, commands[0])
    assert before.changed_to(state_of(bakery.data)) == {RYE: (4, "blocked")}


def test_lift_below_lifts_the_folder(bakery: Breadcrumb) -> None:
    before = state_of(bakery.data)
    bakery.run("block", "--below", f"{HOST}/", "--yes")
    lift, every = commands_in(bakery.run("block", "--lift", f"{HOST}/").err)
    assert f"the folder {HOST}/" in carry_out(bakery, every)
    carry_out(bakery, lift)
    after = state_of(bakery.data)
    assert after.blocked == before.blocked
    assert {state for state, _ in after.urls.values()} == {0}


@pytest.mark.parametrize("name", ["forget", "block"])
def test_below_takes_the_pages_that_a_home_page_alone_left(bakery: Breadcrumb, name: str) -> None:
    command = advised(bakery, name, f"{HOST}/", name=name) if name == "block" else None
    if command is None:
        done = bakery.run("forget", f"{HOST}/")
        command = next(found for found in commands_in(done.out) if "--below" in found)
    assert state_of(bakery.data).results
    carry_out(bakery, command)
    assert not state_of(bakery.data).results


def test_a_refused_submission_names_the_command_that_shows_why(bakery: Breadcrumb) -> None:
    bakery.run("block", RYE)
    done = bakery.run("submit", RYE)
    assert commands_in(done.out + done.err) == []
    assert "blacklist" in done.out


def test_a_submission_that_was_refused_before_names_the_command_with_the_reason(bakery: Breadcrumb) -> None:
    oven = f"{HOST}/ovens/"
    before = state_of(bakery.data)
    shown = carry_out(bakery, advised(bakery, "submit", oven, name="why"))
    assert "disallowed by line 3 (Disallow: /ovens/)" in " ".join(shown.split())
    assert state_of(bakery.data) == before


def test_the_summary_of_a_crawl_with_waiting_urls_names_the_report_that_counts_them(bakery: Breadcrumb) -> None:
    bakery.run("submit", f"{HOST}/new")
    with CrawlDatabase(bakery.data, readonly=True) as database:
        [command] = commands_in(run_summary(report(database), 1, [], Trial())[-1])
    assert "1 queued" in bakery.run(*command).out


def test_the_summary_of_a_crawl_without_a_page_in_the_index_names_the_command_with_the_reason(
    bakery: Breadcrumb,
) -> None:
    with CrawlDatabase(bakery.data, readonly=True) as database:
        numbers = report(database)
    numbers["pages"]["indexed"] = 0
    [command] = commands_in(run_summary(numbers, 1, [], Trial())[-1])
    assert (command[0], bakery.run(*command).code) == ("why", 0)


@pytest.mark.parametrize(
    ("work", "left"),
    [
        (OpenWork(BLOCK, (RYE,), "it's asked for"), {RYE: (4, "blocked")}),
        (OpenWork(BLOCK, ("mill.localhost:8400",), ""), {}),
        (OpenWork(FORGET, (SITE,)), None),
        (OpenWork(REBUILD, ()), {}),
    ],
    ids=str,
)
def test_report_names_the_command_that_finishes_a_stopped_one(
    bakery: Breadcrumb, work: OpenWork, left: dict[str, tuple[int, str]] | None
) -> None:
    before = state_of(bakery.data)
    with CrawlDatabase(bakery.data) as database, database.transaction():
        note_work(database, work)
    command = advised(bakery, "report", name=str(work).split()[0])
    done = bakery.run_as_it_stands(*confirmed(command))
    assert done.code == (1 if work.command == FORGET else 0), "what it finishes first leaves nothing to forget"
    with CrawlDatabase(bakery.data, readonly=True) as database:
        assert stopped_work([database]) == []
    after = state_of(bakery.data)
    if left is None:
        assert not after.results
    else:
        assert before.changed_to(after) == left
    for target in work.words if work.command == BLOCK else ():
        why = f": {work.reason}" if work.reason else ""
        assert f"{target_of(target)}{why} (by block" in bakery.run("block").out


def test_the_commands_that_a_search_prints_show_what_is_known_of_the_url(bakery: Breadcrumb) -> None:
    before = state_of(bakery.data)
    for words in (["helicopter", "--similar", RYE], [SECRET]):
        command = advised(bakery, "search", *words, name="why")
        assert command[1] == words[-1]
        assert carry_out(bakery, command).startswith(f"{words[-1]}\n")
    assert state_of(bakery.data) == before


@pytest.mark.parametrize(
    ("given", "name", "shown"),
    [([RYE], "why", "Done"), (["/nothing/*", "--site", SITE], "report", "repeated-path")],
)
def test_release_names_the_command_that_shows_the_state(
    bakery: Breadcrumb, given: list[str], name: str, shown: str
) -> None:
    before = state_of(bakery.data)
    assert shown in carry_out(bakery, advised(bakery, "release", *given, name=name))
    assert state_of(bakery.data) == before


def test_what_is_advised_before_the_first_crawl_shows_its_waste_and_stops_it_on_a_site(bakery: Breadcrumb) -> None:
    notice = first_run_notice(1, ["mill.example"])
    traps, block = commands_in(notice)
    before = state_of(bakery.data)
    assert "repeated-path" in bakery.run(*traps).out
    assert state_of(bakery.data) == before
    bakery.run(*[SITE if word == "SITE" else word for word in confirmed(block)])
    after = state_of(bakery.data)
    assert set(after.urls.values()) == {(4, "blocked")}
    assert not after.results


def test_a_crawl_whose_report_is_not_json_names_the_command_whose_report_is(
    bakery: Breadcrumb, forks: ForkServer
) -> None:
    done = forked(forks, "crawl", "site", "--json", "-s", f"DATA_DIR={bakery.data}")
    assert done.returncode == 2
    [command] = commands_in(done.stderr)
    assert json.loads(carry_out(bakery, command))["pages"]["stored"] == 7


def test_the_command_that_lists_the_labs_lists_the_one_of_the_number(empty: Breadcrumb) -> None:
    command = advised(empty, "lab", "99", name="lab")
    numbers = [line.split()[0] for line in carry_out(empty, command).splitlines()]
    assert "1" in numbers
    assert "99" not in numbers


def test_a_demo_that_cannot_write_says_how_to_choose_its_folder(empty: Breadcrumb) -> None:
    done = empty.run("demo", "--once", "-s", "DATA_DIR=/dev/null/home")
    assert (done.code, "Not a directory. --data FOLDER keeps the demo in" in done.err) == (2, True), done.err


@pytest.mark.parametrize(("name", "number"), [("demo", 2), ("lab", 3)])
def test_the_port_that_is_advised_where_one_is_taken_is_free(
    empty: Breadcrumb, forks: ForkServer, ports: Iterator[int], name: str, number: int
) -> None:
    words = ["lab", "1"] if name == "lab" else ["demo", "--once"]
    for port in (next(ports), 65_530):
        with socket.create_server(("127.0.0.1", port)), ExitStack() as stack:
            with suppress(OSError):  # the next one that would be advised; the system may have given it out
                stack.enter_context(socket.create_server(("127.0.0.1", port + 10 if port < 65_000 else 8400)))
            done = empty.run(*words, "--port", str(port))
            assert done.code == 2
            advised_port = int(done.err.partition(" or ")[2].partition("--port ")[2].split()[0])
            for each in range(advised_port, advised_port + number):
                socket.create_server(("127.0.0.1", each)).close()
    for command in commands_in(done.err) if name == "demo" else ():
        with fork(forks, *command, environment={"BREADCRUMB_DATA_DIR": str(empty.data)}) as demo:
            assert f":{advised_port}/" in demo.first_line()
