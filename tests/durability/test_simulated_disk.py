"""After a power cut, a disk certainly holds the synchronised bytes, and any part of the rest."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.durability.recording import CallKind, FileCall, NoShim, build_shim, read_calls
from tests.durability.simulated_disk import Kept, SimulatedDisk, SimulatedFile, split_at_sectors

if TYPE_CHECKING:
    from pathlib import Path

DICE = random.Random(1)


def disk(*calls: FileCall) -> SimulatedDisk:
    made = SimulatedDisk("/d")
    for call in calls:
        made.take(call)
    return made


def wrote(name: str, data: bytes, offset: int = 0) -> FileCall:
    return FileCall(CallKind.WRITE, name, offset=offset, length=len(data), data=data)


def test_a_file_whose_folder_was_not_synchronised_is_gone_although_its_bytes_were() -> None:
    calls = [FileCall(CallKind.CREATE, "/d/a"), wrote("/d/a", b"x"), FileCall(CallKind.SYNC, "/d/a")]
    assert disk(*calls).cut(Kept.NOTHING, DICE) == {}
    assert disk(*calls, FileCall(CallKind.SYNC, "/d")).cut(Kept.NOTHING, DICE) == {"a": b"x"}


def test_a_folder_that_is_gone_takes_everything_in_it_away() -> None:
    calls = [FileCall(CallKind.MAKE, "/d/f"), FileCall(CallKind.CREATE, "/d/f/a"), FileCall(CallKind.SYNC, "/d/f")]
    assert disk(*calls).cut(Kept.NOTHING, DICE) == {}
    assert disk(*calls, FileCall(CallKind.SYNC, "/d")).cut(Kept.NOTHING, DICE) == {"f": None, "f/a": b""}


def test_a_rename_is_whole_or_has_not_been() -> None:
    calls = [
        FileCall(CallKind.CREATE, "/d/new"),
        wrote("/d/new", b"x"),
        FileCall(CallKind.SYNC, "/d/new"),
        FileCall(CallKind.SYNC, "/d"),
    ]
    made = disk(*calls, FileCall(CallKind.RENAME, "/d/new", "/d/old"))
    assert made.cut(Kept.NOTHING, DICE) == {"new": b"x"}
    assert made.cut(Kept.ALL, DICE) == {"old": b"x"}
    assert {tuple(made.cut(Kept.PARTS, DICE)) for _ in range(50)} == {("new",), ("old",)}


def test_a_write_that_was_not_synchronised_may_have_arrived_in_parts() -> None:
    file = SimulatedFile(bytearray(b"a" * 1024), [(0, b"b" * 1024)])
    found = {file.after_a_cut(Kept.PARTS, 512, random.Random(seed)) for seed in range(50)}
    halves = (b"a" * 512, b"b" * 512)
    assert found == {first + second for first in halves for second in halves}


@given(offset=st.integers(0, 9000), data=st.binary(max_size=9000), size=st.sampled_from([512, 4096]))
def test_pieces_make_up_the_write_and_cross_no_border(offset: int, data: bytes, size: int) -> None:
    parts = list(split_at_sectors(offset, data, size))
    assert b"".join(part or b"" for _, part in parts) == data
    assert all(place // size == (place + len(part or b"") - 1) // size for place, part in parts)


@given(
    st.lists(
        st.one_of(
            st.tuples(st.integers(0, 3000), st.binary(min_size=1, max_size=2000)),
            st.tuples(st.integers(0, 3000), st.none()),
        )
    )
)
def test_when_everything_has_arrived_a_file_is_as_if_it_had_been_synchronised(
    changes: list[tuple[int, bytes | None]],
) -> None:
    file = SimulatedFile(pending=changes)
    arrived = file.after_a_cut(Kept.ALL, 512, DICE)
    file.sync()
    assert bytes(file.sure) == arrived
    assert not file.pending


def test_a_log_that_a_kill_has_cut_short_is_read_up_to_there(tmp_path: Path) -> None:
    log = tmp_path / "log"
    record = bytes([ord("w"), 0, 2, 0, 0, 0, 0, 0]) + (5).to_bytes(8, "little") + (3).to_bytes(8, "little") + b"/axyz"
    log.write_bytes(record + record[:-1])
    assert list(read_calls(log)) == [FileCall(CallKind.WRITE, "/a", offset=5, length=3, data=b"xyz")]
    assert list(read_calls(tmp_path / "none")) == []


def test_without_a_compiler_the_recorder_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoShim, match="with a C compiler: install one as cc"):
        build_shim(tmp_path)
