"""The state of an origin's robots.txt is the same after a restart, to the last digit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawldb.database import CrawlDatabase
from crawldb.tables.journal import Journal
from crawldb.tables.robots_files import MAX_CHANGES, changes_of, holds_since, note_request, read_robots, write_robots
from robots import MAX_ROBOTS_BYTES, AccessState, Notice, RobotsRecord, RobotsRequest, RobotsStep, parse
from tests.robots.answers import ANSWERS, DAY, RULES, STATES, URL, T, answer

if TYPE_CHECKING:
    from frontier.session import Session

ORIGIN = "http://seeds.example:80"


def keep(session: Session, state: AccessState) -> RobotsRecord:
    record = RobotsRecord.of(ORIGIN, state)
    write_robots(session.database, session.run, record)
    return record


@pytest.mark.parametrize("state", STATES)
def test_every_state_comes_back_as_it_was(session: Session, state: str) -> None:
    keep(session, STATES[state])
    with CrawlDatabase(session.database.path.parent, readonly=True) as restarted:
        record = read_robots(restarted, ORIGIN)
    assert record is not None
    assert record.access_state == STATES[state]


@given(st.lists(st.sampled_from(sorted(set(ANSWERS) - {"our own 304"})), min_size=1, max_size=6))
def test_a_row_goes_on_as_if_there_had_been_no_restart(names: list[str]) -> None:
    without = restarted = AccessState()
    for day, name in enumerate(names):
        without = without.after(ANSWERS[name], T + day * DAY)
        restarted = RobotsRecord.of(ORIGIN, restarted.after(ANSWERS[name], T + day * DAY)).access_state
    assert restarted == without


def test_a_file_that_was_cut_is_cut_again_when_it_is_read_from_the_database(session: Session) -> None:
    body = b"User-agent: *\nDisallow: /x\n" + b"#\n" * (MAX_ROBOTS_BYTES // 2) + b"Disallow: /\n"
    keep(session, AccessState().after(answer(200, body=body[: MAX_ROBOTS_BYTES - 12] + b"\nDisallow: /yyyy\n"), T))
    record = read_robots(session.database, ORIGIN)
    assert record is not None
    assert parse(record.body).truncated
    file = record.access_state.availability(T).file
    assert file is not None
    assert file.decide("x", "http://seeds.example/y").allowed


def test_each_hop_is_a_fetch_of_the_origin_that_was_asked(session: Session) -> None:
    note_request(session.database, session.run, ORIGIN, RobotsRequest(URL, T, 0.1, 301), RobotsStep.MOVED)
    found = RobotsRequest("http://other.example/r.txt", T + 1, 0.2, 200, 33)
    note_request(session.database, session.run, ORIGIN, found)
    rows = session.database.connection.execute(
        "SELECT address, at, seconds, status, size, rule, origin, url FROM fetch ORDER BY id"
    ).fetchall()
    assert rows == [
        (URL, T, 0.1, 301, 0, "robots.txt moved", ORIGIN, None),
        ("http://other.example/r.txt", T + 1, 0.2, 200, 33, "robots.txt", ORIGIN, None),
    ]


def test_what_is_worth_telling_stands_in_the_journal_under_the_origin(session: Session) -> None:
    record = RobotsRecord.of(ORIGIN, STATES["open"])
    write_robots(session.database, session.run, record, Notice("robots.404", "there is no file"), [URL])
    [entry] = Journal(session.database).latest(rule="robots.404")
    assert (entry.reason, entry.samples, entry.url) == (f"{ORIGIN}: there is no file", (URL,), "")


def test_the_history_has_a_row_each_time_that_something_else_holds(session: Session) -> None:
    state, moments = AccessState(), iter(range(100))
    for name in ("200", "200", "500", "503", "200", "404", "404", "204"):
        state = state.after(ANSWERS[name], T + next(moments))
        keep(session, state)
    keep(session, state.after(answer(200, body=RULES + b"#"), T + next(moments)))
    changes = changes_of(session.database, ORIGIN)
    assert [(change.state, change.at - T) for change in reversed(changes)] == [
        ("PARSED", 0.0), ("CLOSED", 2.0), ("PARSED", 4.0), ("OPEN", 5.0), ("PARSED", 7.0), ("PARSED", 8.0),
    ]  # fmt: skip
    assert changes_of(session.database, ORIGIN, 2) == changes[:2]
    assert changes_of(session.database, "http://other.example:80") == ()


def test_what_holds_has_held_since_the_change_that_brought_it(session: Session) -> None:
    keep(session, AccessState().after(ANSWERS["200"], T))
    later = keep(session, AccessState().after(ANSWERS["200"], T + DAY))
    assert holds_since(session.database, later) == T
    assert holds_since(session.database, RobotsRecord.of(ORIGIN, STATES["open"])) == STATES["open"].asked_at


def test_where_the_clock_was_set_back_nobody_can_tell_what_held_until_then(session: Session) -> None:
    keep(session, AccessState().after(ANSWERS["404"], T + 31 * DAY))
    now = keep(session, AccessState().after(ANSWERS["503"], T))
    assert holds_since(session.database, now) == T + 31 * DAY


def test_a_site_that_comes_and_goes_does_not_fill_the_disk(session: Session) -> None:
    for day in range(MAX_CHANGES + 20):
        keep(session, AccessState().after(ANSWERS["200" if day % 2 else "500"], T + day))
    changes = changes_of(session.database, ORIGIN, 10 * MAX_CHANGES)
    assert len(changes) == MAX_CHANGES
    assert changes[0].at == T + MAX_CHANGES + 19
