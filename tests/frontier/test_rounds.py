"""What a new run goes on with: nothing is forgotten, and nothing waits longer than it was asked to."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from crawldb.tables.robots_files import RobotsRecord, read_robots, write_robots
from frontier.rounds import begin_run
from robots.freshness import MAX_RETRY
from tests.robots.answers import ANSWERS, DAY, STATES, T

if TYPE_CHECKING:
    from frontier.session import Session


def test_a_new_run_asks_a_silent_site_at_once_and_forgets_nothing_else(session: Session) -> None:
    copied = STATES["failing for an hour, a copy"]
    silent = copied.after(ANSWERS["a time-out"], T)
    for origin, standing in (("http://a.example:80", silent), ("http://said.example:80", copied)):
        write_robots(session.database, session.run, RobotsRecord.of(origin, standing))
    begin_run(session.database, stale_after=3)
    asked, said = (read_robots(session.database, f"http://{host}.example:80") for host in ("a", "said"))
    assert asked is not None
    assert said is not None
    assert asked.access_state.due(T)
    assert (asked.failing_since, asked.failures, asked.good_at) == (T - 3600, 3, T - DAY)
    assert said.access_state == copied


@pytest.mark.parametrize(
    ("wait", "left"),
    [
        pytest.param(900 * DAY, MAX_RETRY, id="a clock set back by years"),
        pytest.param(3600.0, 3600.0, id="an hour that a server asked for"),
    ],
)
def test_a_url_waits_a_day_at_most_whatever_the_clock_showed_when_it_was_put_off(
    session: Session, wait: float, left: float
) -> None:
    session.database.connection.execute("UPDATE url SET due_at = ?", (time.time() + wait,))
    begin_run(session.database, stale_after=3)
    due_at = session.database.value("SELECT due_at FROM url")
    assert isinstance(due_at, float)
    assert due_at - time.time() == pytest.approx(left, abs=60)
