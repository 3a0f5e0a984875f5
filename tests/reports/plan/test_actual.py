"""Where a round was not as planned, `report` says so, and where to look."""

from __future__ import annotations

import pytest

from reports.plan.actual import WHERE_TO_LOOK, departures


def plan(pages: int, *, over: bool = True) -> dict[str, object]:
    """A plan of 10 to 20 of everything, of which everything but the pages came as planned."""
    figures: dict[str, object] = dict.fromkeys(WHERE_TO_LOOK, 15)
    return {
        "estimate": {name: {"lower": 10, "upper": 20} for name in WHERE_TO_LOOK},
        "actual": figures | {"pages": pages, "over": over},
    }


@pytest.mark.parametrize(
    ("pages", "said"),
    [
        pytest.param(15, "", id="as planned"),
        pytest.param(40, "", id="rough, and not wrong"),
        pytest.param(41, "pages: 2.0 times the upper figure of the plan. Look at report traps", id="far more"),
        pytest.param(5, "", id="half of it"),
        pytest.param(4, "pages: 40% of the lower figure of the plan. Look at `failed`", id="far less"),
    ],
)
def test_only_what_is_far_from_the_plan_is_told(pages: int, said: str) -> None:
    told = list(departures(plan(pages)))
    assert len(told) == bool(said)
    assert all(sentence.startswith(said) for sentence in told)


def test_a_round_that_is_not_over_is_not_judged() -> None:
    assert not list(departures(plan(1000, over=False)))


def test_more_than_a_plan_of_nothing_is_told() -> None:
    found = plan(5)
    found["estimate"] = {name: {"lower": 0, "upper": 0} for name in WHERE_TO_LOOK}
    assert len(list(departures(found))) == len(WHERE_TO_LOOK)
