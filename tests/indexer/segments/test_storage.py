"""A killed writer leaves an index in a committed state, and nothing else after the next opening."""

from __future__ import annotations

import os
import random
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import indexer
from indexer.segments.directory import write_durably
from indexer.segments.generation import index_folder, read_generation
from tests.child import child

if TYPE_CHECKING:
    from collections.abc import Callable

    from urls.records import Page

# Each commit writes round N of all pages: a mixture of two rounds would be a half one.
WRITER = """
import pathlib, sys, indexer
from urls.records import Page
pages, writer = int(sys.argv[2]), indexer.open_writer(pathlib.Path(sys.argv[1]))
print("open", flush=True)
number = writer.position
while True:
    number += 1
    for place in range(pages):
        writer.put(Page(f"http://site.test/{place}", "", f"round{number} alpha " + "word " * 50))
    writer.commit(position=number)
"""
PAGES = 40


def kill_a_writer(folder: Path, dice: random.Random) -> None:
    with child([sys.executable, "-c", WRITER, folder, str(PAGES)]) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(dice.uniform(0.02, 0.4))  # the moment is what is varied, not what is measured
        writer.kill()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_a_writer_killed_at_any_moment_leaves_a_committed_state(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(2):
        kill_a_writer(tmp_path, dice)
        if not (index_folder(tmp_path) / "current.json").exists():
            continue  # killed before the first commit
        searcher = indexer.open_index(tmp_path)
        if searcher.position:
            assert searcher.documents == PAGES
            assert searcher.search(f"round{searcher.position}", 100).total == PAGES
            assert searcher.search(f"round{searcher.position + 1}").total == 0
    with indexer.open_writer(tmp_path) as writer:
        position = writer.position
        writer.commit(position=position + 1)
    generation = read_generation(index_folder(tmp_path))
    build = index_folder(tmp_path) / generation.build
    assert {path.name for path in build.iterdir()} == {*generation.files, f"contents-{generation.number}.json"}


def test_what_a_commit_needs_is_on_the_disk_before_the_commit_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: Callable[..., Page]
) -> None:
    steps: list[str] = []
    plain_sync, plain_rename = os.fsync, os.rename

    def sync(handle: int) -> None:
        steps.append(f"sync {Path(f'/proc/self/fd/{handle}').readlink().name}")
        plain_sync(handle)

    def rename(source: str | Path, target: str | Path) -> None:
        steps.append(f"rename {str(target).rpartition('/')[2]}")
        plain_rename(source, target)

    if not Path("/proc/self/fd").is_dir():
        pytest.skip("the names of open files are read from /proc, which this system does not have")
    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(os, "rename", rename)
    with indexer.open_writer(tmp_path) as writer:
        writer.put(page("a", "alpha"))
    commit = steps.index("rename current.json")
    before = steps[:commit]
    assert any(step.endswith(".seg") for step in before)
    assert any(step == "sync contents-1.json" for step in before)
    assert before[-1] == "sync current.json.new"
    assert "sync build-1" in before
    assert steps[commit + 1] == "sync index"


@pytest.mark.parametrize("place", [0.01, 0.3, 0.5, 0.7, 0.99])
def test_one_bit_that_a_disk_has_turned_is_found_before_the_segment_is_merged_into_sound_ones(
    tmp_path: Path, page: Callable[..., Page], place: float
) -> None:
    with indexer.open_writer(tmp_path) as writer:
        for number in range(20):
            writer.put(page(str(number), f"alpha beta{number}"))
    (segment,) = index_folder(tmp_path).glob("build-*/*.seg")
    content = bytearray(segment.read_bytes())
    content[int(place * len(content))] ^= 0x10
    segment.write_bytes(content)
    with pytest.raises(indexer.CorruptIndex, match=r"(has checksum|checksums are not|end as) .* --rebuild"):
        indexer.open_writer(tmp_path)
    with indexer.open_writer(tmp_path, rebuild=True) as writer:
        writer.put(page("0", "alpha"))
    assert indexer.open_index(tmp_path).search("alpha").total == 1


def turned(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 0x01]) + content[place + 1 :]


@pytest.mark.parametrize("name", ["current.json", "contents-2.json"])
def test_one_bit_that_a_disk_has_turned_in_what_says_where_all_is_and_what_is_deleted_is_found(
    tmp_path: Path, page: Callable[..., Page], name: str
) -> None:
    for number in range(2):  # so that a page is deleted in the first segment
        with indexer.open_writer(tmp_path) as writer:
            writer.put(page("again", f"alpha{number}"))
            writer.put(page(f"another {number}", "alpha"))
    (file,) = index_folder(tmp_path).rglob(name)
    whole = file.read_bytes()
    for place in range(0, len(whole), 7):
        file.write_bytes(turned(whole, place))
        for attempt in (indexer.open_index, indexer.open_writer):
            with pytest.raises(indexer.CorruptIndex, match="--rebuild"):
                attempt(tmp_path)
    file.write_bytes(whole)
    assert indexer.open_index(tmp_path).search("alpha").total == 2


def test_what_a_commit_had_begun_to_write_at_a_power_cut_is_swept_away_though_nothing_is_left_to_commit(
    tmp_path: Path, page: Callable[..., Page]
) -> None:
    with indexer.open_writer(tmp_path) as writer:
        writer.put(page("a", "alpha"))
    folder = index_folder(tmp_path)
    (folder / "current.json.new").write_text("{ half of a rec")
    (folder / read_generation(folder).build / "pages_of_nobody.seg").write_bytes(b"half of a segment")
    before = {path.name for path in folder.rglob("*")}
    indexer.open_writer(tmp_path).close()
    assert before - {path.name for path in folder.rglob("*")} == {"current.json.new", "pages_of_nobody.seg"}


def test_a_file_written_durably_has_the_new_content_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "state"
    for content in (b"old", b"new"):
        write_durably(path, content)
        assert path.read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["state"]
