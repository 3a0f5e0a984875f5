"""Is each page read once, kept through merges and rebuilds, and gone with its segment?"""

from __future__ import annotations

import os
import signal
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest

import indexer
from extensions.meaning.upkeep import VectorUpkeep
from extensions.meaning.vectors import MEANING_FOLDER, StoredVectors
from tests.child import end_of_own_fork
from tests.extensions.meaning.networks import WordCounts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from extensions.meaning.vectors import SnapshotVectors
    from urls.records import Page


def write(folder: Path, pages: list[Page], removed: tuple[str, ...] = (), *, rebuild: bool = False) -> None:
    with indexer.open_writer(folder, rebuild=rebuild) as writer:
        for each in pages:
            writer.put(each)
        for url in removed:
            writer.remove(url)


def read(folder: Path, encoder: WordCounts) -> VectorUpkeep:
    upkeep = VectorUpkeep(folder, encoder)
    while upkeep.step():
        pass
    return upkeep


def vectors(folder: Path, encoder: WordCounts) -> SnapshotVectors:
    return StoredVectors(encoder).of(indexer.open_index(folder).corpus.current())


def files(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (folder / "index" / MEANING_FOLDER).iterdir()}


@pytest.fixture
def english(page: Callable[..., Page]) -> Callable[..., list[Page]]:
    """Pages from one number to another, each with a word of its own."""

    def make(start: int, stop: int) -> list[Page]:
        return [page(f"{number}", f"Page word{number}.", language="en") for number in range(start, stop)]

    return make


def test_every_english_page_is_read_once(
    tmp_path: Path, english: Callable[..., list[Page]], page: Callable[..., Page]
) -> None:
    encoder = WordCounts()
    write(tmp_path, [*english(0, 20), page("d", "Eine Seite.", language="de")])
    assert read(tmp_path, encoder).done == encoder.encoded == 20
    assert vectors(tmp_path, encoder).passages.documents.tolist() == list(range(20))
    before = files(tmp_path)
    assert read(tmp_path, encoder).done == 0
    assert files(tmp_path) == before


def test_a_merge_reads_nothing_again(tmp_path: Path, english: Callable[..., list[Page]]) -> None:
    encoder = WordCounts()
    for start in range(0, 60, 5):
        write(tmp_path, english(start, start + 5))
        read(tmp_path, encoder)
    assert encoder.encoded == 60
    found = vectors(tmp_path, encoder)
    assert (len(found.passages.documents), found.unread) == (60, 0)
    assert len(files(tmp_path)) == len(indexer.open_index(tmp_path).corpus.current().views), "the merged ones are gone"


def test_only_what_changed_is_read_again(
    tmp_path: Path, english: Callable[..., list[Page]], page: Callable[..., Page]
) -> None:
    encoder = WordCounts()
    write(tmp_path, english(0, 10))
    read(tmp_path, encoder)
    write(tmp_path, [*english(3, 6), page("7", "Another text.", language="en")])
    assert read(tmp_path, encoder).done == 1


def test_a_rebuild_takes_the_vectors_over(tmp_path: Path, english: Callable[..., list[Page]]) -> None:
    encoder = WordCounts()
    write(tmp_path, english(0, 10))
    read(tmp_path, encoder)
    write(tmp_path, english(0, 10), rebuild=True)
    again = read(tmp_path, encoder)
    assert (again.done, again.copied) == (0, 10)


def test_a_removed_page_leaves_with_its_segment(tmp_path: Path, english: Callable[..., list[Page]]) -> None:
    encoder = WordCounts()
    write(tmp_path, english(0, 4))
    read(tmp_path, encoder)
    write(tmp_path, [], tuple(each.url for each in english(0, 4)))
    read(tmp_path, encoder)
    assert files(tmp_path) == {}


def test_another_recipe_reads_everything_anew(tmp_path: Path, english: Callable[..., list[Page]]) -> None:
    write(tmp_path, english(0, 10))
    read(tmp_path, WordCounts())
    other = WordCounts()
    other.recipe = "another way to count"
    assert read(tmp_path, other).done == 10
    assert vectors(tmp_path, other).unread == 0


@pytest.mark.parametrize("harm", ["cut", "flipped", "emptied"])
def test_a_damaged_file_is_told_and_made_anew(tmp_path: Path, english: Callable[..., list[Page]], harm: str) -> None:
    encoder = WordCounts()
    write(tmp_path, english(0, 10))
    read(tmp_path, encoder)
    (path,) = (tmp_path / "index" / MEANING_FOLDER).iterdir()
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(
        {
            "cut": content[:middle],
            "flipped": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
            "emptied": b"",
        }[harm]
    )
    found = vectors(tmp_path, encoder)
    assert found.unread == 10
    assert "is damaged" in found.notice
    assert "./breadcrumb index --meaning" in found.notice
    again = read(tmp_path, encoder)
    assert len(again.damaged) == 1
    assert again.done == 10
    assert vectors(tmp_path, encoder).notice == ""


def test_what_is_not_read_yet_is_told(tmp_path: Path, english: Callable[..., list[Page]]) -> None:
    encoder = WordCounts()
    write(tmp_path, english(0, 1))
    assert "1 page of the index is not read by meaning" in vectors(tmp_path, encoder).notice


def test_a_search_sees_what_was_read_since(tmp_path: Path, english: Callable[..., list[Page]]) -> None:
    encoder = WordCounts()
    write(tmp_path, english(0, 10))
    stored, snapshot = StoredVectors(encoder), indexer.open_index(tmp_path).corpus.current()
    assert stored.of(snapshot).unread == 10
    read(tmp_path, encoder)
    assert stored.of(snapshot).unread == 0


def test_a_kill_at_any_step_loses_no_file_and_the_next_one_goes_on(
    tmp_path: Path, english: Callable[..., list[Page]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("extensions.meaning.upkeep.SLICE_PAGES", 8)
    monkeypatch.setattr("extensions.meaning.vectors.SLICE_PAGES", 8)
    write(tmp_path, english(0, 40))

    def take_steps_and_die(count: int) -> None:
        upkeep = VectorUpkeep(tmp_path, WordCounts())
        for _ in range(count):
            upkeep.step()
        os.kill(os.getpid(), signal.SIGKILL)

    for count in (1, 3, 4):
        assert end_of_own_fork(partial(take_steps_and_die, count)) == -signal.SIGKILL
    kept = set(files(tmp_path))
    encoder = WordCounts()
    last = read(tmp_path, encoder)
    assert last.damaged == []
    assert last.done == encoder.encoded == 40 - 8 * len(kept)
    assert kept <= set(files(tmp_path))
    found = vectors(tmp_path, encoder)
    assert sorted(found.passages.documents.tolist()) == list(range(40))
    assert np.allclose(np.linalg.norm(found.passages.vectors * found.passages.factors[:, None], axis=1), 1, atol=0.01)
