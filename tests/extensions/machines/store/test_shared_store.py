"""Is a store found as it was left, and does the error for any other folder say what would work?"""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import pytest

from commands.frame.data_folder import other_folders
from extensions.machines.store.epochs import EpochOver
from extensions.machines.store.objects import StoreError
from extensions.machines.store.outcomes import EpochOutcome, MessageFile, StoredFile
from extensions.machines.store.remote import RemoteObjects
from extensions.machines.store.shared_store import ABOUT, SharedStore, objects_at
from extensions.machines.store.versions import Versions
from extensions.machines.tasks.task import Task, TaskFailed, TaskRefused, crawl_part
from tests.extensions.machines.s3_server import BUCKET
from urls.wording import counted

if TYPE_CHECKING:
    from pathlib import Path

    from tests.extensions.machines.s3_server import S3Server

PARTS = 3


def outcome(part: int, term: int, stage: int, letters: int = 0, base: int = 0) -> EpochOutcome:
    file = StoredFile(f"parts/{part:04}/letters/{term:06}-x", 9, "0" * 64)
    sent = MessageFile(part, term, file, 0, letters, letters, (2,))
    files = {"crawl.sqlite3": replace(file, name="there")}
    return EpochOutcome(part, term, stage, "finished", base, 1000.0, 1, {"pages": term}, sent, files, ("told",))


def commit(store: SharedStore, part: int, stage: int, letters: int = 0) -> None:
    term = store.terms(part).claim("somebody", 600.0)
    term.commit(outcome(part, term.number, stage, letters).as_json())


def test_a_store_is_found_as_it_was_left(place: str) -> None:
    made = SharedStore.make(place, PARTS)
    assert (made.newest(), made.last_stage(), made.stage(0), made.is_stopped(1)) == ({}, 0, {}, False)
    commit(made, 1, 1, letters=2)
    made.terms(1).claim("who fails", 600.0).give_up("no reason")
    commit(made, 2, 1)
    assert made.begin_stage(1, {1: 1, 2: 1})
    assert not made.begin_stage(1, {1: 3}), "another driver has written it"
    commit(made, 1, 2, letters=3)
    made.begin_stage(2, {1: 3, 2: 1})
    made.stop_stage(2)
    store = SharedStore.open(place)
    assert (store.parts, store.made_by, store.last_stage()) == (PARTS, Versions.here(), 2)
    assert (store.stage(1), store.stage(2)) == ({1: 1, 2: 1}, {1: 3, 2: 1})
    assert (store.is_stopped(1), store.is_stopped(2)) == (False, True)
    assert store.newest() == {1: outcome(1, 3, 2, 3), 2: outcome(2, 1, 1)}
    assert [each.term for each in store.committed(1)] == [3, 1]
    assert [(file.sender, file.term) for file in store.message_files(0, 1)] == [(1, 1)]
    assert [(file.sender, file.term) for file in store.message_files(1, 2)] == [(1, 3)]
    assert [(file.sender, file.term) for file in store.message_files(0, 2)] == [(1, 1), (1, 3)]


def test_an_s3_that_gives_a_name_twice_is_refused_before_anything_is_written(s3: S3Server) -> None:
    place = f"s3://{BUCKET}/{secrets.token_hex(4)}"
    s3.behave(unconditional=True)
    with pytest.raises(StoreError, match=r"let a second writer overwrite .* Give S3 with conditional writes"):
        SharedStore.make(place, PARTS)
    objects = RemoteObjects(place)
    assert objects.read(ABOUT) is None
    assert objects._system.find(objects._root) == [], "what it was tried with is gone"
    s3.behave()
    SharedStore.make(place, PARTS)


def test_a_store_of_another_number_of_parts_is_refused(tmp_path: Path) -> None:
    SharedStore.make(str(tmp_path), PARTS)
    with pytest.raises(StoreError, match=r"holds a crawl in 3 parts, which can't continue in 4: leave the number out"):
        SharedStore.make(str(tmp_path), 4)


@pytest.mark.parametrize("parts", [0, 1, 4097])
def test_a_number_of_parts_that_can_t_be_is_refused_before_anything_is_written(tmp_path: Path, parts: int) -> None:
    with pytest.raises(StoreError, match=f"{counted(parts, 'part')}: give 2 to 4,096"):
        SharedStore.make(str(tmp_path / "store"), parts)
    assert not (tmp_path / "store").exists()


