"""Kills and power cuts, and the next run: a few of each. `bench/crash` makes hundreds; tests/durability judges both."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.durability.generated_site import GeneratedSite
from tests.durability.kills import kill_trials
from tests.durability.power_cuts import RecordedCrawl

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.forks import ForkServer

KILLS, CUTS = 10, 8
PAGES = 16  # of the site
SEED = 1


@pytest.fixture
def generated() -> Iterator[GeneratedSite]:
    with GeneratedSite(SEED, PAGES) as site:
        yield site


@pytest.mark.slow
def test_after_a_kill_at_any_call_nothing_is_lost_and_the_next_run_makes_all_agree_with_the_truth(
    tmp_path: Path, generated: GeneratedSite, recorded_forks: ForkServer
) -> None:
    trials = list(kill_trials(KILLS, SEED, tmp_path, generated, recorded_forks))
    kills = [kill for trial in trials for kill in trial.kills]
    assert [fault for trial in trials for fault in trial.faults] == []
    assert [(kill, []) for kill in kills] == [(kill, kill.faults) for kill in kills]
    assert len(kills) >= KILLS


@pytest.mark.slow
def test_after_a_power_cut_what_was_acknowledged_is_there_and_the_next_run_completes_it(
    tmp_path: Path, generated: GeneratedSite, recorded_forks: ForkServer
) -> None:
    recorded = RecordedCrawl(generated, recorded_forks, tmp_path)
    recorded.record()
    assert recorded.faults == []
    cuts = list(recorded.cuts(CUTS, random.Random(SEED)))
    assert [(cut, []) for cut in cuts] == [(cut, cut.faults) for cut in cuts]
    assert len(cuts) == CUTS
