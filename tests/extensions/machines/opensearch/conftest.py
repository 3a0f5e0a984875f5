"""Tests of an index in a cluster share one node, also those that run in processes side by side.

The first process that needs it starts it; it ends when the last of them has closed its end of a pipe.
"""

from __future__ import annotations

import fcntl
import os
from secrets import token_hex
from typing import TYPE_CHECKING

import pytest

from extensions.machines.opensearch.engine import ClusterIndex
from tests.extensions.machines.opensearch.flaky_line import forward
from tests.extensions.machines.opensearch.nodes import Nodes, missing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


HOST = "OPENSEARCH_TEST_HOST"  # one that runs already, such as 127.0.0.1:9201


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[str]:
    """Host and port of a node of OpenSearch. A test with a name of its own for its index disturbs no other."""
    if HOST in os.environ:
        yield os.environ[HOST]
        return
    if lacking := missing():
        pytest.skip(lacking)
    base = tmp_path_factory.getbasetemp()
    shared = (base if worker_id == "master" else base.parent) / "opensearch"
    shared.mkdir(exist_ok=True)
    pipe, told = shared / "pipe", shared / "host"
    with (shared / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        nodes, held = (None, os.open(pipe, os.O_WRONLY)) if told.exists() else _started(pipe, told)
    yield told.read_text()
    os.close(held)
    if nodes:
        nodes.outlive()  # the others may still ask it; a folder of pytest's is swept by pytest


def _started(pipe: Path, told: Path) -> tuple[Nodes, int]:
    """Start a node that reads from a pipe; return it and our end of that."""
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    held = os.open(pipe, os.O_WRONLY)
    os.set_blocking(reading, True)
    nodes = Nodes(folder=pipe.parent)
    nodes.start(stdin=reading)
    os.close(reading)
    told.write_text(nodes.hosts[0])
    return nodes, held


@pytest.fixture
def address(host: str) -> Iterator[ClusterIndex]:
    """The address of an index that nobody else uses; what is left of it is deleted."""
    found = ClusterIndex.read(f"opensearch://{host}/test-{token_hex(4)}")
    yield found
    forward(host, "DELETE", f"/{found.name}*", b"")
