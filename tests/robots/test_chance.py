"""Does any input make robots/ fail, and are the largest files read whole? By chance, and in every shape of rules."""

from __future__ import annotations

import pytest

from robots import MAX_ROBOTS_BYTES, Dialect, parse
from tests.robots.chance import try_inputs
from tests.robots.largest_files import SHAPES, RulesShape, file_of


@pytest.mark.parametrize("seed", range(4))
def test_no_input_by_chance_fails(seed: int) -> None:
    assert list(try_inputs(1000, seed))[-1] == 1000


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_the_largest_files_are_as_large_as_may_be_and_are_judged(shape: RulesShape) -> None:
    body = file_of(shape)
    assert MAX_ROBOTS_BYTES - 1100 < len(body) <= MAX_ROBOTS_BYTES
    groups = parse(body, shape.dialect).groups
    assert len(groups[0].rules) == body.count(b"\n") - 1
    assert parse(body, shape.dialect).decide("x", "https://h.example/shop/aaa") == parse(body, shape.dialect).decide(
        "y", "https://h.example/shop/aaa#top"
    )


def test_there_are_shapes_by_the_rules_of_today() -> None:
    assert Dialect.RFC9309 in {shape.dialect for shape in SHAPES}
