"""A new file appears whole under its name, or not at all; what is there already stays."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from commands.frame.exits import CommandError
from commands.frame.new_file import new_file, new_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def test_it_has_no_name_before_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "pages.csv"
    with new_file("--to", str(path)) as file:
        file.write(b"a")
        assert not path.exists()
    assert path.read_bytes() == b"a"
    assert list(tmp_path.iterdir()) == [path]
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask  # others may read it, as any file of this person


@pytest.mark.parametrize("fault", [KeyboardInterrupt, ValueError])
def test_an_error_leaves_nothing(tmp_path: Path, fault: type[BaseException]) -> None:
    def write() -> None:
        with new_file("--to", str(tmp_path / "pages.csv")) as file:
            file.write(b"a")
            raise fault

    with pytest.raises(fault):
        write()
    assert not any(tmp_path.iterdir())


def test_what_a_killed_command_left_is_removed_and_what_another_writes_stays(tmp_path: Path) -> None:
    (tmp_path / ".pages.csv.0123abcd.part").write_bytes(b"half of it")
    others = {".pages.csv.part", ".links.csv.0123abcd.part"}
    for name in others:
        (tmp_path / name).touch()
    first = new_file("--to", str(tmp_path / "pages.csv"))
    first.__enter__()
    [written] = {path.name for path in tmp_path.iterdir()} - others
    with new_file("--to", str(tmp_path / "pages.csv")):
        assert (tmp_path / written).exists()
    with pytest.raises(CommandError, match="already"):
        first.__exit__(None, None, None)
    assert {path.name for path in tmp_path.iterdir()} == {"pages.csv"} | others


def test_a_name_that_another_program_takes_meanwhile_stays_with_it(tmp_path: Path) -> None:
    path = tmp_path / "pages.csv"
    file = new_file("--to", str(path))
    file.__enter__().write(b"ours")
    path.write_bytes(b"theirs")
    with pytest.raises(CommandError, match="already"):
        file.__exit__(None, None, None)
    assert path.read_bytes() == b"theirs"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_that_leads_nowhere_is_a_taken_name(tmp_path: Path) -> None:
    (tmp_path / "x").symlink_to("nowhere")
    with pytest.raises(CommandError, match="already"), new_file("--to", str(tmp_path / "x")):
        raise AssertionError


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(tmp_path)]
    if os.getuid() != 0 or subprocess.run(mount, check=False).returncode:
        pytest.skip("only root makes a small disk, and not everywhere")
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True)


def test_a_full_disk_is_told_and_nothing_is_kept(small_disk: Path) -> None:
    full = "No space left on device, and nothing was kept; make room, or name a file on another disk"
    with pytest.raises(CommandError, match=full), new_file("--to", str(small_disk / "x.csv")) as file:
        file.write(bytes(1_000_000))
    assert not any(small_disk.iterdir())


def test_a_disk_that_a_folder_of_files_fills_is_told_and_nothing_is_kept(small_disk: Path) -> None:
    full = "No space left on device, and nothing was kept; make room, or name a folder on another disk"
    with pytest.raises(CommandError, match=full), new_folder("--warc", small_disk / "x"):
        (small_disk / "x" / "1").write_bytes(bytes(1_000_000))
    assert not any(small_disk.iterdir())
