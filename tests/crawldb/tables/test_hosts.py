"""The table of hosts: each note is written with the next lease that ends, and none is lost."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from crawldb.database import CrawlDatabase
from crawldb.tables.hosts import Host, Hosts, read_host, resting, take_to_this_clock
from frontier.session import Session
from tests.samples import SEED, a_page, an_outcome, lease_all
from urls.records import LeaseEnd

A = "a.example"


def test_what_is_noted_is_written_with_the_next_lease_that_ends(session: Session) -> None:
    lease_all(session)
    session.store.hosts.note(Host(A, last_request_at=7.0, delay=2.0, delay_reason="its robots.txt", latency=0.5))
    assert read_host(session.database, A) is None
    session.store.page(a_page(SEED))
    assert read_host(session.database, A) == session.store.hosts.of(A) != Host(A)


def test_what_a_failed_transaction_held_is_written_by_the_next(session: Session) -> None:
    lease_all(session)
    session.store.hosts.note(Host(A, last_request_at=7.0))
    with pytest.raises(LookupError):
        session.store.outcome(an_outcome("http://never.example/", LeaseEnd.FAILED))
    assert read_host(session.database, A) is None
    session.store.page(a_page(SEED))
    assert read_host(session.database, A) == Host(A, last_request_at=7.0)


def test_memory_is_bounded_and_forgets_nothing_that_is_not_written(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crawldb.tables.hosts.MAX_KNOWN", 3)
    lease_all(session)
    session.store.hosts.note(Host(A, latency=7.0))
    for number in range(10):
        session.store.hosts.of(f"{number}.example")
        assert len(session.store.hosts._known) <= 3
    session.store.page(a_page(SEED))
    assert read_host(session.database, A) == Host(A, latency=7.0)


def test_the_end_of_a_run_writes_what_is_left(open_session: Callable[..., Session]) -> None:
    session = open_session()
    session.store.hosts.note(Host(A, last_request_at=7.0, delay=3.0))
    session.close("shutdown")
    assert open_session().store.hosts.of(A) == Host(A, last_request_at=7.0, delay=3.0)


def test_a_host_that_was_just_asked_at_a_kill_is_taken_for_asked_now(open_session: Callable[..., Session]) -> None:
    session = open_session("http://a.example:8080/", "http://b.example/")
    session.frontier.lease(1, lambda site: site.startswith("a"))
    session.database.close()
    session._lock.release()
    again = open_session("http://a.example:8080/", "http://b.example/")
    began = again.database.value("SELECT max(started_at) FROM run")
    assert again.store.hosts.of(A).last_request_at == began
    assert again.store.hosts.of("b.example").last_request_at == 0.0


def test_a_rest_has_a_journal_row_about_the_url_that_caused_it(session: Session) -> None:
    [lease] = session.frontier.lease(1, lambda _: 1)
    host = Host(A, rests_until=1e11, rest_reason="it answered 429")
    session.store.hosts.put_to_rest(host, session.store.journal, lease.id)
    [entry] = session.store.journal.latest(rule="host-rests")
    assert (entry.url, entry.reason) == (SEED, "it answered 429")


def test_a_delay_that_is_too_long_is_journaled_once_as_long_as_it_stays(session: Session) -> None:
    for reason in ("asks for 1e9 s", "asks for 1e9 s", "asks for 1e8 s"):
        session.store.hosts.cap(reason, session.store.journal)
    assert [entry.reason for entry in session.store.journal.latest(rule="crawl-delay")] == [
        "asks for 1e8 s",
        "asks for 1e9 s",
    ]


def test_hosts_that_rest_are_told_with_the_number_of_urls_that_wait(open_session: Callable[..., Session]) -> None:
    session = open_session("http://a.example/", "http://a.example:8080/", "http://b.example/", "http://c.example/")
    for name in (A, "b.example", "nobody.example"):
        host = replace(session.store.hosts.of(name), rests_until=1e11, rest_reason="busy")
        session.store.hosts.put_to_rest(host, session.store.journal, None)
    assert [(host.name, queued) for host, queued in resting(session.database, 1.0)] == [(A, 2), ("b.example", 1)]


def test_what_is_known_of_hosts_holds_by_the_clock_of_another_machine(tmp_path: Path) -> None:
    then, now = 1_000_000.0, 400_000.0  # the other one's clock was a week ahead
    with CrawlDatabase(tmp_path) as database, database.transaction() as connection:
        hosts = Hosts(database)
        hosts.note(Host("asked", last_request_at=then - 3, delay=10.0))
        hosts.note(Host("rests", last_request_at=then - 40, rests_until=then + 60))
        hosts.note(Host("rested", last_request_at=then - 400, rests_until=then - 60))
        hosts.note(Host("new"))
        hosts.write()
        connection.execute("INSERT INTO site (name, rests_until) VALUES ('rests', ?)", (then + 60,))
        take_to_this_clock(database, then, now)
        found = {name: read_host(database, name) for name in ("asked", "rests", "rested", "new")}
        asked = {name: host.last_request_at for name, host in found.items() if host}
        assert asked == {"asked": now, "rests": now, "rested": now, "new": 0.0}
        rests = {name: host.rests_until for name, host in found.items() if host}
        assert (rests["rests"], rests["rested"], rests["asked"]) == (now + 60, 0.0, 0.0)
        assert database.value("SELECT rests_until FROM site") == now + 60
