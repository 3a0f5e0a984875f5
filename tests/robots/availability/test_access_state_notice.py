"""The notices about a robots.txt for the operator: each failure, and every news."""

from __future__ import annotations

import pytest

from robots import MAX_ROBOTS_BYTES, Access, AccessState, Availability, no_answer, notice
from tests.robots.answers import ANSWERS, DAY, STATES, URL, T, answer

NO_TEXT = answer(200, body=b"<html>nothing here</html>")
ENDLESS = answer(200, body=b"x" * (2 * MAX_ROBOTS_BYTES))
LONG = answer(200, body=b"User-agent: *\n" + b"#\n" * MAX_ROBOTS_BYTES)


def told(before: AccessState, got: Availability, *way: str) -> str:
    found = notice(before, got, before.after(got, T), way or (URL,))
    if found is None:
        return ""
    assert found.reason.startswith("robots.txt ")
    return found.rule


@pytest.mark.parametrize(
    ("before", "got", "rule"),
    [
        pytest.param("never asked", ANSWERS["200"], "", id="robots-025: a plain file"),
        pytest.param("never asked", ANSWERS["404"], "robots.404", id="robots-001"),
        pytest.param("open", ANSWERS["404"], "", id="the same 404 again"),
        pytest.param("a file", ANSWERS["404"], "robots.404", id="a file that was taken away"),
        pytest.param("never asked", answer(403), "robots.403", id="robots-002"),
        pytest.param("never asked", ANSWERS["403 in the classic reading"], "robots.403", id="robots-002, classic"),
        pytest.param("never asked", answer(401), "robots.401", id="robots-003"),
        pytest.param("never asked", ANSWERS["500"], "robots.500", id="robots-005"),
        pytest.param("never asked", ANSWERS["503"], "robots.503", id="robots-006"),
        pytest.param("failing for an hour, a copy", ANSWERS["503"], "robots.503", id="each try is told"),
        pytest.param("never asked", NO_TEXT, "robots.not_text", id="robots-008: a page of HTML"),
        pytest.param("never asked", answer(200, body=bytes(range(256))), "robots.not_text", id="robots-016: any bytes"),
        pytest.param("never asked", ENDLESS, "robots.not_text", id="robots-010: a line without end"),
        pytest.param("never asked", LONG, "robots.truncated", id="longer than 500 KiB"),
        pytest.param("never asked", answer(302), "robots.302", id="a redirect to nowhere"),
        pytest.param("never asked", ANSWERS["a time-out"], "robots.unreachable", id="robots-026"),
        pytest.param("never asked", no_answer("port 25", ours=True), "robots.refused", id="robots-018"),
        pytest.param("failing for a day, no copy", ANSWERS["500"], "robots.500", id="a day without a copy"),
        pytest.param("failing for a day, a copy", ANSWERS["500"], "robots.500", id="the copy decides already"),
        pytest.param("failing for 31 days, no copy", ANSWERS["500"], "robots.500", id="given up already"),
        pytest.param("a file", ANSWERS["our own 304"], "", id="not changed"),
    ],
)  # fmt: skip
def test_what_is_told(before: str, got: Availability, rule: str) -> None:
    assert told(STATES[before], got) == rule


def test_a_file_is_told_of_once() -> None:
    known = AccessState().after(NO_TEXT, T)
    assert told(known, NO_TEXT) == ""


@pytest.mark.parametrize(
    ("way", "rule"),
    [
        pytest.param((URL,) * 6, "robots.redirect_loop", id="robots-017: to itself"),
        pytest.param(tuple(f"{URL}?{hop}" for hop in range(6)), "robots.301", id="a long way, in no circle"),
    ],
)
def test_a_circle_of_redirects_is_told_from_a_long_way(way: tuple[str, ...], rule: str) -> None:
    assert told(AccessState(), ANSWERS["a sixth redirect"], *way) == rule


@pytest.mark.parametrize(
    ("copy", "days", "rule"),
    [
        pytest.param("a copy", 0.5, "robots.last_copy", id="after 12 hours a copy decides"),
        pytest.param("a copy", 30, "robots.given_up", id="after 30 days"),
        pytest.param("no copy", 30, "robots.given_up", id="after 30 days without one"),
    ],
)
def test_the_moments_at_which_time_decides_are_told(copy: str, days: float, rule: str) -> None:
    first = (STATES["a file"] if copy == "a copy" else AccessState()).after(ANSWERS["500"], T - days * DAY)
    before = first.after(ANSWERS["500"], T - days * DAY / 2) if days > 1 else first
    assert before.access is (Access.PARSED if copy == "a copy" and days > 1 else Access.CLOSED)
    assert told(before, ANSWERS["500"]) == rule
