"""How does one index in a cluster hold the parts of a crawl? Each follows its own folder, when that is committed."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from cluster.part_index import follow_committed, index_in, make_known, not_beside
from crawldb.database import CrawlDatabase
from indexer.opensearch.address import VARIABLE
from indexer.opensearch.cluster import Cluster
from indexer.opensearch.state import read_state
from tests.commands.conftest import fill

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from indexer.opensearch.address import IndexAddress


def test_the_index_of_a_crawl_is_that_of_its_words_else_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "opensearch://here/bread")
    words = ("-a", "seeds=x", "-s", "INDEX=opensearch://there/bread")
    assert (index_in(words), index_in(words[:2])) == ("opensearch://there/bread", "opensearch://here/bread")
    assert not_beside(words) == ["-s", "INDEX_FOLLOW=no"]
    monkeypatch.delenv(VARIABLE)
    assert (index_in(words[:2]), not_beside(words[:2])) == ("", [])


def test_a_part_is_followed_from_whichever_machine_its_folder_is_on(tmp_path: Path, address: IndexAddress) -> None:
    folder = tmp_path / "one machine" / "part-1"
    fill(folder)
    with CrawlDatabase(folder) as database, database.transaction() as connection:
        connection.execute("INSERT INTO part VALUES (1, 1, 2)")
    make_known(folder)
    stored = tmp_path / "another" / "part-1"
    shutil.copytree(folder, stored)
    for place in (folder, stored):
        assert follow_committed(place, str(address)) == ""
    cluster = Cluster(address)
    assert [(one.part, one.generation) for one in read_state(cluster).parts] == [("1/2", 1)]
    cluster.close()
    told = follow_committed(stored, "opensearch://127.0.0.1:1/bread")
    assert "behind, until its next turn" in told
    assert "does not answer" in told
