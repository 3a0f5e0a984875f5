"""A crawl in two parts into one index of a cluster, by `farm` and by `cluster`: it answers as the parts' folders do."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest

from crawldb.parts.partition import Partition
from extensions.machines.jobs.pagerank import rank_all
from extensions.machines.store.versions import Versions
from extensions.machines.tasks.part_change import PartsInStore
from extensions.machines.tasks.places import PartsInFolder
from indexer import open_index
from indexer.following import StopSignal, update
from indexer.remote import VARIABLE, configured_index
from tests.extensions.machines.journey.test_cluster import HOSTS, PAGES, ring
from tests.forks import ForkServer, fork
from tests.indexer.library import told
from tests.journey.conftest import served_site

if TYPE_CHECKING:
    from pathlib import Path

    from extensions.machines.opensearch.address import IndexAddress

QUESTIONS = ("story", "host1 story number 2", '"only the neighbour"', "intitle:hidden")


def done(forks: ForkServer, *words: str) -> None:
    """Let a command end well."""
    with fork(forks, *words) as command:
        _, said = command.communicate()
        assert command.returncode == 0, said


def answers(folder: Path) -> list[dict[str, Any]]:
    """What each question finds, but for the times of fetches; equal ones stand as they were fetched."""
    found = [told(open_index(folder).search(question, 50)) for question in QUESTIONS]
    for one in found:
        one["hits"] = sorted(({**hit, "dates": "", "rank": 0} for hit in one["hits"]), key=lambda hit: hit["url"])
    return found


@pytest.mark.slow
def test_a_crawl_in_parts_answers_from_a_cluster_as_from_its_folders(
    address: IndexAddress, forks: ForkServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    farm, store = tmp_path / "farm", ("--store", str(tmp_path / "store"))
    with served_site() as site:
        ring(site)
        seeds = ",".join(f"http://{host}:{site.port}/p0" for host in HOSTS)
        done(forks, "farm", "-n", "2", "-s", f"DATA_DIR={farm}", "-s", f"INDEX={address}", seeds)
        index = ("-s", f"INDEX={address}-store")
        done(forks, "cluster", "--master", "processes[2]", *store, *index, "--parts", "2", seeds)
    found = {}
    for name in (f"{address}", f"{address}-store"):
        monkeypatch.setenv(VARIABLE, name)
        found[name] = answers(tmp_path)
    sent = pickle.dumps(PartsInStore(store[1], Versions.here()))
    monkeypatch.setenv(VARIABLE, "")  # as where an executor runs
    assert pickle.loads(sent).ask(Partition(1, 2), lambda _: f"{configured_index()}") == f"{address}-store"
    monkeypatch.setenv(VARIABLE, "")
    until = StopSignal()
    until.closed.set()
    for number in (1, 2):
        update(farm / f"part-{number}", until)
    rank_all(PartsInFolder(farm))
    here = answers(farm)
    assert here[0]["total"] == PAGES * len(HOSTS)
    assert found == dict.fromkeys(found, here)
