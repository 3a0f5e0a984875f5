"""Which page of a host has the highest priority, and when is the next visit to one due, judging by its visits?"""

import math
import random
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawldb.tables.fetches import Visits
from crawldb.tables.priorities import BY_PRIORITY
from crawldb.visited import find
from frontier.session import Session
from tests.frontier.test_leases import one_by_one
from tests.samples import SEED, a_page, lease_all
from urls.schedule import (
    DAY,
    UNSET,
    Priority,
    RevisitBounds,
    VisitHistory,
    change_rate,
    first_visit,
    seconds_to_wait,
    worth,
)


@pytest.mark.parametrize(
    ("more", "less"),
    [
        pytest.param((1, 0, 0, 0.0), (2, 0, 0, 0.0), id="nearer to a seed"),
        pytest.param((2, 5, 0, 0.0), (2, 1, 0, 0.0), id="more pages link to it"),
        pytest.param((2, 1, 1, 0.0), (2, 1, 0, 0.0), id="a sitemap lists it"),
        pytest.param((2, 1, 0, 0.5), (2, 1, 0, 0.0), id="it changes"),
        pytest.param((3, 40, 0, 0.0), (2, 1, 0, 0.0), id="many links make up for a step"),
    ],
)
def test_worth_follows_its_weights(more: tuple[int, int, int, float], less: tuple[int, int, int, float]) -> None:
    assert worth(*more) > worth(*less)


@given(st.integers(0, 10_000), st.integers(0, 10**9), st.integers(0, 1), st.floats(0, allow_infinity=True))
def test_every_worth_is_below_that_of_the_unjudged(depth: int, inlinks: int, listed: int, changes: float) -> None:
    assert 0 <= worth(depth, inlinks, listed, changes) < UNSET


def test_what_many_pages_link_to_goes_first(open_session: Callable[..., Session]) -> None:
    session = open_session(priority=Priority.WORTH)
    lease_all(session)
    session.store.page(a_page(SEED, links=tuple(f"http://a.example/{page}" for page in "1234")))
    [first] = session.frontier.lease(1, lambda _: 1)
    session.store.page(a_page(first.url, links=("http://a.example/4", "http://a.example/deep")))
    session.frontier.look_again()
    assert one_by_one(session) == [f"http://a.example/{page}" for page in ("4", "2", "3", "deep")]


def test_the_next_run_judges_by_breadth_again_and_loses_nothing(open_session: Callable[..., Session]) -> None:
    pages = {f"http://a.example/{page}" for page in range(5)}
    open_session(*pages, priority=Priority.WORTH).close("shutdown")
    session = open_session(*pages)
    assert set(one_by_one(session)) == pages
    assert session.database.value("SELECT 1 FROM sqlite_master WHERE name = 'url_worth'") is None


def test_the_order_by_worth_is_read_from_an_index(open_session: Callable[..., Session]) -> None:
    session = open_session(priority=Priority.WORTH)
    plan = session.database.connection.execute(
        f"EXPLAIN QUERY PLAN SELECT id FROM url WHERE site = 1 AND state = 0 ORDER BY {BY_PRIORITY} LIMIT 32"
    ).fetchall()
    assert "url_worth" in plan[0][3]
    assert "TEMP B-TREE" not in str(plan)


WIDE = RevisitBounds(1.0, 1000 * DAY)


def visited(*gaps_and_changes: tuple[float, bool]) -> VisitHistory:
    history = first_visit(0.0)
    at = 0.0
    for gap, changed in gaps_and_changes:
        at += gap
        history = history.after(at, changed=changed)
    return history


@pytest.mark.parametrize(
    ("changed", "visits", "rate"),
    [
        pytest.param(0, 10, 0.0, id="never changed: -log(10.5/10.5) = 0"),
        pytest.param(10, 10, 3.0445, id="changed each time, and the estimate stays finite: -log(0.5/10.5)"),
        pytest.param(3, 10, 0.3365, id="3 of 10: -log(7.5/10.5)"),
    ],
)
def test_the_estimate_is_that_of_cho_and_garcia_molina(changed: int, visits: int, rate: float) -> None:
    history = visited(*((DAY, number < changed) for number in range(visits)))
    assert change_rate(history) * DAY == pytest.approx(rate, abs=1e-4)


