"""The progress of a crawl, read in one state: the numbers add up, and agree with the report."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from crawldb.database import FILE_NAME, CrawlDatabase
from crawldb.databases import Parts
from crawldb.parts.division import folder_of
from crawldb.parts.partition import Partition
from crawldb.tables.fetches import SentRequest, note_fetch
from extensions.progress.crawl_progress import EXAMPLES, PACE_SECONDS, STRETCHES, crawl_of, crawl_progress
from frontier.job import CrawlJob
from frontier.session import Session
from tests.samples import SEED, a_page, an_outcome, lease_all
from urls.canonical import canonicalize
from urls.records import LeaseEnd
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HOST = "http://a.example"


def fetched_at(session: Session, *times: float) -> None:
    """Let the run of a session begin at 1,000 s, and requests end some seconds later."""
    with session.database.transaction() as connection:
        connection.execute("UPDATE run SET started_at = 1000")
        for at in times:
            note_fetch(session.database, SentRequest(session.run.id, 1000 + at, 0.1, 200, 10, Rule.FETCHED))


def ended_at(session: Session, seconds: float) -> None:
    with session.database.transaction() as connection:
        connection.execute("UPDATE run SET ended_at = ?, ending = 'finished'", (1000 + seconds,))


def test_what_waits_by_site_and_by_depth_is_what_the_report_has_queued(open_session: Callable[..., Session]) -> None:
    session = open_session(SEED, "http://b.example/")
    lease_all(session)
    session.store.page(a_page(SEED, links=(f"{HOST}/b", f"{HOST}/c")))
    session.store.page(a_page("http://b.example/", links=tuple(f"http://b.example/{place}" for place in range(3))))
    [lease] = session.frontier.lease(1, lambda _: 1)
    session.store.page(a_page(lease.url, links=(f"{lease.url}-deep",)))
    for name, delay in (("a.example", 60.0), ("b.example", 1.0)):
        session.store.hosts.note(replace(session.store.hosts.of(name), delay=delay))
    with session.database.transaction():
        session.store.hosts.write()
    now = crawl_progress(session.database)
    queued = {site.site: site.queued for site in now.waiting}
    assert sum(queued.values()) == sum(number for _, number in now.depths) == now.numbers["urls"]["queued"] == 5
    assert now.longest is not None
    assert (now.longest.site, now.longest.seconds) == ("a.example", 60.0 * queued["a.example"])
    assert dict(now.depths) == {1: 4, 2: 1}


def test_each_rule_has_its_number_its_meaning_and_the_newest_examples(session: Session) -> None:
    lease_all(session)
    links = tuple(f"{HOST}/{place}/up/up/up/up/" for place in range(5))
    session.store.page(a_page(SEED, links=(*links, f"{HOST}/gone")))
    lease_all(session)
    session.store.outcome(an_outcome(f"{HOST}/gone", LeaseEnd.GONE, Rule.GONE, status=404))
    now = crawl_progress(session.database)
    assert {held.rule: held.count for held in now.suppressed} == now.numbers["suppressed"] == {Rule.REPEATED_PATH: 5}
    [held], [failed] = now.suppressed, now.failed
    assert held.meaning == Rule.REPEATED_PATH.meaning
    assert [url for url, _ in held.examples] == list(reversed(links))[:EXAMPLES]
    assert all("/up stands" in reason for _, reason in held.examples)
    assert failed.examples == ((f"{HOST}/gone", "because"),)


def test_the_pace_of_an_ended_run_is_that_of_its_last_minutes(session: Session) -> None:
    fetched_at(session, 0.5, 1.5, 30.5, 59.9)
    ended_at(session, 60)
    pace = crawl_progress(session.database).pace
    assert (len(pace), {each.seconds for each in pace}) == (30, {2.0})
    assert [(each.ago, each.requests, each.pages, each.bytes) for each in pace if each.requests] == [
        (58.0, 2, 2, 20),
        (28.0, 1, 1, 10),
        (0.0, 1, 1, 10),
    ]


@pytest.mark.parametrize("seconds", [0.0, 0.4, 1.0, 29.0, 31.0, 599.0, 86_400.0])
def test_the_pace_has_as_many_stretches_as_a_plot_has_room_for(session: Session, seconds: float) -> None:
    fetched_at(session, seconds)
    ended_at(session, seconds)
    pace = crawl_progress(session.database).pace
    assert 1 <= len(pace) <= STRETCHES
    assert sum(each.seconds for each in pace) <= max(1.0, min(seconds, PACE_SECONDS))
    assert pace[-1].requests == 1


def test_of_a_run_at_work_the_pace_ends_now_and_of_a_killed_one_with_its_last_request(session: Session) -> None:
    session.close("finished")
    begin = time.time() - 20
    with CrawlDatabase(session.database.path.parent) as database:
        with database.transaction() as connection:
            connection.execute("UPDATE run SET started_at = ?, ended_at = NULL", (begin,))
            note_fetch(database, SentRequest(1, begin + 3.5, 0.1, 200, 10, Rule.FETCHED))
        assert crawl_progress(database).running, "the process that tests is there"
        assert [each.ago >= 14 for each in crawl_progress(database).pace if each.requests] == [True]
        with database.transaction() as connection:
            connection.execute("UPDATE run SET pid = 0x3fffffff")
        killed = crawl_progress(database)
        assert not killed.running
        assert [each.ago for each in killed.pace if each.requests] == [0.0]


def test_rounds_are_told_with_what_their_runs_did_the_newest_first(session: Session) -> None:
    fetched_at(session, 1, 2)
    ended_at(session, 5)
    with session.database.transaction() as connection:
        connection.execute("UPDATE round SET closed_at = 1005")
        connection.execute("INSERT INTO round (opened_at) VALUES (2000)")
    newest, first = crawl_progress(session.database).rounds
    assert (newest.id, newest.closed_at, newest.runs, newest.requests) == (2, None, 0, 0)
    assert (first.runs, first.requests, first.pages, first.bytes, first.seconds) == (1, 2, 2, 20, 5.0)


def test_a_folder_in_which_nothing_has_run_has_nothing_to_tell(tmp_path: Path) -> None:
    CrawlDatabase(tmp_path).close()
    with Parts.in_folder(tmp_path) as parts:
        now = crawl_of(parts)
    assert (now.runs, now.waiting, now.rounds, now.longest, now.manners) == ((), (), (), None, None)
    assert sum(each.requests for each in now.pace) == 0


def test_of_a_divided_crawl_the_parts_are_added_and_one_that_cannot_be_asked_is_named(tmp_path: Path) -> None:
    parts = tuple(Partition(number, 2) for number in (1, 2))
    hosts = [next(f"{letter}.example" for letter in "abcdefgh" if part.owns(f"{letter}.example")) for part in parts]
    seeds = tuple(canonicalize(f"http://{host}/") for host in hosts)
    for part in parts:
        session = Session(folder_of(tmp_path, part), CrawlJob(seeds, partition=part))
        fetched_at(session, 1)
        session.close("finished")
    with Parts.in_folder(tmp_path) as crawl:
        now = crawl_of(crawl)
        told = [part for part, _ in now.runs]
    assert told == ["1/2", "2/2"]
    assert {site.site for site in now.waiting} == set(hosts)
    assert now.depths == ((0, 2),)
    assert now.numbers["urls"]["queued"] == sum(site.queued for site in now.waiting) == 2
    (folder_of(tmp_path, parts[0]) / FILE_NAME).write_bytes(b"no database")
    with Parts.in_folder(tmp_path) as crawl:
        left = crawl_of(crawl)
    assert set(left.faults) == {"1/2"}
    assert left.numbers["urls"]["queued"] == 1