def test_a_folder_of_other_things_is_no_place_for_a_store(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(StoreError, match=r"holds something else \(thesis.tex\): give an empty place"):
        SharedStore.make(str(tmp_path), PARTS)
    with pytest.raises(StoreError, match=r"no crawl: ./breadcrumb cluster --master .* --store .* SEEDS begins one"):
        SharedStore.open(str(tmp_path))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "is not as it was written"),
        ("[]", "is not as it was written"),
        ('{"format": 1}', "is not as it was written"),
        ('{"format": 2, "parts": 3, "versions": {"schema": 1}}', "of a newer Breadcrumb (format 2, schema 1)"),
        ('{"format": 1, "parts": 3, "versions": {"schema": 10000}}', "of a newer Breadcrumb (format 1, schema 10000)"),
    ],
)
def test_a_store_that_can_t_be_read_is_told(tmp_path: Path, content: str, told: str) -> None:
    (tmp_path / "store.json").write_text(content)
    with pytest.raises(StoreError, match=re.escape(told)):
        SharedStore.open(str(tmp_path))


def test_an_outcome_or_a_stage_that_is_damaged_is_told_by_its_name(tmp_path: Path) -> None:
    store = SharedStore.make(str(tmp_path), PARTS)
    commit(store, 1, 1)
    store.begin_stage(1, {1: 1})
    for name, told in (
        ("stages/000001.json", "stages/000001.json"),
        ("parts/0001/terms/000001.outcome", "outcome 1 of"),
    ):
        (tmp_path / name).write_text(json.dumps({"kind": "committed", "part": 1}))
        with pytest.raises(StoreError, match=told):
            store.message_files(0, 1)
        (tmp_path / name).write_text(json.dumps({"terms": {"1": 1}}))


def test_a_storage_that_is_slower_than_the_lease_costs_the_term(s3: S3Server) -> None:
    term = SharedStore.make(f"s3://{BUCKET}/slow", PARTS).terms(1).claim("one", 0.4)
    s3.behave(seconds=0.5)
    with pytest.raises(EpochOver, match="ran out before it was renewed"):
        term.renew()


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"python": "3.99"}, "has Python 3.11, and here it is 3.99: let both have the same"),
        ({"breadcrumb": "abc"}, "has another version of Breadcrumb (its code is "),
    ],
)
def test_a_machine_with_other_versions_does_nothing(tmp_path: Path, other: dict[str, str], told: str) -> None:
    store = SharedStore.make(str(tmp_path), PARTS)
    task = Task(str(tmp_path), 1, 1, (), replace(Versions.here(), **other))  # type: ignore[arg-type]  # both are texts
    with pytest.raises(TaskFailed, match="the executor on ") as failure:
        crawl_part(task, ())
    assert told.replace("3.11", Versions.here().python) in str(failure.value)
    assert store.terms(1).newest() == 0
    assert Versions(**asdict(Versions.here())) == Versions.here()


@pytest.mark.slow
def test_a_crawl_that_can_t_begin_gives_its_term_up_with_its_last_words(tmp_path: Path) -> None:
    store = SharedStore.make(str(tmp_path / "store"), PARTS)
    task = Task(store.objects.uri, 2, 1, ("-a", "mode=sometimes"), Versions.here(), scratch=str(tmp_path / "scratch"))
    with pytest.raises(TaskRefused, match=r"crawl: .*sometimes"):  # no other turn could help, of no part
        crawl_part(task, ())
    assert "sometimes" in (store.terms(2).outcome(1) or {})["reason"]
    assert not list((tmp_path / "scratch").iterdir()), "nothing of it is left on this machine"
    assert objects_at(store.objects.uri).names("parts/0002") == ["terms"]


def test_who_looks_into_the_store_of_a_cluster_is_told_how_to_bring_it_here(tmp_path: Path) -> None:
    store = tmp_path / "my store"
    SharedStore.make(str(store), 2)
    (told,) = other_folders("search", ["rye"], store)
    assert f"./breadcrumb cluster --store '{store}' --fetch FOLDER brings it into a data folder" in told
