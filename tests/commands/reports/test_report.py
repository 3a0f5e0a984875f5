"""`report`: the crawl in numbers that add up."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from crawldb.tables.robots_files import write_robots
from crawldb.tables.runs import write_plan
from frontier.job import CrawlJob
from frontier.session import Session
from indexer.following import catch_up
from reports.actual import WHERE_TO_LOOK
from reports.numbers import report
from reports.summary import next_request
from robots import Access, RobotsRecord
from tests.commands.conftest import HOST, fill
from tests.samples import an_outcome, lease_all
from urls.records import LeaseEnd
from urls.rules import Rule

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands.conftest import Breadcrumb

AN_HOUR = {"fetched_at": time.time(), "retry_after": 3600.0}


def test_the_index_of_another_crawl_is_told_by_the_exit_code_too(bakery: Breadcrumb) -> None:
    for path in bakery.data.glob("crawl.sqlite3*"):
        path.unlink()
    fill(bakery.data)
    done = bakery.run("report")
    assert done.code == 1
    assert "\nindex       " in done.out


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
    session = Session(crawled.data, CrawlJob())
    try:
        found = json.loads(crawled.run("report", "--json").out)
        assert found["last_run"]["running"]
        assert found["last_run"]["pid"] == os.getpid()
        assert f"is running as process {os.getpid()}" in " ".join(crawled.run("report").out.split())
    finally:
        session.close("finished")


def test_a_folder_without_a_crawl_is_exit_code_2_and_stays_untouched(empty: Breadcrumb) -> None:
    done = empty.run("report")
    assert (done.code, done.out) == (2, "")
    assert "no crawl yet" in done.err
    assert not empty.data.exists()


def test_the_summary_of_a_crawl_is_of_its_own_run_whichever_has_begun_since(bakery: Breadcrumb) -> None:
    session = Session(bakery.data, CrawlJob())  # the index of a crawl may take longer than the next one's start
    try:
        with CrawlDatabase(bakery.data, readonly=True) as database:
            first, latest = (report(database, run)["last_run"] for run in (1, None))
    finally:
        session.close("finished")
    assert first is not None
    assert latest is not None
    assert (first["run"], first["ending"], latest["run"], latest["ending"]) == (1, "finished", 2, None)


def test_what_was_not_as_planned_is_told_with_where_to_look(bakery: Breadcrumb) -> None:
    figures = {name: {"lower": 2, "upper": 3} for name in WHERE_TO_LOOK}
    with CrawlDatabase(bakery.data) as database:
        run = database.count("SELECT max(id) FROM run")
        with database.transaction() as connection:
            connection.execute("UPDATE round SET closed_at = opened_at + 1")
        write_plan(database, run, figures)
    told = " ".join(bakery.run("report").out.split())
    assert "but pages: 2.3 times the upper figure of the plan. Look at report traps" in told


def test_urls_that_wait_are_counted_by_the_reason(bakery: Breadcrumb) -> None:
    session = Session(bakery.data, CrawlJob())
    for url in (urls := lease_all(session)):
        session.store.outcome(an_outcome(url, LeaseEnd.DEFERRED, Rule.SERVER_ERROR, status=503, retry_after=1e6))
    session.close("finished")
    [waiting] = json.loads(bakery.run("report", "--json").out)["waiting"]
    assert (waiting["urls"], waiting["url"] in urls, waiting["reason"][:7]) == (len(urls), True, "because")
    told = " ".join(bakery.run("report").out.split())
    assert f" waiting {len(urls)} URLs, such as {waiting['url']}: {waiting['reason']} " in f"{told} "


def test_what_ended_a_url_in_an_earlier_round_is_not_why_it_waits(bakery: Breadcrumb) -> None:
    session = Session(bakery.data, CrawlJob())
    for url in lease_all(session):
        session.store.outcome(an_outcome(url, LeaseEnd.GONE, Rule.GONE, status=404))
    session.close("finished")
    session = Session(bakery.data, CrawlJob())
    [closed] = [lease.url for lease in session.frontier.lease(1, lambda _: 1)]
    outcome = an_outcome(closed, LeaseEnd.DEFERRED, Rule.ROBOTS_CLOSED, retry_after=1e6, whole_origin=True)
    session.store.outcome(outcome)
    session.close("finished")
    [waiting] = json.loads(bakery.run("report", "--json").out)["waiting"]
    assert (waiting["url"], waiting["urls"]) == (closed, 1)  # the others have no row of this round


def test_urls_that_still_wait_in_a_later_round_keep_their_reason(bakery: Breadcrumb) -> None:
    session = Session(bakery.data, CrawlJob())
    for url in (urls := lease_all(session)):
        session.store.outcome(an_outcome(url, LeaseEnd.DEFERRED, Rule.ROBOTS_CLOSED, **AN_HOUR))
    session.close("finished")
    Session(bakery.data, CrawlJob()).close("finished")
    [waiting] = json.loads(bakery.run("report", "--json").out)["waiting"]
    assert (waiting["urls"], waiting["reason"][:7]) == (len(urls), "because")


@pytest.mark.parametrize("requested", [False, True])
def test_the_next_run_ends_the_wait_of_a_silent_site_but_for_requested_urls(
    bakery: Breadcrumb, *, requested: bool
) -> None:
    session = Session(bakery.data, CrawlJob())
    for url in lease_all(session):
        session.store.outcome(an_outcome(url, LeaseEnd.DEFERRED, Rule.STATUS, requested=requested, **AN_HOUR))
    write_robots(session.database, session.run, RobotsRecord(HOST, Access.CLOSED.name, "no answer", 1.0, 1e12))
    session.close("finished")
    with CrawlDatabase(bakery.data, readonly=True) as database:
        [waiting], first = report(database)["waiting"], next_request(database)
    assert (waiting["until"] > 0, first > 0) == (requested, requested)
    session = Session(bakery.data, CrawlJob())
    assert bool(lease_all(session)) is not requested, "what the next run does"
    session.close("finished")


def test_an_index_of_another_crawl_is_named_with_what_helps(bakery: Breadcrumb, tmp_path: Path) -> None:
    assert "is of crawl" not in bakery.run("report").out
    fill(tmp_path / "other")
    catch_up(tmp_path / "other")
    shutil.rmtree(bakery.data / "index")
    shutil.copytree(tmp_path / "other" / "index", bakery.data / "index")
    said = " ".join(bakery.run("report").out.split())
    assert re.search(r"it is of crawl \w+, and the crawl database is of crawl \w+\.", said)
    assert "index this crawl instead: ./breadcrumb index --rebuild" in said
