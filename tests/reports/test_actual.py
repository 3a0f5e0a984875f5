"""Where a round was not as planned, `report` says so, and where to look."""

from __future__ import annotations

import pytest

from reports.actual import WHERE_TO_LOOK, departures


def plan(**others: int) -> dict[str, object]:
    """A plan of 10 to 20 of everything; the round is over, and everything but the others came as planned."""
    return {
        "estimate": {name: {"lower": 10, "upper": 20} for name in WHERE_TO_LOOK},
        "actual": dict.fromkeys(WHERE_TO_LOOK, 15) | {"over": True} | others,
    }


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        pytest.param({}, "", id="as planned"),
        pytest.param({"pages": 22}, "", id="more by a tenth"),
        pytest.param({"pages": 23}, "pages: 1.1 times the upper figure of the plan. Look at report traps", id="more"),
        pytest.param({"pages": 23, "over": False}, "pages: 1.1 times the upper figure", id="more already"),
        pytest.param({"pages": 10}, "", id="the lower figure"),
        pytest.param({"pages": 9}, "pages: 90% of the lower figure of the plan. Look at `failed`", id="less"),
        pytest.param({"pages": 9, "over": False}, "", id="less so far"),
        pytest.param({"disk": 40}, "", id="rough, and not wrong"),
        pytest.param({"disk": 41}, "disk: 2.0 times the upper figure of the plan. Look at other files", id="far more"),
        pytest.param({"disk": 5}, "", id="half of it"),
        pytest.param({"disk": 4}, "disk: 40% of the lower figure of the plan. Look at `not indexed`", id="far less"),
    ],
)
def test_only_what_departs_from_the_plan_is_told(figures: dict[str, int], said: str) -> None:
    told = list(departures(plan(**figures)))
    assert len(told) == bool(said)
    assert all(sentence.startswith(said) for sentence in told)


def test_more_than_a_plan_of_nothing_is_told() -> None:
    found = plan(pages=5)
    found["estimate"] = {name: {"lower": 0, "upper": 0} for name in WHERE_TO_LOOK}
    assert len(list(departures(found))) == len(WHERE_TO_LOOK)
