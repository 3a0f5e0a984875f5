"""`suggest`: what the evidence says, switched on and off by a person."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING

import pytest

from crawldb.databases import open_to_write
from crawldb.parts.division import folder_of
from crawldb.parts.partition import WHOLE, Partition
from crawldb.tables.open_work import stopped_work
from crawldb.tables.sites import options_of
from extensions.suggest.evidence import MIN_SAMPLES
from frontier.aliases import OptionSwitch, switch_options
from frontier.job import CrawlJob
from frontier.policy_in_force import policy_in
from frontier.session import Session
from indexer.following import catch_up
from tests.advice import commands_in, state_of
from tests.child import end_of_own_fork
from tests.commands.test_advice import advised, carry_out
from urls.canonical import canonicalize
from urls.records import CanonicalUrl, Link, Page
from urls.site_options import chosen_option

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from crawldb.database import CrawlDatabase
    from tests.commands.conftest import Breadcrumb

HOST = "http://harbour.localhost:8400"
SITE = "harbour.localhost:8400"


def page(url: CanonicalUrl, text: str, links: tuple[str, ...] = ()) -> Page:
    return Page(
        url, f"Quay {text}", text, links=tuple(Link(link, "a quay") for link in links), fetched_at=1.0,
        content_type="text/html", body=text.encode(), fingerprint=text.encode(),
    )  # fmt: skip


def fill(data: Path, *, exception: bool = False, part: Partition = WHOLE) -> None:
    """Crawl a harbour whose folders have an index page each."""
    paths = [f"/{quay}/{form}" for quay in range(MIN_SAMPLES) for form in ("", "index.html")]
    session = Session(data, CrawlJob([canonicalize(f"{HOST}/")], partition=part))
    for url in [f"{HOST}/", *(HOST + path for path in paths)] if part.owns(SITE) else ():
        session.frontier.lease(100, lambda _: 100)
        quay = url.removeprefix(HOST).split("/")[1]
        text = "another page altogether" if exception and url.endswith("3/index.html") else f"quay {quay} of the town"
        session.store.page(page(CanonicalUrl(url), text, tuple(HOST + path for path in paths)))
    session.close("finished")


@pytest.fixture
def harbour(empty: Breadcrumb) -> Breadcrumb:
    fill(empty.data)
    catch_up(empty.data)
    return empty


def test_the_evidence_is_listed_and_nothing_is_switched_on(harbour: Breadcrumb) -> None:
    done = harbour.run("suggest")
    assert (done.code, done.err) == (0, "")
    words = " ".join(done.out.split())
    assert f"{SITE} index-page: the same page in {MIN_SAMPLES} of {MIN_SAMPLES} cases" in words
    assert "./breadcrumb suggest --apply" in done.out
    assert json.loads(harbour.run("suggest", "--json").out)["on"] == []


def test_the_report_proposes_it(harbour: Breadcrumb) -> None:
    assert "suggest --apply" in harbour.run("report").out
    [proposal] = json.loads(harbour.run("report", "--json").out)["proposals"]
    assert (proposal["site"], proposal["option"], proposal["agree"]) == (SITE, "index-page", MIN_SAMPLES)


@pytest.mark.parametrize("words", [[], [SITE, "index-page"]])
def test_switched_on_the_aliases_are_gone_from_the_results(harbour: Breadcrumb, words: list[str]) -> None:
    assert json.loads(harbour.run("search", "quay", "-n", "30", "--json").out)["total"] == 2 * MIN_SAMPLES + 1
    done = harbour.run("suggest", "--apply", *words)
    assert (done.code, done.err) == (0, "")
    assert f"{MIN_SAMPLES} URLs merged into another URL" in done.out
    assert json.loads(harbour.run("search", "quay", "-n", "30", "--json").out)["total"] == MIN_SAMPLES + 1
    numbers = json.loads(harbour.run("report", "--json").out)
    assert numbers["suppressed"] == {"alias": MIN_SAMPLES}
    why = " ".join(harbour.run("why", f"{HOST}/1/index.html").out.split())
    assert f"Option index-page of {SITE}: the index page is its folder: {HOST}/1/" in why


def test_switched_off_again_they_are_asked_for(harbour: Breadcrumb) -> None:
    harbour.run("suggest", "--apply")
    assert f"on {SITE} index-page" in " ".join(harbour.run("suggest").out.split())
    done = harbour.run("suggest", "--off", SITE, "index-page", "--json")
    assert json.loads(done.out) == {"off": [[SITE, "index-page"]], "merged": 0, "released": MIN_SAMPLES, "index": ""}
    assert json.loads(harbour.run("report", "--json").out)["urls"]["queued"] == MIN_SAMPLES


def test_each_option_that_suggest_switches_on_can_be_undone_by_its_command(empty: Breadcrumb) -> None:
    fill(empty.data)
    before = state_of(empty.data)
    every, one = commands_in(empty.run("suggest").out)
    assert "SITE" in one
    undo = commands_in(carry_out(empty, every))
    switched = state_of(empty.data)
    assert len(undo) == len(switched.options) > 0
    listed = empty.run_as_it_stands(*advised(empty, "suggest", "--off", SITE, "tracking", name="suggest")).out
    assert [words[1:4] for words in undo] == [["--off", SITE, "index-page"]]
    assert f"{SITE}  index-page" in listed
    for words in undo:
        printed = carry_out(empty, words)
        assert [command[:2] for command in commands_in(printed)] == [["crawl", "site"]]
    after = state_of(empty.data)
    assert after.options == before.options
    assert set(switched.changed_to(after).values()) == {(0, None)}


def test_a_counter_example_is_shown_and_can_not_be_overruled(empty: Breadcrumb) -> None:
    fill(empty.data, exception=True)
    done = empty.run("suggest")
    assert done.code == 1
    assert f"{HOST}/3/ and {HOST}/3/index.html differ" in " ".join(done.out.split())
    assert "Nothing is proposed: an option needs 5 cases" in done.out
    done = empty.run("suggest", "--apply", SITE, "index-page")
    assert (done.code, done.out) == (2, "")
    assert f"{SITE} index-page: the evidence is not enough, as it needs 5 different pages and no exception" in done.err
    assert "proposed" not in json.loads(empty.run("suggest", "--apply", "--json").out)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--apply", SITE], "give a site and an option"),
        (["--off"], "give a site and an option"),
        (["--apply", "--off", SITE, "www"], "give only one"),
        (["--apply", SITE, "wwww"], "choose one of session-ids"),
        (["--apply", SITE, "www"], "there is no evidence for it"),
        (["--off", SITE, "www"], "it is not on"),
    ],
)
def test_a_mistake_is_told(harbour: Breadcrumb, words: list[str], said: str) -> None:
    done = harbour.run("suggest", *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def killed_between_two_commits(data: Path, change: Callable[[Sequence[CrawlDatabase]], object]) -> None:
    """Change every part of a crawl in a process of its own that dies as soon as one part has its change."""

    def change_and_die() -> None:
        with open_to_write(data) as databases:
            first, *_, last = databases

            def die(statement: str) -> None:
                if statement == "COMMIT":
                    os.kill(os.getpid(), signal.SIGKILL)

            def wait_for(statement: str) -> None:
                if statement == "COMMIT":
                    first.connection.set_trace_callback(die)

            last.connection.set_trace_callback(wait_for)
            change(databases)

    assert end_of_own_fork(change_and_die) == -signal.SIGKILL


@pytest.mark.parametrize("cure", [["suggest", "--apply", SITE, "index-page"], ["suggest", "--apply"], ["index"]])
def test_a_switch_that_was_killed_between_two_parts_is_shown_and_finished(empty: Breadcrumb, cure: list[str]) -> None:
    parts = [Partition(number, 2) for number in (1, 2)]
    for part in parts:
        fill(folder_of(empty.data, part), part=part)
    switch = OptionSwitch(SITE, chosen_option("index-page"), on=True)
    killed_between_two_commits(empty.data, lambda databases: switch_options(databases, [switch], policy_in))
    assert f"suggest --apply {SITE} index-page --data {empty.data}" in " ".join(empty.run("report").out.split())
    done = empty.run(*cure)
    assert done.code == 0, done.err
    assert cure != ["index"] or f"Finished an earlier command: suggest --apply {SITE} index-page" in done.err
    with open_to_write(empty.data) as databases:
        assert [options_of(database).by_site for database in databases] == [{SITE: (switch.choice,)}] * 2
        assert stopped_work(databases) == []
