"""Jobs on a store read and change a partition under an epoch, and every command works on the whole store."""

from __future__ import annotations

import json
import os
from argparse import Namespace
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commands.frame.command_settings import CommandSettings
from commands.frame.exits import DONE, CommandError
from extensions.machines.cluster_jobs import run_job
from extensions.machines.engines.processes import Processes
from extensions.machines.jobs.each_part import PartsFailed, change_each, reparse_all
from extensions.machines.jobs.fetching import BEING_FETCHED, fetch_all
from extensions.machines.jobs.pagerank import rank_all
from extensions.machines.store.objects import StoreError
from extensions.machines.store.shared_store import SharedStore
from extensions.machines.store.versions import Versions
from extensions.machines.tasks.part_change import PartsInStore
from extensions.machines.tasks.places import PartChange, PartsInFolder
from indexer import open_index
from indexer.remote import VARIABLE
from tests.extensions.machines.jobs.divided import PARTS, a_web, crawl, put_into_store
from tests.extensions.machines.standalone import needs_spark

if TYPE_CHECKING:
    from extensions.machines.engines.spark import SparkTasks

LEASE = 0.02


@pytest.fixture
def place(tmp_path: Path) -> PartsInStore:
    """A store with a crawl in three parts, as a first stage has left it."""
    crawl(tmp_path / "made", PARTS, a_web())
    put_into_store(str(tmp_path / "store"), tmp_path / "made", PARTS)
    return PartsInStore(str(tmp_path / "store"), Versions.here(), LEASE, str(tmp_path / "scratch"))


def words(place: PartsInStore, **given: str) -> Namespace:
    """What the command was given."""
    return Namespace(
        **{"seeds": "", "store": place.store, "master": "", "lease": LEASE, "scratch": "", "job": None, "fetch": None}
        | given
    )


def answers(data_dir: Path) -> list[tuple[str, float]]:
    return [(hit.url, hit.score) for hit in open_index(data_dir).search("rye", limit=50).hits]


def test_what_a_job_did_is_in_the_store_and_fetched_from_there(place: PartsInStore, tmp_path: Path) -> None:
    told: list[str] = []
    fetch_all(place, tmp_path / "before", told.append)
    assert answers(tmp_path / "before") == answers(tmp_path / "made")
    assert len(told) == len(PARTS)
    assert rank_all(place) == rank_all(PartsInFolder(tmp_path / "made"))
    newest = SharedStore.open(place.store).newest()
    assert {(each.term, each.base, each.stage, each.ending) for each in newest.values()} == {(2, 1, 1, "finished")}
    fetch_all(place, tmp_path / "before", told.append)
    assert answers(tmp_path / "before") == answers(tmp_path / "made"), "with the ranks over all parts"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="holds something else"):
        fetch_all(place, tmp_path / "mine", told.append)
    assert list((tmp_path / "scratch").iterdir()) == []


def test_what_was_fetched_from_another_store_is_left_as_it_is(place: PartsInStore, tmp_path: Path) -> None:
    out, first, moved = tmp_path / "out", Path(place.store), tmp_path / "moved"
    assert run_job(words(replace(place, store=str(first)), fetch=str(out)), CommandSettings()) == DONE
    first.rename(moved)
    assert run_job(words(replace(place, store=str(moved)), fetch=str(out)), CommandSettings()) == DONE, (
        "it is the same store at another address"
    )
    before = sorted(out.rglob("*"))
    SharedStore.make(str(first), 2)
    with pytest.raises(CommandError, match=r"from another store, .*/moved, and this one is .*/store: give an empty"):
        run_job(words(replace(place, store=str(first)), fetch=str(out)), CommandSettings())
    (out / BEING_FETCHED).write_text("Fetched out of a store; the next fetch takes its place.\n")
    with pytest.raises(CommandError, match="from a store that is not noted there"):
        run_job(words(replace(place, store=str(moved)), fetch=str(out)), CommandSettings())
    assert sorted(out.rglob("*")) == before
    assert answers(out) == answers(tmp_path / "made")


