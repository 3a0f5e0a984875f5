"""Does a folder come out of the store as it went in, or not at all? Files are damaged, removed, written too late."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from crawldb.exchange import ForeignUrl
from crawldb.parts.mailbox import Outbox
from crawldb.parts.partition import Partition
from extensions.machines.store.objects import StoreError
from extensions.machines.store.outcomes import EpochOutcome, MessageFile
from extensions.machines.store.part_folders import fetch, put_back, remove_old, stored_as
from extensions.machines.store.shared_store import SharedStore
from extensions.machines.tables import number_messages_above
from extensions.machines.tasks.messages import read_messages, write_messages
from urls.canonical import canonicalize
from urls.records import FoundBy

if TYPE_CHECKING:
    from collections.abc import Iterator

PART = 1


@pytest.fixture
def store(place: str) -> SharedStore:
    return SharedStore.make(place, 2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "part"
    (made / "index").mkdir(parents=True)
    (made / "crawl.sqlite3").write_bytes(b"first")
    (made / "index" / "segment").write_bytes(b"never changes")
    (made / "crawl.lock").write_text("42")
    (made / "crawl.sqlite3-wal").write_bytes(b"")
    return made


def commit(store: SharedStore, folder: Path, base: EpochOutcome | None) -> EpochOutcome:
    """Put a folder back in a term of its own."""
    term = store.terms(PART).claim("somebody", 600.0)
    files = put_back(store, PART, term.number, folder, base)
    letters = MessageFile(PART, term.number, next(iter(files.values())), 0, 10 * term.number, 0, ())
    outcome = EpochOutcome(
        PART, term.number, term.number, "finished", base.term if base else 0, 0.0, 1, {}, letters, files
    )
    term.commit(outcome.as_json())
    return outcome


def in_three_terms(store: SharedStore, folder: Path) -> list[EpochOutcome]:
    found: list[EpochOutcome] = []
    for content in (b"first", b"second", b"third"):
        (folder / "crawl.sqlite3").write_bytes(content)
        found.append(commit(store, folder, found[-1] if found else None))
    return found


def content_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_newest_is_fetched_and_what_did_not_change_is_stored_once(
    store: SharedStore, folder: Path, tmp_path: Path
) -> None:
    first, second, third = in_three_terms(store, folder)
    fetched = fetch(store, PART, tmp_path / "fetched")
    assert (fetched.outcome, fetched.told, fetched.last_letter) == (third, (), 30)
    assert content_of(tmp_path / "fetched") == {"crawl.sqlite3": b"third", "index/segment": b"never changes"}
    assert third.files["index/segment"] == first.files["index/segment"]
    for each, base in ((first, None), (second, first), (third, second)):
        remove_old(store, each, base)
    kept = {file.name for each in (second, third) for file in each.files.values()}
    assert set(store.objects.below("parts/0001/folders")) == kept, "the newest and the one before it"


def test_who_tidies_up_an_hour_late_removes_nothing_that_anybody_needs(store: SharedStore, folder: Path) -> None:
    first, second, third = in_three_terms(store, folder)
    remove_old(store, third, second)
    before = store.objects.below("parts/0001/folders")
    (folder / "half").write_bytes(b"what a fourth is just writing")
    put_back(store, PART, 4, folder, third)
    during = store.objects.below("parts/0001/folders")
    remove_old(store, second, first)
    assert store.objects.below("parts/0001/folders") == during
    assert set(before) < set(during)


def damaged(store: SharedStore, outcome: EpochOutcome, how: str) -> None:
    name = outcome.files["crawl.sqlite3"].name
    content = store.objects.read(name) or b""
    store.objects.remove(name)
    if how != "removed":
        store.objects.replace(name, {"cut": content[:-1], "turned": content[:-1] + b"?"}[how])


@pytest.mark.parametrize("how", ["removed", "cut", "turned"])
def test_of_a_damaged_folder_the_one_before_is_taken_and_that_is_told(
    store: SharedStore, folder: Path, tmp_path: Path, how: str
) -> None:
    _, second, third = in_three_terms(store, folder)
    damaged(store, third, how)
    fetched = fetch(store, PART, tmp_path / "fetched")
    assert fetched.outcome == second
    assert content_of(tmp_path / "fetched")["crawl.sqlite3"] == b"second"
    assert fetched.last_letter == 30, "what the lost folder wrote to others had these numbers"
    [told] = fetched.told
    assert told.startswith("part 1: what term 3 had stored is damaged (parts/0001/folders/000003-")
    assert "what came after is fetched again" in told


def test_where_nothing_is_whole_the_part_begins_anew(store: SharedStore, folder: Path, tmp_path: Path) -> None:
    for each in in_three_terms(store, folder):
        damaged(store, each, "cut")
    fetched = fetch(store, PART, tmp_path / "fetched")
    assert (fetched.outcome, len(fetched.told), content_of(tmp_path / "fetched")) == (None, 3, {})


def test_an_outcome_that_names_a_file_elsewhere_writes_nothing_there(tmp_path: Path, folder: Path) -> None:
    store = SharedStore.make(str(tmp_path / "store"), 2)
    outcome = commit(store, folder, None)
    found = outcome.as_json()
    found["files"]["../escaped"] = found["files"].pop("crawl.sqlite3")
    (tmp_path / "store/parts/0001/terms/000002.claim").write_text("{}")
    store.objects.create(
        "parts/0001/terms/000002.outcome",
        str(found | {"kind": "committed"}).replace("'", '"').replace("()", "[]").encode(),
    )
    fetched = fetch(store, PART, tmp_path / "fetched")
    assert (fetched.outcome, "would lie outside of its folder" in fetched.told[0]) == (outcome, True)
    assert not (tmp_path / "escaped").exists()


@pytest.fixture
def small_store(tmp_path: Path) -> Iterator[SharedStore]:
    """A store on a disk that is soon full; mounting one takes rights that not every machine gives."""
    (place := tmp_path / "small").mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk can't be mounted here: that takes root")
    yield SharedStore.make(str(place / "store"), 2)
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_storage_is_told_and_what_was_committed_stays(
    small_store: SharedStore, folder: Path, tmp_path: Path
) -> None:
    outcome = commit(small_store, folder, None)
    (folder / "large").write_bytes(os.urandom(400_000))
    with pytest.raises(StoreError, match=r"/large: No space left on device; make room there and run the same command"):
        put_back(small_store, PART, 2, folder, outcome)
    assert fetch(small_store, PART, tmp_path / "fetched").outcome == outcome
    place = Path(small_store.objects.uri).parent
    subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
    with pytest.raises(StoreError, match="it is mounted read-only: mount it for writing"):
        small_store.begin_stage(1, {})


def written(database: CrawlDatabase, after: int, path: Path) -> list[str]:
    letters, last, receivers = write_messages(database, PART, after, path)
    store = SharedStore.make(str(path.parent / "letters-store"), 2)
    store.objects.remove("l")
    store.objects.put(path, "l")
    found = read_messages(store.objects, MessageFile(PART, 1, stored_as(path, "l"), after, last, letters, receivers))
    return [f"{each.sender} {each.seq} {each.url}" for each in found]


def test_letters_after_a_lost_folder_have_numbers_that_no_letter_had_before(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path / "part-1") as database:
        outbox = Outbox(database, Partition(PART, 2))

        def send(name: str) -> None:
            with database.transaction():
                outbox.hand_over(ForeignUrl(canonicalize(f"http://{name}.example/"), 2, 0, FoundBy.LINK))

        send("a")
        assert written(database, 0, tmp_path / "letters") == ["1 1 http://a.example/"]
        with database.transaction():
            number_messages_above(database, 40)
        send("b")
        with database.transaction():
            number_messages_above(database, 12)
        send("c")
        assert written(database, 1, tmp_path / "letters") == ["1 41 http://b.example/", "1 42 http://c.example/"]


def test_letters_that_are_damaged_are_told_before_any_is_delivered(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path / "part-1") as database:
        write_messages(database, PART, 0, tmp_path / "letters")
    store = SharedStore.make(str(tmp_path / "store"), 2)
    file = MessageFile(PART, 1, stored_as(tmp_path / "letters", "l"), 0, 0, 1, (2,))
    store.objects.replace("l", b"something else")
    with pytest.raises(
        StoreError, match=r"letters of part 1 can't be delivered yet: l has 14 bytes that are not what was"
    ):
        list(read_messages(store.objects, file))
