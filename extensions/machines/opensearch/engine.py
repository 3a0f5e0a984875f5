"""What does a data folder have in a cluster? The pages of its crawl, or of the part of a crawl that it holds.

Only this file of the room knows that a crawl may have parts: of each it takes the label.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.database import FILE_NAME, CrawlDatabase
from crawldb.parts.division import held_by
from indexer.faults import IndexFault, IndexUnreachable, NoIndex
from indexer.opensearch.builds import builds_of, check_owner, current_build, delete_build
from indexer.opensearch.cluster import Cluster
from indexer.opensearch.state import parts_in_state, read_state
from indexer.opensearch.writer import OWNER_FILE, ClusterWriter, owner_of
from indexer.segments.generation import WriterLock, index_folder

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.address import IndexAddress
    from indexer.opensearch.builds import Build
    from indexer.opensearch.state import PartOfIndex

SECONDS = 5.0  # to be told how far the index is: a crawl or a page waits for it
SNAPSHOT_SECONDS = 3600.0


def part_label(data_dir: Path) -> str:
    """Return which part of a crawl a folder holds ("2/3"); "" where nothing is divided, or nothing is there yet."""
    return _label_and_splits(data_dir)[0]


def _label_and_splits(data_dir: Path) -> tuple[str, tuple[int, ...]]:
    """Return the label of the part in a folder, and how many there were before each time the crawl was split."""
    if not (data_dir / FILE_NAME).exists():
        return "", ()
    with CrawlDatabase(data_dir, readonly=True) as database:
        part = held_by(database)
    return ("", ()) if part.whole else (str(part), part.earlier)


def open_cluster_writer(data_dir: Path, address: IndexAddress, *, rebuild: bool) -> ClusterWriter:
    """Open the index at an address for writing what a data folder has crawled."""
    return ClusterWriter(data_dir, address, *_label_and_splits(data_dir), rebuild=rebuild)


def committed_part(data_dir: Path, address: IndexAddress) -> PartOfIndex:
    """Return how far the index at an address has followed a data folder. Raises NoIndex, OutdatedIndex."""
    cluster, label = Cluster(address, SECONDS), part_label(data_dir)
    try:
        for part in read_state(cluster).parts:
            if part.part == label:
                return part
    finally:
        cluster.close()
    raise NoIndex(address)


def check_cluster_index(data_dir: Path, address: IndexAddress) -> None:
    """Raise NoIndex, CorruptIndex or another fault of an index that can't be searched as it is."""
    committed_part(data_dir, address)
    cluster = Cluster(address, SECONDS)
    try:
        health = cluster.ask("GET", f"/_cluster/health/{address.name}")
        if health["status"] == "red":
            raise IndexUnreachable(address, "some of its shards are on nodes that are not there")
    finally:
        cluster.close()


def check_name(data_dir: Path, address: IndexAddress, *, in_parts: bool) -> None:
    """Raise IndexTaken where the name at an address is that of something else than what this folder's crawl writes.

    Raises IndexUnreachable where that can't be found out.
    """
    cluster, mark = Cluster(address, SECONDS), index_folder(data_dir) / OWNER_FILE
    try:
        owner = owner_of(mark.parent) if mark.exists() else "none has been written"
        check_owner(cluster, current_build(cluster), "" if in_parts else owner)
    finally:
        cluster.close()


def delete_cluster_index(data_dir: Path, address: IndexAddress) -> None:
    """Delete what a data folder has in the index at an address. Raises IndexLocked while a process writes it.

    Of a crawl in parts the name stays with the others, and so does what is known of this part's versions: without that
    what is put next would be taken for older than what was deleted.
    """
    folder, label = index_folder(data_dir), part_label(data_dir)
    if not folder.exists():
        return
    lock, cluster = WriterLock(folder), Cluster(address)
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
        with open_cluster_writer(data_dir, address, rebuild=True):
            pass  # the part is put anew, with nothing in it


def _has_others(cluster: Cluster, build: Build, label: str, owner: str) -> bool:
    return [(one.part, one.owner) for one in parts_in_state(cluster, build)] != [(label, owner)]


def snapshot_index(address: IndexAddress, repository: str) -> str:
    """Keep the index at an address in a repository that the cluster knows; return under which name it is there."""
    cluster = Cluster(address)
    try:
        state = read_state(cluster)
        name = f"{state.index}-{state.generation}"
        body = {"indices": ",".join(state.build.all), "include_global_state": False}
        path = f"/_snapshot/{repository}/{name}"
        try:
            cluster.ask("PUT", path, body, wait_for_completion=True, seconds=SNAPSHOT_SECONDS)
        except KeyError:
            raise IndexFault(
                f"{address}: the cluster knows no repository {repository!r} for snapshots. One that is a folder is "
                f"registered with PUT /_snapshot/{repository} (docs/opensearch.md)"
            ) from None
        return name
    finally:
        cluster.close()
