"""How does one index in a cluster hold the parts of a crawl? Each follows its own folder, when that is committed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from crawldb.database import CrawlDatabase
from crawldb.parts.division import claim_folder
from crawldb.parts.partition import Partition
from extensions.machines.opensearch.cluster import Cluster
from extensions.machines.opensearch.state import read_state
from extensions.machines.tables import keep_share
from extensions.machines.tasks.part_index import follow_committed, index_in, make_known, not_beside
from indexer.remote import VARIABLE
from tests.commands.conftest import fill
from tests.extensions.machines.opensearch.cluster_engine import ClusterEngine
from tests.forks import forked
from tests.forks_ahead import TASK
from tests.indexer.library import PAGES, QUESTIONS, RANKS, Engine, ranks_of, told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extensions.machines.opensearch.address import IndexAddress
    from indexer.retrieval.searcher import Searcher
    from tests.forks import ForkServer

PARTS = (Partition(1, 2), Partition(2, 2))


def divided(folder: Path, host: str = "") -> Engine:
    """The collection, each page in the part that owns its host; in a cluster, both parts are in one index."""
    whole = ClusterEngine(folder, host) if host else Engine(folder)
    for part in PARTS:
        engine = Engine(folder / f"part-{part.number}")
        engine.address = whole.address
        with CrawlDatabase(engine.folder) as database:
            claim_folder(database, part)
        engine.write(*(page for page in PAGES if part.owns(urlsplit(page.url).netloc)), ranks=ranks_of(RANKS))
    return whole


@pytest.fixture(scope="module")
def searchers(host: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Searcher, Searcher]]:
    """A divided crawl, asked in the folders of its parts and in a cluster."""
    here = divided(tmp_path_factory.mktemp("here"))
    there = divided(tmp_path_factory.mktemp("there"), host)
    yield here.searcher(), there.searcher()
    there.drop()


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_divided_crawl_has_the_same_results_and_reasons_in_a_cluster(
    searchers: tuple[Searcher, Searcher], question: str
) -> None:
    here, there = (searcher.search(question, 50) for searcher in searchers)
    assert told(there) == told(here)
    assert [(part.part, part.documents) for part in there.parts] == [(part.part, part.documents) for part in here.parts]


def test_the_index_of_a_crawl_is_that_of_its_words_else_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "opensearch://here/bread")
    words = ("-a", "seeds=x", "-s", "INDEX=opensearch://there/bread")
    assert (index_in(words), index_in(words[:2])) == ("opensearch://there/bread", "opensearch://here/bread")
    assert not_beside(words) == ["-s", "INDEX_FOLLOW=no"]
    monkeypatch.delenv(VARIABLE)
    assert (index_in(words[:2]), not_beside(words[:2])) == ("", [])


def followed(forks: ForkServer, folder: Path, index: str) -> str:
    """Let an index follow the committed folder of a part, as a task does; return the error message, or ""."""
    done = forked(forks, TASK, str(folder), index, entry=f"{__name__}:follow")
    assert done.returncode == 0, done.stderr
    return done.stdout


def follow(words: list[str]) -> None:
    """Do that in this process, and print what it returns."""
    print(follow_committed(Path(words[1]), words[2]), end="")


@pytest.mark.slow
def test_a_part_is_followed_from_whichever_machine_its_folder_is_on(
    tmp_path: Path, address: IndexAddress, forks: ForkServer
) -> None:
    folder = tmp_path / "one machine" / "part-1"
    fill(folder)
    with CrawlDatabase(folder) as database, database.transaction() as connection:
        connection.execute("INSERT INTO part VALUES (1, 1, 2)")
    make_known(folder)
    stored = tmp_path / "another" / "part-1"
    shutil.copytree(folder, stored)
    for place in (folder, stored):
        assert followed(forks, place, str(address)) == ""
    cluster = Cluster(address)
    assert [(one.part, one.generation) for one in read_state(cluster).parts] == [("1/2", 1)]
    cluster.close()
    told = followed(forks, stored, "opensearch://127.0.0.1:1/bread")
    assert "its index is behind" in told
    assert "the next turn of its part adds them" in told
    assert "the cluster does not respond" in told


@pytest.mark.slow
def test_when_a_crawl_is_split_an_index_of_its_new_parts_takes_the_place_of_the_old_one(
    tmp_path: Path, address: IndexAddress, forks: ForkServer
) -> None:
    one, two, three = (tmp_path / f"part-{number}" for number in (1, 2, 3))
    fill(one)
    for number, folder in ((1, one), (2, two)):
        with CrawlDatabase(folder) as database, database.transaction() as connection:
            connection.execute("INSERT INTO part VALUES (1, ?, 2)", (number,))
        make_known(folder)
        assert followed(forks, folder, str(address)) == ""
    shutil.copytree(one, three)
    cluster = Cluster(address)
    pages = counted_pages(cluster)
    for number, folder in ((1, one), (2, two), (3, three)):
        labels = [part.part for part in read_state(cluster).parts]
        assert labels == ["1/2", "2/2"], "until all parts are in the new one, searches go on in the old"
        with CrawlDatabase(folder) as database:
            keep_share(database, Partition(number, 3, (2,)))
        assert followed(forks, folder, str(address)) == ""
    assert [part.part for part in read_state(cluster).parts] == ["1/3", "2/3", "3/3"]
    assert counted_pages(cluster) == pages > 1
    assert followed(forks, three, str(address)) == ""
    assert counted_pages(cluster) == pages
    cluster.close()


def counted_pages(cluster: Cluster) -> int:
    cluster.ask("POST", f"/{cluster.address.name}/_refresh")
    return int(cluster.ask("GET", f"/{cluster.address.name}/_count")["count"])
