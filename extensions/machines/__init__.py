"""What if one machine is not enough? The parts of a crawl run next to each other, here or on many machines.

It adds the commands `farm` and `cluster`, and an index engine that many machines share. A part is crawled by tasks,
which other machines can run; shared storage keeps its state. `store/` keeps whole objects, with one owner a part at a
time. `tasks/` is the work of one machine on one part. `driving/` gives the parts their turns. `engines/` runs the
turns: processes side by side, processes over a store, or Spark. `jobs/` computes results that need all parts.
`opensearch/` keeps an index in a cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extension_points import extends

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.remote import IndexEngine


@extends
def index_engines() -> list[IndexEngine]:
    """Add OpenSearch."""
    from extensions.machines.opensearch.engine import OPENSEARCH

    return [OPENSEARCH]


@extends
def folder_notices(data_dir: Path) -> list[str]:
    """Name the command that brings the store of a cluster into a data folder."""
    from extensions.machines.store.shared_store import ABOUT
    from urls.wording import PROGRAM, shell_word

    if not (data_dir / ABOUT).exists():
        return []
    fetch = f"{PROGRAM} cluster --store {shell_word(str(data_dir))} --fetch FOLDER"
    return [f"It is the store of a cluster: {fetch} brings it into a data folder, for this command."]