@pytest.mark.parametrize("rate", [0.1, 0.5, 1.5])
def test_the_estimate_finds_the_rate_of_a_poisson_process(rate: float) -> None:
    dice = random.Random(20)
    history = visited(*((DAY, dice.random() < 1 - math.exp(-rate)) for _ in range(2000)))
    assert change_rate(history) * DAY == pytest.approx(rate, rel=0.15)


def test_a_page_that_always_changed_is_due_after_the_least_wait() -> None:
    assert seconds_to_wait(visited(*[(3600.0, True)] * 20), RevisitBounds(DAY, 30 * DAY), interval=3600.0) == DAY


def test_a_page_that_stands_still_is_trusted_twice_as_long_each_time_up_to_the_most() -> None:
    waits, history, gap = [], first_visit(0.0), DAY
    for _ in range(7):
        history = history.after(history.seen_at + gap, changed=False)
        gap = seconds_to_wait(history, RevisitBounds(DAY, 30 * DAY), interval=gap)
        waits.append(gap / DAY)
    assert waits == [2, 6, 18, 30, 30, 30, 30]


def test_a_new_page_is_trusted_for_a_tenth_of_the_age_that_its_server_tells() -> None:
    new = first_visit(1000 * DAY)
    assert seconds_to_wait(new, RevisitBounds(DAY, 90 * DAY), dated=800 * DAY) == 20 * DAY
    assert seconds_to_wait(new, RevisitBounds(DAY, 90 * DAY)) == DAY
    assert (
        seconds_to_wait(new, RevisitBounds(DAY, 90 * DAY), dated=1001 * DAY) == DAY
    )  # a date of tomorrow tells nothing


def test_a_changed_page_waits_no_longer_than_experience_reaches() -> None:
    history = visited(*[(DAY, False)] * 50, (DAY, True))
    assert seconds_to_wait(history, WIDE, interval=DAY) == 2 * DAY


def test_a_clock_that_was_set_back_makes_no_interval() -> None:
    history = first_visit(100 * DAY).after(50 * DAY, changed=True)
    assert history.seconds == 0
    assert seconds_to_wait(history, RevisitBounds(DAY, 30 * DAY)) == DAY


@given(
    st.lists(st.tuples(st.floats(-1e9, 1e9), st.booleans()), max_size=30),
    st.none() | st.floats(-1e12, 1e12),
    st.floats(0, 1e7),
)
def test_every_wait_is_within_the_bounds(visits: list[tuple[float, bool]], dated: float | None, least: float) -> None:
    bounds = RevisitBounds(least, least + DAY)
    assert bounds.least <= seconds_to_wait(
        visited(*visits), bounds, interval=visits[-1][0] if visits else 0.0, dated=dated
    )
    assert seconds_to_wait(visited(*visits), bounds, dated=dated) <= bounds.most


@pytest.fixture
def in_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    def use(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield use
    monkeypatch.undo()
    time.tzset()


def test_a_last_modified_without_a_zone_means_the_same_wherever_the_crawl_runs(
    session: Session, in_zone: Callable[[str], None]
) -> None:
    url = find(session.database.connection, SEED)
    assert url is not None
    visits, now = Visits(session.database, RevisitBounds(0, 1000 * DAY)), datetime(2026, 11, 29, tzinfo=UTC).timestamp()
    due = set()
    for zone in ("UTC", "Asia/Tokyo"):
        in_zone(zone)
        due.add(visits.note(url, now, changed=False, last_modified="Sat, 21 Nov 2026 09:00:00 -0000"))
        session.database.connection.execute("DELETE FROM visit")
    assert len(due) == 1
