"""What holds after a series of responses? Each state, each response, and the clock."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from robots import Access, AccessState, HttpResponse, Unreachable, read_answer
from robots.access_state import CLOSED_FOR, GIVE_UP_AFTER
from robots.freshness import MAX_KEPT, MAX_LIFETIME, MAX_RETRY, MIN_RETRY, RETRY, RETRY_SOON
from tests.robots.answers import ANSWERS, COPY, DAY, OTHER, PRIVATE, RULES, STATES, URL, T, answer

A_WEEK = ("Cache-Control", "max-age=999999999")


@pytest.mark.parametrize(
    ("reading", "header", "failing_for", "access"),
    [
        pytest.param(Unreachable.RFC9309, None, 0.0, Access.CLOSED, id="RFC 2.3.1.4: closed at once"),
        pytest.param(Unreachable.RFC9309, A_WEEK, 0.0, Access.CLOSED, id="RFC 2.3.1.4: whatever max-age says"),
        pytest.param(Unreachable.RFC9309, None, CLOSED_FOR, Access.PARSED, id="ours: after 12 hours the copy decides"),
        pytest.param(Unreachable.GOOGLE, None, CLOSED_FOR, Access.CLOSED, id="2019: still closed after 12 hours"),
        pytest.param(Unreachable.GOOGLE, None, GIVE_UP_AFTER - 1, Access.CLOSED, id="2019: closed for 30 days"),
        pytest.param(Unreachable.GOOGLE, None, GIVE_UP_AFTER, Access.PARSED, id="2019: then the last copy"),
        pytest.param(Unreachable.GOOGLE, A_WEEK, 0.0, Access.PARSED, id="2019: max-age increases the lifetime"),
        pytest.param(Unreachable.GOOGLE, A_WEEK, MAX_KEPT - 2 * DAY, Access.PARSED, id="2019: for as long as it says"),
        pytest.param(Unreachable.GOOGLE, A_WEEK, MAX_KEPT, Access.CLOSED, id="and a week at most"),
    ],
)
def test_what_holds_for_a_copy_while_a_site_fails_by_each_reading(
    reading: Unreachable, header: tuple[str, str] | None, failing_for: float, access: Access
) -> None:
    state = AccessState().after(answer(200, *([header] if header else [])), T)
    first = T + DAY
    state = state.after(ANSWERS["500"], first, reading)
    state = state.after(ANSWERS["500"], first + failing_for, reading)
    assert state.access is access
    assert MIN_RETRY <= state.ask_again_at - first - failing_for <= MAX_RETRY


def test_by_google_a_site_without_a_copy_is_open_after_thirty_days() -> None:
    state = AccessState().after(ANSWERS["500"], T, Unreachable.GOOGLE)
    assert state.after(ANSWERS["500"], T + GIVE_UP_AFTER - 1, Unreachable.GOOGLE).access is Access.CLOSED
    assert state.after(ANSWERS["500"], T + GIVE_UP_AFTER, Unreachable.GOOGLE).access is Access.OPEN


TELLS = {  # answers that say something, whatever was known before: what holds then, and whether there is a copy
    "200": (Access.PARSED, RULES),
    "204": (Access.PARSED, b""),
    "404": (Access.OPEN, None),
    "a sixth redirect": (Access.OPEN, None),
    "403 in the classic reading": (Access.DENIED, None),
}
FAILURES = ("500", "503", "429, Retry-After", "304 that nobody asked for", "206", "a time-out")
WHILE_FAILING = {
    "failing for a day, a copy": Access.PARSED,
    "failing for 31 days, no copy": Access.OPEN,
    "failing for 31 days, a copy": Access.PARSED,
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", TELLS)
def test_an_answer_that_says_something_takes_the_place_of_all_before(name: str, state: str) -> None:
    after = STATES[state].after(ANSWERS[name], T)
    access, body = TELLS[name]
    assert (after.access, after.copy and after.copy.body) == (access, body)
    assert (after.failing_since, after.failures, after.asked_at) == (None, 0, T)
    assert after.ask_again_at == T + ANSWERS[name].lifetime


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_keeps_the_copy_and_the_time_of_the_first_one(name: str, state: str) -> None:
    before = STATES[state]
    after = before.after(ANSWERS[name], T)
    assert after.access is WHILE_FAILING.get(state, Access.CLOSED)
    assert after.copy is before.copy
    assert after.failing_since == (T if before.failing_since is None else before.failing_since)
    assert after.failures == before.failures + 1
    assert MIN_RETRY <= after.ask_again_at - T <= MAX_RETRY


@pytest.mark.parametrize("state", STATES)
def test_our_own_304_keeps_the_rules_and_renews_their_time(state: str) -> None:
    before = STATES[state]
    if before.copy is None:
        with pytest.raises(ValueError, match="ask with conditions for a copy"):
            before.after(ANSWERS["our own 304"], T)
        return
    after = before.after(ANSWERS["our own 304"], T)
    assert (after.access, after.failing_since, after.ask_again_at) == (Access.PARSED, None, T + DAY)
    assert after.copy is not None
    assert (after.copy.body, after.copy.etag, after.copy.at) == (OTHER, '"0"', T)


@pytest.mark.parametrize("state", STATES)
def test_what_we_did_not_ask_for_closes_the_site_and_is_no_failure_of_it(state: str) -> None:
    before = STATES[state]
    after = before.after(ANSWERS["a redirect to where we do not go"], T)
    assert after.access is Access.CLOSED
    assert (after.failing_since, after.failures, after.copy) == (before.failing_since, before.failures, before.copy)


def test_a_redirect_is_no_answer_yet() -> None:
    moved = read_answer(HttpResponse(URL, 301, [("Location", "/r.txt")], b"", datetime.fromtimestamp(T, UTC)))
    with pytest.raises(ValueError, match="follow redirects"):
        AccessState().after(moved, T)


def failing(*moments: float, copy: bool, status: int = 500) -> list[AccessState]:
    """The states after failures at these moments, in seconds after T."""
    state = STATES["a file" if copy else "never asked"]
    return [state := state.after(answer(status), T + moment) for moment in moments]


@pytest.mark.parametrize(
    ("seconds", "copy", "access"),
    [
        pytest.param(0, True, Access.CLOSED, id="2.3.1.4: at first nothing, whatever is kept"),
        pytest.param(CLOSED_FOR - 1, True, Access.CLOSED, id="for twelve hours"),
        pytest.param(CLOSED_FOR, True, Access.PARSED, id="then the copy"),
        pytest.param(GIVE_UP_AFTER, True, Access.PARSED, id="and after 30 days the copy still"),
        pytest.param(CLOSED_FOR, False, Access.CLOSED, id="without a copy nothing"),
        pytest.param(GIVE_UP_AFTER - 1, False, Access.CLOSED, id="for 30 days"),
        pytest.param(GIVE_UP_AFTER, False, Access.OPEN, id="then as if there were no file"),
        pytest.param(10 * 365 * DAY, False, Access.OPEN, id="and so for good"),
    ],
)
def test_what_holds_while_a_site_fails(seconds: float, copy: bool, access: Access) -> None:
    last = failing(*({0.0, seconds}), copy=copy)[-1] if seconds == 0 else failing(0.0, seconds, copy=copy)[-1]
    assert last.access is access
    assert last.availability(T + seconds).decide("x", PRIVATE).allowed is (access is not Access.CLOSED)
    assert ("the copy of 2026-11-20 06:00 UTC decides" in last.reason) is (access is Access.PARSED)


def test_each_try_waits_twice_as_long_as_the_one_before_until_it_is_a_day() -> None:
    state, now, waits = AccessState(), T, []
    for _ in range(9):
        state = state.after(ANSWERS["500"], now)
        waits.append(state.ask_again_at - now)
        now = state.ask_again_at
    assert waits == [min(RETRY * 2**n, MAX_RETRY) for n in range(9)]
    assert AccessState().after(ANSWERS["503"], T).ask_again_at == T + RETRY_SOON


def test_retry_after_is_kept_however_often_it_failed() -> None:
    state = AccessState()
    for _ in range(3):
        state = state.after(ANSWERS["429, Retry-After"], T)
        assert state.ask_again_at == T + 120


@pytest.mark.parametrize(
    ("before", "boundary"),
    [pytest.param(STATES["a file"], CLOSED_FOR, id="12 h"), pytest.param(AccessState(), GIVE_UP_AFTER, id="30 days")],
)
def test_it_is_asked_at_the_moment_when_time_itself_would_change_what_holds(
    before: AccessState, boundary: float
) -> None:
    now = T
    state = before.after(ANSWERS["500"], now)
    while state.access is Access.CLOSED:
        now = state.ask_again_at
        state = state.after(ANSWERS["500"], now)
    assert now == T + boundary


@pytest.mark.parametrize(
    ("state", "now", "due"),
    [
        pytest.param(AccessState(), T, True, id="never asked"),
        pytest.param(STATES["a file"], T - 1, False, id="fresh"),
        pytest.param(STATES["a file"], T, True, id="its time has come"),
        pytest.param(STATES["a file"], T - MAX_LIFETIME, False, id="a clock set back by a little"),
        pytest.param(STATES["a file"], T - MAX_LIFETIME - 1, True, id="a clock set back by more than anything holds"),
    ],
)
def test_when_to_ask(state: AccessState, now: float, due: bool) -> None:
    assert state.due(now) is due
    assert state.availability(now).lifetime <= MAX_LIFETIME


def test_a_failure_noted_by_a_clock_that_was_wrong_does_not_hold_the_site_for_ever() -> None:
    future = AccessState(Access.CLOSED, "503", 503, T + 900 * DAY, T + 901 * DAY, None, T + 900 * DAY, 3)
    assert future.due(T)
    assert future.after(ANSWERS["500"], T).failing_since == T


def test_what_holds_is_what_the_file_says() -> None:
    held = STATES["a file"].availability(T - 1)
    assert (held.file, held.body, held.lifetime) == (COPY.file, OTHER, 1.0)
    assert not held.decide("x", "http://seeds.example/other").allowed
    denied = STATES["denied"].availability(T - 1)
    assert not denied.decide("x", PRIVATE).allowed
    assert denied.decide("x", URL).allowed
