"""The contract of each storage: a folder and S3 pass the same tests. Another storage has to pass all of them."""

from __future__ import annotations

import errno
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from extensions.machines.store.objects import ASIDE, FolderObjects, StoreError
from extensions.machines.store.shared_store import objects_at
from tests.extensions.machines.s3_server import BUCKET, S3Server

if TYPE_CHECKING:
    from pathlib import Path

WRITERS, NAMES = 4, 6


def test_what_is_written_is_read_and_listed(place: str, tmp_path: Path) -> None:
    objects = objects_at(place)
    assert (objects.read("a/b"), objects.names("a"), objects.names(""), objects.below("a")) == (None, [], [], [])
    assert objects.create("a/b", b"one") == b"one"
    objects.replace("a/c", b"two")
    objects.replace("a/c", b"three")
    (tmp_path / "file").write_bytes(bytes(range(256)) * 40)
    objects.put(tmp_path / "file", "a/d/e")
    assert objects.get("a/d/e", tmp_path / "new" / "copy")
    assert (tmp_path / "new" / "copy").read_bytes() == (tmp_path / "file").read_bytes()
    assert not objects.get("a/d/f", tmp_path / "none")
    assert (objects.read("a/b"), objects.read("a/c")) == (b"one", b"three")
    assert (objects.names("a"), objects.names("")) == (["b", "c", "d"], ["a"])
    assert objects.below("a") == ["a/b", "a/c", "a/d/e"]
    objects.remove("a/d/e")
    objects.remove("a/d/e")
    assert (objects.below("a"), objects.names("a")) == (["a/b", "a/c"], ["b", "c"])


def test_of_all_who_write_a_new_name_at_once_one_succeeds_and_all_learn_which(place: str) -> None:
    everyone = threading.Barrier(WRITERS)

    def write(who: int) -> list[bytes]:
        objects, held = objects_at(place), []
        for number in range(NAMES):
            everyone.wait()
            held.append(objects.create(f"terms/{number}", f"{who}".encode() * 2000))
        return held

    with ThreadPoolExecutor(WRITERS) as pool:
        found = list(pool.map(write, range(WRITERS)))
    objects = objects_at(place)
    for number in range(NAMES):
        assert {held[number] for held in found} == {objects.read(f"terms/{number}")}


def test_what_is_being_written_is_not_listed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / f"{ASIDE}1").write_bytes(b"half of")
    objects = FolderObjects(tmp_path)
    assert (objects.names("a"), objects.below("a")) == ([], [])


def test_a_link_whose_answer_was_lost_counts_as_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = os.link

    def answer_lost(source: Path, target: Path) -> None:
        link(source, target)
        raise FileExistsError(errno.EEXIST, "File exists")  # what NFS says of a request that it gets a second time

    monkeypatch.setattr(os, "link", answer_lost)
    assert FolderObjects(tmp_path).create("a", b"mine") == b"mine"


@pytest.mark.parametrize(
    ("refusal", "cure"),
    [("full", "has reached its quota"), ("forbidden", "let this key or user list, read and write there")],
)
def test_an_s3_that_takes_nothing_is_told_with_what_it_said(s3: S3Server, refusal: str, cure: str) -> None:
    objects = objects_at(f"s3://{BUCKET}/refused")
    s3.behave(refusal=refusal)
    with pytest.raises(StoreError, match=f"(?s)the store s3://{BUCKET}/refused could not write a: .*{cure}"):
        objects.create("a", b"1")
    s3.behave()
    assert objects.read("a") is None


def test_a_bucket_that_is_not_there_is_told(s3: S3Server) -> None:
    assert s3.environment
    objects = objects_at("s3://nobodys-bucket/crawl")
    for act in (lambda: objects.read("a"), lambda: objects.names(""), lambda: objects.create("a", b"1")):
        with pytest.raises(StoreError, match="is there such a bucket or folder"):
            act()


def test_a_storage_that_can_t_decide_between_writers_is_refused() -> None:
    with pytest.raises(
        StoreError,
        match="Breadcrumb does not know how memory:// gives a name to one writer alone; give a folder, or s3",
    ):
        objects_at("memory://crawl")


def test_a_folder_that_can_t_be_written_is_told_with_what_would_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreError, match=r"could not write a/b: Not a directory; a file stands there: give a folder"):
        FolderObjects(tmp_path / "file").create("a/b", b"")
    assert FolderObjects(tmp_path / "file").read("a/b") is None


def test_a_folder_may_be_given_as_a_uri(tmp_path: Path) -> None:
    objects_at(f"file://{tmp_path}").create("a", b"1")
    assert (tmp_path / "a").read_bytes() == b"1"
