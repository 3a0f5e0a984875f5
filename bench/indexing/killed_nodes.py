"""What is lost when nodes of OpenSearch are killed? One writer puts, replaces and removes pages, and commits.

    bench/index kills [--times 100] [--nodes 3] [--json]

Meanwhile it kills nodes of a cluster with one replica of each shard, by their number, at random moments, and starts
them again. After each kill it compares every document with what was committed (lost, twice or stale), and the position
with the last commit. With `--nodes 1` the whole cluster is away until its node is back. Exit code 0: nothing was lost.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from bench.harness.program import parser_of, show, tell
from indexer.remote import VARIABLE
from tests.extensions.machines.opensearch.killed_cluster import KilledCluster
from tests.extensions.machines.opensearch.nodes import Nodes, missing


def kill_nodes(times: int, count: int) -> dict[str, Any]:
    """Kill nodes so many times, and return the faults."""
    with Nodes(count, megabytes=400) as nodes, tempfile.TemporaryDirectory() as scratch:
        killed = KilledCluster(nodes, Path(scratch))
        killed.write_a_round()
        done = 0
        with suppress(KeyboardInterrupt):
            for done in range(1, times + 1):
                killed.outlast_one() if count == 1 else killed.kill_one()
                if done % 10 == 0:
                    tell(f"{done} kills, {killed.rounds} rounds: {dict(killed.faults)}")
        found: dict[str, Any] = {"kills": done, "nodes": count, "rounds": killed.rounds, "changes": killed.seq}
        found |= {"repeated": killed.writer.repeated, "faults": dict(killed.faults)}
        killed.writer.close()
        killed.cluster.close()
    return found


def main() -> int:
    """Kill, and print."""
    parser = parser_of(__doc__, times=100, nodes=3)
    options = parser.parse_args()
    if lacking := missing():
        parser.error(lacking)
    os.environ.pop(VARIABLE, None)
    found = kill_nodes(options.times, options.nodes)
    show(found, options)
    return int(any(found["faults"].values()))
