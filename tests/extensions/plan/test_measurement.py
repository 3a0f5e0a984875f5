"""The numbers of a trial are counted from the tables of a real crawl database."""

from collections.abc import Callable

from crawldb.tables import runs as plans
from crawldb.tables.runs import Usage, note_usage, usage_of_round
from extensions.plan.forecast import Links, RunLimits, forecast, measure
from frontier.session import Session
from frontier.takedown import block
from reports.actual import actual, folder_size
from reports.numbers import report
from tests.samples import SEED, a_page, an_outcome, lease_all
from urls.records import LeaseEnd
from urls.rules import Rule

HOST = "http://a.example"


def a_trial(session: Session) -> None:
    """Four pages, each with a menu and one link of its own; /x2 to /x4 wait, /gone is gone."""
    lease_all(session)
    session.store.page(a_page(SEED, links=(f"{HOST}/1", f"{HOST}/2", f"{HOST}/3", f"{HOST}/gone")))
    lease_all(session)
    menu = (SEED, f"{HOST}/1", f"{HOST}/2", f"{HOST}/3")
    for number in (1, 2, 3):
        session.store.page(a_page(f"{HOST}/{number}", links=(*menu, f"{HOST}/x{number}", "http://other.example/")))
    session.store.outcome(an_outcome(f"{HOST}/gone", LeaseEnd.GONE, Rule.GONE, status=404, seconds=0.5))


def test_a_site_is_measured(session: Session) -> None:
    a_trial(session)
    (found,) = measure(session.database, session.run.round)
    assert (found.site, found.known, found.queued, found.ended) == ("a.example", 8, 3, 5)
    assert (found.requests, found.pages) == (5, 4)
    assert found.latency == 0.1


def test_a_site_that_was_blocked_is_not_planned(session: Session) -> None:
    a_trial(session)
    terms = RunLimits("Breadcrumb", lambda _: 0.0, 1_000, 100)
    before = forecast(session.database, terms)
    assert ([site.site for site in before.estimate.sites], len(before.seeds)) == (["a.example"], 1)
    block(session.database, "a.example", "its owner asked")
    after = forecast(session.database, terms)
    assert (after.estimate.sites, after.seeds, after.requests) == ((), (), before.requests)


def test_the_longest_gap_and_what_is_typical_are_told_apart(session: Session) -> None:
    a_trial(session)
    with session.database.transaction() as connection:
        times = zip((0.0, 4.0, 4.1, 4.2, 4.6), (100, 100, 300, 9_500, 0), strict=True)
        for number, (at, size) in enumerate(times, 1):
            connection.execute("UPDATE fetch SET at = ?, size = ? WHERE id = ?", (1000.0 + at, size, number))
    (found,) = measure(session.database, session.run.round)
    assert (round(found.start, 6), round(found.spacing, 6), round(found.typical_spacing, 6)) == (4.0, 0.2, 0.1)
    assert (found.size, found.typical_size) == (10_000, 100)


def test_the_night_between_two_runs_is_no_gap(open_session: Callable[..., Session]) -> None:
    session = open_session()
    a_trial(session)
    with session.database.transaction() as connection:
        connection.execute("UPDATE fetch SET at = 1000.0 + id")
    session.close("stopped")
    session = open_session()
    session.store.page(a_page(lease_all(session)[0]))
    (found,) = measure(session.database, session.run.round)
    assert (found.requests, found.start, found.spacing) == (6, 1.0, 1.0)


def test_links_of_the_menu_tell_nothing_and_the_others_are_counted_on_the_later_pages(session: Session) -> None:
    a_trial(session)
    (found,) = measure(session.database, session.run.round)
    # /2 and /3 are the later half: each has one link that stands nowhere else, and it was new.
    assert found.links == Links(2, 2)


def test_a_page_that_links_to_what_was_known_tells_that_too(session: Session) -> None:
    lease_all(session)
    session.store.page(a_page(SEED, links=tuple(f"{HOST}/{number}" for number in range(6))))
    lease_all(session)
    for number in range(3):
        session.store.page(a_page(f"{HOST}/{number}", links=(f"{HOST}/{number + 3}",)))
    (found,) = measure(session.database, session.run.round)
    assert found.links == Links(2, 0)


def test_a_page_of_menu_links_counts_as_one_link_that_led_to_nothing_new(session: Session) -> None:
    lease_all(session)
    session.store.page(a_page(SEED, links=tuple(f"{HOST}/{number}" for number in range(9))))
    lease_all(session)
    for number in range(5):
        session.store.page(a_page(f"{HOST}/{number}", links=(SEED,)))
    (found,) = measure(session.database, session.run.round)
    assert found.links == Links(3, 0)


def test_what_an_earlier_round_has_read_is_not_unread(open_session: Callable[..., Session]) -> None:
    session = open_session()
    a_trial(session)
    (found,) = measure(session.database, session.run.round)
    assert (found.queued, found.unread, found.read) == (3, 3, 4)
    for url in lease_all(session):
        session.store.page(a_page(url))
    session.close("finished")
    session = open_session()
    session.store.page(a_page(lease_all(session)[0]))
    (found,) = measure(session.database, session.run.round)
    assert (found.queued, found.unread, found.read) == (7, 0, 7)


def test_a_seed_that_was_never_asked_for_is_measured_as_known(open_session: Callable[..., Session]) -> None:
    session = open_session(SEED, "http://b.example/")
    found = {one.site: (one.known, one.queued, one.requests) for one in measure(session.database, session.run.round)}
    assert found == {"a.example": (1, 1, 0), "b.example": (1, 1, 0)}


def test_what_a_round_took_is_counted_over_its_runs(open_session: Callable[..., Session]) -> None:
    session = open_session()
    a_trial(session)
    session.received = 1000
    session.close("finished")
    session = open_session()
    note_usage(session.database, session.run.id, Usage(index_memory=7, received=500))
    found = actual(session.database, session.run.round)
    assert (found.pages, found.requests, found.bytes, found.over) == (4, 5, 1500, False)
    assert found.disk == folder_size(session.database.path.parent) > 0
    used = usage_of_round(session.database, session.run.round)
    assert found.memory == used.peak_memory + 7 > 10_000_000  # a process with Python in it


def test_a_run_that_was_killed_took_the_time_to_its_last_request(open_session: Callable[..., Session]) -> None:
    session = open_session()
    a_trial(session)
    with session.database.transaction() as connection:
        connection.execute("UPDATE run SET started_at = 1000.0")
        connection.execute("UPDATE fetch SET at = 1000.0 + id")
    assert actual(session.database, session.run.round).seconds == 5.0
    assert report(session.database)["seconds"] == 5.0
    with session.database.transaction() as connection:
        connection.execute("UPDATE run SET started_at = 2000.0")  # the clock was set back meanwhile
    assert report(session.database)["seconds"] == 0.0


def test_the_newest_plan_is_kept_with_its_round(session: Session) -> None:
    assert plans.newest_plan(session.database) is None
    plans.write_plan(session.database, session.run.id, {"pages": {"lower": 1, "upper": 2}})
    plans.write_plan(session.database, session.run.id, {"pages": {"lower": 3, "upper": 4}})
    plan = plans.newest_plan(session.database)
    assert plan is not None
    assert (plan.run, plan.round, plan.estimate) == (
        session.run.id,
        session.run.round,
        {"pages": {"lower": 3, "upper": 4}},
    )
