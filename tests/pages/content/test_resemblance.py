"""An estimate, and which pairs are compared."""

import random
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.content import similarity as near
from tests.child import PATIENCE

SIGNATURES = st.binary(min_size=near.ORDERS, max_size=near.ORDERS)


def test_the_estimate_takes_off_what_agrees_by_chance() -> None:
    assert near.resemblance_of(near.ORDERS) == 1
    assert near.resemblance_of(0) == 0
    draw = random.Random(1)
    strangers = [near.similarity(draw.randbytes(near.ORDERS), draw.randbytes(near.ORDERS)) for _ in range(200)]
    assert sum(strangers) / 200 == pytest.approx(0, abs=0.01)


@given(SIGNATURES, SIGNATURES)
def test_any_two_signatures_have_a_resemblance(one: bytes, other: bytes) -> None:
    assert 0 <= near.similarity(one, other) == near.similarity(other, one) <= 1
    assert near.similarity(one, one) == 1


def test_what_has_no_signature_is_like_nothing() -> None:
    assert near.similarity(b"", b"") == near.similarity(b"", bytes(near.ORDERS)) == 0


def test_the_bands_find_a_page_of_which_one_word_in_ten_was_changed() -> None:
    bands, rows = near.banding()
    assert bands * rows <= near.ORDERS
    kept = 0.9**3  # of the triples, those without a changed word
    assert near.chance_to_meet(kept / (2 - kept), bands, rows) > 0.99
    assert near.chance_to_meet(0.05, bands, rows) < 0.01  # pages of one site have that much in common


def test_the_table_of_the_s_curve_is_right() -> None:
    rows = re.findall(
        r"^    (?:resemblance|chance to be met) +([\d. ]+?)(?:  with|$)", near.__doc__ or "", re.MULTILINE
    )
    alike, met = ([float(number) for number in row.split()] for row in rows)
    assert met == [round(near.chance_to_meet(each, *near.banding()), 2) for each in alike]


@pytest.mark.slow
def test_the_bands_are_those_that_datasketch_would_choose() -> None:
    """In a process of its own: datasketch with the integrals of scipy, which ours does not load."""
    thresholds = (0.45, 0.5, 0.7, 0.8, 0.85, 0.9, 0.95)
    weights = (near.FALSE_POSITIVE_WEIGHT, near.FALSE_NEGATIVE_WEIGHT)
    code = (
        "from datasketch import MinHashLSH\n"
        f"for threshold in {thresholds}:\n"
        f"    chosen = MinHashLSH(threshold=threshold, num_perm={near.ORDERS}, weights={weights})\n"
        "    print(chosen.b, chosen.r)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE)
    chosen = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    assert [near.banding(threshold) for threshold in thresholds] == chosen


@given(st.floats(0, 1))
def test_as_many_orders_as_are_needed_for_a_resemblance_and_no_more(resemblance: float) -> None:
    least = near.agreeing_at(resemblance)
    assert near.resemblance_of(least) >= resemblance
    assert least == 0 or near.resemblance_of(least - 1) < resemblance
