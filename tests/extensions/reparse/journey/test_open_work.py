"""A `reparse` killed between two commits is shown, and the same command finishes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.journey.faults.test_open_work import Crawled, crawled, kill_between_commits  # noqa: F401 - a fixture

if TYPE_CHECKING:
    from pathlib import Path

    from tests.forks import ForkServer


@pytest.mark.slow
def test_a_reparse_that_is_killed_between_two_commits_is_shown_and_finished_by_the_next(
    tmp_path: Path,
    crawled: Crawled,  # noqa: F811 - the fixture
    recorded_forks: ForkServer,
) -> None:
    line = ["reparse", "-s", "NEAR_DUPLICATE_THRESHOLD=0.5"]
    kill_between_commits(tmp_path, recorded_forks, crawled.data, line, line)
