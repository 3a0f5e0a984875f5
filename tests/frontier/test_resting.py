"""The frontier and hosts that rest: nothing of them is leased, nothing of them is lost."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from crawldb.tables.hosts import Host
from frontier.leases import Frontier
from frontier.rounds import begin_run, end_run
from frontier.session import Session
from tests.samples import SEED, a_page, accounting, an_outcome, lease_all
from urls.records import Fate
from urls.rules import Rule
from urls.site import host_of_site

FAR = 1e11  # seconds since the epoch: some time after the year 5000


def rest(session: Session, host: str, until: float, *, silent: bool = False) -> None:
    made = replace(session.store.hosts.of(host), rests_until=until, rest_reason="it is busy", silent=silent, failures=1)
    session.store.hosts.put_to_rest(made, session.store.journal, None)


def test_nothing_of_a_host_that_rests_is_leased_whatever_the_port(open_session: Callable[..., Session]) -> None:
    session = open_session("http://a.example/", "http://a.example:8080/", "http://aa.example/", "http://b.example/")
    rest(session, "a.example", FAR)
    assert sorted(lease_all(session)) == ["http://aa.example/", "http://b.example/"]
    assert accounting(session)["queued"] == 2


def test_a_rest_is_seen_at_once_by_a_frontier_that_has_read_ahead(open_session: Callable[..., Session]) -> None:
    session = open_session(*(f"http://a.example/{page}" for page in range(5)))
    assert len(session.frontier.lease(1, lambda _: 9)) == 1
    rest(session, "a.example", FAR)
    assert session.frontier.lease(9, lambda _: 9) == []


def test_a_rest_that_is_over_gives_the_site_its_turn_again(session: Session) -> None:
    now = [100.0]
    frontier = Frontier(session.database, clock=lambda: now[0], ticks=lambda: now[0])
    rest(session, "a.example", 130.0)
    assert frontier.lease(9, lambda _: 9) == []
    assert frontier.seconds_to_next() == 30.0
    now[0] = 130.0
    assert [lease.url for lease in frontier.lease(9, lambda _: 9)] == [SEED]


def test_of_a_host_that_rests_and_a_url_that_is_put_off_the_later_time_counts(session: Session) -> None:
    [lease] = session.frontier.lease(1, lambda _: 1)
    session.store.outcome(an_outcome(lease.url, Fate.DEFERRED, retry_after=200.0))
    frontier = Frontier(session.database, clock=lambda: 100.0)
    rest(session, "a.example", 130.0)
    assert frontier.seconds_to_next() == 101.0
    rest(session, "a.example", 350.0)
    assert frontier.seconds_to_next() == 250.0


def test_a_site_that_is_found_while_its_host_rests_is_at_rest(session: Session) -> None:
    lease_all(session)
    rest(session, "b.example", FAR)
    scope = replace(session.policy.scope, sites=session.policy.scope.sites | {"b.example:8443"})
    session.store._ledger.discovery.obey(replace(session.policy, scope=scope))
    session.store._requests_seen = session.database.connection.execute(
        "SELECT 0, NULL, (SELECT count(*) FROM url WHERE seed = 1)"
    ).fetchone()
    session.store.page(a_page(SEED, links=("https://b.example:8443/",)))
    assert accounting(session)["queued"] == 1
    assert Frontier(session.database).lease(9, lambda _: 9) == []


def test_a_rest_outlives_a_restart_unless_it_was_for_silence(open_session: Callable[..., Session]) -> None:
    session = open_session("http://busy.example/", "http://silent.example/")
    rest(session, "busy.example", FAR)
    rest(session, "silent.example", FAR, silent=True)
    session.close("shutdown")
    again = open_session("http://busy.example/", "http://silent.example/")
    assert lease_all(again) == ["http://silent.example/"]
    assert (again.store.hosts.of("busy.example").failures, again.store.hosts.of("silent.example").failures) == (1, 0)


@pytest.mark.parametrize(("silent", "closed"), [(True, True), (False, False)])
def test_a_host_that_rests_in_silence_does_not_hold_up_the_round(session: Session, silent: bool, closed: bool) -> None:
    rest(session, "a.example", FAR, silent=silent)
    assert end_run(session.database, session.run, "finished") is closed


def test_a_round_in_which_all_rest_is_closed_when_it_is_most_of_a_day_old(session: Session) -> None:
    rest(session, "a.example", FAR)
    end_run(session.database, session.run, "finished")
    assert begin_run(session.database, stale_after=3).resumed
    session.database.connection.execute("UPDATE round SET opened_at = opened_at - 21 * 3600")
    assert not begin_run(session.database, stale_after=3).resumed


def test_a_rest_that_another_url_caused_costs_no_attempt(session: Session) -> None:
    lease_all(session)
    session.store.outcome(an_outcome(SEED, Fate.DEFERRED, Rule.HOST_RESTS, requested=False))
    [lease] = session.frontier.lease(1, lambda _: 1)
    assert lease.attempts == 0


def test_a_host_is_a_name_without_its_port() -> None:
    assert host_of_site("a.example:8080") == host_of_site("a.example") == "a.example"
    assert host_of_site("[::1]:8080") == host_of_site("[::1]") == "[::1]"
    assert Host("a.example").rests_until == 0.0
