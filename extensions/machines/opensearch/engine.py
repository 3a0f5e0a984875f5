"""How does OpenSearch serve as an index engine? The operations on an index in a cluster, for a crawled data folder.

A data folder holds the pages of its crawl, or of one part of a crawl.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from extensions.machines.opensearch.address import SCHEMES, IndexAddress
from indexer.faults import IndexFault, IndexUnreachable, NoIndex
from indexer.remote import IndexEngine

if TYPE_CHECKING:
    from pathlib import Path

    from extensions.machines.opensearch.builds import Build
    from extensions.machines.opensearch.cluster import Cluster
    from extensions.machines.opensearch.retrieval.searcher import ClusterSearcher
    from extensions.machines.opensearch.state import PartOfIndex
    from extensions.machines.opensearch.writer import ClusterWriter
    from indexer.ranking.weights import Formula
    from indexer.retrieval.corpus import Visibility

SECONDS = 5.0  # to read the position of the index: a crawl or a page waits for it
SNAPSHOT_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class ClusterIndex(IndexAddress):
    """The index at a URL. If the client is not installed, each method raises IndexFault."""

    def open_searcher(self, visibility: Visibility, formula: Formula) -> ClusterSearcher:
        """Open the index for searching."""
        from extensions.machines.opensearch.retrieval.searcher import ClusterSearcher

        return ClusterSearcher(self, visibility, formula)

    def open_writer(self, data_dir: Path, *, rebuild: bool) -> ClusterWriter:
        """Open the index for writing the pages of a data folder."""
        from extensions.machines.opensearch.writer import ClusterWriter

        return ClusterWriter(data_dir, self, *_label_and_splits(data_dir), rebuild=rebuild)

    def committed(self, data_dir: Path) -> PartOfIndex:
        """Return up to where the index has followed a data folder. Raises NoIndex, OutdatedIndex."""
        from extensions.machines.opensearch.cluster import Cluster
        from extensions.machines.opensearch.state import read_state

        cluster, (label, _) = Cluster(self, SECONDS), _label_and_splits(data_dir)
        try:
            for part in read_state(cluster).parts:
                if part.part == label:
                    return part
        finally:
            cluster.close()
        raise NoIndex(self)

    def check_name(self, data_dir: Path, *, in_parts: bool) -> None:
        """Raise IndexTaken if the name is used for something other than this folder's crawl.

        Raises IndexUnreachable if that can't be found out.
        """
        from extensions.machines.opensearch.builds import check_owner, current_build
        from extensions.machines.opensearch.cluster import Cluster
        from extensions.machines.opensearch.writer import OWNER_FILE, owner_of
        from indexer.segments.generation import index_folder

        cluster, mark = Cluster(self, SECONDS), index_folder(data_dir) / OWNER_FILE
        try:
            owner = owner_of(mark.parent) if mark.exists() else "none has been written"
            check_owner(cluster, current_build(cluster), "" if in_parts else owner)
        finally:
            cluster.close()

    def check(self, data_dir: Path) -> None:
        """Raise NoIndex, CorruptIndex or another fault if the index can't be searched as it is."""
        from extensions.machines.opensearch.cluster import Cluster

        self.committed(data_dir)
        cluster = Cluster(self, SECONDS)
        try:
            health = cluster.ask("GET", f"/_cluster/health/{self.name}")
            if health["status"] == "red":
                raise IndexUnreachable(self, "some of its shards are on nodes that are not there")
        finally:
            cluster.close()

    def delete(self, data_dir: Path) -> None:
        """Delete the pages of a data folder. Raises IndexLocked while a process writes them.

        If a crawl has other parts, the name stays with them. The record of this part's versions stays too: without it,
        the next documents would count as older than the deleted ones.
        """
        from extensions.machines.opensearch.builds import builds_of, delete_build
        from extensions.machines.opensearch.cluster import Cluster
        from extensions.machines.opensearch.writer import owner_of
        from indexer.segments.generation import WriterLock, index_folder

        folder, (label, _) = index_folder(data_dir), _label_and_splits(data_dir)
        if not folder.exists():
            return
        lock, cluster = WriterLock(folder), Cluster(self)
        try:
            owner = owner_of(folder)
            builds = [one for one in builds_of(cluster) if one.owner == ("" if label else owner)]
            shared = [one for one in builds if label and _has_others(cluster, one, label, owner)]
            for build in builds:
                if build not in shared:
                    delete_build(cluster, build)
        finally:
            cluster.close()
            lock.release()
        if shared:
            with self.open_writer(data_dir, rebuild=True):
                pass  # the part is written again, with nothing in it

    def snapshot(self, repository: str) -> str:
        """Store the index in a repository that the cluster knows; return the snapshot's name."""
        from extensions.machines.opensearch.cluster import Cluster
        from extensions.machines.opensearch.state import read_state

        cluster = Cluster(self)
        try:
            state = read_state(cluster)
            name = f"{state.index}-{state.generation}"
            body = {"indices": ",".join(state.build.all), "include_global_state": False}
            path = f"/_snapshot/{repository}/{name}"
            try:
                cluster.ask("PUT", path, body, wait_for_completion=True, seconds=SNAPSHOT_SECONDS)
            except KeyError:
                raise IndexFault(
                    f"{self}: the cluster knows no repository {repository!r} for snapshots. One that is a folder is "
                    f"registered with PUT /_snapshot/{repository} (docs/opensearch.md)"
                ) from None
            return name
        finally:
            cluster.close()


def _label_and_splits(data_dir: Path) -> tuple[str, tuple[int, ...]]:
    """Return the part of a crawl that a folder holds ("2/3"), and the number of parts before each split.

    If nothing is divided, or nothing is there yet, the label is "".
    """
    from crawldb.database import FILE_NAME, CrawlDatabase
    from crawldb.parts.division import held_by

    if not (data_dir / FILE_NAME).exists():
        return "", ()
    with CrawlDatabase(data_dir, readonly=True) as database:
        part = held_by(database)
    return ("", ()) if part.whole else (str(part), part.earlier)


def _has_others(cluster: Cluster, build: Build, label: str, owner: str) -> bool:
    from extensions.machines.opensearch.state import parts_in_state

    return [(one.part, one.owner) for one in parts_in_state(cluster, build)] != [(label, owner)]


OPENSEARCH = IndexEngine(
    tuple(SCHEMES),
    ClusterIndex.read,
    places="at opensearch:// or opensearchs:// (with TLS)",
    example="opensearch://localhost:9200/breadcrumb",
)
