"""`forget` and `block`: when they return, a query no longer finds the page."""

from __future__ import annotations

import json
import os
import pty
import shlex
from subprocess import PIPE
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from frontier.job import CrawlJob
from frontier.session import Session
from indexer import open_index, open_writer
from reports.shown_commands import pieces
from tests.child import child

if TYPE_CHECKING:
    from tests.commands.conftest import Breadcrumb

HOST = "http://bakery.localhost:8400"


@pytest.mark.parametrize("command", ["forget", "block"])
@pytest.mark.parametrize(
    "target",
    [
        [f"{HOST}/rye.html"],
        ["bakery.localhost:8400"],
        ["--site", "bakery.localhost:8400"],
        ["--site", f"{HOST}/brot.html"],
        ["--below", f"{HOST}/"],
    ],
)
def test_a_query_no_longer_finds_what_was_taken_out(bakery: Breadcrumb, command: str, target: list[str]) -> None:
    assert bakery.run("search", "rye").code == 0
    done = bakery.run(command, *target, "--yes")
    assert (done.code, done.err) == (0, "")
    assert bakery.run("search", "rye").code == 1
    assert open_index(bakery.data).search("rye").total == 0  # in the index itself, not only hidden


@pytest.mark.parametrize("command", ["forget", "block"])
def test_while_the_index_is_written_searches_hide_it_at_once(bakery: Breadcrumb, command: str) -> None:
    writer = open_writer(bakery.data)
    try:
        done = bakery.run(command, f"{HOST}/rye.html")
        assert done.code == 0
        assert "Searches already hide removed pages." in done.out
        assert bakery.run("search", "rye").code == 1
    finally:
        writer.close()


@pytest.mark.parametrize("command", ["forget", "block"])
def test_the_command_that_repairs_the_index_can_be_pasted(bakery: Breadcrumb, command: str) -> None:
    (bakery.data / "index" / "current.json").write_text("damaged")
    told = bakery.run(command, f"{HOST}/rye.html").out
    [repair] = [piece for is_command, piece in pieces(told) if is_command and "--rebuild" in piece]
    assert repair == f"./breadcrumb index --rebuild --data {bakery.data}"
    assert bakery.run_as_it_stands("index", "--rebuild", "--data", str(bakery.data)).code == 0
    assert open_index(bakery.data).search("rye").total == 0


def test_other_pages_stay(bakery: Breadcrumb) -> None:
    bakery.run("forget", f"{HOST}/rye.html")
    assert bakery.run("search", "sourdough").code == 0


def stored(crawl: Breadcrumb) -> set[str]:
    with CrawlDatabase(crawl.data, readonly=True) as database:
        return {url for (url,) in database.connection.execute("SELECT url FROM url WHERE id IN (SELECT url FROM page)")}


@pytest.mark.parametrize("path", ["/", "/rye.html"])
def test_the_command_that_why_advises_takes_out_that_page_alone(bakery: Breadcrumb, path: str) -> None:
    before = stored(bakery)
    told = bakery.run("why", HOST + path).out
    assert "To remove it:" in " ".join(told.split())
    [command] = [piece for is_command, piece in pieces(told) if is_command and " forget " in piece]
    words = shlex.split(command.removeprefix("./breadcrumb "))
    assert bakery.run_as_it_stands(*words).code == 0
    assert before - stored(bakery) == {HOST + path}


@pytest.mark.parametrize("command", ["forget", "block"])
def test_an_address_with_a_slash_at_its_end_is_one_page_and_the_words_for_the_others_are_told(
    bakery: Breadcrumb, command: str
) -> None:
    left = len(stored(bakery)) - 1
    done = bakery.run(command, f"{HOST}/")
    assert len(stored(bakery)) == left
    assert f"{left} pages below it stay. To include them: ./breadcrumb {command} --below {HOST}/" in done.out


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 2)])
def test_a_person_at_a_terminal_confirms_more_than_a_page(bakery: Breadcrumb, answer: str, code: int) -> None:
    before = len(stored(bakery))
    master, slave = pty.openpty()
    words = bakery.command("forget", "--site", "bakery.localhost:8400")
    with child(words, cwd=bakery.folder, stdin=slave, stdout=PIPE, stderr=PIPE, text=True) as process:
        os.write(master, f"{answer}\n".encode())
        _, asked = process.communicate(timeout=30)
    os.close(slave)
    os.close(master)
    assert f"the site bakery.localhost:8400: this removes {before} stored pages. Continue? [y/N]" in asked
    assert (process.returncode, len(stored(bakery))) == (code, before if code else 0)


@pytest.mark.parametrize("command", ["forget", "block"])
def test_without_a_terminal_more_than_a_page_needs_a_word_and_what_has_no_page_needs_none(
    bakery: Breadcrumb, command: str
) -> None:
    before = stored(bakery)
    done = bakery.run(command, "*", given="y\n")
    assert (done.code, done.out) == (2, "")
    assert f"*: this {'removes' if command == 'forget' else 'blocks it and removes'} {len(before)} stored pages." in (
        done.err
    )
    assert "Nothing was changed, since no terminal can confirm it: give --yes" in done.err
    assert stored(bakery) == before
    assert "--yes" not in bakery.run(command, "nowhere.example").err


def test_nothing_to_forget_is_exit_code_1(bakery: Breadcrumb) -> None:
    done = bakery.run("forget", f"{HOST}/nowhere.html", "--json")
    assert done.code == 1
    assert json.loads(done.out)["pages"] == 0


def test_a_queued_url_waits_for_the_next_round(bakery: Breadcrumb) -> None:
    Session(bakery.data, CrawlJob()).close("finished")  # a round in which nothing was requested yet
    done = bakery.run("forget", f"{HOST}/rye.html")
    assert (done.code, done.out.splitlines()[-1]) == (0, "1 queued URL waits for the next round.")


def test_several_targets_are_told_one_by_one(bakery: Breadcrumb) -> None:
    found = json.loads(bakery.run("forget", f"{HOST}/rye.html", f"{HOST}/brot.html", "--json").out)
    assert [target["pages"] for target in found["forgotten"]] == [1, 1]


@pytest.mark.parametrize("command", ["forget", "block"])
def test_one_target_that_is_none_leaves_all_as_they_were(bakery: Breadcrumb, command: str) -> None:
    done = bakery.run(command, f"{HOST}/rye.html", "two words")
    assert (done.code, done.out) == (2, "")
    assert "two words" in done.err
    assert bakery.run("search", "rye").code == 0


def test_forget_without_a_crawl_makes_none(empty: Breadcrumb) -> None:
    assert empty.run("forget", f"{HOST}/").code == 2
    assert not empty.data.exists()


def test_a_site_can_be_blocked_before_the_first_crawl(empty: Breadcrumb) -> None:
    assert empty.run("block", "bakery.localhost:8400", "--reason", "its owner asked", "--anyway").code == 0
    assert empty.run("submit", f"{HOST}/").code == 1


def test_the_reason_of_a_block_is_told_by_why(bakery: Breadcrumb) -> None:
    assert json.loads(bakery.run("block", f"{HOST}/rye.html", "--reason", "a letter", "--json").out)["pages"] == 1
    assert "a letter" in bakery.run("why", f"{HOST}/rye.html").out
