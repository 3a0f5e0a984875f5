"""Do the commands work on an index in a cluster as on one in the folder? A crawl is indexed, changed, kept."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from crawldb.pages.feed import Feed
from extensions.machines.opensearch.cluster import Cluster
from extensions.machines.opensearch.state import read_state
from indexer.remote import VARIABLE
from indexer.segments.generation import index_exists, indexed_position, is_ahead
from reports.health import changes_to_index
from tests.commands.conftest import HOST, crawled, empty, filled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extensions.machines.opensearch.address import IndexAddress
    from tests.commands.conftest import Breadcrumb

__all__ = ["crawled", "empty", "filled"]  # fixtures of the commands


@pytest.fixture
def cluster(address: IndexAddress, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """The cluster of an index that all commands of the test mean."""
    monkeypatch.setenv(VARIABLE, str(address))
    found = Cluster(address)
    yield found
    found.close()


def pages_in(cluster: Cluster) -> set[str]:
    query = {"query": {"match_all": {}}, "size": 100}
    hits = cluster.ask("POST", f"/{cluster.address.name}/_search", query)["hits"]["hits"]
    return {hit["_source"]["url"].removeprefix(HOST) for hit in hits}


def test_what_is_crawled_blocked_and_forgotten_is_so_in_the_cluster(crawled: Breadcrumb, cluster: Cluster) -> None:
    assert (index_exists(crawled.data), indexed_position(crawled.data)) == (False, -1)
    done = json.loads(crawled.run("index", "--json").out)
    assert (done["put"], done["documents"], done["complete"]) == (6, 6, True)
    assert not (crawled.data / "index" / "current.json").exists()
    assert index_exists(crawled.data)
    before = pages_in(cluster)
    assert {"/rye.html", "/brot.html"} < before
    blocked = crawled.run("block", f"{HOST}/rye.html")
    assert "The index is up to date." in blocked.out
    assert pages_in(cluster) == before - {"/rye.html"}
    assert "The index is up to date" in crawled.run("forget", f"{HOST}/brot.html").out
    assert pages_in(cluster) == before - {"/rye.html", "/brot.html"}
    assert "No changes: the index holds 4 documents." in crawled.run("index").out
    assert "the index holds 4 documents." in crawled.run("index", "--rebuild").out
    assert pages_in(cluster) == before - {"/rye.html", "/brot.html"}
    with CrawlDatabase(crawled.data, readonly=True) as database:
        assert changes_to_index(crawled.data, database) == 0
        assert not is_ahead(crawled.data, Feed(database))


def test_an_index_that_is_ahead_of_its_crawl_is_made_anew(crawled: Breadcrumb, cluster: Cluster) -> None:
    crawled.run("index")
    with CrawlDatabase(crawled.data) as database, database.transaction() as connection:
        connection.execute("DELETE FROM change WHERE seq > 2")  # the database of an older copy
    with CrawlDatabase(crawled.data, readonly=True) as database:
        assert is_ahead(crawled.data, Feed(database))
    crawled.run("index")
    assert len(pages_in(cluster)) == 2


def test_a_snapshot_brings_the_index_back(crawled: Breadcrumb, cluster: Cluster) -> None:
    repository = cluster.address.name
    refused = crawled.run("index", "--snapshot", repository)
    assert (refused.code, f"knows no repository {repository!r}" in refused.err) == (2, True)
    cluster.ask("PUT", f"/_snapshot/{repository}", {"type": "fs", "settings": {"location": repository}})
    kept = json.loads(crawled.run("index", "--snapshot", repository, "--json").out)["snapshot"]
    before = pages_in(cluster)
    cluster.ask("DELETE", f"/{','.join(read_state(cluster).build.all)}")
    assert not index_exists(crawled.data)
    cluster.ask("POST", f"/_snapshot/{repository}/{kept}/_restore", wait_for_completion=True)  # docs/opensearch.md
    assert pages_in(cluster) == before
    assert "No changes: the index holds 6 documents." in crawled.run("index").out
    cluster.ask("DELETE", f"/_snapshot/{repository}/{kept}")
    cluster.ask("DELETE", f"/_snapshot/{repository}")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ("-s", "INDEX=http://localhost/x"),
            "an index is kept in the data folder, in a folder that Whoosh wrote (whoosh:FOLDER) or at opensearch://",
        ),
        (("-s", "INDEX=opensearch://me:secret@localhost/Bread"), "'Bread' is no name of an index"),
        (("-s", "INDEX=opensearch://localhost:99999/bread"), "a port from 1 to 65535"),
        (("--snapshot", "backup"), "INDEX names none"),
        (("--meaning", "-s", "INDEX=opensearch://127.0.0.1:1/bread"), "only where the index is in the data folder"),
        (
            ("-s", "INDEX=opensearch://me:secret@127.0.0.1:1/bread"),
            "opensearch://127.0.0.1:1/bread: the cluster does not",
        ),
    ],
)
def test_what_can_not_be_is_said_without_the_password(
    crawled: Breadcrumb, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], told: str
) -> None:
    pytest.importorskip("opensearchpy", reason="the client of OpenSearch is not installed (requirements-cluster.lock)")
    monkeypatch.setenv(VARIABLE, "")  # and back, after -s INDEX
    done = crawled.run("index", *words)
    assert (done.code, done.out, told in done.err) == (2, "", True), done.err
    assert "secret" not in done.err
