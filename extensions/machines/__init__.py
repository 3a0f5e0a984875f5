"""What if one machine is not enough? An index in OpenSearch, which many machines can share.

It adds an engine for indexes (`opensearch/`), which INDEX chooses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extension_points import extends

if TYPE_CHECKING:
    from indexer.remote import IndexEngine


@extends
def index_engines() -> list[IndexEngine]:
    """Add OpenSearch."""
    from extensions.machines.opensearch.engine import OPENSEARCH

    return [OPENSEARCH]
