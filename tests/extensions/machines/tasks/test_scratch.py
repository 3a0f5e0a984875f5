"""The crawl folder of a partition is deleted with its task; a failed write there is no fault of the store."""

from __future__ import annotations

from pathlib import Path

import pytest

from extensions.machines.store.shared_store import objects_at
from extensions.machines.tasks.scratch import ScratchError, scratch_folder


def test_a_folder_that_was_left_is_removed_and_one_at_work_is_not(tmp_path: Path) -> None:
    (tmp_path / "breadcrumb-part-left").mkdir()
    (tmp_path / "breadcrumb-part-left" / ".at-work").touch()
    with scratch_folder(str(tmp_path)) as first, scratch_folder(str(tmp_path)) as second:
        assert sorted(tmp_path.iterdir()) == sorted([first, second])
    assert not list(tmp_path.iterdir())


def test_a_full_disk_and_a_place_that_is_none_are_told_with_the_option_that_helps(tmp_path: Path) -> None:
    with (
        pytest.raises(ScratchError, match=rf"^{tmp_path} on .*: No space left on device. .* with --scratch$"),
        scratch_folder(str(tmp_path)),
        Path("/dev/full").open("wb", buffering=0) as full,
    ):
        full.write(b"x")
    (tmp_path / "file").touch()
    with pytest.raises(ScratchError, match="with --scratch"), scratch_folder(str(tmp_path / "file" / "below")):
        pass


def test_what_comes_out_of_a_store_and_can_t_be_written_here_is_not_blamed_on_the_store(tmp_path: Path) -> None:
    store = objects_at(str(tmp_path / "store"))
    store.create("name", b"x")
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        store.get("name", tmp_path / "file" / "name")
    assert store.get("name", tmp_path / "below" / "name")
    assert not store.get("other", tmp_path / "other")
    assert not (tmp_path / "other").exists()
