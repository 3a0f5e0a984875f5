"""Which faults may a cluster have during writes? Connections break, space runs out: no document is lost or doubled."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from crawldb.pages.feed import Feed
from extensions.machines.opensearch import builds
from extensions.machines.opensearch import writer as writer_module
from extensions.machines.opensearch.address import IndexAddress
from extensions.machines.opensearch.bulk import Bulk, BulkAction, own_alias
from extensions.machines.opensearch.cluster import Cluster
from extensions.machines.opensearch.state import read_state
from extensions.machines.opensearch.writer import ClusterWriter
from indexer.faults import CorruptIndex, IndexFault, IndexRefuses, IndexUnreachable
from indexer.following import StopSignal, update
from indexer.remote import VARIABLE
from tests.child import wait_until
from tests.commands.conftest import fill
from tests.extensions.machines.opensearch.flaky_line import FlakyLine, flaky_line
from tests.extensions.machines.opensearch.test_writer import SITE, found, page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGES = 12


@pytest.fixture
def cluster(address: IndexAddress) -> Iterator[Cluster]:
    found = Cluster(address)
    yield found
    found.close()


@pytest.fixture
def line(host: str) -> Iterator[FlakyLine]:
    with flaky_line(host) as line:
        yield line


def over(line: FlakyLine, address: IndexAddress) -> IndexAddress:
    """The same index, asked over a line."""
    name, _, port = line.host.partition(":")
    return replace(address, hosts=((name, int(port)),))


def versions(cluster: Cluster) -> dict[str, int]:
    """The version of each page, as a search sees it; of one that stands twice, the test fails."""
    query = {"query": {"match_all": {}}, "size": 1000, "version": True}
    hits = cluster.ask("POST", f"/{cluster.address.name}/_search", query)["hits"]["hits"]
    names = [hit["_source"]["url"].removeprefix(f"{SITE}/") for hit in hits]
    assert len(set(names)) == len(names)
    return {name: hit["_version"] for name, hit in zip(names, hits, strict=True)}


def test_a_line_that_breaks_loses_and_doubles_nothing(tmp_path: Path, cluster: Cluster, line: FlakyLine) -> None:
    with ClusterWriter(tmp_path, over(line, cluster.address)) as writer:
        line.faults = ["twice", "cut before", "cut after", "busy", "cut after", "twice"]
        for number in range(PAGES):
            writer.put(page(f"{number}"), number + 1)
            if number % 4 == 3:
                writer.flush()
        writer.put(page("0", "new bread"), PAGES + 1)
        writer.remove(f"{SITE}/1", PAGES + 2)
        writer.commit(PAGES + 2)
        assert writer._bulk.repeated >= 4
    assert not line.faults
    before = versions(cluster)
    line.repeat_late()
    cluster.ask("POST", f"/{cluster.address.name}/_refresh")
    assert before == versions(cluster) == {"0": PAGES + 1} | {f"{number}": number + 1 for number in range(2, PAGES)}
    assert found(cluster, "new") == ["0"]


def test_what_is_refused_alone_is_sent_alone(cluster: Cluster) -> None:
    """A bulk is taken in part where one of its documents meets a shard that has no room."""
    bulk = Bulk(cluster)
    sent = [(action, action.line()) for action in (BulkAction("delete", "x", "a"), BulkAction("index", "x", "b", {}))]
    full = {"type": "rejected_execution_exception", "reason": "full"}
    left, reason = bulk._left(sent, [{"delete": {"status": 404}}, {"index": {"status": 429, "error": full}}])
    assert (left, reason) == (sent[1:], "429: full")
    bulk.close()


def test_a_document_that_no_mapping_takes_ends_no_crawl(
    tmp_path: Path, cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    with ClusterWriter(tmp_path, cluster.address) as writer:
        strange = BulkAction("index", writer._build.pages, "strange", {"no_such_field": 1}, 1)
        writer._bulk.send([strange])
        writer.put(page("rye"), 1)
        writer.commit(1)
    assert "refuses strange" in caplog.text
    assert found(cluster) == ["rye"]


@pytest.mark.parametrize(
    ("block", "told"),
    [("read_only_allow_delete", "index.blocks"), ("write", "index.blocks")],
    ids=["no room: the flood stage", "read-only"],
)
def test_a_cluster_that_takes_nothing_is_told_and_caught_up_with(
    tmp_path: Path, cluster: Cluster, block: str, told: str
) -> None:
    with ClusterWriter(tmp_path, cluster.address) as writer:
        writer.put(page("rye"), 1)
    pages = read_state(cluster).index
    cluster.ask("PUT", f"/{pages}/_settings", {f"index.blocks.{block}": True})
    writer = ClusterWriter(tmp_path, cluster.address)
    writer.put(page("oats"), 2)
    with pytest.raises(IndexRefuses, match=told):
        writer.commit(2)
    writer.close()
    assert found(cluster) == ["rye"], "what is there answers"
    cluster.ask("PUT", f"/{pages}/_settings", {f"index.blocks.{block}": None})
    with ClusterWriter(tmp_path, cluster.address) as writer:
        assert writer.position == 0
        writer.put(page("oats"), 2)
        writer.commit(2)
    assert found(cluster) == ["oats", "rye"]


NOT_READ_YET = b'{"error": {"type": "index_not_found_exception", "reason": "no such index"}, "status": 404}'
LOST_NODE = b'{"error": {"type": "node_not_connected_exception", "reason": "Node not connected"}, "status": 500}'


def test_a_name_that_a_starting_manager_does_not_know_yet_costs_no_build(
    tmp_path: Path, cluster: Cluster, line: FlakyLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A manager that has not read its state answers 404 to a name that must be there, and waits with all else."""
    strict = f"/{cluster.address.name}?"
    with ClusterWriter(tmp_path, cluster.address) as writer:
        writer.put(page("rye"), 1)
    line.instead = lambda method, path: (404, NOT_READ_YET) if method == "GET" and path.startswith(strict) else None
    for run in ("one", "another"):
        monkeypatch.setattr(builds, "RUN", run)
        ClusterWriter(tmp_path, over(line, cluster.address)).close()
        assert found(cluster) == ["rye"]


