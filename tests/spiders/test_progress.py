"""The progress line of a crawl: its bar, numbers, pace, resting hosts and alarms."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.job import CrawlJob
from frontier.session import Session
from spiders.progress import CELLS, PACE_SECONDS, ProgressNumbers, Throughput, bar, hosts_and_sites_in_trouble
from tests.child import complaints
from urls.canonical import canonicalize

NOW = 1000.0


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    seeds = tuple(canonicalize(f"http://{letter}.example/") for letter in "abc")
    session = Session(tmp_path, CrawlJob(seeds))
    yield session
    session.close("finished")


def test_a_crawl_in_good_order_adds_nothing(session: Session) -> None:
    assert hosts_and_sites_in_trouble(session.database, NOW) == ""


def test_the_line_tells_of_hosts_at_rest_and_of_alarms(session: Session) -> None:
    execute = session.database.connection.execute
    for letter in "abc":
        execute("INSERT INTO host (name, rests_until) VALUES (?, ?)", (f"{letter}.example", NOW + 60))
    execute("INSERT INTO alarm VALUES ((SELECT id FROM site WHERE name = 'b.example'), ?, 1, 30, 40, 'so it is')",
            (session.run.round,))  # fmt: skip
    said = hosts_and_sites_in_trouble(session.database, NOW)
    assert said == "; resting: a.example, b.example and 1 more; ALARM, mostly failing: b.example"
    assert hosts_and_sites_in_trouble(session.database, NOW + 61) == "; ALARM, mostly failing: b.example"


@pytest.mark.parametrize(
    ("share", "told"),
    [(0.0, "░░░░░░░░░░░░ 0%"), (0.5, "██████░░░░░░ 50%"), (0.999, "███████████░ 100%"), (1.0, "████████████ 100%")],
)
def test_the_bar_is_full_when_all_that_is_known_has_ended(share: float, told: str) -> None:
    assert bar(share) == f"{told} of what is known"


@given(st.floats(0, 1))
def test_the_bar_has_always_the_same_width(share: float) -> None:
    assert len(bar(share).partition(" ")[0]) == CELLS


def test_a_line_has_numbers_pace_hosts_and_the_least_time_that_is_left() -> None:
    numbers = ProgressNumbers(pages=1, refused=2, ended=4, waiting=10, under_way=2, hosts=2)
    assert numbers.line(0.5, 24.0) == (
        "1 page (0.5/s), 0 unchanged, 2 refused, 0 failed, 10 queued, 2 hosts at work, at this pace at least 24 s left"
    )
    assert numbers.line(0.5, None).endswith("2 hosts at work")
    assert numbers.line(0.5, 600.0).endswith("at this pace at least 10 min left")
    assert numbers.line(0.5, 36_000.0).endswith("at this pace at least 10 h left")
    assert numbers.share == 0.25
    assert ProgressNumbers().share == 0.0
    dated = f"2026-11-22 14:05:33 UTC  {numbers.line(0.5, 24.0)}; resting: a.example"
    assert complaints(f"{dated}\ncrawl: a fault\n") == ["crawl: a fault"]


def test_the_pace_is_that_of_the_last_minute() -> None:
    pace = Throughput()
    pace.note(0.0, 0, 0)
    assert (pace.of_pages(), pace.left(5)) == (0.0, None)
    for second in range(1, 101):
        pace.note(float(second), second, 2 * second)  # a page a second
    assert (pace.of_pages(), pace.left(10), pace.left(0)) == (1.0, 5.0, None)
    for second in range(101, 101 + int(PACE_SECONDS)):
        pace.note(float(second), 100, 200)  # and then nothing more
    assert pace.of_pages() == 0.0
    assert pace.left(10) is None
