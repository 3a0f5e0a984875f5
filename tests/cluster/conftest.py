"""Tests of a crawl on a cluster share one: starting it takes as long as they all do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cluster.standalone import Standalone, standalone

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    """A Spark cluster with two workers. A test that uses it is marked with `needs_spark`."""
    with standalone(tmp_path_factory.mktemp("spark")) as cluster:
        yield cluster
