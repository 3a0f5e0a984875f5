"""What is at hand is bounded, by number and by size, and what was asked for last stays longest."""

from __future__ import annotations

from dataclasses import replace

from robots import Copy, Standing
from spiders.gate.known import Known
from tests.robots.answers import COPY, STATES


def sized(length: int) -> Standing:
    return replace(STATES["a file"], copy=Copy(b"#" * length, COPY.file, 0.0))


def test_the_origin_that_was_not_asked_for_longest_goes_first() -> None:
    known = Known(origins=2)
    known.put("a", STATES["open"])
    known.put("b", STATES["open"])
    assert known.get("a") is STATES["open"]
    known.put("c", STATES["open"])
    assert [origin for origin in "abc" if known.get(origin)] == ["a", "c"]


def test_long_files_leave_room_for_fewer() -> None:
    known = Known(size=1000)
    for origin in "abcdefgh":
        known.put(origin, sized(300))
    assert [origin for origin in "abcdefgh" if known.get(origin)] == ["f", "g", "h"]


def test_what_takes_the_place_of_something_else_does_not_count_twice() -> None:
    known = Known(size=1000)
    for _ in range(100):
        known.put("a", sized(300))
        known.put("b", sized(300))
    assert len(known) == 2
    known.put("a", sized(10))
    known.put("c", sized(600))
    assert len(known) == 3


def test_the_latest_is_at_hand_however_long_it_is() -> None:
    known = Known(size=10)
    known.put("a", sized(5))
    known.put("b", sized(500))
    assert (len(known), known.get("b") is not None) == (1, True)
