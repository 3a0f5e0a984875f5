"""Are weights changed where the queries show it, and left alone where they do not?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from extensions.tune.tuning import MAX_ROUNDS, WeightChange, measurements, tune
from indexer.ranking.weights import Weights

if TYPE_CHECKING:
    from collections.abc import Callable

    from extensions.tune.tuning import Gains

QUERIES = 30
LEFT = Weights()


def measured_by(gain_of: Callable[[Weights], float]) -> Callable[[Weights], Gains]:
    """Return a measure that is the same for each query but for its own level."""
    levels = np.linspace(0.2, 0.5, QUERIES)
    return lambda weights: levels + gain_of(weights)


def test_a_weight_that_helps_every_query_is_changed() -> None:
    found = tune(LEFT, (), measured_by(lambda weights: 0.1 if weights.title < LEFT.title else 0.0))
    assert found.weights == replace(LEFT, title=0.0)
    (trial,) = found.kept
    assert trial.changes == (WeightChange("title", 1.0, 0.0),)
    assert trial.gain == pytest.approx(0.1)
    assert (trial.better, trial.worse) == (QUERIES, 0)
    assert trial.p < 0.01
    assert all(trial.gain == 0 for trial in found.others)


def test_the_cap_of_names_moves_for_short_and_for_long_queries() -> None:
    found = tune(LEFT, (), measured_by(lambda weights: 0.1 * (weights.name == LEFT.name / 2)))
    assert found.weights == replace(LEFT, name=LEFT.name / 2, sentence_name=LEFT.sentence_name / 2)


def test_one_weight_is_changed_in_a_round_and_the_best_first() -> None:
    def gain(weights: Weights) -> float:
        return 0.2 * (weights.title != LEFT.title) + 0.1 * (weights.anchors == 2 * LEFT.anchors)

    found = tune(LEFT, (), measured_by(gain))
    assert [str(trial) for trial in found.kept] == ["title 1 → 0", "anchors 2.5 → 5"]
    assert found.kept[1].before == pytest.approx(found.kept[0].after)


def test_there_are_so_many_rounds_and_no_more() -> None:
    found = tune(LEFT, (), measured_by(lambda weights: sum(0.1 * (weights.anchors >= 4 * 2**at) for at in range(9))))
    assert len(found.kept) == MAX_ROUNDS
    assert found.weights.anchors == LEFT.anchors * 2**MAX_ROUNDS


def test_where_changes_bring_as_much_as_they_cost_nothing_is_changed() -> None:
    dice = np.random.default_rng(3)
    known: dict[Weights, Gains] = {LEFT: np.full(QUERIES, 0.5)}
    found = tune(LEFT, (), lambda weights: known.setdefault(weights, 0.5 + dice.normal(0, 0.1, QUERIES)))
    assert found.weights == LEFT
    assert not found.kept
    assert found.others[0].p >= 0.05  # and the best one is told


def test_a_gain_of_a_single_query_is_no_evidence() -> None:
    def measure(weights: Weights) -> Gains:
        return np.where(np.arange(QUERIES) == 4, 1.0 * (weights.section == 0), 0.0)

    found = tune(LEFT, (), measure)
    assert found.weights == LEFT
    assert all(trial.gain <= 0 for trial in found.others)  # its own fold never chose it


def test_a_weight_of_0_stays_and_a_run_is_measured_so_often() -> None:
    measured: list[Weights] = []

    def measure(weights: Weights) -> Gains:
        measured.append(weights)
        return np.zeros(QUERIES)

    off = replace(LEFT, entrance=0.0)
    tune(off, (), measure)
    assert {weights.entrance for weights in measured} == {0.0}
    assert len(measured) == measurements(off, ()) == measurements(LEFT, ()) - 3


def test_where_every_list_is_the_best_possible_nothing_is_tried() -> None:
    measured: list[Weights] = []

    def measure(weights: Weights) -> Gains:
        measured.append(weights)
        return np.ones(QUERIES)

    assert tune(LEFT, (), measure).weights == LEFT
    assert measured == [LEFT]
