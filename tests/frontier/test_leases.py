"""Leases: the next URL and the order, at most once a round; no URL of a resting host is leased."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from crawldb.figures.totals import request_counts
from crawldb.tables.fetches import SentRequest, note_fetch
from crawldb.tables.hosts import Host
from frontier.job import CrawlJob
from frontier.leases import MAX_IDLE, Frontier
from frontier.rounds import add_seeds, begin_run, end_run
from frontier.session import Session
from tests.samples import SEED, a_page, accounting, an_outcome, lease_all
from urls.canonical import host_of_site
from urls.records import LeaseEnd
from urls.rules import Rule
from urls.traps import Limits


def one_by_one(session: Session) -> list[str]:
    """Lease one URL at a time until there is none."""
    urls: list[str] = []
    while leases := session.frontier.lease(1, lambda _: 1):
        urls.append(leases[0].url)
    return urls


def test_a_site_is_crawled_breadth_first(session: Session) -> None:
    lease_all(session)
    session.store.page(a_page(SEED, links=("http://a.example/1", "http://a.example/2")))
    [first, *_] = session.frontier.lease(1, lambda _: 1)
    session.store.page(a_page(first.url, links=("http://a.example/1/deep",)))
    assert one_by_one(session) == ["http://a.example/2", "http://a.example/1/deep"]


def test_sites_take_turns(open_session: Callable[..., Session]) -> None:
    seeds = [f"http://{host}.example/{page}" for host in "abc" for page in range(3)]
    session = open_session(*seeds)
    hosts = [url.removeprefix("http://")[0] for url in one_by_one(session)]
    assert all(len(set(hosts[turn : turn + 3])) == 3 for turn in range(0, 9, 3))


def test_a_site_without_room_does_not_hold_up_the_others(open_session: Callable[..., Session]) -> None:
    session = open_session(
        "http://slow.example/1", "http://slow.example/2", "http://fast.example/1", "http://fast.example/2"
    )
    leases = session.frontier.lease(10, lambda site: 0 if site == "slow.example" else 5)
    assert [lease.site for lease in leases] == ["fast.example", "fast.example"]


def test_a_choice_passes_over_so_many_sites_without_room_and_the_next_goes_on_from_there(
    open_session: Callable[..., Session],
) -> None:
    seeds = [f"http://{number}.example/" for number in range(MAX_IDLE + 1)]
    session = open_session(*seeds)

    def room(site: str) -> int:
        asked.append(site)
        return site == f"{MAX_IDLE}.example"

    asked: list[str] = []
    leases = [len(session.frontier.lease(1, room)) for _ in range(2)]
    assert sum(leases) == 1
    assert len(asked) <= MAX_IDLE + 1


def test_no_url_is_leased_twice(open_session: Callable[..., Session]) -> None:
    session = open_session(*(f"http://a.example/{page}" for page in range(100)))
    other = Frontier(session.database)
    urls = []
    while session.frontier.seconds_to_next() is not None:
        urls += [lease.url for one in (session.frontier, other) for lease in one.lease(3, lambda _: 3)]
    assert (len(urls), len(set(urls))) == (100, 100)


def test_a_lease_carries_what_the_fetch_needs(session: Session) -> None:
    lease_all(session)
    session.store.page(a_page(SEED, links=("http://a.example/x",)))
    lease_all(session)
    session.store.page(a_page("http://a.example/x", etag='"v1"', last_modified="yesterday"))
    end_run(session.database, session.run, "finished")
    begin_run(session.database, CrawlJob())
    lease = next(lease for lease in session.frontier.lease(9, lambda _: 9) if lease.url.endswith("x"))
    assert (lease.referer, lease.etag, lease.last_modified, lease.depth) == (SEED, '"v1"', "yesterday", 1)


def test_leases_of_a_killed_run_are_queued_again(open_session: Callable[..., Session]) -> None:
    session = open_session()
    assert lease_all(session) == [SEED]
    session.database.close()
    session._lock.release()
    again = open_session()
    assert again.run.resumed
    assert lease_all(again) == [SEED]
    assert again.database.value("SELECT ending FROM run ORDER BY id LIMIT 1") == "killed"


def test_a_killed_run_ended_with_its_last_request_and_not_when_the_next_began(
    open_session: Callable[..., Session],
) -> None:
    session = open_session()
    with session.database.transaction() as connection:
        connection.execute("UPDATE run SET started_at = 1000")
        for at in (1003.0, 1007.0, 1005.0):
            note_fetch(session.database, SentRequest(session.run.id, at, 0.1, 200, 10, Rule.FETCHED))
    session.database.close()
    session._lock.release()
    before = open_session()  # this one sends nothing
    before.database.close()
    before._lock.release()
    again = open_session().database
    assert [request_counts(again, run)["seconds"] for run in (1, 2)] == [7, 0]
    assert again.value("SELECT ended_at FROM run WHERE id = 1") == 1007


def test_what_is_committed_is_not_leased_again_in_its_round(open_session: Callable[..., Session]) -> None:
    session = open_session()
    lease_all(session)
    session.store.page(a_page(SEED, links=("http://a.example/x",)))
    lease_all(session)
    session.database.close()
    session._lock.release()
    assert lease_all(open_session()) == ["http://a.example/x"]


def test_a_new_round_makes_every_page_due_but_those_long_gone(open_session: Callable[..., Session]) -> None:
    session = open_session(SEED, "http://a.example/gone", "http://a.example/failed")
    run = session.run
    for number in range(4):
        leased = lease_all(session)
        assert ("http://a.example/gone" in leased) == (number < 3)
        session.store.page(a_page(SEED))
        session.store.outcome(an_outcome("http://a.example/failed", LeaseEnd.FAILED))
        if number < 3:
            session.store.outcome(an_outcome("http://a.example/gone", LeaseEnd.GONE, Rule.GONE, status=404))
        assert end_run(session.database, run, "finished")
        run = begin_run(session.database, CrawlJob())


def test_a_robots_refusal_is_asked_again_in_the_next_round(session: Session) -> None:
    lease_all(session)
    session.store.outcome(an_outcome(SEED, LeaseEnd.REFUSED, Rule.ROBOTS, requested=False))
    assert accounting(session)["suppressed"] == 1
    end_run(session.database, session.run, "finished")
    begin_run(session.database, CrawlJob())
    assert lease_all(session) == [SEED]
    assert accounting(session)["suppressed"] == 0


def test_a_round_with_queued_urls_stays_open(session: Session) -> None:
    assert not end_run(session.database, session.run, "shutdown")
    assert begin_run(session.database, CrawlJob()).round == session.run.round


def test_a_deferred_url_is_due_when_its_time_has_come(session: Session) -> None:
    now = [100.0]
    frontier = Frontier(session.database, clock=lambda: now[0], ticks=lambda: now[0])
    [lease] = frontier.lease(1, lambda _: 1)
    session.store.outcome(an_outcome(lease.url, LeaseEnd.DEFERRED, Rule.TIMEOUT, retry_after=200.0))
    assert frontier.lease(1, lambda _: 1) == []
    assert frontier.seconds_to_next() == 101.0
    now[0] = 201.0
    [again] = frontier.lease(1, lambda _: 1)
    assert again.attempts == 1


def test_a_seed_that_was_known_by_a_link_becomes_a_seed(session: Session) -> None:
    lease_all(session)
    session.store.page(a_page(SEED, links=("http://a.example/x",)))
    add_seeds(session.database, session.policy, session.run, ["http://a.example/x"])
    assert session.database.connection.execute("SELECT seed, depth FROM url WHERE url LIKE '%x'").fetchone() == (1, 0)


def test_a_wider_policy_asks_again_for_what_a_narrower_one_refused(open_session: Callable[..., Session]) -> None:
    first = open_session(limits=Limits(max_depth=0))
    lease_all(first)
    first.store.page(a_page(SEED, links=("http://a.example/deep",), etag='"v1"'))
    assert accounting(first)["suppressed"] == 1
    first.close("finished")
    again = open_session()
    [seed, deep] = again.frontier.lease(9, lambda _: 9)
    assert (deep.url, accounting(again)["suppressed"]) == ("http://a.example/deep", 0)
    assert seed.etag == ""  # its off-site links may be in scope now, and "not modified" would hide them


def test_the_same_policy_keeps_conditions_and_refusals(open_session: Callable[..., Session]) -> None:
    for _ in range(2):
        session = open_session(limits=Limits(max_depth=0, skipped_endings=frozenset({"zip", "png", "pdf"})))
        [lease] = session.frontier.lease(9, lambda _: 9)
        session.store.page(a_page(SEED, links=("http://a.example/deep",), etag='"v1"'))
        session.close("finished")
    assert lease.etag == '"v1"'


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
    session.store.outcome(an_outcome(lease.url, LeaseEnd.DEFERRED, retry_after=200.0))
    frontier = Frontier(session.database, clock=lambda: 100.0)
    rest(session, "a.example", 130.0)
    assert frontier.seconds_to_next() == 101.0
    rest(session, "a.example", 350.0)
    assert frontier.seconds_to_next() == 250.0


def test_a_site_that_is_found_while_its_host_rests_is_at_rest(session: Session) -> None:
    lease_all(session)
    rest(session, "b.example", FAR)
    scope = replace(session.policy.scope, sites=session.policy.scope.sites | {"b.example:8443"})
    session.store.writer.discovery.use_policy(replace(session.policy, scope=scope))
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


@pytest.mark.parametrize("silent", [True, False])
def test_a_host_that_rests_does_not_hold_up_the_round(session: Session, silent: bool) -> None:
    rest(session, "a.example", FAR, silent=silent)
    assert end_run(session.database, session.run, "finished")


def test_a_round_that_was_cut_short_goes_on_unless_all_that_is_left_was_put_off(session: Session) -> None:
    end_run(session.database, session.run, "interrupted")
    assert begin_run(session.database, CrawlJob()).resumed
    rest(session, "a.example", FAR)
    assert not begin_run(session.database, CrawlJob()).resumed


def test_a_rest_that_another_url_caused_costs_no_attempt(session: Session) -> None:
    lease_all(session)
    session.store.outcome(an_outcome(SEED, LeaseEnd.DEFERRED, Rule.HOST_RESTS, requested=False))
    [lease] = session.frontier.lease(1, lambda _: 1)
    assert lease.attempts == 0


def test_a_host_is_a_name_without_its_port() -> None:
    assert host_of_site("a.example:8080") == host_of_site("a.example") == "a.example"
    assert host_of_site("[::1]:8080") == host_of_site("[::1]") == "[::1]"
    assert Host("a.example").rests_until == 0.0
