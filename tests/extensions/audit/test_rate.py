"""Who keeps the pace is never accused, however the log blurs it; who does not is."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from extensions.audit.claims import Ceiling, MinimumDelay, Proof
from extensions.audit.log_reader import COMBINED_LOG, JSON_LOG, Form, LoggedRequest

GAPS = st.lists(st.floats(0, 3), max_size=40)


def visit(place: int, start: float, host: str = "a.example") -> LoggedRequest:
    return LoggedRequest(place, start, start, f"http://{host}/{place}", f"/{place}", host, (f"http://{host}:80",), 200)


def judged(form: Form, delay: float, starts: list[float]) -> Proof:
    claim = MinimumDelay(form, delay)
    for place, start in enumerate(starts, 1):
        claim.see(visit(place, start))
    return claim.finding().proof


def kept(delay: float, extra: list[float]) -> list[float]:
    """Starts that are `delay` and something more apart."""
    starts = [1000.0]
    for more in extra:
        starts.append(starts[-1] + delay + more)
    return starts


@given(st.floats(0, 5), GAPS, st.lists(st.floats(0, 0.0099), min_size=41, max_size=41))
def test_ten_milliseconds_of_way_are_forgiven(delay: float, extra: list[float], ways: list[float]) -> None:
    seen = [start + way for start, way in zip(kept(delay, extra), ways, strict=False)]
    assert judged(JSON_LOG, delay, sorted(seen)) is Proof.PROVED


@given(st.floats(0, 5), GAPS, st.lists(st.floats(0, 0.999), min_size=41, max_size=41))
def test_whole_seconds_of_ends_accuse_nobody_who_keeps_the_pace(
    delay: float, extra: list[float], took: list[float]
) -> None:
    ends = [float(math.floor(start + more)) for start, more in zip(kept(delay, extra), took, strict=False)]
    assert judged(COMBINED_LOG, delay, sorted(ends)) is not Proof.VIOLATED


@given(GAPS, st.floats(0.011, 1), st.data())
def test_one_gap_that_is_too_small_is_found(extra: list[float], missing: float, data: st.DataObject) -> None:
    starts = kept(1.0, [*extra, 0.0])
    place = data.draw(st.integers(1, len(starts) - 1))
    early = [*starts[:place], starts[place - 1] + 1.0 - missing]
    assert judged(JSON_LOG, 1.0, early) is Proof.VIOLATED


def test_hosts_do_not_share_a_pace_and_ports_do() -> None:
    claim = MinimumDelay(JSON_LOG, 1.0)
    for place, host in enumerate(["a.example", "b.example", "c.example"], 1):
        claim.see(visit(place, 1000.0, host))
    assert claim.finding().proof is Proof.PROVED


def test_a_request_whose_start_is_not_known_is_no_violation_and_no_proof() -> None:
    claim, ceiling = MinimumDelay(JSON_LOG, 1.0), Ceiling(JSON_LOG, 10)
    unknown = LoggedRequest(2, 1000.1, 1000.1, "http://a.example/", "/", "a.example", (), None, timed=False)
    for seen in (visit(1, 1000.0), unknown, visit(3, 1030.0)):
        claim.see(seen)
        ceiling.see(seen)
    assert claim.finding().proof is ceiling.finding().proof is Proof.NOT_PROVABLE


@given(st.lists(st.floats(0, 300), max_size=80), st.integers(1, 12))
def test_the_ceiling_counts_what_a_plain_count_counts(starts: list[float], ceiling: int) -> None:
    starts = sorted(round(start, 1) for start in starts)
    claim = Ceiling(JSON_LOG, ceiling)
    for place, start in enumerate(starts, 1):
        claim.see(visit(place, start))
    width = 60 - JSON_LOG.forgiven
    most = max((sum(start - width < other <= start for other in starts) for start in starts), default=0)
    assert (claim.finding().proof is Proof.VIOLATED) == (most > ceiling)


def test_a_minute_that_is_over_does_not_count() -> None:
    claim = Ceiling(JSON_LOG, 2)
    for place, start in enumerate([0.0, 1.0, 60.0, 61.0, 120.0], 1):
        claim.see(visit(place, start))
    assert claim.finding().proof is Proof.PROVED


def test_one_request_that_comes_too_early_does_not_accuse_those_after_it() -> None:
    claim = MinimumDelay(JSON_LOG, 2.0)
    for place, start in enumerate([0.0, 0.2, 2.2, 4.2], 1):
        claim.see(visit(place, start))
    assert [sample.place for sample in claim.finding().samples] == [2]
