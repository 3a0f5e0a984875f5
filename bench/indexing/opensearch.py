"""What does an index in OpenSearch cost? The pages go to a real node on loopback, which bench/index starts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from extensions.machines.opensearch.address import IndexAddress
from extensions.machines.opensearch.cluster import Cluster
from extensions.machines.opensearch.state import read_state
from extensions.machines.opensearch.writer import ClusterWriter
from indexer.remote import VARIABLE
from tests.extensions.machines.opensearch.nodes import Nodes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from urls.records import Page

COMMIT = 2_000  # pages: as next to a crawl


class OpenSearch:
    """An index in a node of its own, which is there while pages are added."""

    name = "OpenSearch"

    def __init__(self, folder: Path) -> None:
        os.environ.pop(VARIABLE, None)
        self._folder = folder
        self.node: dict[str, float] = {}  # bytes of the index, and CPU seconds of the node

    def add(self, pages: Iterable[Page]) -> None:
        """Put pages, and commit again and again."""
        with Nodes(1, megabytes=1024, quick=True) as nodes:
            address = IndexAddress.read(f"opensearch://{nodes.hosts[0]}/bench-pages")
            before, number = nodes.cpu_seconds(), 0
            with ClusterWriter(self._folder, address) as writer:
                for number, page in enumerate(pages, start=1):
                    writer.put(page, number)
                    if number % COMMIT == 0:
                        writer.commit(number)
                writer.commit(number, ending=True)
            spent = nodes.cpu_seconds() - before
            cluster = Cluster(address)
            told = cluster.ask("GET", f"/{','.join(read_state(cluster).build.all)}/_stats/store,docs")
            self.node = {"bytes": told["_all"]["primaries"]["store"]["size_in_bytes"], "node_s": spent}
            cluster.close()
