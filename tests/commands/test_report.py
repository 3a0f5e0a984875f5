"""`report`: the crawl in numbers that add up."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from crawldb.database import MIGRATIONS, CrawlDatabase
from frontier.session import CrawlOrder, Session
from reports.numbers import report

if TYPE_CHECKING:
    from tests.commands.conftest import Breadcrumb


def test_json_has_the_names_of_the_design_and_adds_up(bakery: Breadcrumb) -> None:
    found = json.loads(bakery.run("report", "--json").out)
    urls = found["urls"]
    assert (
        urls["discovered"] == sum(urls[state] for state in ("queued", "leased", "done", "failed", "suppressed")) == 11
    )
    assert found["suppressed"] == {"repeated-path": 1, "robots": 1}
    assert sum(found["suppressed"].values()) == urls["suppressed"]
    assert found["pages"] == {
        "stored": 7,
        "indexed": 5,
        "duplicates": 1,
        "near_duplicates": 0,
        "noindex": 1,
        "refused": 0,
    }
    assert found["status"] == {"200": 8, "301": 1, "404": 1}
    assert found["requests"] == sum(found["status"].values())
    assert {"bytes", "seconds", "last_run"} <= set(found)
    assert found["last_run"]["ending"] == "finished"
    assert not found["last_run"]["running"]


def test_a_person_reads_the_same_numbers(bakery: Breadcrumb) -> None:
    done = bakery.run("report")
    assert (done.code, done.err) == (0, "")
    assert "11 discovered = 0 queued + 0 leased + 8 done + 1 failed + 2 suppressed" in " ".join(done.out.split())
    assert "repeated-path: 1, robots: 1" in done.out
    assert re.search(r"last run +number 1, .*: \d+ requests, ", " ".join(done.out.split()))
    assert all(len(line) <= 80 for line in done.out.splitlines()[1:])


def test_a_crawl_that_runs_is_named(crawled: Breadcrumb) -> None:
    session = Session(crawled.data, CrawlOrder())
    try:
        found = json.loads(crawled.run("report", "--json").out)
        assert found["last_run"]["running"]
        assert found["last_run"]["pid"] == os.getpid()
        assert f"is at work as process {os.getpid()}" in " ".join(crawled.run("report").out.split())
    finally:
        session.close("finished")


def test_a_folder_without_a_crawl_is_exit_code_2_and_stays_untouched(empty: Breadcrumb) -> None:
    done = empty.run("report")
    assert (done.code, done.out) == (2, "")
    assert "no crawl yet" in done.err
    assert not empty.data.exists()


def of_the_first_version(empty: Breadcrumb) -> None:
    empty.data.mkdir()
    with closing(sqlite3.connect(empty.data / "crawl.sqlite3")) as connection:
        connection.executescript(min(MIGRATIONS.glob("*.sql")).read_text())
        connection.execute("PRAGMA user_version = 1")


def test_a_database_of_an_earlier_breadcrumb_is_brought_to_the_present_version_as_the_others_say(
    empty: Breadcrumb,
) -> None:
    of_the_first_version(empty)
    told = empty.run("why", "http://bakery.localhost:8400/")
    assert (told.code, told.out) == (2, "")
    assert "has schema version 1 and needs" in told.err
    assert "./breadcrumb report brings it there" in told.err
    assert empty.run("report").code == 0
    assert empty.run("why", "http://bakery.localhost:8400/").code == 1


def test_forget_brings_an_earlier_database_to_the_present_version_by_itself(empty: Breadcrumb) -> None:
    of_the_first_version(empty)
    done = empty.run("forget", "http://bakery.localhost:8400/")
    assert (done.code, done.err) == (1, "")


def test_the_summary_of_a_crawl_is_of_its_own_run_whichever_has_begun_since(bakery: Breadcrumb) -> None:
    session = Session(bakery.data, CrawlOrder())  # the index of a crawl may take longer than the next one's start
    try:
        with CrawlDatabase(bakery.data, readonly=True) as database:
            first, latest = (report(database, run)["last_run"] for run in (1, None))
    finally:
        session.close("finished")
    assert first is not None
    assert latest is not None
    assert (first["run"], first["ending"], latest["run"], latest["ending"]) == (1, "finished", 2, None)
