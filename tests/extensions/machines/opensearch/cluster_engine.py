"""The collection of tests/indexer/library.py in an index of OpenSearch."""

from __future__ import annotations

from secrets import token_hex
from typing import TYPE_CHECKING

from extensions.machines.opensearch.address import IndexAddress
from extensions.machines.opensearch.cluster import Cluster
from tests.indexer.library import Engine

if TYPE_CHECKING:
    from pathlib import Path


class ClusterEngine(Engine):
    """An index in OpenSearch; `folder` is that of its crawl."""

    def __init__(self, folder: Path, host: str) -> None:
        super().__init__(folder)
        self.address = f"opensearch://{host}/test-{token_hex(6)}"

    def drop(self) -> None:
        """Leave nothing behind."""
        address = IndexAddress.read(self.address)
        cluster = Cluster(address)
        cluster.ask("DELETE", f"/{address.name}-*", ignore_unavailable=True, expand_wildcards="all")
        cluster.close()
