"""Tests of a crawl on a cluster share one: starting it takes as long as they all do."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cluster.standalone import Standalone, standalone

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    """A Spark cluster with two workers. A test that uses it is marked with `needs_spark`."""
    with standalone(tmp_path_factory.mktemp("spark")) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def spark_here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A Spark session within this process, for jobs: starting it takes some seconds, so that all tests share it."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra

    folder = tmp_path_factory.mktemp("spark-here")
    os.environ["PYSPARK_PYTHON"] = sys.executable  # of the processes that run tasks: read before there are settings
    settings: dict[str, bool | float | int | str | None] = {
        **Standalone(folder).settings(),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",  # to compile each step takes longer than what these tables need
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.local.dir": str(folder),
    }
    builder = SparkSession.builder.master("local[2]").appName("jobs")
    session = builder.config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