def test_a_store_of_an_earlier_version_is_known_by_its_address_and_parts(place: PartsInStore, tmp_path: Path) -> None:
    about = tmp_path / "store" / "store.json"
    about.write_text(
        json.dumps({name: value for name, value in json.loads(about.read_bytes()).items() if name != "nonce"})
    )
    for _ in range(2):
        fetch_all(place, tmp_path / "out", lambda _: None)
    about.write_text(about.read_text().replace('"parts": 3', '"parts": 2'))
    with pytest.raises(FileExistsError, match="another store"):
        fetch_all(place, tmp_path / "out", lambda _: None)


def test_the_command_does_a_job_and_fetches(
    place: PartsInStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_job(words(place, job="pagerank", fetch=str(tmp_path / "out")), CommandSettings()) == DONE
    told = capsys.readouterr()
    assert "cluster: PageRank over all parts: 60 pages, " in told.err
    assert ", with those known from links alone, and " in told.err
    assert f"./breadcrumb report --data {tmp_path / 'out'}" in told.out
    rank_all(PartsInFolder(tmp_path / "made"))
    assert answers(tmp_path / "out") == answers(tmp_path / "made")
    with pytest.raises(CommandError, match="leave the seeds out"):
        run_job(words(place, seeds="x", job="copies"), CommandSettings())


def damaged(place: PartsInStore, part: int) -> None:
    """Let the only folder of a part in the store be another one than was written."""
    for path in (Path(place.store) / "parts" / f"{part:04}" / "folders").rglob("crawl.sqlite3*"):
        path.write_bytes(b"damaged")


@pytest.mark.slow
def test_each_part_has_a_process_and_one_that_fails_is_named(place: PartsInStore) -> None:
    damaged(place, 2)
    with closing(Processes(3)) as runner, pytest.raises(PartsFailed) as fault:
        change_each(place, dict.fromkeys(place.parts, PartChange(os.path.basename)), runner)
    assert str(fault.value).startswith("part 2/3 of ")
    assert "A crawl of the store fetches it again" in str(fault.value)
    assert {part: each.term for part, each in SharedStore.open(place.store).newest().items()} == {1: 2, 2: 1, 3: 2}
    with pytest.raises(CommandError, match=r"^part 2/3 of "):  # exit code 2
        run_job(words(place, job="pagerank"), CommandSettings())


@pytest.mark.long
@needs_spark
def test_spark_reads_all_parts_again_side_by_side(place: PartsInStore, spark_here: SparkTasks) -> None:
    damaged(place, 2)
    told: list[str] = []
    with pytest.raises(PartsFailed, match=r"^part 2/3 of .* is fetched again"):
        reparse_all(place, (), told.append, spark_here)
    assert {line.partition(":")[0] for line in told} == {"part 1/3", "part 3/3"}
    assert {part: each.term for part, each in SharedStore.open(place.store).newest().items()} == {1: 2, 2: 1, 3: 2}


def test_what_fails_changes_nothing(place: PartsInStore) -> None:
    def fail(folder: Path) -> None:
        (folder / "crawl.sqlite3").write_bytes(b"half")
        raise ValueError("this went wrong")

    store, part = SharedStore.open(place.store), PARTS[0]
    with pytest.raises(ValueError, match="this went wrong"):
        place.change(part, PartChange(fail))
    assert (store.newest()[1].term, store.terms(1).newest()) == (1, 2)
    assert place.ask(part, lambda folder: (folder / "crawl.sqlite3").read_bytes()[:6]) == b"SQLite"


@pytest.mark.parametrize(("index", "known"), [("", 1), ("opensearch://127.0.0.1:9/elsewhere", 2)])
def test_an_index_elsewhere_follows_what_is_committed_and_no_sooner(
    index: str, known: int, place: PartsInStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "")
    store, seen = SharedStore.open(place.store), list[int]()
    followed = PartChange(index=lambda _: seen.append(store.newest()[1].term))
    replace(place, index=index).change(PARTS[0], followed)
    assert seen == [known]
    assert store.newest()[1].term == 2


def test_a_store_without_the_part_and_another_version_are_refused(place: PartsInStore, tmp_path: Path) -> None:
    SharedStore.make(str(tmp_path / "empty"), 3)
    with pytest.raises(StoreError, match="nothing was put into the store yet"):
        PartsInStore(str(tmp_path / "empty"), Versions.here(), LEASE).ask(PARTS[0], str)
    with pytest.raises(StoreError, match="another version of Breadcrumb"):
        replace(place, versions=replace(Versions.here(), breadcrumb="older")).ask(PARTS[0], str)
