"""Any answers at any times: what never happens, whatever a server does and whatever a clock shows."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots import Access, AccessState, Availability, HttpResponse, no_answer, read_answer
from robots.access_state import CLOSED_FOR, GIVE_UP_AFTER
from robots.freshness import MAX_LIFETIME, MIN_LIFETIME, MIN_RETRY
from tests.robots.answers import URL, T

CODES = st.sampled_from([200, 204, 206, 304, 404, 403, 429, 500, 503, 999])
HEADERS = st.lists(
    st.tuples(
        st.sampled_from(["Retry-After", "Cache-Control", "Expires", "ETag"]),
        st.sampled_from(["0", "120", "99999999", "max-age=0", "max-age=604800", "no-store", "soon"]),
    ),
    max_size=3,
)
# How long after the time at which it is due a site is asked; below 0: a clock set back, or a run that asks at once.
LATE = st.one_of(st.floats(0, 40 * 86400), st.just(0.0), st.floats(-3 * 86400, -1))


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[AccessState, Availability, AccessState, float]]:
    """A row of transitions: before, answer, after, and when."""
    state, now, told = AccessState(), T, []
    for _ in range(draw(st.integers(1, 12))):
        conditional = state.copy is not None and draw(st.booleans())
        if draw(st.integers(0, 5)) == 0:
            answer = no_answer("silence", ours=draw(st.booleans()))
        else:
            moment = datetime.fromtimestamp(now, UTC)
            came = HttpResponse(URL, draw(CODES), draw(HEADERS), b"Disallow: /", moment, conditional=conditional)
            answer = read_answer(came, denial_closes=draw(st.booleans()))
        before, state = state, state.after(answer, now)
        told.append((before, answer, state, now))
        now = max(1.0, state.ask_again_at + draw(LATE))
    return told


@given(histories())
def test_every_wait_has_a_least_and_a_most(history: list[tuple[AccessState, Availability, AccessState, float]]) -> None:
    for _, _, after, now in history:
        least = MIN_RETRY if after.failing_since is not None or after.access is Access.CLOSED else MIN_LIFETIME
        assert least <= round(after.ask_again_at - now, 3) <= MAX_LIFETIME
        assert after.due(after.ask_again_at)
        assert not after.due(now)


@given(histories())
def test_what_is_closed_opens_by_an_answer_only(
    history: list[tuple[AccessState, Availability, AccessState, float]],
) -> None:
    for _, _, after, now in history:
        for moment in (now, (now + after.ask_again_at) / 2):
            allowed = after.availability(moment).decide("x", "http://seeds.example/page").allowed
            assert not (allowed and after.access in {Access.CLOSED, Access.DENIED})


@given(histories())
def test_a_copy_decides_only_where_it_is_fresh_or_was_not_to_be_had_for_twelve_hours(
    history: list[tuple[AccessState, Availability, AccessState, float]],
) -> None:
    for _, _, after, now in history:
        if after.access is Access.PARSED:
            assert after.copy is not None
            assert after.copy.at == now or after.failing_for >= CLOSED_FOR
        if after.access is Access.OPEN and after.failing_since is not None:
            assert after.copy is None
            assert after.failing_for >= GIVE_UP_AFTER


@given(histories())
def test_a_failure_never_opens_what_was_closed_before_its_time(
    history: list[tuple[AccessState, Availability, AccessState, float]],
) -> None:
    for before, answer, after, now in history:
        failed = answer.access is Access.CLOSED and not answer.ours
        assert (after.failing_since is not None) is (failed or (answer.ours and before.failing_since is not None))
        if failed:
            assert after.failing_since is not None
            assert after.failing_since <= now
            assert (after.access is Access.CLOSED) is (
                after.failing_for < (CLOSED_FOR if after.copy is not None else GIVE_UP_AFTER)
            )


@pytest.mark.slow
@given(st.lists(CODES.filter(lambda code: code >= 429), min_size=40, max_size=60), HEADERS)
def test_no_site_stays_closed_for_ever(codes: list[int], headers: list[tuple[str, str]]) -> None:
    state, now = AccessState(), T
    for code in codes:
        moment = datetime.fromtimestamp(now, UTC)
        state = state.after(read_answer(HttpResponse(URL, code, headers, b"", moment)), now)
        now = max(state.ask_again_at, now + 86400)
    assert state.access is Access.OPEN
