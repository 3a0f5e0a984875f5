"""What is guaranteed for an index in a cluster? Commits are found, the newest wins, and nothing else changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from extensions.machines.opensearch import builds
from extensions.machines.opensearch.builds import builds_of, make_build
from extensions.machines.opensearch.cluster import Cluster
from extensions.machines.opensearch.mapping import META
from extensions.machines.opensearch.state import parts_in_state, read_part_ranks, read_state
from extensions.machines.opensearch.writer import ClusterWriter
from indexer import IndexFault, IndexLocked, NoIndex, OutdatedIndex
from indexer.faults import CorruptIndex
from indexer.segments.link_ranks import GraphState, LinkRanks
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from extensions.machines.opensearch.address import IndexAddress

SITE = "http://bakery.localhost:8400"


@pytest.fixture
def cluster(address: IndexAddress) -> Iterator[Cluster]:
    found = Cluster(address)
    yield found
    found.close()


def page(name: str, text: str = "bread") -> Page:
    return Page(CanonicalUrl(f"{SITE}/{name}"), name, text)


def found(cluster: Cluster, word: str = "bread") -> list[str]:
    """The names of the pages that have a word, as a search sees them."""
    query = {"query": {"match": {"body": word}}, "size": 100}
    hits = cluster.ask("POST", f"/{cluster.address.name}/_search", query)["hits"]["hits"]
    return sorted(hit["_source"]["url"].removeprefix(f"{SITE}/") for hit in hits)


def test_what_is_committed_is_found_with_its_position(tmp_path: Path, cluster: Cluster) -> None:
    with ClusterWriter(tmp_path, cluster.address) as writer:
        writer.put(page("rye"), 1)
        writer.put(page("oats"), 2)
        assert found(cluster) == [], "nothing is found before a commit"
        writer.commit(2)
        assert (found(cluster), writer.documents) == (["oats", "rye"], 2)
        writer.remove(f"{SITE}/rye", 3)
        writer.remove(f"{SITE}/never-there", 4)
    with ClusterWriter(tmp_path, cluster.address) as writer:
        assert (found(cluster), writer.position, writer.documents) == (["oats"], 2, 1)
        writer.commit(4)
        generation = read_state(cluster).generation
        writer.commit(4)
    state = read_state(cluster)
    assert (state.position, state.generation) == (4, generation), "a commit without a change is none"


def test_what_was_not_committed_is_put_again_and_stands_once(tmp_path: Path, cluster: Cluster) -> None:
    writer = ClusterWriter(tmp_path, cluster.address)
    writer.put(page("rye"), 1)
    writer.flush()  # as a crash finds it: sent, and not committed
    writer.close()
    with ClusterWriter(tmp_path, cluster.address) as writer:
        assert writer.position == 0
        writer.put(page("rye"), 1)
        writer.commit(1)
        assert writer.documents == 1


def test_nothing_stale_takes_the_place_of_what_is_newer(tmp_path: Path, cluster: Cluster) -> None:
    with ClusterWriter(tmp_path, cluster.address) as writer:
        writer.put(page("rye", "new bread"), 7)
        writer.remove(f"{SITE}/gone", 8)
        writer.commit(8)
        writer.put(page("rye", "stale bread"), 3)
        writer.put(page("gone", "stale bread"), 4)
        writer.commit(9)
    assert (found(cluster, "new"), found(cluster, "stale")) == (["rye"], [])


def test_a_put_without_a_number_is_as_new_as_anything(tmp_path: Path, cluster: Cluster) -> None:
    for text in ("first", "second"):
        with ClusterWriter(tmp_path, cluster.address) as writer:
            writer.put(page("rye", text))
    assert (found(cluster, "first"), found(cluster, "second")) == ([], ["rye"])


def test_the_old_build_answers_until_the_new_one_is_complete(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ClusterWriter(tmp_path, cluster.address) as writer:
        writer.put(page("rye"), 1)
    killed = ClusterWriter(tmp_path, cluster.address, rebuild=True)
    killed.put(page("oats"), 1)
    killed.flush()
    killed.close()
    assert (found(cluster), len(builds_of(cluster))) == (["rye"], 2)
    ClusterWriter(tmp_path, cluster.address).close()
    ClusterWriter(tmp_path, cluster.address).close()
    assert len(builds_of(cluster)) == 2, "one run looks twice, and deletes nothing that it has found itself"
    monkeypatch.setattr(builds, "RUN", "another")
    with ClusterWriter(tmp_path, cluster.address, rebuild=True) as writer:
        assert len(builds_of(cluster)) == 2, "another run deletes what the killed one left"
        writer.put(page("oats"), 1)
        writer.flush()
        writer._bulk.wait()
        assert found(cluster) == ["rye"]
    assert found(cluster) == ["oats"]
    names = cluster.ask("GET", f"/{cluster.address.name}*")
    assert sorted(names) == sorted(read_state(cluster).build.all), "nothing of the old one is left"


@pytest.mark.parametrize("rebuild", [False, True], ids=["follow", "rebuild"])
def test_a_build_with_a_commit_is_never_deleted_because_its_name_is_gone(
    tmp_path: Path,
    cluster: Cluster,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    *,
    rebuild: bool,
) -> None:
    with ClusterWriter(tmp_path, cluster.address) as writer:
        writer.put(page("rye"), 1)
    gone = {"remove": {"index": f"{cluster.address.name}-000001", "alias": cluster.address.name}}
    for run in ("one", "another"):
        cluster.ask("POST", "/_aliases", {"actions": [gone]})
        monkeypatch.setattr(builds, "RUN", run)
        writer = ClusterWriter(tmp_path, cluster.address, rebuild=rebuild)
        assert found(cluster) == ["rye"], "the name leads to it again"
        writer._bulk.close()
        writer._lock.release()  # as a kill leaves it: nothing is committed
    assert f"leads to {cluster.address.name}-000001 again" in caplog.text


def test_a_crawl_writes_into_no_build_of_another_that_has_lost_its_name(tmp_path: Path, cluster: Cluster) -> None:
    other = make_build(cluster, "another crawl", current=False)
    with ClusterWriter(tmp_path, cluster.address) as writer:
        writer.put(page("rye"), 1)
    assert found(cluster) == ["rye"]
    assert cluster.ask("POST", f"/{other.pages}/_count")["count"] == 0


def test_ranks_of_links_rewrite_no_page(tmp_path: Path, cluster: Cluster) -> None:
    def ranks(rank: float) -> LinkRanks:
        keys = np.array([3, 2**64 - 1], np.uint64)
        return LinkRanks(GraphState(5, 4, 3, 0.85), keys, np.array([1, rank], np.float32), np.array([0, 9], np.uint32))

    with ClusterWriter(tmp_path, cluster.address) as writer:
        writer.put(page("rye"), 1)
        writer.put_ranks(ranks(2.5))
        writer.commit(1)
        query = {"query": {"match_all": {}}, "seq_no_primary_term": True}
        before = cluster.ask("POST", f"/{cluster.address.name}/_search", query)["hits"]["hits"]
        writer.put_ranks(ranks(7.5))
        writer.commit(1)
        state = read_state(cluster)
        [part] = state.parts
        known = read_part_ranks(cluster, state.build, part)
        assert (known.ranks.tolist(), known.keys.tolist(), part.graph) == ([1, 7.5], [3, 2**64 - 1], writer.graph)
        assert cluster.ask("POST", f"/{cluster.address.name}/_search", query)["hits"]["hits"] == before
    chunks = {"query": {"exists": {"field": "of"}}}
    assert cluster.ask("POST", f"/{state.build.state}/_count", chunks)["count"] == 1, "the old ranks are deleted"


def test_damaged_ranks_are_told(tmp_path: Path, cluster: Cluster) -> None:
    with ClusterWriter(tmp_path, cluster.address) as writer:
        writer.put_ranks(LinkRanks())
    state = read_state(cluster)
    piece = f"/{state.build.state}/_doc/ranks-{state.parts[0].ranks}-0"
    cluster.ask("PUT", piece, {"chunk": "AAAA", "of": "x", "part": ""})
    with pytest.raises(CorruptIndex, match="not as they were written"):
        read_part_ranks(cluster, state.build, state.parts[0])
    cluster.ask("DELETE", piece)
    with pytest.raises(CorruptIndex, match=r"a piece .* is missing"):
        read_part_ranks(cluster, state.build, state.parts[0])


def test_parts_share_an_index_and_one_is_put_anew_in_place(tmp_path: Path, cluster: Cluster) -> None:
    first = ClusterWriter(tmp_path / "1", cluster.address, "1/2")
    with first, ClusterWriter(tmp_path / "2", cluster.address, "2/2") as second:
        first.put(page("rye"), 5)
        first.put(page("oats"), 6)
        first.commit(6)
        second.put(page("buns"), 3)
        second.commit(3)
        assert (first.documents, second.documents, read_state(cluster).position) == (2, 1, 9)
    with ClusterWriter(tmp_path / "1", cluster.address, "1/2", rebuild=True) as first:
        assert first.position == 0
        first.put(page("rye", "new bread"), 1)  # numbers begin anew: its database was put back to an older copy
        first.flush()
        assert found(cluster) == ["buns", "oats", "rye"], "the older ones answer until it is complete"
        first.commit(1)
    assert (found(cluster), found(cluster, "new")) == (["buns", "rye"], ["rye"])


def test_two_writers_of_one_part_are_told(tmp_path: Path, cluster: Cluster) -> None:
    with ClusterWriter(tmp_path / "one", cluster.address) as writer:
        with pytest.raises(IndexLocked):
            ClusterWriter(tmp_path / "one", cluster.address)
        writer.put(page("rye"), 1)
        writer.commit(1)
    (tmp_path / "copy" / "index").mkdir(parents=True)
    owner = tmp_path / "one" / "index" / "opensearch.owner"
    (tmp_path / "copy" / "index" / owner.name).write_bytes(owner.read_bytes())
    with ClusterWriter(tmp_path / "one", cluster.address) as writer:
        other = ClusterWriter(tmp_path / "copy", cluster.address)
        other.put(page("oats"), 2)
        other.commit(2)
        other.close()
        writer.put(page("buns"), 2)
        with pytest.raises(IndexFault, match="409"):
            writer.commit(2)
        writer._changed = False
        writer._waiting.clear()


def outdate(cluster: Cluster) -> None:
    """Let the current build be one of an earlier version."""
    build = next(one for one in builds_of(cluster) if one.current)
    meta: dict[str, Any] = {META: {"format": "1.0", "owner": build.owner}}
    cluster.ask("PUT", f"/{build.pages}/_mapping", {"_meta": meta})


def test_an_index_of_an_earlier_version_is_made_anew(tmp_path: Path, cluster: Cluster) -> None:
    with pytest.raises(NoIndex):
        read_state(cluster)
    with ClusterWriter(tmp_path, cluster.address) as writer:
        writer.put(page("rye"), 1)
    outdate(cluster)
    for attempt in (lambda: ClusterWriter(tmp_path, cluster.address), lambda: read_state(cluster)):
        with pytest.raises(OutdatedIndex):
            attempt()
    with ClusterWriter(tmp_path, cluster.address, rebuild=True) as writer:
        writer.put(page("oats"), 1)
    assert found(cluster) == ["oats"]


def test_parts_make_an_index_of_an_earlier_version_anew_together(tmp_path: Path, cluster: Cluster) -> None:
    for label in ("1/2", "2/2"):
        with ClusterWriter(tmp_path / label, cluster.address, label) as writer:
            writer.put(page(label.replace("/", "of")), 1)
    outdate(cluster)
    for label, then in (("1/2", ["1of2", "2of2"]), ("2/2", ["new1of2", "new2of2"])):
        with ClusterWriter(tmp_path / label, cluster.address, label, rebuild=True) as writer:
            writer.put(page("new" + label.replace("/", "of")), 1)
        assert found(cluster) == then, "the old build answers until all parts are in the new one"
    assert [one.part for one in parts_in_state(cluster, read_state(cluster).build)] == ["1/2", "2/2"]


def test_a_build_that_was_half_made_is_gone_on_with(tmp_path: Path, cluster: Cluster) -> None:
    build = make_build(cluster, "", current=True)
    cluster.ask("DELETE", f"/{build.pages}")  # it is made last: so a kill leaves the other two
    with ClusterWriter(tmp_path, cluster.address) as writer:
        writer.put(page("rye"), 1)
    assert found(cluster) == ["rye"]
