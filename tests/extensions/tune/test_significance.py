"""Is p the share of sign patterns that the papers count, and is a fold measured by the choice of the others?"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.tune.significance import held_out, p_value, p_values, times_in_words

GAINS = st.lists(st.sampled_from([-0.5, -0.25, 0.0, 0.25, 1.0]), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        pytest.param([], 1.0, id="no query"),
        pytest.param([0.0, 0.0], 1.0, id="no difference"),
        pytest.param([0.3], 1.0, id="one query can have either sign"),
        pytest.param([0.3] * 5, 2 / 32, id="five that all rise: both patterns of one sign, of 32"),
        pytest.param([0.3] * 5 + [0.0] * 50, 2 / 32, id="queries without a difference say nothing"),
        pytest.param([1.0, -1.0], 1.0, id="as much worse as better"),
    ],
)
def test_p_is_the_share_of_sign_patterns(differences: list[float], p: float) -> None:
    assert p_value(np.array(differences)) == pytest.approx(p)


@given(GAINS)
def test_p_is_that_of_counting_by_hand(gains: list[float]) -> None:
    sums = [abs(sum(sign * gain for sign, gain in zip(signs, gains, strict=True))) for signs in
            product((1, -1), repeat=len(gains))]  # fmt: skip
    assert p_value(np.array(gains)) == pytest.approx(sum(each >= abs(sum(gains)) - 1e-9 for each in sums) / len(sums))


def test_a_drawn_p_is_near_the_exact_one_and_never_0() -> None:
    rising = np.array([0.1] * 11 + [-0.1] * 3)  # 14 queries are drawn: 3 or fewer of 14, at both ends, is .0574
    assert p_value(rising) == pytest.approx(0.0574, abs=0.01)
    assert p_value(np.ones(40)) == pytest.approx(1 / 10_000)


def test_of_many_changes_that_bring_nothing_hardly_ever_one_is_certain() -> None:
    dice = np.random.default_rng(5)
    trials = [dice.choice((-1.0, 1.0), (15, 12)) for _ in range(50)]
    assert sum(p_values(trial).min() < 0.05 for trial in trials) <= 5
    assert sum(min(map(p_value, trial)) < 0.05 for trial in trials) >= 15  # each tested by itself


def test_a_change_among_others_is_never_more_certain_than_alone() -> None:
    changes = np.array([[0.5] * 8, [0.1, -0.1] * 4, [0.0] * 8])
    together = p_values(changes)
    assert together[0] >= p_value(changes[0])
    assert list(together[1:]) == [1.0, 1.0]


def test_a_fold_is_measured_by_the_choice_of_the_others() -> None:
    helps_others, helps_one = [0.0, 1, 1, 1, 1], [9.0, 0, 0, 0, 0]
    measured = held_out(np.array([helps_others, helps_one]))
    assert list(measured) == [0.0, 0.0, 0.0, 0.0, 0.0]  # the first fold chose the first change, the others the second


def test_where_no_choice_is_better_none_is_made() -> None:
    assert not held_out(np.array([[-1.0, -1, -1, -1, 0]])).any()
    assert held_out(np.ones((1, 7))).tolist() == [1.0] * 7


@pytest.mark.parametrize(("p", "said"), [(0.31, "31 of 100 times"), (0.01, "1 of 100 times"), (0.004, "fewer than 1 ")])
def test_p_in_words(p: float, said: str) -> None:
    assert times_in_words(p).startswith(said)
