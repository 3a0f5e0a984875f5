"""In which files do records stand? Numbered ones that are finished at their size, and hold whole records alone."""

import errno
import os
from pathlib import Path

import pytest

from extensions.archives.files import WarcFiles, finish, open_names, path_of_file
from extensions.archives.records import group
from tests.extensions.archives.archived import read_records
from tests.extensions.archives.test_records import EXCHANGE

DATA = group(EXCHANGE).data
INFO = [("software", "Breadcrumb/0.1")]


def files(folder: Path, most: int = 10**9, part: str = "") -> WarcFiles:
    return WarcFiles(folder, most, INFO, part, clock=lambda: 1_800_000_000.0)


def test_a_file_is_named_by_its_time_and_number_and_open_until_it_is_finished(tmp_path: Path) -> None:
    writing = files(tmp_path / "archive")
    name, start = writing.append(DATA)
    assert name == "breadcrumb-20270115080000-00001.warc.gz"
    assert [path.name for path in (tmp_path / "archive").iterdir()] == [f"{name}.open"]
    assert path_of_file(tmp_path / "archive", name).read_bytes()[start:] == DATA
    writing.close()
    assert [path.name for path in (tmp_path / "archive").iterdir()] == [name]
    assert [one.kind for one in read_records((tmp_path / "archive" / name).read_bytes())] == [
        "warcinfo",
        "request",
        "response",
    ]


def test_a_file_that_has_reached_its_size_is_followed_by_the_next_number(tmp_path: Path) -> None:
    writing = files(tmp_path, most=len(DATA))
    names = [writing.append(DATA)[0] for _ in range(3)]
    writing.close()
    assert [name[-13:-8] for name in names] == ["00001", "00002", "00003"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    again = files(tmp_path)
    assert again.append(DATA)[0][-13:-8] == "00004"


def test_a_part_of_a_farm_has_its_number_in_the_name(tmp_path: Path) -> None:
    assert files(tmp_path, part="2/3").append(DATA)[0] == "breadcrumb-20270115080000-00001-part2of3.warc.gz"


def test_the_records_name_the_warcinfo_of_their_file(tmp_path: Path) -> None:
    writing = files(tmp_path)
    writing.append(group(EXCHANGE, warcinfo_id=writing.room()).data)
    writing.close()
    info, request, response = read_records(next(tmp_path.iterdir()).read_bytes())
    assert {one.headers["WARC-Warcinfo-ID"] for one in (request, response)} == {info.headers["WARC-Record-ID"]}


def test_where_nothing_was_written_there_is_no_file(tmp_path: Path) -> None:
    files(tmp_path).close()
    assert list(tmp_path.iterdir()) == []


def test_what_a_full_disk_takes_by_half_is_cut_off_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writing = files(tmp_path)
    name, _ = writing.append(DATA)
    before, write, calls = path_of_file(tmp_path, name).read_bytes(), os.pwrite, []

    def half(handle: int, data: memoryview, at: int) -> int:
        calls.append(at)
        if len(calls) > 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(handle, data[:100], at)

    monkeypatch.setattr(os, "pwrite", half)
    with pytest.raises(OSError, match="No space left"):
        writing.append(DATA)
    assert path_of_file(tmp_path, name).read_bytes() == before


def test_open_files_are_found_and_finished(tmp_path: Path) -> None:
    name, _ = files(tmp_path).append(DATA)
    assert open_names(tmp_path) == [name]
    finish(tmp_path, name)
    assert open_names(tmp_path) == []
    assert (tmp_path / name).exists()
