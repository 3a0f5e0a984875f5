"""Which names in a cluster are ours? Foreign ones stay and are reported; our own are removed without a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import indexer
from crawldb.database import CrawlDatabase
from extensions.machines.opensearch.address import IndexAddress
from extensions.machines.opensearch.builds import builds_of
from extensions.machines.opensearch.cluster import Cluster, as_index_faults
from extensions.machines.opensearch.writer import ClusterWriter
from indexer import IndexLocked
from indexer.faults import IndexRefuses, IndexTaken, IndexUnreachable
from indexer.remote import VARIABLE
from tests.extensions.machines.opensearch.test_writer import cluster, found, page

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["cluster"]  # a fixture


def test_of_an_index_that_is_deleted_nothing_is_left(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(cluster.address))
    indexer.delete_index(tmp_path / "mine")
    assert builds_of(cluster) == [], "nothing is made to be deleted"
    with ClusterWriter(tmp_path / "mine", cluster.address) as writer:
        writer.put(page("rye"), 1)
        with pytest.raises(IndexLocked):
            indexer.delete_index(tmp_path / "mine")
    killed = ClusterWriter(tmp_path / "mine", cluster.address, rebuild=True)
    killed.close()
    (tmp_path / "theirs" / "index").mkdir(parents=True)
    indexer.delete_index(tmp_path / "theirs")
    assert found(cluster) == ["rye"], "that of another crawl stays"
    indexer.delete_index(tmp_path / "mine")
    assert cluster.ask("GET", f"/{cluster.address.name}*", expand_wildcards="all") == {}, "and the name is free"
    with ClusterWriter(tmp_path / "theirs", cluster.address) as writer:
        writer.put(page("oats"), 1)
    assert found(cluster) == ["oats"]


def test_a_part_that_is_deleted_leaves_the_pages_of_the_others(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(cluster.address))
    for number in (1, 2):
        folder = tmp_path / f"{number}"
        with CrawlDatabase(folder) as database, database.transaction() as connection:
            connection.execute("INSERT INTO part VALUES (1, ?, 2)", (number,))
        with ClusterWriter(folder, cluster.address, f"{number}/2") as writer:
            writer.put(page(f"{number}"), 7)
    indexer.delete_index(tmp_path / "1")
    assert found(cluster) == ["2"]
    with ClusterWriter(tmp_path / "1", cluster.address, "1/2") as writer:
        assert writer.position == 0
        writer.put(page("1"), 2)  # older by its number than what was deleted
    assert found(cluster) == ["1", "2"]


def test_a_name_that_is_taken_is_left_as_it_is(tmp_path: Path, cluster: Cluster) -> None:
    name = cluster.address.name
    cluster.ask("PUT", f"/{name}")
    with pytest.raises(IndexTaken, match="not made by Breadcrumb"):
        ClusterWriter(tmp_path, cluster.address)
    cluster.ask("DELETE", f"/{name}")
    cluster.ask("PUT", f"/{name}-other", {"aliases": {name: {}}})
    with pytest.raises(IndexTaken, match=f"leads to {name}-other"):
        ClusterWriter(tmp_path, cluster.address, rebuild=True)
    cluster.ask("DELETE", f"/{name}-other")
    with ClusterWriter(tmp_path / "mine", cluster.address) as writer:
        writer.put(page("rye"), 1)
    for label, told in (("", "another crawl"), ("1/2", "a whole crawl")):
        with pytest.raises(IndexTaken, match=told):
            ClusterWriter(tmp_path / "theirs", cluster.address, label, rebuild=True)
    assert found(cluster) == ["rye"]


def test_a_crawl_whose_name_is_taken_is_told_before_it_begins(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(cluster.address))
    indexer.check_engine(tmp_path / "mine")
    with ClusterWriter(tmp_path / "mine", cluster.address) as writer:
        writer.put(page("rye"), 1)
    indexer.check_engine(tmp_path / "mine")
    with pytest.raises(IndexTaken, match="another crawl"):
        indexer.check_engine(tmp_path / "theirs")
    with pytest.raises(IndexTaken, match="a whole crawl"):
        indexer.check_engine(tmp_path / "mine", in_parts=True)
    indexer.delete_index(tmp_path / "mine")
    cluster.ask("PUT", f"/{cluster.address.name}")
    with pytest.raises(IndexTaken, match="not made by Breadcrumb"):
        indexer.check_engine(tmp_path / "mine")
    assert not (tmp_path / "theirs").exists()
    monkeypatch.setenv(VARIABLE, "opensearch://127.0.0.1:1/x")
    indexer.check_engine(tmp_path / "mine")  # what is away may come back
    with pytest.raises(IndexUnreachable):
        indexer.check_engine(tmp_path / "mine", must_respond=True)


def test_a_cluster_that_lets_nobody_make_an_index_has_no_room() -> None:
    opensearchpy = pytest.importorskip("opensearchpy", reason="OpenSearch needs its client here")
    address = IndexAddress.read("opensearch://localhost/x")
    refusal = {"error": {"type": "index_create_block_exception", "reason": "blocked by: [FORBIDDEN/10/cluster …]"}}
    with pytest.raises(IndexRefuses, match="Free space on its disks"), as_index_faults(address):
        raise opensearchpy.AuthorizationException(403, "index_create_block_exception", refusal)


def test_parts_of_another_division_are_refused(tmp_path: Path, cluster: Cluster) -> None:
    with ClusterWriter(tmp_path / "1", cluster.address, "1/2") as writer:
        writer.put(page("rye"), 1)
    for label, told in (("2/3", "holds part 1/2"), ("1/2", "part 1/2 of another crawl"), ("", "in parts")):
        with pytest.raises(IndexTaken, match=told):
            ClusterWriter(tmp_path / "other", cluster.address, label)
