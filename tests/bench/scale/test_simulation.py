"""Does the simulation keep to what must hold of any crawl, whatever its size and its costs?"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.machines.costs import DELAYS, Costs, with_given
from bench.machines.scale import first_passed, passed, shards
from bench.machines.simulation import FEWEST_PAGES, HOUR, MOST_PARTS, OVERHEAD, Plan, host_classes, planned, simulate

COSTS = Costs()
PAGES = st.floats(FEWEST_PAGES, 1e11)


@given(PAGES)
def test_the_hosts_have_all_the_pages(pages: float) -> None:
    sizes, delays, hosts = host_classes(pages, COSTS)
    assert (sizes * hosts).sum() == pytest.approx(pages)
    assert set(delays) <= {delay for delay, _ in DELAYS}
    assert hosts.min() >= 1.0 - 1e-9


@given(PAGES, st.integers(1, MOST_PARTS), st.integers(1, MOST_PARTS), st.floats(60, 50_000))
def test_no_crawl_is_quicker_than_politeness_or_its_cores(pages: float, parts: int, slots: int, stage: float) -> None:
    found = simulate(Plan(pages, parts, min(parts, slots), stage), COSTS)
    assert found.hours >= found.polite_hours * (1 - 1e-6)
    assert found.hours * found.plan.slots >= found.cpu_hours * (1 - 1e-6)
    assert 0 < found.hours_to_99 <= found.hours < math.inf
    assert found.copied >= found.database * (1 - 1e-6), "each page is put back at least once"
    assert 0 <= found.turn_overhead < 1
    assert found.stage_letters <= pages * COSTS.letters * (1 + 1e-6)


@given(st.floats(1e4, 1e9))
def test_without_start_and_copies_and_with_a_slot_for_each_part_only_politeness_counts(pages: float) -> None:
    free = Costs(start_seconds=1e-9, copy_bytes=1e30, cpu_seconds=1e-9)
    found = simulate(Plan(pages, 10, 10, 100_000.0), free)
    assert found.hours == pytest.approx(found.polite_hours)


def test_more_slots_are_never_slower_and_parts_that_wait_hold_their_hosts_up() -> None:
    hours = [simulate(Plan(1e7, 64, slots, 600.0), COSTS).hours for slots in (1, 4, 16, 64)]
    assert hours == sorted(hours, reverse=True)
    assert hours[0] == pytest.approx(64 * hours[-1]), "with one slot each part waits for 63 others"


@pytest.mark.parametrize(("pages", "days"), [(1e5, 1), (1e7, 2), (1e9, 30)])
def test_a_plan_has_the_pages_in_time_and_its_copies_within_bounds(pages: float, days: float) -> None:
    found = simulate(planned(pages, days, COSTS), COSTS)
    assert found.hours_to_99 <= days * 24
    assert found.turn_overhead <= OVERHEAD + 1e-6
    assert found.plan.slots <= found.plan.parts <= MOST_PARTS


def test_the_shuffle_and_the_shards_are_what_the_costs_say() -> None:
    found = simulate(Plan(1e6, 1, 1, 1e9), COSTS)
    assert found.stages == 1
    assert found.stage_letters == pytest.approx(1e6 * COSTS.letters)
    assert found.cpu_hours == pytest.approx(1e6 * COSTS.cpu_seconds / HOUR)
    in_opensearch = COSTS.index_bytes * COSTS.opensearch_times
    assert shards(found) == int(1e6 * in_opensearch / 2**30 / 30) + 1 == 2
    assert shards(simulate(Plan(1e9, 1, 1, 1e12), COSTS)) == int(1e9 * in_opensearch / 2**30 / 30) + 1


def test_the_bounds_that_are_passed_are_named_with_the_size_at_which_they_begin() -> None:
    bounds = passed(simulate(planned(5e10, 90, COSTS), COSTS), COSTS)
    assert set(bounds) >= {"copies of whole folders", "the shards of one index"}
    slow = Costs(letter_bytes=1e7)
    assert "the shuffle of letters" in passed(simulate(planned(1e9, 30, slow), slow), slow)
    begins = first_passed([1e6, 5e10, 1e9], 30, COSTS)
    assert list(begins.values()) == sorted(begins.values())
    assert begins["the shards of one index"] == 1e9, "60 kB a page in OpenSearch, and not the 12 kB of a folder"


@pytest.mark.parametrize("wrong", ["pages=1", "page_bytes", "page_bytes=-1", "page_bytes=nan", "page_bytes=inf", "="])
def test_a_cost_that_is_none_is_refused_with_what_would_be_one(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"give (NAME=VALUE with one of page_bytes|a number above 0)"):
        with_given(COSTS, [wrong])


def test_costs_are_those_given_and_a_crawl_too_small_for_hosts_is_refused() -> None:
    assert with_given(COSTS, ["letters=2", "letters=3"]).letters == 3
    with pytest.raises(ValueError, match="give 100 or more"):
        host_classes(0.5, COSTS)
