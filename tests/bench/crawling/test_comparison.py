"""Are ratios taken between neighbouring runs, and is unequal work reported?"""

import pytest

from bench.crawling.crawl import MIB, MeasuredRun, disagreement, numbers_of, paired_ratios
from bench.harness.cost import Cost


def run(pages: int = 100, wall: float = 10.0, cpu: float = 5.0, peaks: tuple[int, ...] = (MIB,)) -> MeasuredRun:
    return MeasuredRun(pages, pages, Cost(wall, cpu, peaks))


def test_a_ratio_is_the_median_of_the_ratios_of_each_repeat() -> None:
    # The machine was twice as slow in the second repeat and three times in the third, for both alike.
    runs = {
        "ours": [run(wall=10, cpu=2), run(wall=20, cpu=4), run(wall=30, cpu=9)],
        "theirs": [run(wall=20, cpu=4), run(wall=40, cpu=8), run(wall=60, cpu=12)],
    }
    found = paired_ratios(runs, "ours")
    assert found["theirs"]["wall"] == {"median": 0.5, "least": 0.5, "greatest": 0.5}
    assert found["theirs"]["cpu"] == {"median": 0.5, "least": 0.5, "greatest": 0.75}


def test_ratios_are_by_page() -> None:
    found = paired_ratios({"ours": [run(pages=200)], "theirs": [run(pages=100)]}, "ours")
    assert found["theirs"]["wall"]["median"] == 0.5


def test_nobody_is_compared_with_himself() -> None:
    assert set(paired_ratios({"ours": [run()], "a": [run()], "b": [run()]}, "ours")) == {"a", "b"}


def test_the_numbers_are_medians_of_the_runs() -> None:
    numbers = numbers_of([run(wall=10, cpu=1), run(wall=20, cpu=2), run(wall=50, cpu=9)])
    assert (numbers["wall_s"], numbers["cpu_s"], numbers["pages_per_s"]) == (20, 2, 5)
    assert numbers["cpu_s_per_1000_pages"] == 20


def test_the_memory_of_two_processes_is_told_by_its_greater_part_and_as_a_sum() -> None:
    numbers = numbers_of([run(peaks=(200 * MIB, 50 * MIB))])
    assert (numbers["peak_mib"], numbers["peak_mib_all"], numbers["processes"]) == (200, 250, 2)


def test_memory_that_nobody_could_measure_is_none() -> None:
    numbers = numbers_of([run(peaks=())])
    assert (numbers["peak_mib"], numbers["peak_mib_all"], numbers["processes"]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("pages", "differ"),
    [
        pytest.param((100, 100), False, id="the same"),
        pytest.param((98, 100), False, id="two in a hundred"),
        pytest.param((97, 100), True, id="three in a hundred"),
        pytest.param((100, 97), True, id="either way"),
        pytest.param((0, 100), True, id="nothing fetched"),
    ],
)
def test_numbers_of_pages_may_lie_two_percent_apart(pages: tuple[int, int], *, differ: bool) -> None:
    told = disagreement({"ours": [run(pages[0])], "theirs": [run(pages[1])]})
    assert bool(told) is differ
    assert told is None or f"ours {pages[0]}" in told


def test_one_odd_repeat_is_told_though_the_medians_agree() -> None:
    assert disagreement({"ours": [run(), run(), run(90)], "theirs": [run()] * 3})