@pytest.mark.parametrize("rebuild", [False, True], ids=["follow", "rebuild"])
def test_a_fault_that_passes_ends_no_writer_whatever_it_was_asked(
    tmp_path: Path, cluster: Cluster, line: FlakyLine, *, rebuild: bool
) -> None:
    with ClusterWriter(tmp_path, cluster.address) as writer:
        writer.put(page("rye"), 1)
    failed: set[str] = set()

    def once_each(method: str, path: str) -> tuple[int, bytes] | None:
        kind = f"{method} {path.partition('?')[0]}"
        if kind in failed:
            return None
        failed.add(kind)
        return 500, LOST_NODE

    line.instead = once_each
    with ClusterWriter(tmp_path, over(line, cluster.address), rebuild=rebuild) as writer:
        writer.put(page("oats"), 2)
        writer.commit(2)
    assert len(failed) > 5
    assert found(cluster) == ["oats"] if rebuild else ["oats", "rye"]


def test_a_follower_goes_on_after_a_manager_that_was_away_for_longer_than_a_request_is_repeated(
    tmp_path: Path, cluster: Cluster, line: FlakyLine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fill(tmp_path)
    monkeypatch.setenv(VARIABLE, str(over(line, cluster.address)))
    monkeypatch.setattr(writer_module, "WRITE_PATIENCE", 0.2)
    line.instead = lambda *_: (500, LOST_NODE)
    until = StopSignal()
    follower = threading.Thread(target=update, args=(tmp_path, until))  # as `index --follow`
    follower.start()
    try:
        wait_until(lambda: "Node not connected" in caplog.text)
    finally:
        line.instead = lambda *_: None
        until.closed.set()
        follower.join()
    assert len(versions(cluster)) == 6


def test_an_index_that_is_deleted_meanwhile_is_not_made_by_a_bulk(tmp_path: Path, cluster: Cluster) -> None:
    writer = ClusterWriter(tmp_path, cluster.address)
    writer.put(page("rye"), 1)
    pages = writer._build.pages
    cluster.ask("DELETE", f"/{pages}")
    with pytest.raises(CorruptIndex, match="deleted while it was written"):
        writer.commit(1)
    writer.close()
    assert not cluster.has(pages)
    assert not cluster.has(own_alias(pages))


def test_nobody_at_the_address_is_told_at_once_without_the_password(tmp_path: Path) -> None:
    pytest.importorskip("opensearchpy", reason="OpenSearch needs its client here")
    address = IndexAddress((("127.0.0.1", 1),), "bread", user="baker", password="secret")
    with pytest.raises(IndexUnreachable, match="does not respond") as told:
        ClusterWriter(tmp_path, address)
    assert "secret" not in str(told.value) + repr(address)
    assert "./breadcrumb index" in str(told.value)
    with pytest.raises(IndexFault):  # and the folder is free again
        ClusterWriter(tmp_path, address)


def test_a_writer_beside_a_crawl_outlasts_a_cluster_that_is_away(
    tmp_path: Path, cluster: Cluster, line: FlakyLine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fill(tmp_path)
    monkeypatch.setenv(VARIABLE, str(over(line, cluster.address)))
    line.away = True
    until = StopSignal()
    follower = threading.Thread(target=update, args=(tmp_path, until), kwargs={"wait_for_lock": True})
    follower.start()
    try:
        wait_until(lambda: "does not respond" in caplog.text)
    finally:
        line.away = False
        until.closed.set()
        follower.join()
    with CrawlDatabase(tmp_path, readonly=True) as database:
        assert read_state(cluster).position == Feed(database).last()
    assert len(versions(cluster)) == 6
