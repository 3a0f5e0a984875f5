"""Tests of a crawl on a cluster share one: starting it takes as long as they all do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from extensions.machines.engines.spark import SparkTasks
from tests.extensions.machines.standalone import Standalone, standalone

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    """A Spark cluster with two workers. A test that uses it is marked with `needs_spark`."""
    with standalone(tmp_path_factory.mktemp("spark")) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def spark_here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkTasks]:
    """Spark within this process, for jobs: starting it takes some seconds, so that all tests share it."""
    folder = tmp_path_factory.mktemp("spark-here")
    settings = {
        **Standalone(folder).settings(),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",  # to compile each step takes longer than what these tables need
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.local.dir": str(folder),
    }
    tasks = SparkTasks("local[2]", settings, print)
    yield tasks
    tasks.close()
